#' Install the Python behind wbms
#'
#' Creates a virtual environment for wbms, installs the Python package pywbms into it, lets wbms use it in
#' this and all later sessions, and checks it by a fit.
#'
#' A virtual environment is a folder; delete it and nothing else has changed. Python 3.11 or newer with a shared
#' library must be there: on Debian or Ubuntu `apt-get install python3-venv libpython3-dev`, elsewhere the
#' installers of python.org, conda, or `reticulate::install_python()`.
#'
#' With reticulate 1.41 or newer there is another way, without this function:
#' `reticulate::py_require("PYWBMS[r]")`, where `PYWBMS` is the path of a wheel or of the source folder, before
#' the first call of wbms, and `reticulate::py_config()`, which starts that Python. wbms uses a Python that runs
#' in the session as it is.
#'
#' @param from where pywbms comes from: the path of a wheel (`pywbms-*.whl`), a folder of wheels, the source
#'   folder of pywbms, or `"index"`, the package index that pip uses. By default the folder from which this
#'   package was installed, if that is known and still there, or else the index.
#' @param path the folder of the virtual environment.
#' @param python the Python with which the environment is created: a path, or a name on the `PATH`. By default
#'   the first suitable one of those that R finds.
#' @param method how the environment is created: `"venv"`, by Python itself, or `"reticulate"`, by
#'   `virtualenv_create()` of that package, which knows where it has installed Pythons. `"auto"` uses
#'   reticulate 1.41 or newer if it is installed and `python` is not given.
#' @param pip_options further options for pip, such as `"--no-index"`.
#' @param quiet print nothing but errors?
#' @return The path of the new Python, invisibly.
#' @seealso [wbms_python()]
#' @examples
#' \dontrun{
#' wbms_install() # from the folder of this package, or the index
#' wbms_install("pywbms-0.1.0-cp311-abi3-linux_x86_64.whl")
#' wbms_install("~/src/pywbms", python = "python3.12")
#' }
#' @export
wbms_install <- function(from = NULL, path = file.path(tools::R_user_dir("wbms", "data"), "python"),
                         python = NULL, method = c("auto", "venv", "reticulate"),
                         pip_options = character(), quiet = FALSE) {
  method <- check_kind(method, "method", c("auto", "venv", "reticulate"))
  quiet <- check_flag(quiet, "quiet")
  if (!is.character(path) || length(path) != 1L || is.na(path)) abort("'path' must be the path of a folder")
  path <- path.expand(path)
  if (!grepl("^/", path)) path <- file.path(getwd(), path)
  wanted <- requirement(from)
  say <- function(...) if (!quiet) message(...)
  if (method == "auto") method <- if (is.null(python) && has_reticulate("1.41")) "reticulate" else "venv"
  say("wbms: creating the virtual environment ", path)
  create_environment(path, python, method)
  ours <- file.path(path, "bin", "python")
  say("wbms: installing pywbms from ", wanted$place, " (a minute or two)")
  run_python(ours, c("-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pip_options,
                     wanted$arguments), "pip could not install pywbms")
  say("wbms: checking it by a fit")
  invisible(ask_python(ours)) # the reasons why it could not be used, in words
  check_by_fit(ours)
  remember_python(ours)
  say(
    "wbms: ready; this and later sessions use ", ours,
    if (!is.null(.bridge$call)) "\n  (this session after R has been restarted, as it runs a Python already)"
  )
  invisible(ours)
}

# The arguments of pip for a wheel, a folder of wheels, a source folder or the index, and where that is.
requirement <- function(from) {
  known <- system.file("source-path", package = "wbms")
  if (is.null(from)) {
    from <- if (nzchar(known)) readLines(known, 1L, warn = FALSE) else "index"
    if (!file.exists(file.path(from, "pyproject.toml"))) from <- "index"
  }
  if (!is.character(from) || length(from) != 1L || is.na(from)) {
    abort("'from' must be the path of a wheel or a folder, or \"index\", not ", described(from))
  }
  if (from == "index") return(list(place = "the package index", arguments = "pywbms[r]"))
  if (!file.exists(from)) abort("'from': there is no file or folder ", from)
  from <- normalizePath(from)
  of_source <- file.exists(file.path(from, "pyproject.toml"))
  if (of_source || grepl("\\.whl$", from)) {
    return(list(place = from, arguments = paste0(from, "[r]")))
  }
  if (!dir.exists(from) || !length(list.files(from, "^pywbms-.*\\.whl$"))) {
    abort("'from' must be a wheel of pywbms, a folder with one, or the source folder of pywbms, not ", from)
  }
  list(place = from, arguments = c("--find-links", from, "pywbms[r]"))
}

