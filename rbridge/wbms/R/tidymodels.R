#' wbms in tidymodels
#'
#' When the package tidyclust is loaded, its generics `extract_fit_summary()` and `extract_cluster_assignment()` get
#' methods for fits of [wbms()], on which `extract_centroids()` and its metrics build; and where it has
#' `mean_shift()`, that model gets the engine `"wbms"`. Neither package needs to be attached first, and
#' wbms needs neither.
#'
#' The engine turns `bandwidth` into `h = bandwidth^2`, as the kernel is \eqn{\exp(-d^2 / h)}{exp(-d^2 / h)}; without
#' a bandwidth the data decide. Further arguments of [wbms()] go into `set_engine("wbms", lambda = 0.1)`.
#' Predictions are factors, `Cluster_1` being the largest cluster; rows without a cluster have `NA`.
#'
#' This door was written from the documentation and sources of tidyclust and modelenv and is tested with stand-ins for
#' them. It has not been run against the real packages.
#'
#' ```
#' library(tidyclust)
#' spec <- set_engine(mean_shift(), "wbms")
#' fitted <- fit(spec, ~ Petal.Length + Petal.Width, data = iris)
#' extract_cluster_assignment(fitted)
#' predict(fitted, iris[1:3, ])
#' ```
#'
#' @param x,new_data a matrix or data frame.
#' @param bandwidth the square root of `h`, or `NULL`.
#' @param object a fit of [wbms()].
#' @param prefix what cluster names begin with.
#' @param labels names of all clusters, instead.
#' @param ... arguments of [wbms()].
#' @return `.mean_shift_fit_wbms()` returns a fit of [wbms()], `.mean_shift_predict_wbms()` a factor. Both are called by
#'   tidyclust.
#' @examplesIf wbms::wbms_available()
#' fit <- .mean_shift_fit_wbms(iris[, 1:4], bandwidth = 0.25, lambda = 0.1)
#' .mean_shift_predict_wbms(fit, iris[c(1, 51), ])
#' @name wbms_tidymodels
NULL

#' @rdname wbms_tidymodels
#' @export
.mean_shift_fit_wbms <- function(x, bandwidth = NULL, ...) {
  if (is.null(bandwidth)) return(wbms(x, ...))
  wbms(x, h = check_positive(bandwidth, "bandwidth")^2, ...)
}

#' @rdname wbms_tidymodels
#' @export
.mean_shift_predict_wbms <- function(object, new_data, prefix = "Cluster_", labels = NULL) {
  named_clusters(stats::predict(object, new_data), object, prefix, labels)
}

# Clusters as a factor with one level for each.
named_clusters <- function(cluster, x, prefix = "Cluster_", labels = NULL) {
  k <- length(x$size)
  if (is.null(labels)) labels <- paste0(prefix, seq_len(k))
  if (length(labels) != k) abort("'labels' must name ", counted(k, "cluster"), ", not ", length(labels))
  factor(labels[cluster], levels = labels)
}

tidyclust_assignment <- function(object, ..., prefix = "Cluster_", labels = NULL) {
  as_tibble(data.frame(.cluster = named_clusters(unname(object$cluster), object, prefix, labels)))
}

tidyclust_summary <- function(object, ..., prefix = "Cluster_", labels = NULL) {
  centers <- as.data.frame(unname(object$centers))
  names(centers) <- colnames(object$centers)
  list(
    cluster_names = named_clusters(seq_along(object$size), object, prefix, labels),
    centroids = as_tibble(centers), n_members = unname(object$size),
    sse_within_total_total = object$withinss, sse_total = object$totss,
    orig_labels = unname(object$cluster),
    cluster_assignments = named_clusters(unname(object$cluster), object, prefix, labels)
  )
}

# Makes fits known to tidyclust, now or when it is loaded.
when_loaded <- function(package, register) {
  setHook(packageEvent(package, "onLoad"), function(...) register())
  if (isNamespaceLoaded(package)) register()
}

register_in_tidyclust <- function() {
  tidyclust <- asNamespace("tidyclust")
  registerS3method("extract_cluster_assignment", "wbms", tidyclust_assignment, tidyclust)
  registerS3method("extract_fit_summary", "wbms", tidyclust_summary, tidyclust)
  if ("mean_shift" %in% getNamespaceExports("tidyclust")) {
    register_engine(function(name) getExportedValue("modelenv", name))
  }
}

# The engine, registered with the functions of modelenv.
register_engine <- function(of_modelenv) {
  model <- list(model = "mean_shift", mode = "partition", eng = "wbms")
  tell <- function(verb, ...) do.call(of_modelenv(verb), c(model, list(...)))
  tell("set_model_engine")
  tell("set_dependency", pkg = "wbms")
  tell("set_fit", value = list(
    interface = "matrix", protect = c("x", "bandwidth"),
    func = c(pkg = "wbms", fun = ".mean_shift_fit_wbms"), defaults = list()
  ))
  tell("set_encoding", options = list(
    predictor_indicators = "traditional", compute_intercept = TRUE, remove_intercept = TRUE,
    allow_sparse_x = FALSE
  ))
  do.call(of_modelenv("set_model_arg"), c(model[c("model", "eng")], list(
    exposed = "bandwidth", original = "bandwidth",
    func = list(pkg = "tidyclust", fun = "bandwidth"), has_submodel = FALSE
  )))
  tell("set_pred", type = "cluster", value = list(
    pre = NULL, post = NULL, func = c(pkg = "wbms", fun = ".mean_shift_predict_wbms"),
    args = list(object = quote(object$fit), new_data = quote(new_data))
  ))
}
