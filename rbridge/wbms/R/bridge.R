# Python runs inside the R process. All calls go through one function, the dispatcher of the Python
# package 'rbridge', stored in .bridge$call once Python has started.
.bridge <- new.env(parent = emptyenv())

# Calls a verb of the bridge with doubles, integers, logicals, strings, named lists or NULL. Callers
# check for missing values first, as these do not survive the conversion.
py_call <- function(verb, ..., .call = sys.call(-1L)) {
  # Arguments are checked as they are evaluated: before Python starts.
  arguments <- lapply(list(verb, ...), interruptible)
  dispatch <- bridge()
  # Finalizers of reticulate's objects need Python's lock, which is not held while Python asks R.
  if (isNamespaceLoaded("reticulate")) gc(FALSE)
  # R handles a pending interrupt at the end of any garbage collection by a long jump, which must
  # not unwind Python's frames. Python handles interrupts itself.
  outcome <- suspendInterrupts(do.call(dispatch, arguments))
  resolve(outcome, .call)
}

# Functions that Python calls are R code, which may be interrupted; other values are unchanged.
interruptible <- function(x) {
  if (is.function(x)) function(...) allowInterrupts(x(...)) else x
}

# Called from time to time while Python computes: lets R handle interrupts, time limits and the events
# of its user interface.
look_around <- function(nothing) {
  allowInterrupts(.Call(C_look_around))
  FALSE
}

# The file of this package's C code, in which Python finds the function for its calls of R.
library_path <- function() {
  getNamespaceInfo("wbms", "DLLs")[["wbms"]][["path"]]
}

# The dispatcher; the first call starts Python.
bridge <- function() {
  if (is.null(.bridge$call)) start_python()
  .bridge$call
}

