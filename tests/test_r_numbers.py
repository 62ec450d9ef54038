"""R and Python find the same numbers, to the last bit."""

import ast
import inspect
import textwrap
import warnings

import numpy as np
import pandas as pd
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import WBMS, datasets, theory
from pywbms.theory.gaussian import follow_sample

# fixtures
r_library, r = rsession.r_library, rsession.r

DATA_SETS = (
    "data1", "simulation1", "simulation2", "simulation3", "two_moons", "varied_densities",
)  # fmt: skip


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
    "uniform start": ("data1", "default", {**GIVEN, "init": "uniform"}),
    "marginal start": ("data1", "default", {**GIVEN, "init": "marginal"}),
    "marginal start, auto": ("iris_like", "default", {"init": "marginal"}),
    "given start": ("iris_like", "default", {**GIVEN, "init": [0.5, 0.1, 3.0, 0.0]}),
    "given start, one column": ("one_column", "default", {**GIVEN, "init": [0.3]}),
    "given start, auto": ("iris_like", "default", {"init": [0.5, 0.1, 3.0, 0.0]}),
    "given start, paper": ("iris_like", "paper", {**GIVEN, "init": [0.5, 0.1, 3.0, 0.0]}),
    "joined": ("integers", "default", {"h": 0.03, "lam": 0.05, "join": True}),
    "never joined": ("iris_like", "default", {"join": False}),
    "no warm-up, self included, nothing merged": (
        "iris_like", "default", {**GIVEN, "warmup": 0, "exclude_self": False, "merge": False},
    ),
}  # fmt: skip
NEW_ROWS = np.random.default_rng(9).normal(size=(25, 4)) * 3
SIGMA = pd.Series([1.0, 0.3, 2.5], ["a", "b", "c"])


def in_r(value):
    """Return R code for a number, text, flag or list of numbers, to the last bit."""
    if isinstance(value, list):
        return f"c({', '.join(map(in_r, value))})"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value}L" if isinstance(value, int) else value.hex()


NAMES_IN_R = {
    "lam": "lambda",
    "lam_scale": "lambda_scale",
    "n_clusters": "k",
    "random_state": "seed",
}


def call_in_r(x, form, params):
    given = {NAMES_IN_R.get(name, name): in_r(value) for name, value in params.items()}
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


def test_the_defaults_in_r_are_those_of_python(r, tmp_path):
    said = r(
        """
        arguments <- formals(wbms:::wbms.default)
        elsewhere <- c("x", "...", "form", "na.action", "categories", "weights", # of wbms()
                       "verbose") # progress is R's own
        for (name in setdiff(names(arguments), elsewhere)) {
          value <- eval(arguments[[name]])
          shown <- if (is.numeric(value)) sprintf("%.17g", value) else deparse(value)
          cat(name, " ", shown, "\n", sep = "")
        }
        """,
        tmp_path,
    )
    constants = {"NULL": "None", "TRUE": "True", "FALSE": "False"}
    found = {
        name: ast.literal_eval(constants.get(value, value))
        for name, value in (line.split(" ", 1) for line in said.splitlines())
    }
    expected = {
        NAMES_IN_R.get(name, name): parameter.default
        for name, parameter in inspect.signature(WBMS).parameters.items()
        if name not in ("indicators", "verbose")  # R makes them itself, and shows its own progress
    }
    assert found == expected
    assert all(isinstance(found[name], bool) == isinstance(expected[name], bool) for name in found)


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
        same_bits(from_r[fit + "init"], model.init_)
        same_bits(from_r[fit + "params-init"], model.init_)
        same_bits(from_r[fit + "iter"], model.n_iter_)
        same_bits(from_r[fit + "converged"], model.converged_)
        same_bits(from_r[fit + "data"], data()[FITS[case][0]])
        same_bits(from_r[fit + "uncertainty"], 1 - model.row_confidence_)
        same_bits(from_r[fit + "outlier_score"], model.outlier_score_)
        same_frame(from_r, fit + "history-", model.history_)
        if model.selection_ is None:
            assert from_r[fit + "selection"] is None
            assert from_r[fit + "choice"] is None
            assert from_r[fit + "confidence"] is None
        else:
            selection = model.selection_.rename(columns={"lam": "lambda"})
            same_frame(from_r, fit + "selection-", selection)
            others = model.choice_.alternatives.rename(columns={"lam": "lambda"})
            same_frame(from_r, fit + "choice-alternatives-", others)
            assert from_r[fit + "choice-reason"] == [model.choice_.explanation]
            same_bits(from_r[fit + "choice-certain"], model.choice_.certain)
            same_bits(from_r[fit + "choice-init"], model.choice_.init)
            same_bits(from_r[fit + "choice-join"], model.choice_.join)
            assert from_r[fit + "choice-start"] == [model.choice_.start]
            same_bits(from_r[fit + "confidence-expected"], model.choice_.confidence.expected)
            assert from_r[fit + "confidence-word"] == [model.choice_.confidence.word]
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
