"""The R package in R sessions: the same numbers as Python's, whatever else goes on in R."""

import random
import resource
import sys
import textwrap
import time
import venv
import warnings

import numpy as np
import pandas as pd
import pytest
import rsession
from rsession import (
    Exchange,
    environment,
    finished,
    interrupting,
    made_once,
    needs_r_package,
    same_bits,
    start_r,
)

from pywbms import WBMS, datasets, theory
from pywbms.theory.gaussian import follow_sample

# fixtures
r_library, r = rsession.r_library, rsession.r
session, terminal = rsession.session, rsession.terminal

# A fit that lasts for minutes if nobody ends it, made of short iterations.
LONG_FIT = "wbms(x, h = 1e-3, lambda = 0.1, stop = 'fixed', max_iter = 1e6)"
X_FOR_LONG_FIT = "set.seed(1); x <- matrix(rnorm(2000 * 10), 2000)"


def iris_like():
    """Rows that repeat, a column that holds one value, few digits."""
    rng = np.random.default_rng(4)
    X = np.round(rng.normal(size=(60, 4)) + 3 * rng.integers(3, size=(60, 1)), 1)
    X[:, 2] = 1.1
    return np.vstack([X, X[:15]])


def data():
    rng = np.random.default_rng(0)
    return {
        "data1": datasets.data1(0)[0].to_numpy(),
        "iris_like": iris_like(),
        "one_column": rng.normal(size=(50, 1)) + 5 * rng.integers(3, size=(50, 1)),
        "one_row": rng.normal(size=(1, 3)),
        "two_rows": rng.normal(size=(2, 3)),
        "one_number": np.array([[2.5]]),
        "wide": rng.normal(size=(12, 300)) + 4 * rng.integers(2, size=(12, 1)),
        "extreme": rng.normal(size=(30, 4)) * [1e-150, 1e150, 1.0, 1e-12],
        "constant": np.full((5, 2), 0.1),
        "integers": rng.integers(-5, 5, size=(40, 3)).astype(float),
        "logicals": rng.integers(2, size=(40, 3)).astype(float),
    }


GIVEN = {"h": 0.1, "lam": 0.05}
FITS = {
    **{f"{name} given": (name, "default", GIVEN) for name in data()},
    **{f"{name} auto": (name, "default", {}) for name in data() if name != "wide"},
    **{
        f"{stop} rule": ("iris_like", "default", {**GIVEN, "stop": stop, "max_iter": 25})
        for stop in ("settled", "movement", "diameter", "fixed")
    },
    "released": ("iris_like", "released", {"h": 0.1, "lam": 5.0}),
    "released, other arguments": (
        "iris_like", "released", {"h": 0.1, "lam": 5.0, "max_iter": 7, "exclude_self": False},
    ),
    "paper": ("iris_like", "paper", GIVEN),
    "units of the data": ("iris_like", "default", {"h": 2.0, "lam": 1.0, "standardize": False}),
    "units of the data, auto": ("iris_like", "default", {"standardize": False}),
    "sum scale": ("iris_like", "default", {"h": 0.1, "lam": 3.0, "lam_scale": "sum"}),
    "two threads": ("data1", "default", {**GIVEN, "n_jobs": 2}),
    "path": ("iris_like", "default", {**GIVEN, "record_path": True}),
    "tree": ("iris_like", "default", {"h": 0.01, "lam": 0.05, "tree": True}),
    "no warm-up, self included, nothing merged": (
        "iris_like", "default", {**GIVEN, "warmup": 0, "exclude_self": False, "merge": False},
    ),
}  # fmt: skip
NEW_ROWS = np.random.default_rng(9).normal(size=(25, 4)) * 3
SIGMA = pd.Series([1.0, 0.3, 2.5], ["a", "b", "c"])


