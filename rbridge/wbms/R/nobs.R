#' Number of rows that were clustered
#'
#' @param object a fit of [wbms()].
#' @param ... not used.
#' @return An integer: the rows that were clustered, without those left out.
#' @examplesIf wbms::wbms_available()
#' nobs(wbms(iris[, 1:4], h = 0.05, lambda = 0.1))
#' @exportS3Method stats::nobs
nobs.wbms <- function(object, ...) {
  nrow(object$data)
}
