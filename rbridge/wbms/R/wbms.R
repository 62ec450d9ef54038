#' Weighted Blurring Mean Shift
#'
#' Clusters a data set, finds the number of clusters and weights the features. Every point moves to
#' the kernel-weighted mean of the others, in a feature-weighted distance; features along which the
#' points are displaced a lot lose weight; points that collapse onto the same location form a cluster.
#'
#' The defaults are the form of the algorithm that works in high dimensions: a row is excluded from its
#' own mean, the weights are learned in a warm-up before the iteration restarts from the data, and the
#' fit stops when the partition has settled. `form = "released"` reproduces the authors' R code,
#' `form = "paper"` the algorithm as printed; both change the defaults of the other arguments, but not
#' arguments that are given.
#'
#' The fit is deterministic, depends neither on the order of the rows nor on the number of threads,
#' and is bit-identical to that of the Python package pywbms. The usual interrupt
#' (Ctrl-C or the stop button) works at any time.
#'
#' @section Missing values, factors and other input:
#' Missing and infinite values raise an error that names their columns. With `na.action = na.omit`
#' these rows have `NA` in `cluster`; with `na.action = "impute"` the values are replaced by the median
#' of the finite values of their column, or by the most frequent level of a factor, and counted in
#' `imputed`. [predict()] does the same for new rows, with the medians and levels of the fit.
#'
#' Factors and characters are an error in a data frame, unless `categories = "indicators"`; in a formula
#' they are always taken. Each level that occurs becomes a column of zeros and ones, called
#' `variable=level`, ordered factors included (use `as.integer()` where the order is to count). These
#' columns are not standardized: each is divided by \eqn{\sqrt{2}}{sqrt(2)}, so that two different levels
#' are one unit apart, whatever their number, order or frequency. They share one weight,
#' \eqn{\exp(-D / \lambda)}{exp(-D / lambda)} up to a constant, where \eqn{D} is the sum of their displacements.
#' A level that the fit has not seen is an error in [predict()].
#'
#' Logical columns are treated as 0 and 1. Constant columns get weight 0. A numeric vector is treated as
#' a matrix with one column. A column of whole numbers that looks like an identifier brings a warning.
#'
#' @section Weights of rows:
#' A weight is a number of rows: whole weights give what a table with repeated rows gives, to the bit as long
#' as these would hold at most 2^23 numbers (or, with `merge = FALSE`, be at most 4,096 rows), and to rounding
#' beyond. \eqn{D_l} is the weighted mean. A row of weight \eqn{m} leaves one row out of its own mean
#' (`exclude_self`), so that \eqn{m - 1} of its weight counts there; nothing does if \eqn{m < 1}. Weights with
#' \eqn{\sum w^2 < \sum w}{sum(w^2) < sum(w)} are taken as shares, not as numbers of rows: they are divided by
#' \eqn{\sum w^2 / \sum w}{sum(w^2) / sum(w)}, so that weights that sum to 1 work as well, and multiplying them
#' by a constant changes nothing. Rows of weight 0 are not clustered; they get the cluster of their nearest row,
#' as in [predict()]. Cluster 1 has the largest sum of weights; `size` counts rows. Medians and levels that
#' `na.action = "impute"` fills in are those of the weighted rows; a missing weight is an error, unless
#' `na.action = na.omit`.
#'
#' @param x a numeric matrix, a data frame, a numeric vector, or a formula.
#' @param h bandwidth of the kernel \eqn{\exp(-\|a - b\|_w^2 / h)}{exp(-||a - b||^2_w / h)}. On z-scores
#'   useful values lie between 0.005 (many tight clusters) and 1. `"auto"` chooses it from the data:
#'   see [wbms_select()].
#' @param lambda strength of the entropy term in \eqn{w_l \propto \exp(-D_l / \lambda)}{w_l ~ exp(-D_l
#'   / lambda)}: small values put all the weight on a few features, large values make the weights
#'   nearly equal. `"auto"` chooses it. If only one of the two is given, the other is chosen.
#' @param lambda_scale whether \eqn{D_l} is the `"mean"` (the paper) or the `"sum"` (the released
#'   code) over the rows of the squared displacements along feature \eqn{l}.
#' @param exclude_self exclude a row from its own mean?
#' @param warmup number of iterations that only learn the weights, before the iteration restarts from
#'   the data.
#' @param stop when to stop: `"settled"` (the partition at 100 `eps` has been the same for `patience`
#'   iterations, equals the partition at `eps`, and no row that is still on its own is still moving),
#'   `"movement"` (no point moves by `tol`), `"diameter"` (the diameter of the cloud changes by less
#'   than `tol`, the paper's rule) or `"fixed"` (after exactly `max_iter` iterations).
#' @param patience number of consecutive iterations for which the partition must stay the same.
#' @param tol tolerance of the rules `"movement"` and `"diameter"`.
#' @param max_iter maximum number of iterations after the warm-up.
#' @param eps points closer than this belong to the same group.
#' @param standardize `TRUE` works on z-scores, as the paper does. `"robust"` does the same for most data, to
#'   the bit, but a value farther from the central nine tenths of its column than these are wide, and in no
#'   cluster there, does not count; rows with such values in most columns follow their nearest row, and columns
#'   that are equal up to their unit share one weight. `FALSE` uses the columns as they are.
#' @param merge replace equal rows, and points that coincide, by one weighted point? The labels are
#'   the same, with less work.
#' @param n_jobs number of threads; `NULL` means one, -1 all cores. The result does not depend on it.
#' @param record_path record the position of every row after each iteration?
#' @param tree after the fit, continue until all clusters have merged, and record the merge tree? See
#'   [as.hclust.wbms()]. Nothing else in the fit depends on it.
#' @param init the weights of the columns with which the fit starts: `"uniform"` (equal weights, as in
#'   the paper), `"marginal"` (more weight for columns that have clusters on their own, which finds a few
#'   informative columns among many noise columns), or one number of at least 0 per column. `"auto"` tries
#'   both kinds; the data decide, as they do on `h` and `lambda`.
#' @param join join clusters between which the density does not dip, such as the pieces of a curved
#'   cluster? `"auto"` does so if the search for `h` and `lambda` found it right, and not if both are
#'   given.
#' @param k the best partition with exactly `k` clusters; `NULL` lets the data decide. If `h` and `lambda` are
#'   given, it is a level of the coalescence tree of that fit. An error says if there is none, and which are
#'   nearest. See also [at()] and [layers()].
#' @param outliers what to do with rows that are far out in their cluster, with an [outlier_score()] above
#'   0.999, or marked in the field `outliers`: `"keep"` gives them their cluster, `"label"` gives them `NA`,
#'   as [predict()] then does for new rows. A cluster of which nothing is left is dropped, unless `k` is given.
#' @param verbose print one line per iteration? Otherwise fits of more than two seconds show their progress
#'   in interactive sessions, with the longest time that is left: by the package progressr if it is loaded, by
#'   cli if it is installed, or as a text. `options(wbms.progress = )` chooses `"progressr"`, `"cli"` or
#'   `"text"`, in scripts as well, or `FALSE`.
#' @param callback a function called after each iteration with a list (`phase`, `iteration`,
#'   `diameter`, `movement`, `groups`, `entropy`, `n_points`, and `weights`, named); if it returns
#'   `TRUE` the fit stops and returns its current state. While `h` or `lambda` is chosen it is called
#'   after each trial fit, with phase `"select"`, without weights and with `fits_left`, about how many trial
#'   fits are still to come; `TRUE` then takes the best pair so far.
#' @param form the form of the algorithm: `"default"`, `"released"` or `"paper"`.
#' @param na.action how to handle missing and infinite values: [stats::na.fail()] (an error),
#'   [stats::na.omit()] or [stats::na.exclude()] (omit these rows), the name of one of these, or
#'   `"impute"` (fill them in).
#' @param categories how to handle factors and characters in a data frame: `"error"`, or
#'   `"indicators"`, one column per level. In a formula the default is `"indicators"`.
#' @param seed seed of the search for what is `"auto"`; a fit with `h`, `lambda` and `init` given draws
#'   nothing.
#' @param weights how many rows each row stands for, numbers of at least 0; `NULL` means one. A vector, or
#'   the name of a column of `x`, which is not a feature then: `weights = count` for a data frame,
#'   `weights = "count"` for any table. With a formula it is evaluated in `data`, as in [stats::lm()]. See
#'   the section on weights in the help page of [wbms()].
#' @param landmarks how many rows are clustered, as a sample that all other rows follow to the modes they
#'   reach; `NULL` clusters all rows; `"auto"` does so while rows² × columns is at most 20,000²
#'   × 20, and uses 8,000 landmarks above that, fewer if there are more than 125 columns. The field
#'   `landmarks` then has their `number`, the number of `rows`, and the expected `agreement` with the
#'   exact fit.
#' @param time_budget seconds after which the choice of `h` and `lambda` ends with the best pair so far,
#'   which `fit$choice` then says; `NULL` sets no limit.
#' @param formula a formula without a left-hand side: `~ a + b`, or `~ .` for all columns.
#' @param data a data frame in which to look up the formula's variables.
#' @param subset rows of `data` to use, as in [stats::lm()].
#' @param ... in the formula method, the arguments of the default method, by name. Not used in the
#'   default method: arguments after it must be named in full, and unknown arguments are errors.
#'
#' @return An object of class `wbms`: a list of plain R vectors, which can be saved with
#'   [saveRDS()] and printed, summarised and plotted in a session without Python.
#'   \item{cluster}{the cluster of each row, 1 to k, 1 being the largest; `NA` for omitted rows.
#'     Named by row.}
#'   \item{weights}{the weight of each column, nonnegative, with sum 1.}
#'   \item{centers}{a matrix: the point onto which each cluster collapsed, or, if clusters were joined, the
#'     mean of these points.}
#'   \item{modes}{a matrix like the data: the final position of each row (without omitted rows).}
#'   \item{size}{the number of rows in each cluster, named 1 to k.}
#'   \item{h, lambda}{the values used.}
#'   \item{init}{the weight of each column at the start of the fit.}
#'   \item{iter}{the number of iterations after the warm-up.}
#'   \item{converged}{whether the fit was stopped by the stop rule, not by `max_iter` or the callback.}
#'   \item{reached_by, reached}{how the clusters follow from the groups of the fit, as a word and, if `k` was
#'     given, in words: `"fit"` (they are the same), `"join"` (joined, see `join`), `"tree"` (merged as they
#'     meet after the fit) or `"stop"` (the fit was stopped while there were `k`).}
#'   \item{history}{a data frame with one row per iteration.}
#'   \item{selection}{a data frame with one row per pair of `h` and `lambda` that was tried, like `grid` in
#'     [wbms_select()]; `NULL` if both were given.}
#'   \item{choice}{how the pair was chosen, a list with the fields of [wbms_select()] other than `grid` and
#'     `call`; or `NULL`.}
#'   \item{confidence}{how right the clusters can be expected to be, a list: `expected`, the expected
#'     agreement with the truth (adjusted Rand index), and `word`, `"high"`, `"medium"` or `"low"`; `NULL`
#'     if `h` and `lambda` were given.}
#'   \item{outliers}{whether each row is an outlier: its values are far outside in most columns, or in columns
#'     with most of the weight. It has the cluster of its nearest row. `FALSE` for omitted rows.}
#'   \item{uncertainty}{1 minus the largest membership of each row, see [membership()].}
#'   \item{outlier_score}{how far out each row is in its cluster, 0 to 1, see [outlier_score()].}
#'   \item{log_density}{the logarithm of the kernel density at each row, left out; needed by
#'     [outlier_score()] and [predict()].}
#'   \item{assigned}{with `outliers = "label"`, the cluster of each row, those labelled as outliers
#'     included; clusters of which nothing else is left have numbers above k.}
#'   \item{cluster_weights}{a matrix: the weights that each cluster would give the columns, from the
#'     displacements of its own rows.}
#'   \item{features}{a data frame: the columns that set each cluster apart most, see [describe()].}
#'   \item{profile}{a matrix: the mean of each cluster in standard deviations from the mean of all rows, in up
#'     to 60 columns, those that set the clusters apart most first.}
#'   \item{data}{the matrix that was clustered, needed by [predict()].}
#'   \item{scale}{the divisor of each column.}
#'   \item{row_weights}{the weights of the rows of `data`; only if they were given.}
#'   \item{path}{with `record_path`, an array: iteration (from 0) by row by column.}
#'   \item{tree}{with `tree`, the coalescence tree, which [as.hclust()][as.hclust.wbms] converts to an object that
#'     R can cut and draw: `merge`, `height` (the logarithm of 1 + the iterations) and `order` as in
#'     [stats::hclust()], and `observed`, `FALSE` for the merges at the top that were predicted, not
#'     computed.}
#'   \item{params}{the other arguments, as used; `init` and `join` as they were resolved.}
#'   \item{na.action}{the omitted rows, if any.}
#'   \item{na_action}{how missing values are handled: `"fail"`, `"omit"` or `"impute"`.}
#'   \item{imputed}{with `na.action = "impute"`, the number of values filled in, by column.}
#'   \item{encoding}{the levels of the factors, and what missing values were replaced by: needed by
#'     [predict()].}
#'   \item{call}{the call.}
#'   \item{totss, withinss, tot.withinss, betweenss}{sums of squares as in [stats::kmeans()]: in total, within
#'     each cluster, their sum, and between the clusters. They are computed in the learned distance (columns
#'     divided by `scale`, weighted by `weights`), about the means of the clusters' rows.}
#'   \item{state}{what [wbms_save()] needs beside these fields.}
#'   \item{terms, xlevels, contrasts, variables}{for a fit by formula: needed by [predict()].}
#'
#' @references S. Chakraborty, D. Paul, S. Das: Automated Clustering of High-dimensional Data with a
#'   Feature Weighted Mean Shift Algorithm. *Proceedings of the 35th AAAI Conference on Artificial
#'   Intelligence*, 2021.
#' @seealso [wbms_select()], [at()], [layers()], [summary.wbms()], [plot.wbms()], [predict.wbms()], [tidy.wbms()], [as.hclust.wbms()],
#'   [wbms_theory()]
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' fit
#' table(fit$cluster, iris$Species)
#'
#' # factors become indicator columns
#' wbms(~ Sepal.Length + Petal.Length + Species, data = iris, h = 0.05, lambda = 0.1)
#' wbms(iris, categories = "indicators", h = 0.05, lambda = 0.1)
#'
#' # missing values
#' fit <- wbms(airquality[, 1:4], na.action = "impute", h = 0.05, lambda = 0.1)
#' fit$imputed
#'
#' # rows that occurred several times
#' counted <- data.frame(a = c(0, 0.1, 5, 5.2, 5.1), n = c(20, 10, 1, 3, 2))
#' wbms(counted, weights = n, h = 0.1, lambda = 1)$cluster
#' @export
wbms <- function(x, ...) {
  if (nargs() == 0L) refuse_nothing()
  UseMethod("wbms")
}

