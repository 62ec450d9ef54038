#' Memberships of rows in clusters
#'
#' The membership of a row in a cluster is the share of that cluster's rows in the kernel density at the
#' row, \eqn{p_k \propto \sum_{j \in k} \exp(-\|x - x_j\|_w^2 / h)}{p_k ~ sum over j in k of exp(-||x -
#' x_j||^2_w / h)}, with the `h` and the weights of the fit. A row of the fit is left out of its own sums,
#' unless it is alone in its cluster. Memberships of new rows: [predict()] with `type = "prob"`.
#'
#' @param object a fit of [wbms()].
#' @param n_jobs number of threads.
#' @param ... not used: further arguments are errors.
#' @return A matrix with one row per row of the data and one column per cluster; each row sums to 1. Omitted
#'   rows have `NA`. 1 minus the largest membership of each row is the field `uncertainty` of the fit.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' head(membership(fit))
#' head(sort(fit$uncertainty, decreasing = TRUE)) # the rows to look at
#' @export
membership <- function(object, ...) {
  UseMethod("membership")
}

#' @rdname membership
#' @export
membership.wbms <- function(object, n_jobs = NULL, ...) {
  call <- called(match.call(), quote(membership))
  refuse_unknown(..., topic = "membership", known = "n_jobs")
  n_jobs <- check_jobs(n_jobs)
  found <- matrix(
    NA_real_, length(object$cluster), length(object$size),
    dimnames = list(names(object$cluster), seq_along(object$size))
  )
  found[clustered_rows(object), ] <- py_call("membership", NULL, for_python(object), n_jobs, .call = call)
  found
}

#' Outlier scores
#'
#' How far out rows are in the distribution of their cluster. With \eqn{s} minus the logarithm of the kernel
#' density at a row (rows of the fit are left out of their own), and \eqn{m} and \eqn{q} the median and the
#' 90% quantile of \eqn{s} over the rows of its cluster, the score is \eqn{1 - \exp(-(s - m) / b) / 2} for
#' \eqn{s \ge m}{s >= m} and \eqn{\exp((s - m) / b) / 2} below, \eqn{b = (q - m) / \log 5}, at least 0.1. So 1
#' minus the score is the share of the cluster's rows that can be expected farther out. Of clusters with fewer
#' than 10 rows, \eqn{m} and \eqn{q} are those of all rows.
#'
#' The field `outliers` of a fit is something else: it marks rows whose values, one column at a time, are so
#' far outside that they do not count in the fit. With `outliers = "label"`, [wbms()] gives rows that
#' are marked, or have a score above 0.999, the cluster `NA`.
#'
#' @param object a fit of [wbms()].
#' @param newdata new rows, as in [predict()]; if missing, the scores of the rows of the fit are returned.
#' @param na.action what to do with missing values, as in [predict()].
#' @param n_jobs number of threads.
#' @param ... not used: further arguments are errors.
#' @return A vector of numbers between 0 and 1, named by row.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' head(sort(outlier_score(fit), decreasing = TRUE))
#' outlier_score(fit, data.frame(
#'   Sepal.Length = 100, Sepal.Width = 3, Petal.Length = 4, Petal.Width = 1
#' ))
#' @export
outlier_score <- function(object, ...) {
  UseMethod("outlier_score")
}

#' @rdname outlier_score
#' @export
outlier_score.wbms <- function(object, newdata, na.action = NULL, n_jobs = NULL, ...) {
  call <- called(match.call(), quote(outlier_score))
  refuse_unknown(..., topic = "outlier_score", known = c("newdata", "na.action", "n_jobs"))
  n_jobs <- check_jobs(n_jobs)
  missing_values <- fitted_na_action(object)
  if (!is.null(na.action)) missing_values <- check_na_action(na.action, "omit")
  if (missing(newdata)) return(object$outlier_score)
  if (is.null(newdata)) abort("'newdata' is NULL; omit it to get the scores of the fit")
  x <- matching_matrix(object, newdata, missing_values)
  score <- stats::setNames(rep(NA_real_, nrow(x)), rownames(x))
  if (nrow(x) == 0L) return(score)
  kept <- complete_rows(x, missing_values, "newdata")
  if (any(kept)) {
    score[kept] <- py_call(
      "outlier_score", x[kept, , drop = FALSE], for_python(object), n_jobs, .call = call
    )
  }
  score
}

# Which rows were clustered, and not omitted.
clustered_rows <- function(x) {
  kept <- rep(TRUE, length(x$cluster))
  kept[unclass(x$na.action)] <- FALSE
  kept
}

# The cluster of each row that was clustered; NA for those labelled as outliers.
clustered <- function(x) {
  x$cluster[clustered_rows(x)]
}

# Clusters from Python, in which outliers have 0.
na_for_outliers <- function(cluster) {
  cluster <- as.integer(cluster)
  cluster[cluster == 0L] <- NA_integer_
  cluster
}

# Number of rows labelled as outliers.
labelled_rows <- function(x) {
  sum(is.na(clustered(x)))
}

labelled_text <- function(n) {
  if (length(n) && n > 0L) paste("Labelled as outliers (NA):", counted(n, "row"))
}

# What Python needs to know of a fit. Fits of earlier versions lack some of it.
# With landmarks, or for new rows that are to follow, that includes the path of its points.
for_python <- function(object, follow = !is.null(object$landmarks)) {
  cluster <- clustered(object)
  cluster[is.na(cluster)] <- 0L
  marked <- object$outliers[clustered_rows(object)]
  list(
    data = object$data, cluster = as.integer(cluster), assigned = object$assigned,
    weights = as.double(object$weights), h = object$h, standardize = object$params$standardize,
    outliers = if (is.null(object$params$outliers)) "keep" else object$params$outliers,
    marked = if (is.null(marked)) logical(length(cluster)) else unname(marked),
    log_density = object$log_density, row_weights = unname(object$row_weights),
    merge = if (is.null(object$params$merge)) TRUE else object$params$merge,
    indicators = object$params$indicators,
    state = if (follow) object$state[c("json", "arrays")],
    modes = if (follow) unname(object$modes)
  )
}
