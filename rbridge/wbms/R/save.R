#' Save a fit in a file that Python reads, too
#'
#' `wbms_save()` writes a fit to one portable file, `wbms_load()` reads it. The same file works in
#' Python (`result.save(path)`, `pywbms.load(path)`) and on the command line (`pywbms fit --save`,
#' `pywbms predict`): a fit made in one language can be used in the other, with the same numbers to the
#' bit. The file holds data only, with checksums over all of it; reading it executes nothing.
#'
#' Fields that you have added to a fit are kept if they are plain vectors, factors, data frames or
#' lists of these. A formula is kept if it uses nothing but arithmetic and common functions such as
#' `log()`, `poly()` or `factor()`, as a fit from a file could run any other code in `predict()`; for
#' other formulas use [saveRDS()]. In Python such a fit has the columns of the model matrix. The
#' environment of a formula is not kept.
#'
#' The clusters count from 1 in R and from 0 in Python. Names of rows are texts in R: a result of Python
#' whose rows are numbered from 0 has none here, other names are turned into text.
#'
#' @param fit a fit of [wbms()].
#' @param path the file, such as `"model.wbms"`. An existing one is replaced as a whole, or stays as it
#'   is if the new one cannot be written.
#' @return `wbms_save()` returns the path, invisibly; `wbms_load()` a fit.
#' @seealso [saveRDS()], which also works, for R alone.
#' @examplesIf wbms::wbms_available()
#' fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)
#' path <- tempfile(fileext = ".wbms")
#' wbms_save(fit, path)
#' predict(wbms_load(path), iris[c(1, 51, 101), ])
#' @export
wbms_save <- function(fit, path) {
  check_stored(fit, "save it")
  path <- check_path(path)
  py_call("save_fit", path, c(held_fit(fit), list(fields = stored_fields(fit))))
  invisible(path)
}

check_stored <- function(fit, aim) {
  if (!inherits(fit, "wbms")) abort("'fit' must be a fit of wbms(), not of class ", quoted(class(fit)))
  if (is.null(fit$state)) {
    abort("'fit' was made by an older version of wbms, which kept too little to ", aim, ": fit again")
  }
}

# What Python needs to make a result of a fit.
held_fit <- function(fit) {
  list(
    state = fit$state[c("json", "arrays")], data = unname(fit$data), modes = unname(fit$modes),
    columns = colnames(fit$data), rows = names(fit$cluster), kept = clustered_rows(fit),
    na_action = fitted_na_action(fit),
    encoding = if (is.null(fit$terms)) fit$encoding, imputed = if (is.null(fit$terms)) unname(fit$imputed)
  )
}

#' @rdname wbms_save
#' @export
wbms_load <- function(path) {
  call <- match.call()
  path <- check_path(path)
  if (!file.exists(path)) abort("there is no file ", path)
  found <- py_call("load_fit", path)
  rows <- found$rows
  rownames(found$data) <- rows[found$kept]
  stored <- found$fields
  if (!is.null(stored$call)) call <- str2lang(stored$call)
  fit <- new_wbms(found$fit, found$data, found$kept, rows, found$na_action, call)
  for (name in setdiff(names(stored), c("call", formula_fields))) fit[[name]] <- value_of(stored[[name]])
  if (!is.null(stored$formula)) fit$terms <- terms_of(stored)
  if (is.null(stored)) { # a result of Python
    fit$encoding <- found$encoding
    if (identical(found$na_action, "impute")) fit$imputed <- found$imputed
  }
  # Of a formula, the file has the columns that Python sees, which have no gaps.
  if (!is.null(fit$encoding$fills)) fit$na_action <- "impute"
  in_order(fit, if (!is.null(stored$order)) value_of(stored$order))
}

# A fit with its fields in a given order.
in_order <- function(fit, order) {
  structure(unclass(fit)[union(intersect(order, names(fit)), names(fit))], class = "wbms")
}

check_path <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path)) {
    abort("'path' must be the name of a file, not ", described(path))
  }
  normalizePath(path.expand(path), mustWork = FALSE)
}

