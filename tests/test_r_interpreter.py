"""Which Python an R session finds, and reticulate beside it."""

import sys
import venv

import numpy as np
import pytest
import rsession
from rexchange import same_bits
from rsession import needs_r_package

from pywbms import WBMS

# fixtures
r_library, r = rsession.r_library, rsession.r


class TestInterpreter:
    def test_a_python_that_is_not_there_or_none(self, r, tmp_path):
        r(
            f"""
            said <- function(python) {{
              options(wbms.python = python)
              condition <- tryCatch(wbms(iris[, 1:4]), error = identity)
              stopifnot(inherits(condition, "wbms_python_error"))
              stopifnot(identical(attr(wbms_available(), "reason"), conditionMessage(condition)))
              message <- conditionMessage(condition)
              stopifnot(grepl("wbms_install()", message, fixed = TRUE))
              stopifnot(grepl("-m pip install", message))
              stopifnot(grepl("options(wbms.python", message, fixed = TRUE))
              message
            }}
            stopifnot(grepl("/nowhere/python", said("/nowhere/python"), fixed = TRUE))
            stopifnot(grepl("/bin/true could not be run", said("/bin/true"), fixed = TRUE))
            stopifnot(grepl("could not be run as Python", said("/etc/passwd"), fixed = TRUE))
            stopifnot(grepl("there is no Python at", said(tempdir()), fixed = TRUE))
            options(wbms.python = "{sys.executable}")
            stopifnot(identical(wbms_python()[["python"]], "{sys.executable}"))
            stopifnot(inherits(wbms(iris[, 1:4]), "wbms"))
            """,
            tmp_path,
            WBMS_PYTHON=None,
        )

    def test_a_python_without_pywbms_is_not_started(self, r, tmp_path):
        venv.create(tmp_path / "bare", with_pip=False)
        r(
            f"""
            condition <- tryCatch(wbms(iris[, 1:4]), error = identity)
            stopifnot(
              inherits(condition, "wbms_python_error"),
              grepl("bare/bin/python lacks 'pywbms'", conditionMessage(condition), fixed = TRUE),
              grepl("-m pip install \\"PATH[r]\\"", conditionMessage(condition), fixed = TRUE)
            )
            options(wbms.python = "{sys.executable}")
            stopifnot(inherits(wbms(iris[, 1:4]), "wbms"))
            """,
            tmp_path,
            WBMS_PYTHON=str(tmp_path / "bare"),
            PYTHONPATH=None,
        )

    def test_a_script_that_leads_to_python_will_do(self, r, tmp_path):
        shim = tmp_path / "shim of python"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        shim.chmod(0o755)
        said = r("cat(wbms_python()[['python']])", tmp_path, WBMS_PYTHON=str(shim))
        assert said == sys.executable

    def test_the_option_comes_before_the_variable_and_both_before_what_was_recorded(
        self, r, tmp_path
    ):
        r(
            """
            reason <- function() attr(wbms_available(), "reason")
            stopifnot(grepl("/variable (the environment variable WBMS", reason(), fixed = TRUE))
            options(wbms.python = "/option")
            stopifnot(grepl("/option (the option wbms.python)", reason(), fixed = TRUE))
            options(wbms.python = NULL); Sys.unsetenv("WBMS_PYTHON")
            stopifnot(wbms_available())
            """,
            tmp_path,
            WBMS_PYTHON="/variable",
        )


class TestReticulate:
    WORK = """
        x <- as.matrix(iris[, 1:4])
        garbage <- function() {
          for (i in 1:100) reticulate::py_eval("[[1.0], [2.0]]", convert = FALSE)
        }
        work <- function() {
          for (i in 1:5) { hull_distance(x[1:3, ], x); garbage() }
          wbms(x, h = 0.05, lambda = 0.1, callback = function(state) {
            if (state$iteration %% 10 == 0) gc() # with garbage of reticulate's around
            FALSE
          })
        }
        put <- function(fit) writeBin(as.vector(fit$modes), "modes", endian = "little")
    """

    @pytest.mark.parametrize("order", ["before", "after"])
    def test_it_may_be_loaded_at_any_time(self, order, r, tmp_path):
        needs_r_package("reticulate")
        load = f"""
            reticulate::use_python("{sys.executable}", required = TRUE)
            stopifnot(reticulate::py_eval("1 + 1") == 2)
        """
        ours = "invisible(fit_iris())"
        start = [load, ours] if order == "before" else [ours, load]
        end = """
            put(work())
            interrupt_soon()
            x <- matrix(rnorm(2000 * 10), 2000)
            said <- tryCatch(
              wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1e6),
              interrupt = function(i) "caught", error = conditionMessage
            )
            stopifnot(identical(said, "caught"), reticulate::py_eval("1 + 1") == 2)
            cat(as.matrix(iris[, 1:4]), file = "iris")
            # R outlives Python, which reticulate may end
            reticulate::py_run_string("import atexit; atexit._run_exitfuncs()")
            stopifnot(file.exists("iris")); cat("the end\\n")
        """
        assert r("\n".join([self.WORK, *start, end]), tmp_path) == "the end\n"
        X = np.loadtxt(tmp_path / "iris").reshape(4, -1).T
        same_bits(np.fromfile(tmp_path / "modes", "<f8"), WBMS(0.05, 0.1).fit(X).modes_)

    def test_its_python_may_lack_pywbms(self, r, tmp_path):
        needs_r_package("reticulate")
        venv.create(tmp_path / "bare", with_pip=False)
        r(
            """
            reticulate::use_python("bare/bin/python", required = TRUE)
            stopifnot(reticulate::py_eval("1 + 1") == 2)
            said <- tryCatch(wbms(iris[, 1:4]), wbms_python_error = conditionMessage)
            stopifnot(grepl("reticulate", said), grepl("No module named", said))
            """,
            tmp_path,
            PYTHONPATH=None,
        )
