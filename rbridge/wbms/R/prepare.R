# From any input table to a checked double matrix: Python never sees values that it could not
# represent or would misread.

# A data frame or matrix as a double matrix; missing values are kept for complete_rows().
numeric_matrix <- function(x, name = "x") {
  x <- if (is.data.frame(x)) frame_matrix(x, name) else plain_matrix(plain_table(x, name), name)
  if (ncol(x) == 0L) abort("'", name, "' has no columns")
  if (nrow(x) == 0L) abort("'", name, "' has no rows")
  if (is.null(colnames(x))) colnames(x) <- paste0("V", seq_len(ncol(x)))
  twice <- function(names) unique(names[duplicated(names)])
  if (anyNA(colnames(x))) abort("column ", which(is.na(colnames(x)))[[1L]], " of '", name, "' has no name")
  if (anyDuplicated(colnames(x))) {
    abort("duplicated column names in '", name, "': ", quoted(twice(colnames(x))))
  }
  x
}

frame_matrix <- function(x, name) {
  columns <- names(x)
  if (is.null(columns)) columns <- paste0("V", seq_along(x))
  usable <- vapply(x, function(column) {
    (is.numeric(column) || is.logical(column)) && is.null(dim(column)) && !is.factor(column) &&
      !inherits(column, c("Date", "POSIXt")) || inherits(column, "difftime")
  }, NA)
  if (!all(usable)) {
    unusable <- columns[!usable]
    kinds <- unique(vapply(x[!usable], function(column) class(column)[[1L]], ""))
    abort(
      if (length(unusable) == 1L) "column" else "columns", " of '", name, "' that ",
      if (length(unusable) == 1L) "is" else "are", " not numeric: ", quoted(unusable), " (",
      toString(kinds), "); ", column_advice(x[!usable])
    )
  }
  rows <- row.names(x)
  x <- matrix(
    as.double(unlist(lapply(x, as_numbers), use.names = FALSE)), # NULL if there are no columns
    nrow = length(rows), ncol = length(columns)
  )
  dimnames(x) <- list(rows, columns)
  x
}

# What to do with columns that are not numeric.
column_advice <- function(columns) {
  is_any <- function(...) any(vapply(columns, inherits, NA, what = c(...)))
  made_of <- function(type) any(vapply(columns, type, NA))
  advice <- c(
    if (made_of(is.factor) || made_of(is.character)) {
      "use categories = \"indicators\" or a formula (~ a + b), which turn factors into indicator columns"
    },
    if (is_any("Date", "POSIXt")) "convert times with as.numeric()",
    if (made_of(is.complex)) "split complex numbers with Re() and Im()",
    if (made_of(function(column) !is.null(dim(column)))) {
      "split matrix columns with do.call(data.frame, x)"
    },
    if (made_of(function(column) is.list(column) && is.null(dim(column)) && !is.object(column))) {
      "convert lists with unlist()"
    }
  )
  paste(c("drop the non-numeric columns", advice), collapse = ", or ")
}

plain_matrix <- function(x, name) {
  if (is.null(dim(x)) && inherits(x, c("difftime", "integer64"))) {
    x <- stats::setNames(as_numbers(x), names(x))
  }
  if (is.null(dim(x)) && (is.numeric(x) || is.logical(x)) && !is.object(x)) {
    # Too many places in R count the elements of a vector without dim in 32 bits.
    if (length(x) > .Machine$integer.max) abort("'", name, "' is too long for a vector: give it as a matrix")
    x <- matrix(x, ncol = 1L, dimnames = list(names(x), name))
  }
  if (length(dim(x)) != 2L || !(is.numeric(x) || is.logical(x))) {
    abort(
      "'", name, "' must be a numeric matrix, a data frame, ",
      if (name == "x") "a numeric vector or a formula, not " else "or a numeric vector, not ",
      if (is.matrix(x)) paste("a matrix of type", typeof(x)) else paste("of class", quoted(class(x)))
    )
  }
  x <- as.matrix(x)
  attributes(x) <- attributes(x)[c("dim", "dimnames")]
  if (!is.double(x)) storage.mode(x) <- "double"
  x
}

# Which rows have neither missing nor infinite values. These raise an error that names their columns
# unless such rows are to be omitted.
complete_rows <- function(x, missing_values = "fail", name = "x") {
  missing_in <- is.na(x)
  if (missing_values == "fail") {
    refuse_missing(missing_in, paste0("'", name, "'"))
    refuse_infinite(is.infinite(x), x, name)
  }
  rowSums(!is.finite(x)) == 0L
}

# Raises an error that names the columns, and the first row, with infinite values.
refuse_infinite <- function(infinite, x, name) {
  if (any(infinite)) {
    where <- which(rowSums(infinite) > 0L)[[1L]]
    abort(
      "infinite values in ", named_columns(infinite), " of '", name, "' (first in row ",
      row_called(x, where), "); replace them by finite numbers, or use na.action = na.omit or \"impute\""
    )
  }
}

# Raises an error that names the columns, and the first row, with missing values.
refuse_missing <- function(missing_in, place, noun = "column") {
  incomplete <- which(rowSums(missing_in) > 0L)
  if (!length(incomplete)) return(invisible())
  abort(
    "missing values in ", named_columns(missing_in, noun), " of ", place, " (first in row ",
    row_called(missing_in, incomplete[[1L]]), ", ", counted(length(incomplete), "row"),
    " in total); fill them in, or use na.action = na.omit or \"impute\""
  )
}

named_columns <- function(concerned, noun = "column") {
  names <- colnames(concerned)[colSums(concerned) > 0L]
  paste0(noun, if (length(names) > 1L) "s", " ", quoted(names))
}

# Where the variables of a model frame, which may be matrices, are missing: one column per variable.
missing_in_frame <- function(frame) {
  missing_in <- vapply(
    frame, function(variable) rowSums(is.na(as.matrix(variable))) > 0L, logical(nrow(frame))
  )
  matrix(
    missing_in, nrow(frame),
    dimnames = list(row.names(frame), gsub("`", "", names(frame), fixed = TRUE))
  )
}

# How to handle missing values: "fail", "omit", "impute" or, where allowed, "pass".
check_na_action <- function(na.action, pass = "fail") {
  if (is.null(na.action)) return("fail")
  if (identical(na.action, "impute")) return("impute")
  actions <- list(
    na.fail = stats::na.fail, na.omit = stats::na.omit, na.exclude = stats::na.exclude,
    na.pass = stats::na.pass
  )
  meant <- c(na.fail = "fail", na.omit = "omit", na.exclude = "omit", na.pass = pass)
  found <- if (is.function(na.action)) {
    names(actions)[vapply(actions, identical, NA, na.action)]
  } else if (is.character(na.action) && length(na.action) == 1L) {
    intersect(na.action, names(actions))
  }
  if (length(found)) return(meant[[found]])
  abort(
    "'na.action' must be na.fail, na.omit, na.exclude or \"impute\"",
    if (pass != "fail") " (or na.pass)", ", not ",
    if (is.function(na.action)) "another function" else described(na.action)
  )
}

row_called <- function(x, i) {
  if (is.null(rownames(x))) i else rownames(x)[[i]]
}

# The record of the omitted rows, as made by na.omit(); NULL if there are none.
omitted_rows <- function(kept, names) {
  if (all(kept)) return(NULL)
  left_out <- which(!kept)
  names(left_out) <- names[left_out]
  structure(left_out, class = "omit")
}