def in_r(value):
    """Return R code for a number, text or flag, to the last bit."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value}L" if isinstance(value, int) else value.hex()


def call_in_r(x, form, params):
    names = {"lam": "lambda", "lam_scale": "lambda_scale"}
    given = {names.get(name, name): in_r(value) for name, value in params.items()}
    arguments = [x, f'form = "{form}"', *(f"{name} = {value}" for name, value in given.items())]
    return f"wbms({', '.join(arguments)})"


def fit_in_python(name, form, params):
    X, params = data()[name], dict(params)
    make = {"default": WBMS, "released": WBMS.released, "paper": WBMS.paper}[form]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not every fit converges
        return make(params.pop("h", "auto"), params.pop("lam", "auto"), **params).fit(X)


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    """What one R session found for all the data and fits above."""

    def make(folder):
        exchange = Exchange(folder)
        code = [textwrap.dedent(Exchange.IN_R), "options(warn = -1)"]
        for name in data():
            code.append(f"{name} <- {exchange.put(data()[name], name)}")
        code.append('storage.mode(integers) <- "integer"; storage.mode(logicals) <- "logical"')
        code.append("stopifnot(is.integer(integers), is.logical(logicals))")
        for number, (name, form, params) in enumerate(FITS.values()):
            code.append(f'put(unclass({call_in_r(name, form, params)}), "fit{number}")')
        code.append(f"new <- {exchange.put(NEW_ROWS, 'new')}")
        code.append(
            """
            fit <- wbms(iris_like, h = 0.1, lambda = 0.05)
            put(predict(fit, new), "predicted")
            put(predict(fit, new, n_jobs = 2), "predicted-threads")
            other <- wbms(iris_like, h = 2, lambda = 1, standardize = FALSE)
            put(predict(other, new), "predicted-units")
            put(predict(fit, iris_like), "predicted-own")
            put(hull_distance(new, iris_like), "hull")
            put(hull_distance(new, iris_like, certificate = TRUE), "certificate")
            checks <- wbms_theory(fit)
            put(unclass(checks), "checks"); put(attr(checks, "steps"), "steps")
            short <- wbms(iris_like, h = 0.1, lambda = 0.05, max_iter = 2)
            put(unclass(wbms_theory(short)), "short-checks")
            sigma <- c(a = 1, b = 0x1.3333333333333p-2, c = 2.5)
            cloud <- gaussian_recursion(sigma, 1, 1, 8)
            put(cloud, "recursion"); put(convergence_order(cloud), "orders")
            put(gaussian_sample(300, sigma, 1, 1, 3, seed = 5), "sample")
            put(convergence_order(c(0.5, 0.1, 0.001, 1e-9)), "order")
            put(limit_weights(sigma, 1), "limits"); put(entropy_weights(sigma, 0.5), "weights")
            """
        )
        for name in DATA_SETS:
            code.append(f'd <- wbms_data("{name}", seed = 3); put(as.list(d), "set_{name}")')
            code.append(f'put(as.integer(attr(d, "truth")), "truth_{name}")')
        rsession.run_r(r_library, "\n".join(map(textwrap.dedent, code)), folder)

    return Exchange(made_once(tmp_path_factory, "from-r", make))


DATA_SETS = (
    "data1", "simulation1", "simulation2", "simulation3", "two_moons", "varied_densities",
)  # fmt: skip


class TestSameNumbers:
    @pytest.mark.parametrize("case", FITS)
    def test_fits(self, case, from_r):
        model = fit_in_python(*FITS[case])
        fit = f"fit{list(FITS).index(case)}-"
        same_bits(from_r[fit + "modes"], model.modes_)
        same_bits(from_r[fit + "weights"], model.feature_weights_)
        same_bits(from_r[fit + "centers"], model.cluster_centers_)
        same_bits(from_r[fit + "cluster"], model.labels_ + 1)
        same_bits(from_r[fit + "size"], np.bincount(model.labels_))
        same_bits(from_r[fit + "h"], model.h_)
        same_bits(from_r[fit + "lambda"], model.lam_)
        same_bits(from_r[fit + "iter"], model.n_iter_)
        same_bits(from_r[fit + "converged"], model.converged_)
        same_bits(from_r[fit + "data"], data()[FITS[case][0]])
        same_frame(from_r, fit + "history-", model.history_)
        if model.selection_ is None:
            assert from_r[fit + "selection"] is None
            assert from_r[fit + "choice"] is None
        else:
            selection = model.selection_.rename(columns={"lam": "lambda"})
            same_frame(from_r, fit + "selection-", selection)
            others = model.choice_.alternatives.rename(columns={"lam": "lambda"})
            same_frame(from_r, fit + "choice-alternatives-", others)
            assert from_r[fit + "choice-reason"] == [model.choice_.explanation]
            same_bits(from_r[fit + "choice-certain"], model.choice_.certain)
        if model.record_path:
            path = model.path_[..., model._standardizer.active]
            same_bits(from_r[fit + "path"], model._standardizer.backward(path))
        else:
            assert from_r[fit + "path"] is None
        if model.tree:
            n = len(model.labels_)
            merge = from_r[fit + "tree-merge"]
            same_bits(
                np.where(merge < 0, -merge - 1, merge + n - 1), model.tree_[:, :2].astype(int)
            )
            same_bits(from_r[fit + "tree-height"], model.tree_[:, 2])
            same_bits(from_r[fit + "tree-observed"], model.tree_observed_)
        else:
            assert from_r[fit + "tree"] is None

    def test_predictions(self, from_r):
        model = fit_in_python("iris_like", "default", GIVEN)
        same_bits(from_r["predicted"], model.predict(NEW_ROWS) + 1)
        same_bits(from_r["predicted-threads"], model.predict(NEW_ROWS) + 1)
        same_bits(from_r["predicted-own"], model.labels_ + 1)
        params = {"h": 2.0, "lam": 1.0, "standardize": False}
        units = fit_in_python("iris_like", "default", params).predict(NEW_ROWS)
        same_bits(from_r["predicted-units"], units + 1)

    def test_hull_distances_and_what_proves_them(self, from_r):
        proof = theory.hull_distance(NEW_ROWS, iris_like(), certificate=True)
        same_bits(from_r["hull"], proof.distance)
        for name in ("distance", "coefficients", "direction", "nearest"):
            same_bits(from_r[f"certificate-{name}"], getattr(proof, name))

    @pytest.mark.parametrize(
        ("prefix", "more"), [("checks-", {}), ("short-checks-", {"max_iter": 2})]
    )
    def test_the_theorems(self, prefix, more, from_r):
        model = fit_in_python("iris_like", "default", {**GIVEN, **more})
        same_frame(from_r, prefix, theory.check_all(model, delta=0.01))

    def test_the_shrinking_hull(self, from_r):
        model = fit_in_python("iris_like", "default", {**GIVEN, "record_path": True})
        path = model.path_[..., model._standardizer.active]
        same_frame(from_r, "steps-", theory.check_shrinking_hull(path))

    def test_the_gaussian_cloud(self, from_r):
        cloud = theory.gaussian_recursion(SIGMA, 1.0, 1.0, 8)
        same_frame(from_r, "recursion-", cloud)
        same_frame(from_r, "orders-", theory.convergence_order(cloud))
        same_frame(from_r, "sample-", follow_sample(300, SIGMA, 1.0, 1.0, 3, 5))
        same_bits(from_r["limits"], theory.limit_weights(SIGMA, 1.0))
        same_bits(from_r["weights"], theory.entropy_weights(SIGMA, 0.5))
        order = theory.convergence_order([0.5, 0.1, 0.001, 1e-9])
        same_bits(from_r["order-order"], order.order)
        same_bits(from_r["order-constant"], order.constant)

    @pytest.mark.parametrize("name", DATA_SETS)
    def test_the_paper_s_data(self, name, from_r):
        X, truth = getattr(datasets, name)(random_state=3)
        same_frame(from_r, f"set_{name}-", X)
        same_bits(from_r[f"truth_{name}"], truth.to_numpy() + 1)


def same_frame(from_r, prefix, frame):
    """Assert that R has the columns of a table, each to the last bit."""
    assert from_r.names(prefix) == {str(name) for name in frame.columns}
    for name, column in frame.items():
        found = from_r[f"{prefix}{name}"]
        if isinstance(found, list):
            assert found == column.astype(str).tolist()
        else:
            same_bits(found, column.to_numpy())


class TestInput:
    def test_every_kind_of_table_gives_the_same_fit(self, session):
        session(
            """
            x <- as.matrix(iris[, 1:4])
            bare <- unname(x)
            parts <- c("cluster", "weights", "centers", "modes", "history")
            same <- function(a, b) {
              numbers <- function(x) c(unname(unlist(x)))
              for (p in parts) stopifnot(identical(numbers(a[[p]]), numbers(b[[p]])))
            }
            fit <- wbms(x, h = 0.05, lambda = 0.1)
            same(fit_iris(), fit)
            same(wbms(bare, h = 0.05, lambda = 0.1), fit)
            same(wbms(~ . - Species, data = iris, h = 0.05, lambda = 0.1), fit)
            column <- x[, 1, drop = FALSE]
            same(wbms(x[, 1], h = 0.05, lambda = 0.1), wbms(column, h = 0.05, lambda = 0.1))
            """
        )

    def test_the_data_are_not_written_to(self, session):
        session(
            """
            x <- as.matrix(iris[, 1:4]) + 0
            before <- serialize(x, NULL)
            fit <- wbms(x, h = 0.05, lambda = 0.1)
            invisible(predict(fit, x)); invisible(hull_distance(x, x))
            stopifnot(identical(serialize(x, NULL), before), identical(fit$data, x))
            """
        )

    @pytest.mark.parametrize("locale", ["C.UTF-8", "C"])
    def test_names_of_any_alphabet_come_back(self, locale, r, tmp_path):
        r(
            r"""
            names <- c("\u00e9t\u00e9", "\u4e2d\u6587", "\U1F600", "plain", "with space")
            latin <- iconv("\u00fc", "UTF-8", "latin1")
            x <- as.matrix(data.frame(a = 1:6, b = c(1, 5, 2, 2, 9, 1), c = 6:1, d = 1, e = 2))
            dimnames(x) <- list(c(names, latin), names)
            fit <- wbms(x, h = 0.1, lambda = 0.1)
            same <- function(a, b) identical(enc2utf8(a), enc2utf8(b))
            stopifnot(
              same(names(fit$cluster), rownames(x)), same(names(fit$weights), names),
              same(colnames(fit$modes), names), same(colnames(fit$centers), names),
              same(names(predict(fit, x)), rownames(x))
            )
            cloud <- gaussian_recursion(structure(1:2, names = c(names[[1]], latin)), 1, 1, 1)
            stopifnot(same(unique(cloud$feature), c(names[[1]], "\u00fc")))
            colnames(x)[[1]] <- latin
            stopifnot(same(names(wbms(x, h = 0.1, lambda = 0.1)$weights)[[1]], "\u00fc"))
            """,
            tmp_path,
            LC_ALL=locale,
        )

    def test_the_locale_of_the_session_stays(self, r, tmp_path):
        r(
            """
            invisible(Sys.setlocale("LC_ALL", "C"))
            before <- Sys.getlocale()
            invisible(wbms_python())
            stopifnot(identical(Sys.getlocale(), before))
            """,
            tmp_path,
        )

    def test_a_vector_too_long_is_refused_before_anything_is_copied(self, session):
        session(
            """
            said <- tryCatch(wbms(seq_len(2^31)), error = conditionMessage)
            stopifnot(grepl("too long for a vector: give it as a matrix", said))
            """
        )

    def test_too_much_for_the_memory_is_an_error_in_r(self, r_library, tmp_path):
        code = """
            said <- tryCatch(
              gaussian_sample(.Machine$integer.max, rep(1, 500), 1, 1, 1), error = identity
            )
            stopifnot(inherits(said, "python_MemoryError"))
            stopifnot(grepl("allocate", conditionMessage(said)))
            stopifnot(length(limit_weights(c(1, 2), 1)) == 2)
        """
        process = start_r(r_library, code, tmp_path)
        limit = 64 * 2**30
        resource.prlimit(process.pid, resource.RLIMIT_AS, (limit, limit))
        finished(process)


class TestConditions:
    def test_a_warning_arrives_once_with_its_class_and_call(self, session):
        session(
            """
            seen <- list()
            fit <- withCallingHandlers(
              fit_iris(max_iter = 1),
              warning = function(w) { seen <<- c(seen, list(w)); invokeRestart("muffleWarning") }
            )
            stopifnot(
              length(seen) == 1, inherits(seen[[1]], "python_ConvergenceWarning"),
              inherits(seen[[1]], "wbms_warning"),
              grepl("max_iter=1 ", conditionMessage(seen[[1]])),
              identical(conditionCall(seen[[1]])[[1]], quote(wbms)), !fit$converged
            )
            """
        )

    def test_a_warning_can_be_made_an_error(self, session):
        session(
            """
            options(warn = 2)
            said <- tryCatch(
              fit_iris(max_iter = 1), error = identity
            )
            stopifnot(inherits(said, "error"), grepl("max_iter=1 ", conditionMessage(said)))
            invisible(fit_iris()) # nothing else warns
            """
        )

    def test_nothing_is_printed_unasked(self, r, tmp_path):
        said = r(
            "invisible(wbms(iris[, 1:4])); invisible(wbms_theory(wbms(iris[, 1:4])))", tmp_path
        )
        assert (said, said.errors) == ("", "")

    def test_an_error_of_python_has_class_call_and_traceback(self, session):
        session(
            """
            x <- cbind(a = c(1, 2), b = c(1e200, -1e200))
            said <- tryCatch(wbms(x, h = 1, lambda = 1, standardize = FALSE), error = identity)
            stopifnot(
              inherits(said, "python_ValueError"), inherits(said, "wbms_error"),
              identical(said$python_class, "ValueError"), grepl("Traceback", said$python_traceback),
              grepl("standardize=TRUE", conditionMessage(said)),
              identical(conditionCall(said)[[1]], quote(wbms))
            )
            """
        )

    def test_a_number_that_must_be_whole_is_not_cut_off(self, session):
        session(
            """
            said <- tryCatch(wbms_data("simulation2", p = 2.5), error = conditionMessage)
            stopifnot(grepl("p must be an integer", said))
            stopifnot(ncol(wbms_data("simulation2", p = 7)) == 7)
            """
        )

    def test_a_table_of_one_row_is_a_table(self, session):
        session(
            """
            said <- tryCatch(
              convergence_order(gaussian_recursion(1, 1, 1, 0)), error = conditionMessage
            )
            stopifnot(grepl("needs at least 3 positive terms, got 1", said))
            """
        )


class TestCallback:
    def test_it_sees_each_iteration_and_can_end_the_fit(self, session):
        session(
            """
            seen <- list()
            fit <- fit_iris(warmup = 0, callback = function(state) {
              seen <<- c(seen, list(state)); state$iteration == 3
            })
            stopifnot(length(seen) == 3, nrow(fit$history) == 3, !fit$converged)
            stopifnot(identical(vapply(seen, `[[`, 0, "movement"), fit$history$movement))
            stopifnot(identical(seen[[3]]$weights, fit$weights))
            """
        )

    def test_its_error_is_the_caller_s(self, session):
        session(
            """
            fail <- function(state) stop(structure(
              class = c("mine", "error", "condition"), list(message = "as I said", call = NULL)
            ))
            said <- tryCatch(fit_iris(callback = fail), mine = identity)
            stopifnot(identical(conditionMessage(said), "as I said"))
            said <- tryCatch(
              fit_iris(callback = function(a, b) b), error = identity
            )
            stopifnot(inherits(said, "simpleError"), grepl("\\"b\\"", conditionMessage(said)))
            """
        )

    def test_it_may_fit_itself(self, session):
        session(
            """
            plain <- fit_iris()
            inner <- NULL
            outer <- fit_iris(callback = function(state) {
              inner <<- fit_iris(); FALSE
            })
            stopifnot(identical(outer$modes, plain$modes), identical(inner$modes, plain$modes))
            """
        )

    def test_a_jump_out_of_it_harms_nothing(self, session):
        session(
            """
            plain <- fit_iris()
            for (i in 1:50) tryCatch(
              callCC(function(leave) {
                fit_iris(callback = function(state) leave(1))
              }),
              error = identity, interrupt = identity
            )
            for (i in 1:50) tryCatch(
              fit_iris(callback = function(s) invokeRestart("abort")),
              error = identity, interrupt = identity
            )
            stopifnot(identical(fit_iris(), plain))
            """
        )

    def test_it_can_be_interrupted(self, session):
        session(
            """
            plain <- fit_iris()
            try(stop("an older error"), silent = TRUE)
            begun <- proc.time()[["elapsed"]]
            interrupt_soon()
            said <- tryCatch(
              fit_iris(callback = function(state) work_for(60)),
              interrupt = function(i) "interrupted", error = conditionMessage
            )
            stopifnot(identical(said, "interrupted"), proc.time()[["elapsed"]] - begun < 30)
            stopifnot(identical(fit_iris(), plain))
            """
        )

    def test_it_can_catch_an_interrupt_itself(self, session):
        session(
            """
            invisible(wbms_python())
            interrupt_soon()
            fit <- fit_iris(callback = function(state) {
              tryCatch({ work_for(60); FALSE }, interrupt = function(i) TRUE)
            })
            stopifnot(inherits(fit, "wbms"), nrow(fit$history) == 1)
            """
        )


class TestOutput:
    LINES = "warmup 1: 149 points in 148 groups, largest move 1.25"
    FIT = "fit <- fit_iris(verbose = TRUE, max_iter = 300)"

    def test_progress_is_r_output(self, r, tmp_path):
        said = r(
            f"""
            {self.FIT}
            cat("--\\n")
            caught <- capture.output({self.FIT})
            sink("sunk.txt"); {self.FIT}; sink()
            stopifnot(length(caught) == nrow(fit$history), identical(caught, readLines("sunk.txt")))
            """,
            tmp_path,
        )
        shown, after = said.split("--\n")
        assert shown.startswith(self.LINES)
        assert after == ""

    def test_progress_is_in_the_document_of_knitr(self, r, tmp_path):
        needs_r_package("knitr")
        tmp_path.joinpath("page.Rmd").write_text(
            f"Before.\n\n```{{r}}\n{self.FIT}\nfit$iter\n```\n\nAfter.\n"
        )
        said = r('invisible(knitr::knit("page.Rmd", "page.md", quiet = TRUE))', tmp_path)
        assert said == ""
        assert f"## {self.LINES}" in tmp_path.joinpath("page.md").read_text()


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
              stopifnot(grepl("pip install", message))
              stopifnot(grepl("options(wbms.python", message, fixed = TRUE))
              message
            }}
            stopifnot(grepl("/nowhere/python", said("/nowhere/python"), fixed = TRUE))
            stopifnot(grepl("/bin/true does not run as a Python", said("/bin/true"), fixed = TRUE))
            stopifnot(grepl("does not run as a Python", said("/etc/passwd"), fixed = TRUE))
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
              grepl("pip install \\"pywbms[r]\\"", conditionMessage(condition), fixed = TRUE)
            )
            options(wbms.python = "{sys.executable}")
            stopifnot(inherits(wbms(iris[, 1:4]), "wbms"))
            """,
            tmp_path,
            WBMS_PYTHON=str(tmp_path / "bare"),
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


