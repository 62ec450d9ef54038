#' Choose h and lambda
#'
#' Chooses the bandwidth `h` and the entropy parameter `lambda` from the data alone, as [wbms()] does
#' if they are not given, and returns all pairs that were tried, with their scores, and the pairs that
#' are nearly as good.
#'
#' Pairs are tried with several starts of the weights (see `init`): equal weights, and weights that prefer
#' columns with clusters of their own. A pair with its start is good if its clusters predict rows that
#' they have not seen, and if there is a gap between them.
#'
#' *Screened* is the mean increase in log density, in nats per row, of the clusters over the best single
#' cloud (which may be correlated, skewed and heavy-tailed): the clusters as they are in one half of the
#' rows are used to predict the other half. *Centrality* is the mean adjusted Rand index of a partition with
#' all different partitions that were tried, each of which counts as much as it promises,
#' \eqn{screened / k^{1/4}}{screened / k^(1/4)}. Up to twelve different partitions, the most promising and
#' the most central ones, are looked at more closely. *Refined* is the screened gain with clusters that have
#' shapes of their own, and the skewness and the tails of the best single cloud if these fit them. Between
#' any two neighbouring clusters, the *valley* is the lowest density on the way from one to the other, as a
#' share of the lower of the two peaks, 0 for a clear gap and 1 for no dip at all. The direction is learned
#' from one half of the rows and used in the other, where chance cannot have made a gap. Clusters are joined
#' where the density between them does not dip: these are pieces of one cluster. Groups of a few rows are
#' part of their nearest neighbour, unless the gap is plain. The score is
#' \eqn{\sqrt{refined} \cdot (1.02 - valley) \cdot centrality^{0.15}}{sqrt(refined) * (1.02 - valley) * centrality^0.15},
#' with the mean valley between those that are not joined; the largest one is chosen. Of the pairs that give
#' the same partition about as well, one in the middle of their range of `h` and `lambda` is taken.
#'
#' The *surplus* is the refined gain over a single cloud that may also be bent. If it and the depth of the
#' deepest dip (in standard errors) together are too little evidence, or if all clusters would be joined, the
#' data have no clusters, and `h` is set so large that all rows form one. What is enough was found by
#' simulation, as was the *confidence*: the expected adjusted Rand index with the truth, from the surplus, the
#' deepest dip, the mean valley and the centrality; it is low if there are more columns than rows.
#'
#' The chosen pair and its rivals are also fitted to random subsets of 80 % of the rows. *Stability*, the
#' mean adjusted Rand index with the clusters of all rows, and *gain*, that of the clusters of a subset on
#' the held-out rows, are reported; they do not decide.
#'
#' The same seed gives the same choice, for any order of the rows and any `n_jobs`.
#' `wbms(x, h = choice$h, lambda = choice$lambda, init = choice$init, join = choice$join)` fits with the
#' choice; with the default arguments this repeats `wbms(x)`, without the search.
#'
#' @param x a numeric matrix, a data frame, a numeric vector, or a formula; for
#'   `print` and `plot`, the result of `wbms_select()`. From data with more than 2,000 rows, a random
#'   2,000 are used.
#' @param h,lambda a fixed value, candidate values to choose from, or `NULL` to search for candidates.
#'   `lambda` is on the scale `"mean"` of [wbms()].
#' @param n_subsets number of random subsets on which the best pairs are evaluated, at least 2.
#' @param seed seed of the random subsets.
#' @param n_jobs number of parallel fits; `NULL` means one, -1 one per core. The result does not
#'   depend on it.
#' @param k choose among the partitions with exactly `k` clusters; an error says if there is none, and which
#'   are nearest.
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
#'   \item{start}{the name of the start of the weights: `"uniform"`, `"marginal"`, a finer or sharper
#'     variant of it, `"dependent"` (more for columns that depend on each other), or `"given"`.}
#'   \item{init}{the weight of each column at the start.}
#'   \item{starts}{a list: the weights of each start that was tried, by its name.}
#'   \item{join}{whether clusters of the fit are joined: those between which the density does not dip.}
#'   \item{confidence}{how right the clusters can be expected to be, a list: `expected`, the expected
#'     agreement with the truth (adjusted Rand index), and `word`, `"high"`, `"medium"` or `"low"`.}
#'   \item{certain}{whether the search was complete and no other partition is nearly as good.}
#'   \item{complete}{whether the search was complete.}
#'   \item{reason}{why the pair was chosen, in words.}
#'   \item{note}{caveats, in words; empty if there are none.}
#'   \item{grid}{a data frame with one row per start and pair that were tried: `start`, `h`, `lambda`; `k`, the
#'     number of clusters of the fit, and `joined`, their number after joining; `judged`, whether the pair
#'     was evaluated on subsets; `screened`; `refined`, `surplus`, `valley`, `centrality` and `score` (0, the
#'     valley 1, for all but the best); `stability` and `gain`, 0 if it was not evaluated on subsets; and
#'     `chosen`.}
#'   \item{alternatives}{a data frame: the best pair of each other partition that scores nearly as well, or,
#'     if all rows form one cluster, the best partitions that there would be. `share` is the ratio of the
#'     score to that of the chosen pair, `expected` the expected agreement with the truth if there are
#'     clusters.}
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
                                tol = 1e-8, max_iter = 300, eps = 1e-5, standardize = "robust",
                                merge = TRUE, init = "auto", join = "auto", k = NULL, n_jobs = NULL,
                                verbose = FALSE, callback = NULL, na.action = stats::na.fail,
                                categories = "error", weights = NULL, time_budget = NULL) {
  call <- match.call()
  known <- setdiff(names(formals()), c("x", "..."))
  given <- names(sys.call())
  short <- given[nzchar(given) & !given %in% names(formals())]
  refuse_arguments(without_aliases(union(short, extra_names(...)), known), known, "wbms_select")
  if (missing(x)) refuse_nothing("wbms_select")
  rows <- table_weights(x, substitute(weights), function() weights)
  weights <- rows$weights
  refuse_formula_second(h, "wbms_select")
  settings <- with_aliases(mget(known), list(...), names(call))
  select_rows(rows$x, settings, called(call, quote(wbms_select)))
}

