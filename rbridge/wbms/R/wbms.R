#' Weighted Blurring Mean Shift
#'
#' Finds the clusters in a data set, how many there are, and which features matter. Every point
#' moves to the kernel-weighted mean of the others, in a feature-weighted distance; features along
#' which points are displaced much lose weight; when the cloud has collapsed, what met is a cluster.
#'
#' The defaults are the form of the algorithm that works in high dimension: a row is left out of its
#' own mean, the weights are learned in a warm-up before the cloud restarts from the data, and the
#' fit ends when the partition has settled. `form = "released"` is what the authors' R code does,
#' `form = "paper"` the algorithm as printed; either changes the defaults of the other arguments, not
#' those that are given.
#'
#' The fit is deterministic, depends neither on the order of the rows nor on the number of threads,
#' and is the same, to the last bit, as that of the Python package pywbms. The usual interrupt
#' (Ctrl-C, or the stop button) works at any time.
#'
#' @section Missing values, factors and other input:
#' Missing values are an error that names their columns, unless `na.action = na.omit`; then these
#' rows have `NA` in `cluster`. Factors and characters are an error, too, except in a formula: there
#' they become the indicator columns that [stats::model.matrix()] makes (without the intercept).
#' Logical columns count as 0 and 1. Columns that hold one value get weight 0. A numeric vector is
#' a matrix of one column.
#'
#' @param x a numeric matrix, a data frame with numeric columns, a numeric vector, or a fit.
#' @param h bandwidth of the kernel \eqn{\exp(-\|a - b\|_w^2 / h)}{exp(-||a - b||^2_w / h)}. On z-scores
#'   useful values lie between 0.005 (many tight clusters) and 1. `"auto"` chooses it from the data.
#' @param lambda strength of the entropy term in \eqn{w_l \propto \exp(-D_l / \lambda)}{w_l ~ exp(-D_l
#'   / lambda)}: small values put all weight on few features, large ones make all weights alike.
#'   `"auto"` chooses it.
#' @param lambda_scale whether \eqn{D_l} is the `"mean"` (the paper) or the `"sum"` (the released
#'   code) over the rows of the squared displacements along feature \eqn{l}.
#' @param exclude_self leave a row out of its own mean?
#' @param warmup iterations that only learn the weights, before the cloud restarts from the data.
#' @param stop when to end: `"settled"` (the partition at 100 `eps` has been the same for `patience`
#'   iterations, equals the one at `eps`, and no row that has met nobody is still on its way),
#'   `"movement"` (no point moves by `tol`), `"diameter"` (the diameter of the cloud changes by less
#'   than `tol`, the paper's rule) or `"fixed"` (after exactly `max_iter` iterations).
#' @param patience iterations in a row that the partition has to stay the same.
#' @param tol tolerance of the rules `"movement"` and `"diameter"`.
#' @param max_iter largest number of iterations after the warm-up.
#' @param eps points closer than this have met.
#' @param standardize work on z-scores?
#' @param merge let equal rows, and points that have met, travel on as one weighted point? The same
#'   labels for less work.
#' @param n_jobs number of threads; `NULL` is one, -1 all cores. No result depends on it.
#' @param record_path keep where every row was after each iteration?
#' @param verbose print a line an iteration?
#' @param callback a function called after each iteration with a list (`phase`, `iteration`,
#'   `diameter`, `movement`, `groups`, `entropy`, `n_points`, `weights`); if it returns `TRUE` the fit
#'   ends and keeps what it has.
#' @param form the form of the algorithm: `"default"`, `"released"` or `"paper"`.
#' @param na.action what to do with missing values: [stats::na.fail()] (an error) or
#'   [stats::na.omit()].
#' @param formula a formula without a left-hand side: `~ a + b`, or `~ .` for all columns.
#' @param data a data frame in which to look up the formula's variables.
#' @param subset rows of `data` to use, as in [stats::lm()].
#' @param ... arguments of the matrix method.
#'
#' @return An object of class `wbms`: a list of plain R vectors, which can be saved with
#'   [saveRDS()] and printed, summarised and plotted in a session without Python.
#'   \item{cluster}{the cluster of each row, 1 to k, 1 being the largest; `NA` for rows left out.
#'     Named by row.}
#'   \item{weights}{the weight of each column, at least 0, sum 1.}
#'   \item{centers}{a matrix: where the rows of each cluster met.}
#'   \item{modes}{a matrix like the data: where each row ended (without the rows left out).}
#'   \item{size}{the number of rows in each cluster.}
#'   \item{h, lambda}{the values used.}
#'   \item{iter}{the number of iterations after the warm-up.}
#'   \item{converged}{whether the stop rule, and not `max_iter` or the callback, ended the fit.}
#'   \item{history}{a data frame, a row an iteration.}
#'   \item{selection}{a data frame that shows how `h` was chosen, or `NULL`.}
#'   \item{data}{the matrix that was clustered, which [predict()] needs.}
#'   \item{scale}{what each column was divided by.}
#'   \item{path}{with `record_path`, an array: iteration (from 0) by row by column.}
#'   \item{params}{the other arguments, as used.}
#'   \item{na.action}{the rows left out, if any.}
#'   \item{call}{the call.}
#'
#' @references S. Chakraborty, D. Paul, S. Das: Automated Clustering of High-dimensional Data with a
#'   Feature Weighted Mean Shift Algorithm. *Proceedings of the 35th AAAI Conference on Artificial
#'   Intelligence*, 2021.
#' @seealso [summary.wbms()], [plot.wbms()], [predict.wbms()], [tidy.wbms()], [wbms_theory()]
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' fit
#' table(fit$cluster, iris$Species)
#'
#' # a formula; factors become indicator columns
#' wbms(~ Sepal.Length + Petal.Length, data = iris, h = 0.05, lambda = 0.1)
#' @export
wbms <- function(x, ...) {
  UseMethod("wbms")
}

