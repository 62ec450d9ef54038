# Tables of other packages, and numbers that R stores in an unusual way.

# What can be clustered of a table that is neither a matrix nor a data frame.
plain_table <- function(x, name) {
  if (inherits(x, "dist")) {
    abort(
      "'", name, "' holds distances, but wbms() learns its distance from the columns: give the data, or ",
      "coordinates made of the distances, stats::cmdscale(", name, ", k = 10)"
    )
  }
  if (inherits(x, "Matrix")) return(dense(x, name))
  x
}

# Sparse matrices become dense: the algorithm fills them in its first iteration.
most_dense <- 2^28 # numbers, 2 GB

dense <- function(x, name) {
  cells <- prod(dim(x))
  if (cells > most_dense) {
    abort(
      "'", name, "' is a sparse matrix of ", paste(vapply(dim(x), counted, ""), collapse = " x "),
      ", which would take ", counted(round(8 * cells / 2^30)), " GB as a dense one; take fewer columns, ",
      "such as those of a truncated singular value decomposition (irlba::irlba)"
    )
  }
  message(
    "wbms: the ", class(x)[[1L]], " '", name, "' is used as a dense matrix of ", counted(ceiling(cells / 2^17)), " MB"
  )
  as.matrix(methods::as(x, "matrix"))
}

# The numbers of a column of the package bit64, which stores 64-bit integers in the bits of doubles.
from_integer64 <- function(x) {
  words <- readBin(writeBin(as.vector(unclass(x)), raw(), endian = "little"), "integer", 2L * length(x),
                   endian = "little")
  words <- as.double(words)
  words[is.na(words)] <- -2^31 # R's NA is the smallest integer
  low <- words[c(TRUE, FALSE)]
  high <- words[c(FALSE, TRUE)]
  values <- high * 2^32 + low + ifelse(low < 0, 2^32, 0)
  values[high == -2^31 & low == 0] <- NA # the NA of bit64
  values
}

# A column or vector as doubles; time differences count in their own unit.
as_numbers <- function(x) {
  if (inherits(x, "integer64")) from_integer64(x) else as.double(x)
}
