#' Number of rows that were clustered
#'
#' @param object a fit of [wbms()].
#' @param ... not used: further arguments are errors.
#' @return An integer: the rows that were clustered, without those left out.
#' @examplesIf wbms::wbms_available()
#' nobs(wbms(iris[, 1:4], h = 0.05, lambda = 0.1))
#' @exportS3Method stats::nobs
nobs.wbms <- function(object, ...) {
  refuse_unknown(..., topic = "nobs.wbms")
  nrow(object$data)
}

#' The formula of a fit
#'
#' @param x a fit that [wbms()] made by a formula; of others it is an error.
#' @param ... not used: further arguments are errors.
#' @return The formula, in which `.` stands for nothing any more: it names all columns.
#' @examplesIf wbms::wbms_available()
#' formula(wbms(~ . - Species, data = iris, h = 0.05, lambda = 0.1))
#' @exportS3Method stats::formula
formula.wbms <- function(x, ...) {
  refuse_unknown(..., topic = "formula.wbms")
  if (is.null(x$terms)) abort("the fit was not made by a formula")
  stats::formula(x$terms)
}