#' @rdname wbms_select
#' @export
wbms_select.formula <- function(x, data = NULL, subset, na.action = stats::na.fail, ..., weights) {
  call <- match.call()
  known <- setdiff(names(formals(wbms_select.default)), c("x", "...", "na.action", "weights"))
  refuse_third(sys.call(), "wbms_select")
  refuse_arguments(
    setdiff(without_aliases(extra_names(...), c(known, "na.action")), known), known, "wbms_select"
  )
  given <- list(...)
  others <- given[names(given) %in% names(aliases)]
  given <- given[!names(given) %in% names(aliases)]
  settings <- lapply(
    formals(wbms_select.default)[known], eval, envir = environment(wbms_select.default)
  )
  settings[names(given)] <- given
  settings["na.action"] <- list(na.action)
  settings <- with_aliases(settings, others, c(names(given), if (!missing(na.action)) "na.action"))
  na.action <- settings[["na.action"]]
  chosen <- c(
    if (!missing(subset)) list(subset = call$subset),
    if (!missing(weights)) frame_weights(call$weights, data)
  )
  rows <- formula_rows(
    x, data, chosen, check_na_action(na.action), parent.frame(), given$categories
  )
  select_rows(rows$x, settings, called(call, quote(wbms_select)), rows)
}

# Chooses h and lambda for any table, with all arguments of wbms_select.default().
select_rows <- function(x, settings, call, made = NULL) {
  h <- check_values(settings$h, "h")
  lambda <- check_values(settings$lambda, "lambda")
  n_subsets <- check_whole(settings$n_subsets, "n_subsets", 2)
  seed <- check_whole(settings$seed, "seed", 0)
  params <- c(
    check_iteration(settings),
    list(n_clusters = check_k(settings$k), time_budget = check_budget(settings$time_budget))
  )
  n_jobs <- check_jobs(settings$n_jobs)
  verbose <- check_flag(settings$verbose, "verbose")
  callback <- check_callback(settings$callback)
  missing_values <- check_na_action(settings$na.action)
  table <- table_rows(x, missing_values, check_categories(settings$categories), settings$weights, made)
  x <- table$x
  check_init_length(params$init, x)
  if (any(table$groups > 0L)) params$indicators <- table$groups
  used <- if (all(table$kept)) x else x[table$kept, , drop = FALSE]
  progress <- if (!verbose) progress_display()
  on.exit(if (!is.null(progress)) progress$end())
  found <- py_call(
    "select", used, colnames(x), h, lambda, n_subsets, seed, n_jobs, params, verbose,
    watcher(callback, colnames(x)), used_weights(table$weights, table$kept), progress$show,
    .call = call
  )
  fields <- c(
    "h", "lambda", "chosen", "k", "start", "init", "starts", "join", "confidence", "certain",
    "complete", "reason", "note", "grid", "alternatives", "n_fits", "n_rows"
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
    confidence_text(x$confidence), "", x$reason
  )
  writeLines(strwrap(lines, exdent = 2L))
  if (nzchar(x$note)) writeLines(c("", note_lines(x$note)))
  joined <- if (any(x$grid$joined != x$grid$k)) "joined"
  columns <- c("start", "h", "lambda", "k", joined, "stability", "gain", "score", "chosen")
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
