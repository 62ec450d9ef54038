#' Number of rows that were clustered
#'
#' @param object a fit of [wbms()].
#' @param ... not used: further arguments are errors.
#' @return An integer: the number of rows that were clustered, without omitted rows.
#' @examplesIf wbms::wbms_available()
#' nobs(wbms(iris[, 1:4], h = 0.05, lambda = 0.1))
#' @exportS3Method stats::nobs
nobs.wbms <- function(object, ...) {
  refuse_unknown(..., topic = "nobs.wbms")
  nrow(object$data)
}

#' The formula of a fit
#'
#' @param x a fit of [wbms()] by a formula; other fits are an error.
#' @param ... not used: further arguments are errors.
#' @return The formula, with `.` expanded to the names of the columns.
#' @examplesIf wbms::wbms_available()
#' formula(wbms(~ . - Species, data = iris, h = 0.05, lambda = 0.1))
#' @exportS3Method stats::formula
formula.wbms <- function(x, ...) {
  refuse_unknown(..., topic = "formula.wbms")
  if (is.null(x$terms)) abort("the fit was not made with a formula")
  stats::formula(x$terms)
}