#' @rdname wbms
#' @export
wbms.default <- function(x, h = "auto", lambda = "auto", ..., lambda_scale = "mean",
                         exclude_self = TRUE, warmup = 20, stop = "settled", patience = 5,
                         tol = 1e-8, max_iter = 300, eps = 1e-5, standardize = "robust",
                         merge = TRUE, n_jobs = NULL, record_path = FALSE, tree = FALSE, init = "auto",
                         join = "auto", k = NULL, outliers = "keep", verbose = FALSE, callback = NULL,
                         form = "default", na.action = stats::na.fail, categories = "error",
                         seed = 0, weights = NULL, landmarks = "auto",
                         time_budget = NULL) {
  call <- match.call()
  known <- setdiff(names(formals()), c("x", "..."))
  # Partial matching is refused for all arguments: R would accept abbreviations of h and lambda.
  given <- names(sys.call())
  short <- given[nzchar(given) & !given %in% names(formals())]
  refuse_arguments(without_aliases(union(short, extra_names(...)), known), known)
  if (missing(x)) refuse_nothing()
  refuse_formula_second(h, "wbms")
  rows <- table_weights(x, substitute(weights), function() weights)
  weights <- rows$weights
  given <- intersect(names(call), known)
  settings <- with_aliases(mget(known), list(...), given)
  if (called_for_k(sys.call(-1L))) { # the call of the generic
    settings$k <- h
    settings$h <- "auto"
    given <- c(setdiff(given, "h"), "k")
  }
  fit_rows(rows$x, settings, union(given, aliases[extra_names(...)]), called(call))
}

