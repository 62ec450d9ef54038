#' Which columns set a cluster apart
#'
#' `describe()` compares a cluster with all other rows, `contrast()` with one other cluster. Rows that are
#' marked or labelled as outliers do not count.
#'
#' @param x a fit of [wbms()].
#' @param cluster,a,b numbers of clusters.
#' @param top number of columns; by default all of them.
#' @param ... not used: further arguments are errors.
#' @return A data frame with one row per column, those with the largest share first:
#'   \item{column}{its name.}
#'   \item{mean, others}{the mean of the rows of the cluster, and of the other rows (in `contrast()`: of the
#'     two clusters, with their numbers appended).}
#'   \item{effect}{the difference of the means, in standard deviations within clusters.}
#'   \item{spread}{the standard deviation in the cluster, that of all rows being 1.}
#'   \item{overlap}{the share of the other rows that lie in the central 90% of the cluster (in `contrast()`:
#'     the mean of both directions).}
#'   \item{share}{what the column contributes to the weighted squared distance between the cluster and the
#'     other rows, beyond the spread of the cluster itself; the shares sum to 1.}
#'   \item{weight}{the weight of the column in the fit.}
#' @seealso the fields `features` (the first five columns of each cluster) and `cluster_weights` of a fit,
#'   [wbms()]; [plot.wbms()] with `type = "profile"`.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' describe(fit, 1)
#' contrast(fit, 1, 2, top = 2)
#' @export
describe <- function(x, ...) {
  UseMethod("describe")
}

#' @rdname describe
#' @export
describe.wbms <- function(x, cluster, top = NULL, ...) {
  call <- called(match.call(), quote(describe))
  refuse_unknown(..., topic = "describe", known = c("cluster", "top"))
  cluster <- check_cluster(x, cluster, "cluster")
  if (length(x$size) == 1L) {
    abort("all rows are one cluster: there are no others to compare it with")
  }
  described_columns(x, cluster, NULL, top, call)
}

#' @rdname describe
#' @export
contrast <- function(x, ...) {
  UseMethod("contrast")
}

#' @rdname describe
#' @export
contrast.wbms <- function(x, a, b, top = NULL, ...) {
  call <- called(match.call(), quote(contrast))
  refuse_unknown(..., topic = "describe", known = c("a", "b", "top"))
  a <- check_cluster(x, a, "a")
  b <- check_cluster(x, b, "b")
  if (a == b) abort("'a' and 'b' must be different clusters, not ", a, " twice")
  described_columns(x, a, b, top, call)
}

described_columns <- function(x, cluster, other, top, call) {
  if (!is.null(top)) top <- check_whole(top, "top", 1)
  table <- py_call("describe", for_python(x), cluster, other, colnames(x$data), .call = call)
  if (is.null(top)) table else utils::head(table, top)
}

check_cluster <- function(x, cluster, name) {
  if (missing(cluster)) abort("'", name, "' is missing: give the number of a cluster")
  k <- length(x$size)
  if (!is_number(cluster) || !cluster %in% seq_len(k)) {
    abort("'", name, "' must be the number of a cluster, 1 to ", k, ", not ", described(cluster))
  }
  as.integer(cluster)
}
