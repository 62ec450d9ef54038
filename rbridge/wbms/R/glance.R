#' @rdname tidy.wbms
#' @export
glance <- function(x, ...) {
  UseMethod("glance")
}

#' @rdname tidy.wbms
#' @export
glance.wbms <- function(x, ...) {
  refuse_unknown(..., topic = "glance.wbms")
  squares <- sums_of_squares(x)
  within <- sum(squares$within)
  as_tibble(data.frame(
    totss = squares$total, tot.withinss = within, betweenss = squares$total - within,
    iter = x$iter, nobs = nrow(x$data), k = length(x$size), h = x$h, lambda = x$lambda,
    converged = x$converged, eff.columns = exp(weight_entropy(x))
  ))
}