#' @rdname wbms
#' @export
wbms.formula <- function(formula, data = NULL, subset, na.action = stats::na.fail, ..., weights, x,
                         form = "default") { # listed here, as it would match 'formula' partially
  call <- match.call()
  if (!missing(x)) { # wbms(x = ~ a + b, df): the next argument is the data
    if (!missing(formula)) data <- formula
    formula <- x
  }
  known <- setdiff(names(formals(wbms.default)), c("x", "...", "na.action", "weights"))
  refuse_third(sys.call(), "wbms")
  refuse_arguments(setdiff(without_aliases(extra_names(...), c(known, "na.action")), known), known)
  given <- c(list(...), if (!missing(form)) list(form = form))
  defaults <- lapply(formals(wbms.default)[known], eval, envir = environment(wbms.default))
  others <- given[names(given) %in% names(aliases)]
  given <- given[!names(given) %in% names(aliases)]
  settings <- replace(defaults, names(given), given)
  settings["na.action"] <- list(na.action)
  settings <- with_aliases(settings, others, c(names(given), if (!missing(na.action)) "na.action"))
  na.action <- settings[["na.action"]]
  chosen <- c(
    if (!missing(subset)) list(subset = call$subset),
    if (!missing(weights)) frame_weights(call$weights, data)
  )
  rows <- formula_rows(
    formula, data, chosen, check_na_action(na.action), parent.frame(), given$categories
  )
  given <- c(names(given), aliases[names(others)], "na.action")
  fit <- fit_rows(rows$x, settings, given, called(call), rows)
  fit$terms <- rows$terms
  fit$xlevels <- stats::.getXlevels(rows$terms, rows$frame)
  fit$contrasts <- attr(rows$x, "contrasts")
  fit$variables <- variables_of(rows$terms, data)
  fit
}