has_reticulate <- function(least) {
  requireNamespace("reticulate", quietly = TRUE) && utils::packageVersion("reticulate") >= least
}

create_environment <- function(path, python, method) {
  dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
  if (method == "reticulate") {
    newest <- function() getExportedValue("reticulate", "virtualenv_starter")(">=3.11") # not in old versions
    starter <- if (is.null(python)) newest() else located_python(python)
    reticulate::virtualenv_create(path, python = starter, packages = FALSE)
  } else {
    starter <- if (is.null(python)) any_python() else located_python(python)
    run_python(starter, c("-I", "-m", "venv", path), paste(starter, "could not create a virtual environment"))
  }
}

# The first Python that R finds which is new enough and has a shared library.
any_python <- function() {
  candidates <- c(
    Sys.getenv("WBMS_PYTHON"), getOption("wbms.python", ""), "python3", paste0("python3.", 14:11), "python"
  )
  reasons <- character()
  for (candidate in unique(candidates[nzchar(candidates)])) {
    found <- tryCatch(ask_python(located_python(candidate), "venv"), error = conditionMessage)
    if (is.list(found)) return(found$program)
    reasons <- c(reasons, found)
  }
  abort(
    "no Python that R could use was found.\n  ", paste(unique(reasons), collapse = "\n  "),
    "\n  Install Python 3.11 or newer, with its shared library, or name one: wbms_install(python = )",
    class = "wbms_python_error"
  )
}

# Runs a Python. It gets -I, as PYTHONPATH may lead it to packages that are not in its environment.
run_python <- function(python, arguments, failed) {
  said <- suppressWarnings(tryCatch(
    system2(
      python, shQuote(arguments), stdout = TRUE, stderr = TRUE,
      env = paste0("PATH=", shQuote(paste(R.home("bin"), Sys.getenv("PATH"), sep = .Platform$path.sep)))
    ),
    error = conditionMessage
  ))
  if (!is.null(attr(said, "status"))) {
    abort(failed, ":\n", paste(utils::tail(said, 20L), collapse = "\n"), class = "wbms_python_error")
  }
  invisible(said)
}

# Python can be started only once in a session: the fit is done in another one.
check_by_fit <- function(python) {
  code <- paste0(
    "options(wbms.python = commandArgs(TRUE)); ",
    "fit <- wbms::wbms(datasets::iris[, 3:4], h = 0.1, lambda = 0.1); ",
    "stopifnot(length(fit$size) == 2L)"
  )
  libraries <- paste(c(dirname(system.file(package = "wbms")), .libPaths()), collapse = .Platform$path.sep)
  said <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), c("--no-init-file", "-e", shQuote(code), shQuote(python)),
    stdout = TRUE, stderr = TRUE, env = c(paste0("R_LIBS=", shQuote(libraries)), "R_TESTS=")
  ))
  if (!is.null(attr(said, "status"))) {
    abort(
      "pywbms was installed in ", python, ", but a fit failed:\n", paste(said, collapse = "\n"),
      class = "wbms_python_error"
    )
  }
}

# Where the Python of wbms_install() is noted.
remembered <- function() file.path(tools::R_user_dir("wbms", "config"), "python-path")

remember_python <- function(python) {
  dir.create(dirname(remembered()), recursive = TRUE, showWarnings = FALSE)
  new <- tempfile("python-path-", dirname(remembered()))
  writeLines(python, new)
  file.rename(new, remembered())
}

# In an interactive session a first call without a Python offers to install one.
offer_installation <- function(problem) {
  if (!interactive() || isFALSE(getOption("wbms.offer_install"))) stop(problem)
  message(conditionMessage(problem))
  if (!isTRUE(utils::askYesNo("Install it now, with wbms_install()?"))) stop(problem)
  wbms_install()
}
