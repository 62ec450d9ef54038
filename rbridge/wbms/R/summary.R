#' Summarise a fit
#'
#' @param object a fit of [wbms()].
#' @param top number of columns, the heaviest first, in which to show the clusters' centres.
#' @param x the result of `summary()`.
#' @param digits number of significant digits.
#' @param max_rows maximum number of clusters and columns to print.
#' @param ... not used; in `summary()`, further arguments are errors.
#' @return A list of class `summary.wbms`:
#'   \item{call}{the call.}
#'   \item{clusters}{a data frame with one row per cluster: `cluster`, `size`, `share` (of the rows, or of
#'     their weights if there are any) and the centre in the heaviest columns. If a column of the data has one of these names, a number is
#'     appended to it.}
#'   \item{weights}{the weights in decreasing order.}
#'   \item{eff.columns}{the effective number of columns, the exponential of the entropy of the
#'     weights: 1 if one column has all the weight, the number of columns if all weights are equal.}
#'   \item{features}{the columns that set each cluster apart most, a data frame: see [describe()].}
#'   \item{labelled}{number of rows labelled as outliers, see `outliers` in [wbms()].}
#'   \item{nobs}{number of rows that were clustered.}
#'   \item{selection}{how `h` and `lambda` were chosen, a data frame, or `NULL` if they were not.}
#'   \item{h, lambda, choice, confidence, iter, converged, reached, params, na.action, imputed, row_weights}{as
#'     in the fit, see [wbms()].}
#' @examplesIf wbms::wbms_available()
#' summary(wbms(iris[, 1:4], h = 0.05, lambda = 0.1))
#' @export
summary.wbms <- function(object, top = 5, ...) {
  refuse_unknown(..., topic = "summary.wbms", known = "top")
  top <- check_whole(top, "top", 0)
  order <- heaviest_first(object)
  heaviest <- utils::head(order, top)
  clusters <- data.frame(
    seq_along(object$size), unname(object$size), cluster_shares(object),
    unname(object$centers[, heaviest, drop = FALSE])
  )
  names(clusters) <- make.unique(c("cluster", "size", "share", colnames(object$data)[heaviest]))
  structure(
    list(
      call = object$call, clusters = clusters, weights = object$weights[order],
      eff.columns = exp(weight_entropy(object)), nobs = nrow(object$data), h = object$h,
      lambda = object$lambda, iter = object$iter, converged = object$converged,
      reached = object[["reached"]], selection = object$selection, choice = object$choice,
      confidence = object$confidence, outliers = object$outliers, features = object$features,
      labelled = labelled_rows(object), params = object$params, na.action = object$na.action,
      imputed = object$imputed, row_weights = object$row_weights
    ),
    class = "summary.wbms"
  )
}

#' @rdname summary.wbms
#' @export
print.summary.wbms <- function(x, digits = max(3L, getOption("digits") - 3L), max_rows = 20, ...) {
  cat("Call:\n", paste(call_text(x$call), collapse = "\n"), "\n\n", sep = "")
  writeLines(strwrap(parameter_text(x, digits), exdent = 2L))
  note <- choice_note(x)
  if (length(note)) writeLines(c("", note))

  k <- nrow(x$clusters)
  cat("\n", counted(k, "cluster"), " in ", counted(x$nobs, "row"), ":\n", sep = "")
  table <- utils::head(x$clusters, max_rows)
  table$share <- paste0(decimal(100 * table$share, 1L), "%")
  names(table) <- elided(names(table))
  print(table, digits = digits, row.names = FALSE)
  if (k > max_rows) cat("... and ", counted(k - max_rows, "other"), "\n", sep = "")

  p <- length(x$weights)
  cat("\nWeights of ", counted(p, "column"), ":\n", sep = "")
  weights <- utils::head(x$weights, max_rows)
  # No scientific notation: most weights are negligible compared with the heaviest.
  texts <- stats::setNames(weight_text(weights, digits), elided(names(weights)))
  print(texts, quote = FALSE, right = TRUE)
  if (p > max_rows) {
    cat(sprintf(
      "... and %s with %s in total\n", counted(p - max_rows, "other"),
      weight_text(sum(x$weights[-seq_len(max_rows)]), digits)
    ))
  }
  invisible(x)
}

# A call in a few lines: do.call() puts the data itself into it.
call_text <- function(call, most = 5L) {
  lines <- deparse(call, nlines = most + 1L)
  if (length(lines) > most) c(lines[seq_len(most - 1L)], "  ...") else lines
}

parameter_text <- function(x, digits) {
  c(
    sprintf("h = %s, lambda = %s", brief(x$h, digits), brief(x$lambda, digits)),
    chosen_text(x, digits), reached_text(x), confidence_text(x$confidence),
    if (n_clusters(x) == 1L) nothing_found(x) else x$choice$reason,
    sprintf("%s after %s", sentence(convergence_text(x)), counted(x$iter, "iteration")),
    sprintf("Effective number of columns: %s", brief(x$eff.columns, digits)),
    if (isFALSE(x$params$standardize)) "Columns were not standardized",
    row_weight_text(x$row_weights),
    outlier_text(x$outliers), labelled_text(x$labelled),
    omission(x$na.action), imputed_text(x$imputed)
  )
}

# How many rows are outliers, if any is.
outlier_text <- function(outliers) {
  if (any(outliers)) sprintf("Outliers: %s", counted(sum(outliers), "row"))
}

# How h and lambda were chosen, if they were.
chosen_text <- function(x, digits) {
  if (is.null(x$selection)) return(NULL)
  chosen <- x$selection[chosen_row(x), ]
  score <- score_column(x$selection)
  grid <- !one_value(x$selection$lambda)
  sprintf(
    "Chosen from the data among %s%s", counted(nrow(x$selection), if (grid) "pair" else "value"),
    if (is.null(score)) "" else sprintf(" (%s %s)", score, brief(chosen[[score]], digits))
  )
}

sentence <- function(text) {
  paste0(toupper(substr(text, 1L, 1L)), substring(text, 2L))
}

weight_entropy <- function(x) {
  w <- x$weights[x$weights > 0]
  -sum(w * log(w))
}