# The columns that a formula makes from data, with the frame, the terms and the weights of rows. Subset
# and weights are a list of expressions, or NULL, evaluated in the data and in the caller's environment.
# Factors become all their indicators, unless 'categories' is "error".
formula_rows <- function(formula, data, chosen, missing_values, around, categories = NULL) {
  if (length(formula) != 2L) {
    abort("'formula' must have no left-hand side: clustering has no response (~ a + b)")
  }
  # Missing values are handled later, with an error that names the variables.
  frame <- as.call(c(
    quote(stats::model.frame), list(formula = formula, data = data), chosen,
    list(na.action = quote(stats::na.pass))
  ))
  frame <- eval(frame, around)
  weights <- stats::model.extract(frame, "weights")
  frame[["(weights)"]] <- NULL
  terms <- stats::terms(frame)
  check_formula(terms, frame, data, !is.null(chosen$subset))
  if (missing_values == "fail") refuse_missing(missing_in_frame(frame), "the formula", "variable")
  if (!is.null(categories) && check_categories(categories) == "error") refuse_categories(frame)
  weights <- check_row_weights(weights, frame, missing_values)
  encoded <- encode_frame(frame, missing_values, weights = weights)
  x <- design_matrix(terms, encoded$frame, all_indicators(encoded$frame))
  c(
    list(
      x = x, terms = terms, groups = groups_of_design(terms, encoded$frame, attr(x, "assign")),
      weights = weights
    ),
    encoded
  )
}