class TestInterrupt:
    def test_the_prompt_is_back_and_the_next_fit_works(self, terminal):
        terminal.type(
            X_FOR_LONG_FIT + "; small <- wbms(x[1:50, ], h = 0.1, lambda = 0.1); say('ready')"
        )
        terminal.wait_for("<ready>")
        terminal.type(f"say('be', 'gun'); {LONG_FIT}; say('fin', 'ished')")
        terminal.wait_for("<begun>")
        time.sleep(1)
        terminal.interrupt()
        assert terminal.wait_for("\n> ") < 5
        assert "<finished>" not in terminal.screen
        terminal.type("say(identical(wbms(x[1:50, ], h = 0.1, lambda = 0.1), small))")
        terminal.wait_for("<TRUE>")
        # and R's own interrupts are R's again
        terminal.type("say('be', 'gun'); repeat NULL; say('fin', 'ished')")
        terminal.wait_for("<begun>")
        time.sleep(0.5)
        terminal.interrupt()
        assert terminal.wait_for("\n> ") < 5
        assert "<finished>" not in terminal.screen

    @pytest.mark.parametrize(
        "call",
        [
            "wbms(x, h = 1, lambda = 0.1)",
            "wbms(x)",
            "predict(structure(list(data = x, cluster = rep(1L, nrow(x)), weights = rep(0.05, 20),"
            " params = list(standardize = TRUE)), class = 'wbms'), x)",
            "hull_distance(x, x[1:2000, ])",
            "gaussian_sample(3e4, rep(1, 20), 1, 1, 100)",
        ],
        ids=["an iteration", "the choice of h", "predict", "hull_distance", "gaussian_sample"],
    )
    def test_it_needs_no_end_of_an_iteration(self, call, terminal):
        """Each of these spends seconds in one call of the core."""
        terminal.type(
            "set.seed(1); x <- matrix(rnorm(3e4 * 20), 3e4); invisible(wbms_python()); say(1)"
        )
        terminal.wait_for("<1>")
        terminal.type(f"say('be', 'gun'); invisible({call}); say('fin', 'ished')")
        terminal.wait_for("<begun>")
        time.sleep(1)
        terminal.interrupt()
        assert terminal.wait_for("\n> ") < 5
        assert "<finished>" not in terminal.screen

    def test_it_can_be_caught(self, session):
        session(
            f"""
            {X_FOR_LONG_FIT}
            invisible(wbms_python())
            interrupt_soon()
            said <- tryCatch({LONG_FIT}, interrupt = function(i) "caught", error = conditionMessage)
            stopifnot(identical(said, "caught"))
            """
        )

    def test_it_ends_a_script(self, r_library, tmp_path):
        process = start_r(
            r_library,
            f"""
            {X_FOR_LONG_FIT}
            invisible(wbms_python())
            interrupt_soon()
            {LONG_FIT}
            cat("the next line\\n")
            """,
            tmp_path,
        )
        out, _ = process.communicate(timeout=rsession.PATIENCE)
        assert process.returncode != 0
        assert "the next line" not in out

    def test_r_does_not_jump_out_of_python(self, session):
        """R acts on a signal that it has noted when it collects garbage, even inside Python."""
        session(
            """
            suspended <- function() .Internal(interruptsSuspended())
            bridge <- wbms:::.bridge
            invisible(wbms_python())
            dispatcher <- bridge$call
            bridge$call <- function(verb, f) list(kind = "ok", value = c(suspended(), f()))
            seen <- wbms:::py_call("any", suspended)
            bridge$call <- dispatcher
            # in Python, in an R function that Python calls, and afterwards
            stopifnot(identical(c(seen, suspended()), c(TRUE, FALSE, FALSE)))
            """
        )

    def test_suspended_interrupts_are_no_harm(self, session):
        session(
            """
            plain <- fit_iris()
            suspendInterrupts(tryCatch({
              tools::pskill(Sys.getpid(), tools::SIGINT)
              try(fit_iris(), silent = TRUE)
              tryCatch(allowInterrupts(Sys.sleep(0.1)), interrupt = identity)
            }))
            stopifnot(identical(fit_iris(), plain))
            """
        )

    # Whatever comes at whatever time is caught: outside of allowInterrupts R only takes note.
    SOAK = """
        x <- as.matrix(iris[, 1:4])
        square <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1))
        plain <- fit_iris(); distances <- hull_distance(x[, 1:2], square)
        count <- c(finished = 0, interrupted = 0)
        # A signal may come while R still unwinds from the one before: hence a second net.
        soak <- function(seconds) {
          end <- proc.time()[["elapsed"]] + seconds
          while (proc.time()[["elapsed"]] < end) {
            outcome <- tryCatch(
              suspendInterrupts(tryCatch(
                allowInterrupts({ CALLS; "finished" }), interrupt = function(i) "interrupted"
              )),
              interrupt = function(i) "interrupted"
            )
            count[[outcome]] <<- count[[outcome]] + 1
          }
        }
        suspendInterrupts(invisible({
          cat("ready\\n"); flush(stdout())
          soak(2); before <- memory(); soak(SECONDS); grown <- memory() - before
          cat("over\\n"); flush(stdout())
          while (!file.exists("quiet")) NULL # Sys.sleep does not heed suspendInterrupts
          tryCatch(allowInterrupts(Sys.sleep(0.1)), interrupt = function(i) NULL)
        }))
        stopifnot(
          identical(fit_iris(), plain),
          identical(hull_distance(x[, 1:2], square), distances)
        )
        cat(count, grown, "\\n")
    """

    @pytest.mark.parametrize(
        ("calls", "seconds", "low", "high"),
        [
            (
                "if (runif(1) < 0.3) fit_iris(callback = function(s) FALSE) else fit_iris()",
                14,
                0.02,
                0.2,
            ),
            ("for (i in 1:100) hull_distance(square, square)", 5, 0.0005, 0.004),
        ],
        ids=["fits", "a hail of signals"],
    )
    def test_a_soak(self, calls, seconds, low, high, r_library, tmp_path):
        code = self.SOAK.replace("CALLS", calls).replace("SECONDS", str(seconds))
        process = start_r(r_library, code, tmp_path)
        assert process.stdout.readline() == "ready\n"
        with interrupting(process, random.Random(1), low, high) as sent:
            assert process.stdout.readline() == "over\n"
        tmp_path.joinpath("quiet").touch()
        said = finished(process)
        done, interrupted, grown = map(float, said.split())
        assert "Traceback" not in said.errors
        assert len(sent) >= 60
        assert interrupted >= 30
        assert done >= (30 if high > 0.1 else 0)
        assert grown < 5000  # kB


