# What users of stats::kmeans() look for in a fit.

# The sums of squares under the names that kmeans() has for them, in the learned distance.
kmeans_fields <- function(fit) {
  squares <- sums_of_squares(fit)
  within <- sum(squares$within)
  list(
    totss = squares$total, withinss = squares$within, tot.withinss = within,
    betweenss = squares$total - within
  )
}

#' Residuals of a fit
#'
#' What the centres leave of the data: `x - fitted(fit)`, in the units of the data.
#'
#' @param object a fit of [wbms()].
#' @param ... not used: further arguments are errors.
#' @return A matrix like the data: each row minus the centre of its cluster. Omitted rows, and rows
#'   labelled as outliers, have `NA`.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' head(residuals(fit))
#' @exportS3Method stats::residuals
residuals.wbms <- function(object, ...) {
  refuse_unknown(..., topic = "residuals.wbms")
  padded_rows(object, object$data) - fitted.wbms(object)
}

#' The rows of a fit as a data frame
#'
#' @param x a fit of [wbms()].
#' @param row.names names of the rows; by default those of the fit.
#' @param optional not used; there because the generic has it.
#' @param ... not used: further arguments are errors.
#' @return A data frame with one row per row of the data, `NA` for omitted ones: the columns that were
#'   clustered, then `cluster`, a factor, and `outlier`. If a column of the data has one of these
#'   names, a number is appended to the new one (`cluster.1`).
#' @seealso [tidy.wbms()] for one row per cluster, [augment.wbms()] for the clusters beside all columns
#'   of the original data.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' head(as.data.frame(fit))
#' @export
as.data.frame.wbms <- function(x, row.names = NULL, optional = FALSE, ...) {
  refuse_unknown(..., topic = "as.data.frame.wbms", known = "row.names")
  if (!is.null(row.names) && length(row.names) != length(x$cluster)) {
    abort("'row.names' must have ", counted(length(x$cluster), "name"), ", not ", length(row.names))
  }
  values <- padded_rows(x, x$data)
  table <- as.data.frame(unname(values))
  table[[ncol(values) + 1L]] <- factor(unname(x$cluster), seq_along(x$size))
  table[[ncol(values) + 2L]] <- if (is.null(x$outliers)) FALSE else unname(x$outliers)
  names(table) <- make.unique(c(colnames(values), "cluster", "outlier"))
  names <- if (is.null(row.names)) names(x$cluster) else row.names
  # Some rows may lack a name, as after rbind().
  if (!is.null(names) && !anyDuplicated(names)) attr(table, "row.names") <- as.character(names)
  table
}

#' Silhouettes of a fit
#'
#' The method of [cluster::silhouette()] for fits: how much nearer each row is to the rows of its own
#' cluster than to those of the nearest other one, in the learned weighted distance: of the columns
#' divided by `scale`, weighted by `weights`. The package cluster must be installed, and attached for
#' `silhouette()`.
#'
#' All pairs of rows are compared: fits of more than 2,000 rows are refused unless `sample` says how
#' many rows to take.
#'
#' @param x a fit of [wbms()] with at least two clusters.
#' @param sample number of rows on which to compute the silhouettes, evenly spread over the clusters in
#'   the order of the data; all by default.
#' @param ... not used: further arguments are errors.
#' @return An object of class `silhouette`, see [cluster::silhouette()], with one row per row that was
#'   clustered; rows labelled as outliers have none.
#' @examplesIf requireNamespace("cluster", quietly = TRUE) && wbms::wbms_available()
#' library(cluster)
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' summary(silhouette(fit))$avg.width
#' @exportS3Method cluster::silhouette
silhouette.wbms <- function(x, sample = NULL, ...) {
  refuse_unknown(..., topic = "silhouette.wbms", known = "sample")
  if (length(x$size) < 2L) abort("silhouettes need at least two clusters; the fit has one")
  cluster <- unname(clustered(x))
  rows <- which(!is.na(cluster))
  if (!is.null(sample)) {
    sample <- check_whole(sample, "sample", 2)
    spread <- rows[order(cluster[rows])]
    rows <- sort(spread[unique(round(seq(1, length(rows), length.out = min(sample, length(rows)))))])
  }
  if (length(rows) > most_silhouettes) {
    abort(
      "silhouettes compare all pairs of rows, too many for ", counted(length(rows), "row"),
      "; use silhouette(fit, sample = ", most_silhouettes, ")"
    )
  }
  cluster <- cluster[rows]
  if (length(unique(cluster)) < 2L) abort("'sample' is too small: its rows are all in one cluster")
  found <- cluster::silhouette(cluster, stats::dist(weighted_rows(x)[rows, , drop = FALSE]))
  rownames(found) <- rownames(x$data)[rows]
  attr(found, "call") <- match.call()
  found
}

most_silhouettes <- 2000L

# The rows divided by the scale and multiplied by the square roots of the weights: their Euclidean
# distance is the learned one.
weighted_rows <- function(x) {
  used <- x$weights > 0
  x$data[, used, drop = FALSE] *
    rep(sqrt(x$weights[used]) / x$scale[used], each = nrow(x$data))
}