refuse_categories <- function(frame) {
  texts <- names(frame)[vapply(frame, is_category, NA)]
  if (length(texts)) {
    abort(
      "variable", if (length(texts) > 1L) "s", " of the formula that ",
      if (length(texts) == 1L) "is" else "are", " not numeric: ", quoted(texts),
      "; use categories = \"indicators\" (the default in a formula)"
    )
  }
}

# Fits any table, with all arguments of wbms.default() and the names of those that were given. Of a
# formula, 'made' says how its columns were made.
fit_rows <- function(x, settings, given, call, made = NULL) {
  form <- check_choice(settings$form, "form", c("default", "released", "paper"))
  chooses <- form == "default"
  left <- c("h", "lambda")[c(identical(settings$h, "auto"), identical(settings$lambda, "auto"))]
  if (!chooses && length(left)) {
    abort(
      "'h' and 'lambda' must be given with form = \"", form,
      "\", which does not choose them from the data: give ", quoted(left)
    )
  }
  params <- c(
    list(
      h = check_positive(settings$h, "h", auto = chooses),
      lam = check_positive(settings$lambda, "lambda", auto = chooses),
      lam_scale = check_choice(settings$lambda_scale, "lambda_scale", c("mean", "sum"))
    ),
    check_iteration(settings),
    list(
      outliers = check_choice(settings$outliers, "outliers", c("keep", "label")),
      n_jobs = check_jobs(settings$n_jobs),
      record_path = check_flag(settings$record_path, "record_path"),
      tree = check_flag(settings$tree, "tree"),
      n_clusters = check_k(settings$k),
      landmarks = check_landmarks(settings$landmarks),
      time_budget = check_budget(settings$time_budget)
    )
  )
  if (!chooses) { # These forms have their own defaults: send only the arguments that were given.
    params <- params[names(params) %in% sub("^k$", "n_clusters", sub("^lambda", "lam", given))]
  }
  verbose <- check_flag(settings$verbose, "verbose")
  callback <- check_callback(settings$callback)
  missing_values <- check_na_action(settings$na.action)
  params$random_state <- check_whole(settings$seed, "seed", 0)

  table <- table_rows(x, missing_values, check_categories(settings$categories), settings$weights, made)
  x <- table$x
  check_init_length(params$init, x)
  if (any(table$groups > 0L)) params$indicators <- table$groups
  used <- if (all(table$kept)) x else x[table$kept, , drop = FALSE]
  weights <- used_weights(table$weights, table$kept)
  progress <- if (!verbose) progress_display()
  on.exit(if (!is.null(progress)) progress$end())
  found <- py_call(
    "fit", used, colnames(x), form, params, verbose, watcher(callback, colnames(x)), weights,
    progress$show,
    .call = call
  )
  fit <- new_wbms(found, used, table$kept, rownames(x), missing_values, call)
  fit$imputed <- table$imputed
  fit$encoding <- table$encoding
  fit
}

