#' The Python behind wbms
#'
#' The computation is done by the Python package pywbms, which runs inside the R process. Python is
#' started by the first call that needs it.
#'
#' The Python to use is taken, in this order, from the option `wbms.python`, the environment variable
#' `WBMS_PYTHON`, the environment made by [wbms_install()], and the path recorded when the package was installed.
#' Each names an interpreter (a path, or a name on the `PATH` such as `python3`) or the folder of a virtual
#' environment, in which pywbms and its extra `r` are installed; it must be
#' Python 3.11 or newer, with a shared libpython. [wbms_install()] does all of this; in an interactive session
#' the first call offers it if no Python is found. A Python that already runs in the session
#' (started by reticulate, or because R is embedded in Python) is used as it is.
#'
#' Only fitting, predicting and checking the theory need Python: a saved fit can be printed,
#' summarised and plotted without it.
#'
#' @return `wbms_python()` starts Python if necessary and returns a named character vector: the
#'   interpreter, its version, and the versions of pywbms and numpy. `wbms_available()` returns
#'   whether this works: `TRUE` or `FALSE`, with the reason in the attribute `"reason"`.
#' @examples
#' wbms_available()
#' if (wbms_available()) wbms_python()
#' @export
wbms_python <- function() {
  unlist(py_call("info"))
}

#' @rdname wbms_python
#' @export
wbms_available <- function() {
  old <- options(wbms.offer_install = FALSE)
  on.exit(options(old))
  tryCatch(
    {
      bridge()
      TRUE
    },
    error = function(e) structure(FALSE, reason = conditionMessage(e))
  )
}
