#' Other partitions of the same data
#'
#' `layers()` lists the partitions that live long, from coarse to fine; `at()` returns a partition with `k`
#' clusters as a fit.
#'
#' If `h` and `lambda` were chosen, the layers are the partitions of the search that were found at several
#' successive values of `h`, and their lifetime is the logarithm of the range of `h` over which they stay. If
#' both were given, they are the levels of the coalescence tree of the fit (see [as.hclust.wbms()]), which is
#' computed if need be, and their lifetime is the logarithm of the factor by which the iterations grow before
#' two clusters merge, at least 1. Lifetimes of one kind can be compared with each other.
#'
#' `at()` takes the best partition with `k` clusters that was tried when `h` and `lambda` were chosen; if there
#' is none, or if both were given, a level of a coalescence tree, never within the merges of one iteration.
#' `wbms(x, k = k)` searches for the best partition with `k` clusters from scratch.
#'
#' @param x a fit of [wbms()].
#' @param k the number of clusters.
#' @param ... not used: further arguments are errors.
#' @return For `at()`, a fit like that of [wbms()]; an error says if there is no partition with `k` clusters,
#'   and which are nearest. For `layers()`, a data frame with one row per partition, at most eight: `k`;
#'   `lifetime`; `h` and `lambda`; `stability`, the mean adjusted Rand index with the clusters of random subsets
#'   of 80 % of the rows; `source`, `"search"` or `"tree"`; and `own`, whether `k` is that of the fit. The single
#'   cluster of all rows, which every tree has, is not in it.
#' @seealso the argument `k` of [wbms()]; [as.hclust.wbms()]
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' layers(fit)
#' at(fit, 2)$size
#' @export
at <- function(x, ...) UseMethod("at")

#' @rdname at
#' @export
layers <- function(x, ...) UseMethod("layers")

#' @rdname at
#' @export
at.wbms <- function(x, k, ...) {
  call <- match.call()
  refuse_unknown(..., topic = "at", known = "k")
  if (missing(k)) abort("'k' is missing: give the number of clusters")
  k <- check_whole(k, "k", 1)
  found <- py_call(
    "at", x$data, colnames(x$data), fit_params(x), known_of(x), k,
    .call = called(call, quote(at))
  )
  rows <- names(x$cluster)
  fit <- new_wbms(found, x$data, clustered_rows(x), rows, x$na_action, called(call, quote(at)))
  fit[c("terms", "xlevels", "contrasts", "variables")] <-
    x[c("terms", "xlevels", "contrasts", "variables")]
  for (name in c("imputed", "encoding", "row_weights")) fit[[name]] <- x[[name]]
  fit
}

#' @rdname at
#' @export
layers.wbms <- function(x, ...) {
  refuse_unknown(..., topic = "at")
  if (!is.null(x$landmarks)) {
    abort("layers() looks at all rows, and 'x' has landmarks: fit a sample of the rows instead")
  }
  py_call(
    "layers", x$data, colnames(x$data), fit_params(x), known_of(x),
    .call = called(match.call(), quote(layers))
  )
}

# The parameters of a fit, except h and lambda.
fit_params <- function(x) {
  c(x$params, list(record_path = !is.null(x$path), tree = !is.null(x$tree)))
}

# What Python needs to know of a fit to find other partitions.
known_of <- function(x) {
  columns <- c("start", "h", "lambda", "k", "joined", "judged", "screened", "stability", "score")
  list(
    h = x$h, lambda = x$lambda, init = unname(x$init), k = max(length(x$size), x$assigned),
    selection = if (!is.null(x$selection)) as.list(x$selection[columns]),
    starts = lapply(x$choice$starts, unname), weights = unname(x$row_weights)
  )
}
