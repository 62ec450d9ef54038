#' Choose h and lambda
#'
#' Chooses the bandwidth `h` and the entropy parameter `lambda` from the data alone, as [wbms()] does
#' if they are not given, and returns all pairs that were tried, with their scores, and the pairs that
#' are nearly as good.
#'
#' A pair is good if its clusters are stable and if they predict held-out rows better than a single
#' cloud does. *Stability* is the mean adjusted Rand index between the clustering of all rows and those
#' of random subsets of 80 % of them; *gain* is the mean increase in log density, in nats per row, of
#' the clusters of a subset over the best single cloud (which may be correlated, skewed and
#' heavy-tailed) on the held-out rows. If stability times gain is below 0.1 for every pair, the data
#' have no clusters, and `h` is set so large that all rows form one. Otherwise the pair with the largest
#' score is chosen: \eqn{stability \cdot screened / k^{1/4}}{stability * screened / k^(1/4)},
#' where *screened* is the same gain between two halves of the rows, with the clusters of all rows.
#'
#' The same seed gives the same choice, for any order of the rows and any `n_jobs`.
#' `wbms(x, h = choice$h, lambda = choice$lambda)` fits with the chosen pair; with the default
#' arguments this is the same as `wbms(x)`.
#'
#' @param x a numeric matrix, a data frame with numeric columns, a numeric vector, or a formula; for
#'   `print` and `plot`, the result of `wbms_select()`. From data with more than 2,000 rows, a random
#'   2,000 are used.
#' @param h,lambda a fixed value, candidate values to choose from, or `NULL` to search for candidates.
#'   `lambda` is on the scale `"mean"` of [wbms()].
#' @param n_subsets number of random subsets on which promising pairs are evaluated, at least 2.
#' @param seed seed of the random subsets.
#' @param n_jobs number of parallel fits; `NULL` means one, -1 one per core. The result does not
#'   depend on it.
#' @param verbose print one line per fit?
#' @param callback a function called after each fit with a list: `fit`, the number of fits so far, and
#'   `k`, the number of clusters that the fit found. If it returns `TRUE` the search stops, and the best
#'   pair so far is chosen.
#' @param ... in the formula method, the arguments of the default method, by name; for `plot`,
#'   graphical parameters as in [plot.wbms()]. Elsewhere unknown arguments are errors.
#' @param digits number of significant digits.
#' @param top number of the best pairs to print.
#' @param score name of the column of `x$grid` to draw.
#' @inheritParams wbms
#'
#' @return An object of class `wbms_select`, a list of plain R vectors:
#'   \item{h, lambda}{the chosen pair.}
#'   \item{chosen}{which of the two were chosen rather than given.}
#'   \item{k}{the number of clusters for this pair, in the rows that were used.}
#'   \item{certain}{whether the search was complete and no other partition is nearly as good.}
#'   \item{complete}{whether the search was complete.}
#'   \item{reason}{why the pair was chosen, in words.}
#'   \item{note}{caveats, in words; empty if there are none.}
#'   \item{grid}{a data frame with one row per pair that was tried: `h`, `lambda`, `k`; `judged`, whether
#'     the pair was evaluated on subsets; `screened`; `stability`, `gain` and `score`, 0 if it was not;
#'     and `chosen`.}
#'   \item{alternatives}{a data frame: the best pair of each other partition that scores nearly as well,
#'     with `share`, the ratio of its score to that of the chosen pair.}
#'   \item{n_fits, n_rows}{the number of fits, and the number of rows that were used.}
#'   \item{call}{the call.}
#' @seealso [wbms()], [plot.wbms()], `vignette("choosing-h-and-lambda", "wbms")`
#' @examplesIf wbms::wbms_available()
#' choice <- wbms_select(iris[, 1:4])
#' choice
#' choice$alternatives
#' plot(choice)
#'
#' # the best h for a lambda
#' wbms_select(iris[, 1:4], lambda = 0.1)$h
#' @export
wbms_select <- function(x, ...) {
  if (nargs() == 0L) refuse_nothing("wbms_select")
  UseMethod("wbms_select")
}