# The rows of any table, as encode_table() returns them; there must be one to use. The matrix that a
# formula has made needs no encoding.
table_rows <- function(x, missing_values, categories, weights, made = NULL) {
  if (is.null(made)) {
    table <- encode_table(x, missing_values, categories, weights = weights)
  } else {
    x <- numeric_matrix(x)
    kept <- complete_rows(x, missing_values)
    if (!is.null(made$weights)) kept <- kept & !is.na(made$weights)
    table <- list(
      x = x, kept = kept, groups = made$groups, imputed = made$imputed, encoding = made$encoding,
      weights = made$weights
    )
  }
  if (!any(table$kept)) abort("no rows are left: every row has a missing or infinite value")
  table
}

# Rejects formulas that make no sense here or leave nothing to cluster.
check_formula <- function(terms, frame, data, with_subset) {
  if (!is.null(attr(terms, "offset"))) {
    abort("'formula' has an offset(), which makes no sense here: clustering has no response")
  }
  if (!length(attr(terms, "term.labels"))) {
    abort("'formula' names no columns to cluster: name at least one, as in ~ a + b")
  }
  if (nrow(frame) == 0L) {
    empty <- is.data.frame(data) && nrow(data) == 0L
    none <- if (with_subset && !empty) "'subset' selects none" else "'data' has none"
    abort("no rows are left: ", none)
  }
}

# The variables of a formula that new data must have: not constants such as the k of poly(a, k).
variables_of <- function(terms, data) {
  names <- all.vars(terms)
  around <- environment(terms)
  varies <- function(name) name %in% names(data) || NROW(get0(name, envir = around)) > 1L
  names[vapply(names, varies, NA)]
}

# The columns of a model matrix, without the intercept; rows with missing values are kept.
design_matrix <- function(terms, frame, contrasts = NULL) {
  x <- stats::model.matrix(terms, frame, contrasts.arg = contrasts)
  made <- attr(x, "contrasts")
  assign <- attr(x, "assign")
  x <- x[, assign != 0L, drop = FALSE]
  colnames(x) <- gsub("`", "", colnames(x), fixed = TRUE)
  structure(x, contrasts = made, assign = assign[assign != 0L])
}

# The call as the user wrote it: of the generic, not of a method.
called <- function(call, generic = quote(wbms)) {
  call[[1L]] <- generic
  call
}

refuse_nothing <- function(name = "wbms") {
  abort(
    "'x' is missing: ", name, "() needs a numeric matrix, a data frame, a numeric vector or a ",
    "formula (see ?", name, ")"
  )
}

