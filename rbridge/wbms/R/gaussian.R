#' A Gaussian cloud under Weighted Blurring Mean Shift
#'
#' `gaussian_recursion()` computes the standard deviations and weights of an infinite Gaussian sample:
#' Theorem 4 of the paper, corrected. From \eqn{s = \sigma} and equal weights each iteration sets
#' \deqn{s \leftarrow \frac{s^3}{s^2 + h / (2 w)}, \qquad w_l \propto \exp\{-(\sigma_l - s_l)^2 /
#' \lambda\}.}{s <- s^3 / (s^2 + h / (2 w)), w_l ~ exp(-(sigma_l - s_l)^2 / lambda).}
#' (The paper prints \eqn{s / (1 + h s^2 / (2 w))}{s / (1 + h s^2 / (2 w))}, which does not follow
#' from its own proof.) `gaussian_sample()` runs the algorithm on a sample and compares it with both.
#' `convergence_order()` estimates the order and the rate at which a sequence converges to 0, which by
#' Theorem 5 are 3 and \eqn{2 w / h}{2 w / h}; `limit_weights()` gives the limit of the weights.
#'
#' @param sigma standard deviations of the features, positive; names are kept.
#' @param h bandwidth.
#' @param lambda strength of the entropy term.
#' @param n_iter number of iterations.
#' @param n number of rows of the sample.
#' @param seed seed of the sample's random numbers.
#' @param s a decreasing sequence of positive numbers, or the result of `gaussian_recursion()`.
#' @return `gaussian_recursion()`: a data frame with one row per iteration (from 0) and feature, with
#'   `s`, `w` and their logarithms, which remain finite when `s` underflows to 0. `gaussian_sample()`:
#'   a data frame with the values of the sample and of both recursions. `convergence_order()`: a list
#'   with `order` and `constant`, or a data frame with one row per feature. `limit_weights()`: a
#'   vector.
#' @examplesIf wbms::wbms_available()
#' cloud <- gaussian_recursion(c(a = 1, b = 2), h = 1, lambda = 1, n_iter = 10)
#' head(cloud)
#' convergence_order(cloud)
#' limit_weights(c(a = 1, b = 2), lambda = 1)
#' @export
gaussian_recursion <- function(sigma, h, lambda, n_iter) {
  py_call(
    "gaussian_recursion", check_deviations(sigma), names(sigma), check_positive(h, "h"),
    check_positive(lambda, "lambda"), check_whole(n_iter, "n_iter", 0)
  )
}

#' @rdname gaussian_recursion
#' @export
gaussian_sample <- function(n, sigma, h, lambda, n_iter, seed = 0) {
  py_call(
    "gaussian_sample", check_whole(n, "n", 2), check_deviations(sigma), names(sigma),
    check_positive(h, "h"), check_positive(lambda, "lambda"), check_whole(n_iter, "n_iter", 0),
    check_whole(seed, "seed", 0)
  )
}

#' @rdname gaussian_recursion
#' @export
convergence_order <- function(s) {
  if (!is.data.frame(s)) return(py_call("convergence_order", check_numbers(s, "s")))
  needed <- c("iteration", "feature", "s", "log_s")
  absent <- setdiff(needed, names(s))
  if (length(absent)) abort("columns missing from 's': ", quoted(absent))
  py_call("convergence_order", as.list(s)[needed])
}

#' @rdname gaussian_recursion
#' @export
limit_weights <- function(sigma, lambda) {
  w <- py_call(
    "limit_weights", check_deviations(sigma), names(sigma), check_positive(lambda, "lambda")
  )
  stats::setNames(w, names(sigma))
}

#' The weights of Theorem 1
#'
#' The weights \eqn{w_l \propto \exp(-D_l / \lambda)}{w_l ~ exp(-D_l / lambda)} minimise
#' \eqn{\sum_l w_l D_l + \lambda \sum_l w_l \log w_l}{sum w D + lambda sum w log w} among all
#' nonnegative weights that sum to 1.
#'
#' @param D displacement of each feature, at least 0; names are kept.
#' @param lambda strength of the entropy term.
#' @return A vector of weights.
#' @examplesIf wbms::wbms_available()
#' entropy_weights(c(a = 0, b = 0, c = 1), lambda = 0.5)
#' @export
entropy_weights <- function(D, lambda) {
  D <- check_numbers(D, "D")
  if (any(D < 0)) abort("'D' must not contain negative numbers")
  w <- py_call("entropy_weights", D, names(D), check_positive(lambda, "lambda"))
  stats::setNames(w, names(D))
}

check_numbers <- function(x, name) {
  if (!is.numeric(x) || is.factor(x) || !length(x) || !all(is.finite(x))) {
    abort("'", name, "' must be finite numbers, not ", described(x))
  }
  stats::setNames(as.double(x), names(x))
}

check_deviations <- function(sigma) {
  sigma <- check_numbers(sigma, "sigma")
  if (any(sigma <= 0)) abort("'sigma' must be positive, not ", described(unname(sigma)))
  sigma
}
