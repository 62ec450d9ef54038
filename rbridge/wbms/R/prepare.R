# From what a user hands in to a matrix of doubles, checked: nothing that Python could not see or
# would misread crosses the bridge.

# A data frame or matrix as a double matrix; missing values are left in for complete_rows().
numeric_matrix <- function(x, name = "x") {
  x <- if (is.data.frame(x)) frame_matrix(x, name) else plain_matrix(x, name)
  if (ncol(x) == 0L) abort("'", name, "' has no columns")
  if (nrow(x) == 0L) abort("'", name, "' has no rows")
  if (is.null(colnames(x))) colnames(x) <- paste0("V", seq_len(ncol(x)))
  twice <- function(names) unique(names[duplicated(names)])
  if (anyDuplicated(colnames(x))) {
    abort("duplicated column names in '", name, "': ", quoted(twice(colnames(x))))
  }
  # rbind() of rows with and without names leaves some empty: those are no names.
  called <- rownames(x)[nzchar(rownames(x))]
  if (anyDuplicated(called)) {
    abort("duplicated row names in '", name, "': ", quoted(twice(called)))
  }
  x
}

frame_matrix <- function(x, name) {
  usable <- vapply(x, function(column) {
    (is.numeric(column) || is.logical(column)) && is.null(dim(column)) && !is.factor(column) &&
      !inherits(column, c("Date", "POSIXt", "difftime"))
  }, NA)
  if (!all(usable)) {
    unusable <- names(x)[!usable]
    kinds <- unique(vapply(x[!usable], function(column) class(column)[[1L]], ""))
    abort(
      "columns of '", name, "' that are not numeric: ", quoted(unusable), " (", toString(kinds),
      "); leave them out, or name them in a formula (~ a + b), which makes indicator columns of factors"
    )
  }
  rows <- row.names(x)
  columns <- names(x)
  x <- matrix(
    as.double(unlist(lapply(x, as.double), use.names = FALSE)), # of no columns, NULL
    nrow = length(rows), ncol = length(columns)
  )
  dimnames(x) <- list(rows, columns)
  x
}

plain_matrix <- function(x, name) {
  if (is.null(dim(x)) && (is.numeric(x) || is.logical(x)) && !is.object(x)) {
    # R counts the elements of a vector without dim in 32 bits in too many places.
    if (length(x) > .Machine$integer.max) abort("'", name, "' is too long for a vector: give it as a matrix")
    x <- matrix(x, ncol = 1L, dimnames = list(names(x), name))
  }
  if (length(dim(x)) != 2L || !(is.numeric(x) || is.logical(x))) {
    abort(
      "'", name, "' must be a numeric matrix, a data frame or a formula, not ",
      if (is.matrix(x)) paste("a matrix of type", typeof(x)) else paste("of class", quoted(class(x)))
    )
  }
  x <- as.matrix(x)
  attributes(x) <- attributes(x)[c("dim", "dimnames")]
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# Which rows to use. Missing values are an error that names their columns, unless na.action is one
# that leaves rows out.
complete_rows <- function(x, na.action, name = "x") {
  missing_in <- is.na(x)
  incomplete <- rowSums(missing_in) > 0L
  if (any(incomplete) && !leaves_out(na.action)) {
    abort(
      "missing values in column ", quoted(colnames(x)[colSums(missing_in) > 0L]), " of '", name,
      "' (first in row ", row_called(x, which(incomplete)[[1L]]), ", ", sum(incomplete),
      if (sum(incomplete) == 1L) " row" else " rows",
      " in all); fill them in, or use na.action = na.omit"
    )
  }
  if (all(incomplete)) abort("no rows are left: every row of '", name, "' has a missing value")
  infinite <- is.infinite(x) & !incomplete
  if (any(infinite)) {
    where <- which(rowSums(infinite) > 0L)[[1L]]
    abort(
      "infinite values in column ", quoted(colnames(x)[colSums(infinite) > 0L]), " of '", name,
      "' (first in row ", row_called(x, where), ")"
    )
  }
  !incomplete
}

leaves_out <- function(na.action) {
  if (is.null(na.action)) return(FALSE)
  if (is.character(na.action) && length(na.action) == 1L) {
    na.action <- get0(na.action, mode = "function", ifnotfound = na.action)
  }
  if (!is.function(na.action)) abort("'na.action' must be a function such as na.omit or na.fail")
  # What a function does with a missing value tells which one it is, wrapped or not.
  tried <- tryCatch(na.action(data.frame(x = c(1, NA))), error = function(e) NULL)
  is.data.frame(tried) && nrow(tried) == 1L
}

row_called <- function(x, i) {
  if (is.null(rownames(x))) i else rownames(x)[[i]]
}

# The record of the rows left out, as na.omit makes it; NULL if there are none.
omitted_rows <- function(kept, names) {
  if (all(kept)) return(NULL)
  left_out <- which(!kept)
  names(left_out) <- names[left_out]
  structure(left_out, class = "omit")
}
