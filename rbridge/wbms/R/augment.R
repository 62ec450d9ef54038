#' @rdname tidy.wbms
#' @export
augment <- function(x, ...) {
  UseMethod("augment")
}

#' @rdname tidy.wbms
#' @export
augment.wbms <- function(x, data, ...) {
  cluster <- x$cluster
  if (missing(data) || is.null(data)) {
    data <- as.data.frame(x$data)
    cluster <- cluster[!is.na(cluster)]
  } else {
    data <- clustered_frame(x, data)
  }
  if (".cluster" %in% names(data)) abort("'data' has a column '.cluster' already")
  rows <- if (has_row_names(data)) list(.rownames = row.names(data))
  columns <- c(rows, as.list(data), list(.cluster = factor(unname(cluster), seq_along(x$size))))
  as_tibble(structure(columns, class = "data.frame", row.names = .set_row_names(nrow(data))))
}

# The data as a frame, if its rows are those of the fit.
clustered_frame <- function(x, data) {
  if (is.matrix(data)) data <- as.data.frame(data)
  if (!is.data.frame(data)) {
    abort("'data' must be a data frame or a matrix, not of class ", quoted(class(data)))
  }
  n <- length(x$cluster)
  if (nrow(data) != n) {
    abort("'data' must have the ", counted(n, "row"), " given to wbms(), not ", counted(nrow(data)))
  }
  named <- has_row_names(data) && !is.null(names(x$cluster))
  if (named && !identical(row.names(data), names(x$cluster))) {
    abort("'data' must have the rows given to wbms(), in the same order: its row names differ")
  }
  data
}

# Whether the row names say more than which row it is.
has_row_names <- function(data) {
  !identical(row.names(data), as.character(seq_len(nrow(data))))
}
