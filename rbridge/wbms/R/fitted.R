#' Fitted values
#'
#' @param object a fit of [wbms()].
#' @param method what to return for each row: `"centers"`, the centre of its cluster; `"classes"`,
#'   its cluster; `"modes"`, its final position, which equals the centre up to the tolerance of the
#'   fit.
#' @param ... not used: further arguments are errors.
#' @return For `"classes"` an integer vector, otherwise a matrix like the data. Omitted rows have
#'   `NA`.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' head(fitted(fit))
#' @exportS3Method stats::fitted
fitted.wbms <- function(object, method = c("centers", "classes", "modes"), ...) {
  refuse_unknown(..., topic = "fitted.wbms", known = "method")
  method <- check_kind(method, "method", c("centers", "classes", "modes"))
  if (method == "classes") return(object$cluster)
  if (method == "centers") {
    values <- object$centers[object$cluster, , drop = FALSE]
  } else {
    rows <- rep(NA_integer_, length(object$cluster))
    rows[clustered_rows(object)] <- seq_len(nrow(object$modes))
    values <- object$modes[rows, , drop = FALSE]
  }
  dimnames(values) <- list(names(object$cluster), colnames(object$data))
  values
}
