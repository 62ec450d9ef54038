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
#' @param env not used; [stats::as.formula()] gives it.
#' @param ... not used: further arguments are errors.
#' @return The formula, with `.` expanded to the names of the columns.
#' @examplesIf wbms::wbms_available()
#' formula(wbms(~ . - Species, data = iris, h = 0.05, lambda = 0.1))
#' @exportS3Method stats::formula
formula.wbms <- function(x, env = NULL, ...) {
  refuse_unknown(..., topic = "formula.wbms")
  if (is.null(x$terms)) abort("the fit was not made with a formula")
  stats::formula(x$terms)
}

#' The model frame and the model matrix of a fit
#'
#' What [stats::model.frame()] and [stats::model.matrix()] have for other models: the table and the matrix that were
#' clustered.
#'
#' @param object,formula a fit of [wbms()].
#' @param ... not used: further arguments are errors.
#' @return `model.matrix()` returns the numeric matrix that was clustered: indicators for factors, filled-in values,
#'   no omitted rows. `model.frame()` returns it as a data frame with the factors put together again.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(~ Petal.Length + Species, data = iris, h = 0.05, lambda = 0.1)
#' head(model.matrix(fit), 2)
#' head(model.frame(fit), 2)
#' @exportS3Method stats::model.matrix
model.matrix.wbms <- function(object, ...) {
  refuse_unknown(..., topic = "model.matrix.wbms")
  object$data
}

#' @rdname model.matrix.wbms
#' @exportS3Method stats::model.frame
model.frame.wbms <- function(formula, ...) {
  refuse_unknown(..., topic = "model.matrix.wbms")
  x <- formula$data
  levels <- if (is.null(formula$terms)) formula$encoding$levels else formula$xlevels
  frame <- as.data.frame(unname(x))
  names(frame) <- colnames(x)
  for (name in names(levels)) {
    columns <- paste0(name, "=", levels[[name]])
    if (!all(columns %in% names(frame))) next # in an interaction only
    frame[[name]] <- factor(levels[[name]][max.col(x[, columns, drop = FALSE], "first")], levels[[name]])
    frame <- frame[setdiff(names(frame), columns)]
  }
  rows <- rownames(x)
  if (!is.null(rows) && !anyDuplicated(rows)) attr(frame, "row.names") <- rows
  frame
}
