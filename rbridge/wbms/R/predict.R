#' Clusters of new rows
#'
#' A new row gets the cluster of the nearest clustered row in the learned weighted distance. A row
#' that was clustered always gets its own cluster. The fit holds all that is needed.
#'
#' @param object a fit of [wbms()].
#' @param newdata a data frame or matrix with the columns that were clustered, found by name
#'   (further columns are ignored), or, without names, by position. Without it, the clusters of the
#'   fit are returned.
#' @param na.action what to do with missing values; by default what the fit did. With
#'   [stats::na.omit()] or [stats::na.pass()] such rows have `NA`.
#' @param n_jobs number of threads.
#' @param ... not used.
#' @return An integer vector of clusters, named by row.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' predict(fit, iris[c(1, 51, 101), ])
#' @exportS3Method stats::predict
predict.wbms <- function(object, newdata, na.action = NULL, n_jobs = NULL, ...) {
  call <- match.call()
  n_jobs <- check_jobs(n_jobs)
  if (missing(newdata) || is.null(newdata)) return(object$cluster)
  x <- matching_matrix(object, newdata)
  if (is.null(na.action)) {
    na.action <- if (is.null(object$na.action)) stats::na.fail else stats::na.omit
  } else if (identical(na.action, stats::na.pass) || identical(na.action, "na.pass")) {
    na.action <- stats::na.omit
  }
  cluster <- rep(NA_integer_, nrow(x))
  names(cluster) <- rownames(x)
  if (nrow(x) == 0L) return(cluster)
  kept <- complete_rows(x, na.action, "newdata")
  cluster[kept] <- py_call(
    "predict", x[kept, , drop = FALSE], object$data, object$cluster[!is.na(object$cluster)],
    object$weights, object$params$standardize, n_jobs,
    .call = call
  )
  cluster
}

# New data as a matrix with the columns of the fit, in its order.
matching_matrix <- function(object, newdata) {
  columns <- colnames(object$data)
  if (!is.null(object$terms)) {
    if (!is.data.frame(newdata)) newdata <- as.data.frame(newdata)
    frame <- stats::model.frame(
      object$terms, newdata, na.action = stats::na.pass, xlev = object$xlevels
    )
    newdata <- design_matrix(object$terms, frame, object$contrasts)
  } else if (is.null(dim(newdata)) && is.numeric(newdata) && length(columns) > 1L) {
    # one row, as R's x[1, ] gives it
    newdata <- matrix(newdata, nrow = 1L, dimnames = list(NULL, names(newdata)))
  } else if (is.null(dim(newdata))) {
    newdata <- plain_matrix(newdata, "newdata")
    colnames(newdata) <- columns
  }
  if (is.null(colnames(newdata))) {
    if (ncol(newdata) != length(columns)) {
      abort("'newdata' must have ", length(columns), " columns, not ", ncol(newdata))
    }
    colnames(newdata) <- columns
  }
  absent <- setdiff(columns, colnames(newdata))
  if (length(absent)) abort("columns that 'newdata' lacks: ", quoted(absent))
  newdata <- newdata[, columns, drop = FALSE]
  if (nrow(newdata) == 0L) return(matrix(0, 0L, length(columns)))
  numeric_matrix(newdata, "newdata")
}
