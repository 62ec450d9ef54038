#' @rdname tidy.wbms
#' @export
augment <- function(x, ...) {
  UseMethod("augment")
}

#' @rdname tidy.wbms
#' @export
augment.wbms <- function(x, data = NULL, newdata = NULL, ...) {
  refuse_unknown(..., topic = "augment.wbms", known = c("data", "newdata"))
  cluster <- x$cluster
  name <- if (is.null(newdata)) "data" else "newdata"
  if (!is.null(newdata)) {
    if (!is.null(data)) abort("give 'data' (the rows of the fit) or 'newdata' (other rows), not both")
    check_table(newdata, "newdata")
    cluster <- predict(x, newdata, na.action = stats::na.pass)
    data <- newdata
  } else if (is.null(data)) {
    data <- x$data
    cluster <- clustered(x)
  } else {
    cluster <- clusters_for(x, data)
  }
  if (".cluster" %in% colnames(data)) {
    abort("'", name, "' already has a column '.cluster'")
  }
  rows <- row_names(data)
  if (is.matrix(data)) {
    rownames(data) <- NULL # a data frame would make them unique
    data <- as.data.frame(data)
  }
  columns <- c(
    if (!is.null(rows)) list(.rownames = rows), as.list(data),
    list(.cluster = factor(unname(cluster), seq_along(x$size)))
  )
  as_tibble(structure(columns, class = "data.frame", row.names = .set_row_names(length(cluster))))
}

# The clusters of the rows of the data, which must be those of the fit; row names tell their order.
clusters_for <- function(x, data) {
  check_table(data, "data")
  n <- length(x$cluster)
  if (nrow(data) != n) {
    abort(
      "'data' must have the ", counted(n, "row"), " given to wbms(), not ", counted(nrow(data)),
      if (!is.null(x$call$subset)) {
        paste0(
          ": the fit has those of its 'subset', so give augment() these rows, data = subset(df, ",
          described(x$call$subset), "), or take newdata = df, which predicts all"
        )
      }
    )
  }
  rows <- row_names(data)
  known <- names(x$cluster)
  if (is.null(rows) || is.null(known) || identical(rows, known)) return(x$cluster)
  if (anyDuplicated(rows) || anyDuplicated(known) || !all(rows %in% known)) {
    abort("'data' must have the rows given to wbms(): its row names differ")
  }
  x$cluster[rows]
}

check_table <- function(data, name) {
  if (!is.data.frame(data) && !is.matrix(data)) {
    abort("'", name, "' must be a data frame or a matrix, not of class ", quoted(class(data)))
  }
}

# Row names other than the default 1, 2, ..., or NULL.
row_names <- function(data) {
  rows <- if (is.matrix(data)) rownames(data) else row.names(data)
  if (!identical(rows, as.character(seq_len(nrow(data))))) rows
}