#' @rdname wbms
#' @export
wbms.matrix <- function(x, h = "auto", lambda = "auto", lambda_scale = "mean", exclude_self = TRUE,
                        warmup = 20, stop = "settled", patience = 5, tol = 1e-8, max_iter = 300,
                        eps = 1e-5, standardize = TRUE, merge = TRUE, n_jobs = NULL,
                        record_path = FALSE, verbose = FALSE, callback = NULL, form = "default",
                        na.action = stats::na.fail, ...) {
  call <- called(match.call())
  refuse_unknown(...)
  form <- check_choice(form, "form", c("default", "released", "paper"))
  # A form brings its own defaults: of the arguments, only those that were given are sent.
  own <- if (form == "default") character() else setdiff(names(formals()), names(match.call()))
  params <- list(
    h = check_positive(h, "h", auto = form == "default"),
    lam = check_positive(lambda, "lambda", auto = form == "default"),
    lam_scale = check_choice(lambda_scale, "lambda_scale", c("mean", "sum")),
    exclude_self = check_flag(exclude_self, "exclude_self"),
    warmup = check_whole(warmup, "warmup", 0),
    stop = check_choice(stop, "stop", c("settled", "movement", "diameter", "fixed")),
    patience = check_whole(patience, "patience", 1),
    tol = check_positive(tol, "tol"),
    max_iter = check_whole(max_iter, "max_iter", 1),
    eps = check_positive(eps, "eps"),
    standardize = check_flag(standardize, "standardize"),
    merge = check_flag(merge, "merge"),
    n_jobs = check_jobs(n_jobs),
    record_path = check_flag(record_path, "record_path")
  )
  own[own == "lambda_scale"] <- "lam_scale"
  params <- params[!names(params) %in% own]
  verbose <- check_flag(verbose, "verbose")
  if (!is.null(callback) && !is.function(callback)) abort("'callback' must be a function or NULL")

  x <- numeric_matrix(x)
  kept <- complete_rows(x, na.action)
  used <- if (all(kept)) x else x[kept, , drop = FALSE]
  watch <- watcher(callback)
  found <- py_call("fit", used, colnames(x), form, params, verbose, watch$callback, .call = call)
  watch$raise()
  new_wbms(found, used, kept, rownames(x), call)
}