#' @rdname wbms_select
#' @export
wbms_select.default <- function(x, h = NULL, lambda = NULL, ..., n_subsets = 4, seed = 0,
                                exclude_self = TRUE, warmup = 20, stop = "settled", patience = 5,
                                tol = 1e-8, max_iter = 300, eps = 1e-5, standardize = TRUE,
                                merge = TRUE, n_jobs = NULL, verbose = FALSE, callback = NULL,
                                na.action = stats::na.fail) {
  call <- match.call()
  known <- setdiff(names(formals()), c("x", "..."))
  given <- names(sys.call())
  short <- given[nzchar(given) & !given %in% names(formals())]
  refuse_arguments(union(short, extra_names(...)), known, "wbms_select")
  if (missing(x)) refuse_nothing("wbms_select")
  select_rows(x, mget(known), called(call, quote(wbms_select)))
}

#' @rdname wbms_select
#' @export
wbms_select.formula <- function(x, data = NULL, subset, na.action = stats::na.fail, ...) {
  call <- match.call()
  known <- setdiff(names(formals(wbms_select.default)), c("x", "...", "na.action"))
  refuse_arguments(setdiff(extra_names(...), known), known, "wbms_select")
  given <- list(...)
  settings <- lapply(
    formals(wbms_select.default)[known], eval, envir = environment(wbms_select.default)
  )
  settings[names(given)] <- given
  settings["na.action"] <- list(na.action)
  subset <- if (!missing(subset)) list(subset = call$subset)
  rows <- formula_rows(x, data, subset, check_na_action(na.action), parent.frame())
  select_rows(rows$x, settings, called(call, quote(wbms_select)))
}

# Chooses h and lambda for any table, with all arguments of wbms_select.default().
select_rows <- function(x, settings, call) {
  h <- check_values(settings$h, "h")
  lambda <- check_values(settings$lambda, "lambda")
  n_subsets <- check_whole(settings$n_subsets, "n_subsets", 2)
  seed <- check_whole(settings$seed, "seed", 0)
  params <- check_iteration(settings)
  n_jobs <- check_jobs(settings$n_jobs)
  verbose <- check_flag(settings$verbose, "verbose")
  callback <- check_callback(settings$callback)
  missing_values <- check_na_action(settings$na.action)
  x <- numeric_matrix(x)
  kept <- rows_to_use(x, missing_values)
  used <- if (all(kept)) x else x[kept, , drop = FALSE]
  watch <- watcher(callback, colnames(x))
  found <- py_call(
    "select", used, colnames(x), h, lambda, n_subsets, seed, n_jobs, params, verbose,
    watch$callback,
    .call = call
  )
  watch$raise()
  fields <- c(
    "h", "lambda", "chosen", "k", "certain", "complete", "reason", "note", "grid", "alternatives",
    "n_fits", "n_rows"
  )
  structure(c(found[fields], list(call = call)), class = "wbms_select")
}

#' @rdname wbms_select
#' @export
print.wbms_select <- function(x, digits = max(3L, getOption("digits") - 3L), top = 6, ...) {
  refuse_unknown(..., topic = "wbms_select", known = c("digits", "top"))
  top <- check_whole(top, "top", 0)
  lines <- c(
    sprintf(
      "Choice of h and lambda: %s in %s", counted(x$k, "cluster"), counted(x$n_rows, "row")
    ),
    sprintf(
      "h = %s, lambda = %s; %s tried, %s", brief(x$h, digits), brief(x$lambda, digits),
      counted(nrow(x$grid), "pair"), counted(x$n_fits, "fit")
    ),
    "", x$reason
  )
  writeLines(strwrap(lines, exdent = 2L))
  if (nzchar(x$note)) writeLines(c("", note_lines(x$note)))
  columns <- c("h", "lambda", "k", "stability", "gain", "score", "chosen")
  best <- x$grid[x$grid$judged | x$grid$chosen, columns]
  best <- utils::head(best[order(!best$chosen, -best$score), ], top)
  if (nrow(best)) {
    cat("\nBest pairs:\n")
    scores <- c("stability", "gain", "score")
    best[c("h", "lambda")] <- lapply(best[c("h", "lambda")], brief, digits)
    best[scores] <- lapply(best[scores], decimal, 3L)
    best$chosen <- ifelse(best$chosen, "*", "")
    print(best, row.names = FALSE)
  }
  writeLines(c("", strwrap(paste("Available fields:", toString(names(x))), exdent = 2L)))
  invisible(x)
}

#' @rdname wbms_select
#' @export
plot.wbms_select <- function(x, ..., score = NULL) {
  map <- list(selection = x$grid, h = x$h, lambda = x$lambda)
  on_page(draw_selection(map, check_score(map, score), ...))
  invisible(x)
}
