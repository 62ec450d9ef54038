#' The Python behind wbms
#'
#' The computation is done by the Python package pywbms, which runs inside the R process. It is
#' started by the first call that needs it.
#'
#' Which Python is used is decided, in this order, by the option `wbms.python`, by the environment
#' variable `WBMS_PYTHON`, and by what was recorded when the package was installed. Each names an
#' interpreter (or the folder of a virtual environment) in which `pip install "pywbms[r]"` was run;
#' Python 3.11 or newer, with a shared libpython. A Python that already runs in the session
#' (started by reticulate, or because R runs inside of Python) is used as it is.
#'
#' Only fitting, predicting and the checks of the theory need Python: a fit that was saved can be
#' printed, summarised and plotted without it.
#'
#' @return `wbms_python()` starts Python if need be and returns a named character vector: the
#'   interpreter, its version, and those of pywbms and numpy. `wbms_available()` says whether that
#'   works: `TRUE` or `FALSE`, with the reason in the attribute `"reason"`.
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
  tryCatch(
    {
      bridge()
      TRUE
    },
    error = function(e) structure(FALSE, reason = conditionMessage(e))
  )
}