class TestEndurance:
    def test_thousands_of_calls_cost_no_memory(self, session):
        session(
            """
            square <- cbind(c(0, 0, 1, 1), c(0, 1, 0, 1))
            fit <- wbms(square, h = 0.1, lambda = 0.1)
            work <- function(calls, fits) {
              for (i in seq_len(calls)) {
                if (i %% 2) hull_distance(square, square) else predict(fit, square)
              }
              for (i in seq_len(fits)) {
                wbms(square, h = 0.1, lambda = 0.1, warmup = 0, stop = "fixed", max_iter = 3,
                     callback = function(state) FALSE)
              }
            }
            work(1000, 100)
            before <- memory()
            work(5000, 200)
            grown <- memory() - before
            stopifnot(grown < 5000)
            """
        )

    def test_failed_calls_cost_no_memory_either(self, session):
        session(
            """
            x <- matrix(c(1e200, -1e200), 2, 5)
            fail <- function(n) {
              for (i in seq_len(n)) {
                try(wbms(x, h = 1, lambda = 1, standardize = FALSE), silent = TRUE)
              }
            }
            fail(100); before <- memory(); fail(400)
            stopifnot(memory() - before < 5000)
            """
        )

    def test_a_garbage_collection_at_every_allocation_changes_nothing(self, session):
        session(
            """
            x <- cbind(a = c(1, 2, 10, 11), b = c(0.5, 0.1, 4, 4.5))
            small <- function() list(
              hull_distance(x[1:2, ], x), entropy_weights(c(a = 1, b = 2), 1),
              tryCatch(wbms:::py_call("limit_weights", -1, NULL, 1), error = conditionMessage)
            )
            fit <- function() wbms(
              x, h = 0.1, lambda = 0.1, warmup = 1, stop = "fixed", max_iter = 2,
              record_path = TRUE, callback = function(state) FALSE
            )
            plain <- list(small(), fit())
            gctorture(TRUE); first <- small(); gctorture(FALSE)
            gctorture2(30); second <- fit(); gctorture2(0)
            tortured <- list(first, second)
            stopifnot(identical(tortured, plain))
            """
        )

    def test_forked_children_fit_on(self, session):
        session(
            """
            set.seed(1); x <- matrix(rnorm(1500 * 10), 1500) # worth two threads
            hs <- c(0.02, 0.03, 0.05, 0.1)
            one <- function(h) {
              wbms(x, h = h, lambda = 0.1, n_jobs = 2, warmup = 0, stop = "fixed", max_iter = 2)
            }
            serial <- lapply(hs, one)
            parallel <- parallel::mclapply(hs, one, mc.cores = 2)
            stopifnot(identical(parallel, serial), identical(lapply(hs, one), serial))
            nested <- parallel::mclapply(1:2, function(i) {
              parallel::mclapply(hs[1:2], one, mc.cores = 2)
            }, mc.cores = 2)
            stopifnot(identical(nested[[2]], serial[1:2]))
            """
        )

    def test_a_fit_is_plain_r(self, session, r, tmp_path):
        """It can be saved, and read in a session that never starts Python."""
        session(f'saveRDS(fit_iris(), "{tmp_path}/fit.rds")')
        r(
            """
            fit <- readRDS("fit.rds")
            invisible(capture.output(print(fit), print(summary(fit))))
            stopifnot(is.null(wbms:::.bridge$call))
            stopifnot(identical(predict(fit, iris), stats::setNames(fit$cluster, row.names(iris))))
            """,
            tmp_path,
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
        )


def test_missing_r_fails_in_continuous_integration(monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="apt-get install r-base-dev"):
        rsession.not_here("R")
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="apt-get install r-base-dev"):
        rsession.not_here("R")


def test_the_environment_of_a_session_is_no_one_s_own(monkeypatch):
    monkeypatch.setenv("WBMS_PYTHON", "/somewhere")
    assert "WBMS_PYTHON" not in environment("library")