#' @rdname wbms
#' @export
wbms.default <- function(x, ...) {
  fit <- wbms.matrix(x, ...)
  fit$call <- called(match.call())
  fit
}

#' @rdname wbms
#' @export
wbms.data.frame <- function(x, ...) {
  fit <- wbms.matrix(x, ...)
  fit$call <- called(match.call())
  fit
}

#' @rdname wbms
#' @export
wbms.formula <- function(formula, data = NULL, subset, na.action = stats::na.fail, ...) {
  call <- match.call()
  if (length(formula) != 2L) {
    abort("'formula' must have no left-hand side: clustering has no response (~ a + b)")
  }
  frame <- call
  frame <- frame[c(1L, match(c("formula", "data", "subset"), names(frame), 0L))]
  frame[[1L]] <- quote(stats::model.frame)
  frame$na.action <- quote(stats::na.pass) # missing values are dealt with later, by name
  frame <- eval(frame, parent.frame())
  terms <- stats::terms(frame)
  leaves_out(na.action)
  x <- design_matrix(terms, frame)
  fit <- wbms.matrix(x, na.action = na.action, ...)
  fit$call <- called(call)
  fit$terms <- terms
  fit$xlevels <- stats::.getXlevels(terms, frame)
  fit$contrasts <- attr(x, "contrasts")
  fit
}

# The columns of a model, without the intercept; rows with missing values stay in.
design_matrix <- function(terms, frame, contrasts = NULL) {
  x <- stats::model.matrix(terms, frame, contrasts.arg = contrasts)
  structure(
    x[, attr(x, "assign") != 0L, drop = FALSE],
    contrasts = attr(x, "contrasts")
  )
}

# The call as the user wrote it: of the generic, not of a method.
called <- function(call) {
  call[[1L]] <- quote(wbms)
  call
}

refuse_unknown <- function(...) {
  if (...length() == 0L) return(invisible())
  given <- names(list(...))
  if (is.null(given)) given <- rep("", ...length())
  given[!nzchar(given)] <- "(without a name)"
  abort("unknown argument: ", quoted(given), "; see ?wbms")
}

# An R function may fail while Python calls it. What it signalled is kept, the fit is ended, and the
# condition is raised where the user can see and catch it: in R.
watcher <- function(callback) {
  if (is.null(callback)) return(list(callback = NULL, raise = function() NULL))
  failed <- NULL
  list(
    callback = function(state) {
      tryCatch(isTRUE(callback(state)), error = function(e) {
        failed <<- e
        TRUE
      })
    },
    raise = function() if (!is.null(failed)) stop(failed)
  )
}

new_wbms <- function(found, data, kept, rows, call) {
  cluster <- rep(NA_integer_, length(kept))
  cluster[kept] <- found$cluster
  names(cluster) <- rows
  rownames(found$centers) <- seq_len(nrow(found$centers))
  rownames(found$modes) <- rownames(data)
  if (!is.null(found$path)) {
    dimnames(found$path)[1:2] <- list(seq_len(dim(found$path)[[1L]]) - 1L, rownames(data))
  }
  fit <- list(
    cluster = cluster, weights = found$weights, centers = found$centers, modes = found$modes,
    size = tabulate(found$cluster, nrow(found$centers)), h = found$h, lambda = found$lambda,
    iter = found$iter, converged = found$converged, history = found$history,
    selection = found$selection, data = data, scale = found$scale, path = found$path,
    params = found$params, na.action = omitted_rows(kept, rows), call = call
  )
  structure(fit, class = "wbms")
}
