#' The paper's simulated data
#'
#' Draws one of the simulated data sets of the paper. For the same seed the numbers are identical to
#' those of the Python package.
#'
#' @param name the data set: `"data1"` (the motivating example: two clusters in 2 of 32 features),
#'   `"simulation1"` (`k` clusters), `"simulation2"` (four clusters, `p` features),
#'   `"simulation3"` (four clusters in 2 features), `"two_moons"` or `"varied_densities"` (each with
#'   30 noise features).
#' @param seed seed of the random numbers.
#' @param n number of rows of `"two_moons"` and `"varied_densities"`.
#' @param ... further parameters: `k` for `"simulation1"`; `p` and `sd` for
#'   `"simulation2"`; `sd` for `"simulation3"`; `noise` and `n_noise_features` for `"two_moons"`;
#'   `n_noise_features` for `"varied_densities"`.
#' @return A data frame; its attribute `"truth"` is a factor with the true cluster of each row.
#' @examplesIf wbms::wbms_available()
#' x <- wbms_data("data1")
#' fit <- wbms(x, h = 0.1, lambda = 0.05)
#' table(fit$cluster, attr(x, "truth"))
#' @export
wbms_data <- function(name = "data1", seed = 0, n = NULL, ...) {
  takes <- list(
    data1 = character(), simulation1 = "k", simulation2 = c("p", "sd"), simulation3 = "sd",
    two_moons = c("n", "noise", "n_noise_features"), varied_densities = c("n", "n_noise_features")
  )
  name <- check_choice(name, "name", names(takes))
  # n is a formal argument: in the dots R would take it for an abbreviation of name.
  more <- c(list(...), if (!is.null(n)) list(n = n))
  unknown <- setdiff(c(extra_names(...), if (!is.null(n)) "n"), takes[[name]])
  if (length(unknown)) {
    abort(
      "unknown argument for \"", name, "\": ", quoted(unknown), "; it takes 'seed'",
      if (length(takes[[name]])) paste0(", ", quoted(takes[[name]]))
    )
  }
  for (argument in names(more)) check_positive(more[[argument]], argument)
  found <- py_call("dataset", name, c(list(random_state = check_whole(seed, "seed", 0)), more))
  structure(found$x, truth = factor(found$truth))
}