# Names of the arguments in '...', without evaluating them.
extra_names <- function(...) {
  n <- ...length()
  given <- names(match.call(expand.dots = FALSE)$...)
  if (is.null(given)) given <- rep("", n)
  given[!nzchar(given)] <- "(without a name)"
  given
}

# Raises an error for unknown arguments, suggesting those that may have been meant.
refuse_arguments <- function(unknown, known, topic = "wbms") {
  if (!length(unknown)) return(invisible())
  by_formula <- topic %in% c("wbms", "wbms_select")
  if (by_formula && all(unknown %in% c("data", "subset", "formula"))) {
    abort(quoted(unknown), " can only be used with a formula: ", topic, "(~ a + b, data = df)")
  }
  hints <- if (by_formula) unique(unlist(elsewhere[unknown]))
  meant <- unique(unlist(lapply(unknown, similar, known)))
  abort(
    if (length(unknown) == 1L) "unknown argument: " else "unknown arguments: ", quoted(unknown), "; ",
    if (length(hints)) {
      paste0(paste(hints, collapse = "; "), " (see ?", topic, ")")
    } else if (length(meant)) {
      paste0("did you mean ", quoted(meant), "? (see ?", topic, ")")
    } else {
      paste0("see ?", topic)
    }
  )
}

# The arguments that a name abbreviates, or that are spelled similarly.
similar <- function(name, known) {
  long <- sub("^lam(?=$|_)", "lambda", name, perl = TRUE) # as in Python
  if (long %in% known) return(long)
  found <- known[startsWith(known, name)]
  if (length(found) || !length(known) || nchar(name) < 3L) return(found)
  distance <- utils::adist(name, known, ignore.case = TRUE)[1L, ]
  known[distance == min(distance) & distance <= 2 & distance < nchar(name) / 2]
}

refuse_unknown <- function(..., topic, known = character()) {
  if (...length()) refuse_arguments(extra_names(...), known, topic)
}

# What Python calls after each iteration, or NULL.
watcher <- function(callback, columns) {
  if (is.null(callback)) return(NULL)
  function(state) {
    if (length(state$weights)) names(state$weights) <- columns # none while h is chosen
    isTRUE(callback(state))
  }
}

new_wbms <- function(found, data, kept, rows, missing_values, call) {
  cluster <- rep(NA_integer_, length(kept))
  cluster[kept] <- na_for_outliers(found$cluster)
  names(cluster) <- rows
  per_row <- function(values) replace(stats::setNames(rep(NA_real_, length(kept)), rows), kept, values)
  outliers <- stats::setNames(logical(length(kept)), rows)
  outliers[kept] <- found$outliers
  rownames(found$centers) <- seq_len(nrow(found$centers))
  rownames(found$cluster_weights) <- rownames(found$profile) <- rownames(found$centers)
  rownames(found$modes) <- rownames(data)
  if (!is.null(found$path)) {
    dimnames(found$path)[1:2] <- list(seq_len(dim(found$path)[[1L]]) - 1L, rownames(data))
  }
  k <- nrow(found$centers)
  size <- stats::setNames(tabulate(found$cluster, k), seq_len(k))
  fit <- list(
    cluster = cluster, weights = found$weights, centers = found$centers, modes = found$modes,
    size = size, h = found$h, lambda = found$lambda, init = found$init,
    iter = found$iter, converged = found$converged, reached_by = found$reached_by,
    reached = if (nzchar(found$reached)) found$reached, history = found$history,
    selection = found$selection, choice = found$choice, confidence = found$choice$confidence,
    outliers = outliers, data = data, scale = found$scale, path = found$path, tree = found$tree,
    params = found$params, uncertainty = per_row(found$uncertainty),
    outlier_score = per_row(found$outlier_score), log_density = found$log_density,
    assigned = found$assigned, cluster_weights = found$cluster_weights, features = found$features,
    profile = found$profile, na.action = omitted_rows(kept, rows),
    na_action = missing_values, call = call
  )
  fit <- c(fit, kmeans_fields(fit))
  if (!is.null(found$landmarks)) fit$landmarks <- found$landmarks
  if (!is.null(found$row_weights)) {
    fit$row_weights <- stats::setNames(found$row_weights, rownames(data))
  }
  # What a file needs beside these fields, which it need not have; see wbms_save().
  fit$state <- c(found$state, list(fields = names(fit)))
  structure(fit, class = "wbms")
}