formula_fields <- c("formula", "predvars", "classes", "order")

# The fields that the numbers in the file do not give, as texts: the call, the formula, and what was
# added to the fit.
stored_fields <- function(fit) {
  added <- setdiff(names(fit), c(fit$state$fields, "state", "terms"))
  texts <- lapply(stats::setNames(added, added), function(name) text_of(fit[[name]], name))
  c(
    list(call = paste(deparse(fit$call), collapse = "\n"), order = text_of(names(fit))), texts,
    if (!is.null(fit$terms)) stored_terms(fit$terms)
  )
}

# Values as R code made of constructors of plain vectors only, exact to the bit.

text_of <- function(value, name = "value") {
  plain <- function(x) {
    if (!is.null(attributes(x)) && !all(vapply(attributes(x), plain, NA))) return(FALSE)
    if (is.list(x)) all(vapply(x, plain, NA)) else is.atomic(x) || is.null(x)
  }
  if (!plain(value)) {
    abort("the field '", name, "' of the fit is no plain data, which alone can be saved; remove it, or use saveRDS()")
  }
  options <- c("keepNA", "keepInteger", "niceNames", "showAttributes", "hexNumeric")
  paste(deparse(value, control = options), collapse = "\n")
}

value_of <- function(text) {
  expression <- str2lang(text)
  refuse_calls(expression, c("c", "list", "structure", "-", ":", "("), "a value")
  eval(expression, baseenv())
}

# The terms of a formula: what cannot be computed from the formula alone is stored with it.

stored_terms <- function(terms) {
  refuse_calls(stats::formula(terms), formula_functions, "'formula'")
  predvars <- attr(terms, "predvars")
  refuse_calls(predvars, formula_functions, "'formula'")
  options <- c("keepNA", "keepInteger", "niceNames", "hexNumeric")
  list(
    formula = paste(deparse(stats::formula(terms)), collapse = "\n"),
    predvars = paste(deparse(predvars, control = options), collapse = "\n"),
    classes = text_of(attr(terms, "dataClasses"))
  )
}

terms_of <- function(stored) {
  formula <- str2lang(stored$formula)
  predvars <- str2lang(stored$predvars)
  refuse_calls(formula, formula_functions, "'formula'")
  refuse_calls(predvars, formula_functions, "'formula'")
  # The formula consists of a ~ and the functions above: this computes nothing.
  formula <- eval(formula, globalenv())
  structure(
    stats::terms(formula), predvars = predvars, dataClasses = value_of(stored$classes)
  )
}

# Functions that a formula from a file may call: they compute columns from columns, and nothing else.
formula_functions <- c(
  "~", "+", "-", "*", "/", "^", ":", "%in%", "%%", "%/%", "(", "I", "c", "list", "log", "log2",
  "log10", "log1p", "exp", "expm1", "sqrt", "abs", "sign", "sin", "cos", "tan", "asin", "acos",
  "atan", "sinh", "cosh", "tanh", "round", "floor", "ceiling", "pmin", "pmax", "poly", "scale",
  "factor", "as.factor", "ordered", "as.numeric", "as.integer", "as.double", "<", ">", "<=", ">=",
  "==", "!=", "!", "&", "|", "is.na"
)

# Raises an error if an expression calls anything but these functions.
refuse_calls <- function(expression, allowed, what) {
  if (is.function(expression) || is.environment(expression)) abort(what, " has code in it")
  if (is.list(expression)) for (part in expression) refuse_calls(part, allowed, what)
  if (!is.call(expression)) return(invisible())
  head <- expression[[1L]]
  if (!is.symbol(head) || !as.character(head) %in% allowed) {
    abort(
      what, " calls ", paste(deparse(head), collapse = " "), "(), which a file cannot hold: compute the ",
      "column before the fit, or use saveRDS()"
    )
  }
  for (part in as.list(expression)[-1L]) if (!missing(part)) refuse_calls(part, allowed, what)
}
