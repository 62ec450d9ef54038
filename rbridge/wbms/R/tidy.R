#' A fit as tidy tables
#'
#' Methods for the generics of the packages generics and broom, in the format that broom uses for
#' k-means: `tidy()` returns one row per cluster, `glance()` a single row, `augment()` one row per row
#' of the data.
#'
#' Sums of squares are computed in the learned distance: of the columns divided by `scale`, weighted by
#' `weights`, about the means (of the cluster's rows, or of all rows).
#'
#' If the package generics is installed, its generics are used, so that the methods work together with
#' broom whichever package is attached first.
#'
#' @param x a fit of [wbms()].
#' @param col.names names of the columns with the centres.
#' @param data the data frame or matrix that was clustered, which may have further columns; its rows may
#'   be in another order if their names tell which is which. If missing, the columns and rows that were
#'   clustered are used.
#' @param newdata a data frame or matrix of other rows, which get their clusters from
#'   [predict.wbms()]; `NA` if a value is missing.
#' @param ... not used: further arguments are errors.
#' @return A tibble if the package tibble is installed, otherwise a data frame.
#'   * `tidy()`: the columns of the centre by name, then `size`, `withinss` (sum of squares within
#'     the cluster) and `cluster`, a factor. If a column of the data has one of these names, a
#'     number is appended to it (`size.1`).
#'   * `glance()`: `totss`, `tot.withinss` and `betweenss` (sums of squares in total, within and
#'     between the clusters), `iter`, `nobs`, `k` (number of clusters), `h`, `lambda`, `converged`
#'     and `eff.columns`, the effective number of columns (see [summary.wbms()]).
#'   * `augment()`: the data with the column `.cluster`, a factor with one
#'     level per cluster, `NA` for omitted rows. Row names
#'     that are not just numbers become the column `.rownames`.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' tidy(fit)
#' glance(fit)
#' head(augment(fit, iris))
#' @name tidy.wbms
NULL

#' @rdname tidy.wbms
#' @export
tidy <- function(x, ...) {
  UseMethod("tidy")
}

#' @rdname tidy.wbms
#' @export
tidy.wbms <- function(x, col.names = colnames(x$centers), ...) {
  refuse_unknown(..., topic = "tidy.wbms", known = "col.names")
  if (!is.character(col.names) || length(col.names) != ncol(x$centers) || anyNA(col.names)) {
    abort(
      "'col.names' must be ", counted(ncol(x$centers), "string"), ", not ", described(col.names)
    )
  }
  ours <- c("size", "withinss", "cluster")
  table <- as.data.frame(unname(x$centers), row.names = NULL)
  names(table) <- make.unique(c(ours, col.names))[-seq_along(ours)]
  table$size <- unname(x$size)
  table$withinss <- sums_of_squares(x)$within
  table$cluster <- factor(seq_along(x$size))
  as_tibble(table)
}

# Sums of squares in the learned distance: in total, and within each cluster.
sums_of_squares <- function(x) {
  cluster <- clustered(x)
  used <- x$weights > 0
  data <- x$data[!is.na(cluster), used, drop = FALSE] # rows labelled as outliers are in no cluster
  cluster <- cluster[!is.na(cluster)]
  z <- scale(data / rep(x$scale[used], each = nrow(data)), scale = FALSE)
  z <- z * rep(sqrt(x$weights[used]), each = nrow(z))
  means <- rowsum(z, cluster) / x$size
  within <- rowsum(rowSums((z - means[cluster, , drop = FALSE])^2), cluster)
  list(total = sum(z^2), within = as.vector(within))
}

as_tibble <- function(table) {
  if (!requireNamespace("tibble", quietly = TRUE)) return(table)
  # The names are the user's, so they are not repaired.
  tibble::as_tibble(table, .name_repair = "minimal")
}