start_python <- function() {
  runs <- .Call(C_running)
  python <- if (runs) list(library = "", program = "") else usable_python()
  said <- tempfile("wbms-")
  on.exit(unlink(said))
  code <- sprintf("
try:
    import rbridge
    rbridge.attach()
except BaseException as error:
    import sys, traceback
    with open(%s, 'w', encoding='utf-8') as file:
        print(sys.executable, type(error).__name__, error, sep='\\n', file=file)
        traceback.print_exc(file=file)
", encodeString(said, quote = "'"))
  if (!runs) .bridge$started <- TRUE # it cannot be replaced in this session
  # R exports variables to the programs it starts, and Python libraries and rpy2 change some of them.
  environment_before <- Sys.getenv()
  tryCatch(
    suspendInterrupts(.Call(C_start, python$library, python$program, code)),
    finally = restore_environment(environment_before)
  )
  if (is.null(.bridge$call)) {
    explain_failure(if (file.exists(said)) readLines(said, warn = FALSE, encoding = "UTF-8"))
  }
}

# The Python to start; without one, wbms_install() is offered.
usable_python <- function() {
  tryCatch(
    ask_python(find_python()),
    wbms_python_error = function(problem) ask_python(offer_installation(problem))
  )
}

restore_environment <- function(before) {
  now <- Sys.getenv()
  Sys.unsetenv(setdiff(names(now), names(before)))
  changed <- is.na(now[names(before)]) | now[names(before)] != before
  if (any(changed)) do.call(Sys.setenv, as.list(before[changed]))
}

explain_failure <- function(said) {
  python <- if (length(said)) said[[1L]] else "Python"
  reason <- if (length(said) > 2L) paste0(said[[2L]], ": ", said[[3L]]) else "no reason was given"
  advice <- if (is.null(.bridge$started)) {
    paste0(
      "a Python was already running in this R session (reticulate starts one): install pywbms in ",
      "it, or restart R and use wbms first, or point both to the same Python (RETICULATE_PYTHON)"
    )
  } else {
    paste0("restart R, and ", how_to_set())
  }
  abort(
    "Python (", python, ") could not be set up for wbms.\n  ", reason, "\n  ", advice,
    class = "wbms_python_error", fields = list(python_traceback = paste(said, collapse = "\n"))
  )
}

how_to_set <- function() {
  paste0(
    "In R, wbms_install() sets up a Python of its own; wbms_install(\"PATH\") takes pywbms from a wheel or ",
    "its source folder.\n  For a Python of yours: PYTHON -m pip install \"PATH[r]\", and, before the first ",
    "call, options(wbms.python = \"PYTHON\") or the environment variable WBMS_PYTHON"
  )
}

# The interpreter: from an option, an environment variable, wbms_install(), or the path recorded at
# installation.
find_python <- function() {
  noted <- function(file) if (nzchar(file) && file.exists(file)) readLines(file, 1L, warn = FALSE)
  candidates <- c(
    "the option wbms.python" = getOption("wbms.python", ""),
    "the environment variable WBMS_PYTHON" = Sys.getenv("WBMS_PYTHON"),
    "installed by wbms_install()" = noted(remembered()),
    "recorded when wbms was installed" = noted(system.file("python-path", package = "wbms"))
  )
  candidates <- candidates[nzchar(candidates)]
  if (!length(candidates)) {
    abort("wbms does not know which Python to use.\n  ", how_to_set(), class = "wbms_python_error")
  }
  located_python(candidates[[1L]], paste0(" (", names(candidates)[[1L]], ")"))
}

# The path of an interpreter, given as a path, as the folder of an environment, or as a name on the PATH.
located_python <- function(python, source = "") {
  given <- python
  python <- path.expand(python)
  if (!grepl("/", python, fixed = TRUE) && !file.exists(python)) python <- Sys.which(python)[[1L]]
  if (dir.exists(python) && file.exists(file.path(python, "bin", "python"))) {
    python <- file.path(python, "bin", "python")
  }
  if (!nzchar(python) || !file.exists(python) || dir.exists(python)) {
    where <- if (grepl("/", given, fixed = TRUE)) "there is no Python at " else "there is no Python on the PATH called "
    abort(where, given, source, ".\n  ", how_to_set(), class = "wbms_python_error")
  }
  # Not normalizePath: it would follow the link out of a virtual environment.
  if (grepl("^/", python)) python else file.path(getwd(), python)
}

# The program and the shared library of an interpreter, found by running it in a separate process:
# once a Python has started in this process, no other can.
ask_python <- function(python, modules = c("pywbms", "rbridge", "rpy2")) {
  force(python)
  code <- paste(
    "import sys",
    "sys.path[:] = filter(None, sys.path)", # not the folder R happens to be in
    "import importlib.util, os, sysconfig",
    "get = sysconfig.get_config_var",
    "names = [n for n in (get('INSTSONAME'), get('LDLIBRARY')) if n and ('.so' in n or '.dylib' in n)]",
    "folders = [get('LIBDIR'), os.path.join(get('LIBDIR') or '', get('MULTIARCH') or ''),
                os.path.join(sys.base_prefix, 'lib')]",
    "paths = [os.path.join(f, n) for f in folders if f for n in names]",
    sprintf(
      "absent = [m for m in (%s,) if importlib.util.find_spec(m) is None]", toString(shQuote(modules, "cmd"))
    ),
    "print('wbms', '%d.%d' % sys.version_info[:2])",
    "print(sys.executable)", # 'python' may be a script that leads there
    "print(next(filter(os.path.exists, paths), ''))",
    "print(*absent)",
    sep = "\n"
  )
  said <- suppressWarnings(tryCatch(
    system2(python, c("-c", shQuote(code)), stdout = TRUE, stderr = FALSE),
    error = function(e) character()
  ))
  if (length(said) != 4L || !startsWith(said[[1L]], "wbms ")) {
    abort(python, " could not be run as Python.\n  ", how_to_set(), class = "wbms_python_error")
  }
  version <- sub("wbms ", "", said[[1L]])
  if (numeric_version(version) < "3.11") {
    abort(
      python, " is Python ", version, "; wbms needs 3.11 or newer.\n  ", how_to_set(),
      class = "wbms_python_error"
    )
  }
  if (nzchar(said[[4L]])) {
    absent <- quoted(strsplit(said[[4L]], " ")[[1L]])
    abort(python, " lacks ", absent, ".\n  ", how_to_set(), class = "wbms_python_error")
  }
  if (!nzchar(said[[3L]])) {
    abort(
      python, " (Python ", version, ") has no shared library (libpython), so R cannot load it.\n  ",
      "On Debian or Ubuntu: apt-get install libpython", version, "; with pyenv: ",
      "PYTHON_CONFIGURE_OPTS=--enable-shared pyenv install",
      class = "wbms_python_error"
    )
  }
  list(program = said[[2L]], library = said[[3L]])
}
