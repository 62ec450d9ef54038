"""Categories, missing values, their weights and seeds: R and Python agree to the last bit."""

import textwrap

import numpy as np
import pandas as pd
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import wbms
from pywbms.select import select

r_library = rsession.r_library

GIVEN = {"h": 0.05, "lam": 0.1}
# name: (seed, share of missing values, arguments of Python, of R)
CASES = {
    "complete": (0, 0.0, {}, ""),
    "plain z-scores": (1, 0.0, {"standardize": True}, ", standardize = TRUE"),
    "own units": (2, 0.0, {"standardize": False}, ", standardize = FALSE"),
    "omitted": (3, 0.05, {"na_action": "omit"}, ", na.action = na.omit"),
    "imputed": (4, 0.05, {"na_action": "impute"}, ', na.action = "impute"'),
    "path and tree": (5, 0.0, {"tree": True}, ", tree = TRUE"),
}
# name: (share of missing values, weights are whole, arguments of Python, of R)
WEIGHTED = {
    "whole": (0.0, True, {}, ""),
    "real": (0.0, False, {}, ""),
    "real, omitted": (0.05, False, {"na_action": "omit"}, ", na.action = na.omit"),
    "whole, imputed": (0.05, True, {"na_action": "impute"}, ', na.action = "impute"'),
    "real, imputed": (0.05, False, {"na_action": "impute"}, ', na.action = "impute"'),
}


def table(seed, share):
    """Return a table with texts beyond ASCII, two kinds of missing values, and rare levels."""
    rng = np.random.default_rng(seed)
    n = 70
    group = rng.integers(3, size=n)
    frame = pd.DataFrame({"x": 4.0 * group + rng.normal(size=n), "y": rng.normal(size=n)})
    frame["kind"] = np.array(["Zebra", "äffchen", "b 1"])[group]
    frame["rare"] = np.where(np.arange(n) % 17 == 0, "yes", "no")
    gaps = rng.uniform(size=frame.shape) < share
    frame = frame.mask(gaps)
    if share:
        frame.loc[3, "y"] = -np.inf
    return frame


def weighted_table(share, whole, params):
    """Return a table with weights, some of them 0, or missing if such rows are omitted."""
    rng = np.random.default_rng(6)
    frame = table(6, share)
    n = rng.integers(0, 4, size=len(frame)).astype(float)
    frame["n"] = n if whole else n * rng.uniform(0.2, 1.4, size=len(frame))
    if params.get("na_action") == "omit":
        frame.loc[[8, 34], "n"] = np.nan
    return frame


def in_r(frame, exchange, name):
    """Return R code that makes the same data frame; its factors have their levels reversed."""
    code = [f"d <- as.data.frame({exchange.put(frame[['x', 'y']].to_numpy(), name)})"]
    code.append('names(d) <- c("x", "y")')
    code.append("d$x[is.nan(d$x)] <- NA")
    for column in ("kind", "rare"):
        texts = ["NA" if pd.isna(value) else f'"{value}"' for value in frame[column]]
        code.append(f"d${column} <- c({', '.join(texts)})")
        code.append(f"d${column} <- factor(d${column}, rev(sort(unique(d${column}))))")
    return code


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    def make(folder):
        exchange = Exchange(folder)
        code = [textwrap.dedent(Exchange.IN_R), "options(warn = -1)"]
        for number, (seed, share, _, arguments) in enumerate(CASES.values()):
            code += in_r(table(seed, share), exchange, f"data{number}")
            given = f"h = 0.05, lambda = 0.1{arguments}"
            code.append(f'fit <- wbms(d, {given}, categories = "indicators")')
            code.append(f"formula <- wbms(~ ., d, {given})")
            code.append("stopifnot(identical(fit$modes, formula$modes))")
            code.append("stopifnot(identical(predict(fit, d), predict(formula, d)))")
            code.append(f'put(unclass(fit), "fit{number}")')
            code.append(f'put(colnames(fit$data), "columns{number}")')
            code.append(f'put(predict(fit, d[70:1, ]), "predicted{number}")')
        code.append('put(wbms(d, lambda = 0.1, categories = "indicators", seed = 5)$h, "seeded")')
        code.append(
            "choice <- wbms_select(d, h = c(0.05, 0.1), lambda = 0.1, "
            'categories = "indicators"); put(choice$grid, "grid")'
        )
        for number, (share, whole, params, arguments) in enumerate(WEIGHTED.values()):
            frame = weighted_table(share, whole, params)
            code += in_r(frame, exchange, f"weighted{number}")
            code.append(f"d$n <- {exchange.put(frame[['n']].to_numpy(), f'n{number}')}[, 1]")
            code.append("d$n[is.nan(d$n)] <- NA")
            given = f"h = 0.05, lambda = 0.1{arguments}"
            code.append(f'fit <- wbms(d, {given}, weights = n, categories = "indicators")')
            code.append(f"formula <- wbms(~ x + y + kind + rare, d, {given}, weights = n)")
            code.append("stopifnot(identical(fit$modes, formula$modes))")
            code.append("stopifnot(identical(fit$encoding$levels, formula$encoding$levels))")
            code.append("stopifnot(identical(predict(fit, d), predict(formula, d)))")
            code.append(f'put(unclass(fit), "weighted{number}")')
            code.append(f'put(colnames(fit$data), "weighted-columns{number}")')
            code.append(f'put(predict(fit, d[70:1, ]), "weighted-predicted{number}")')
        rsession.run_r(r_library, "\n".join(code), folder)

    return Exchange(made_once(tmp_path_factory, "categories-from-r", make))


@pytest.mark.parametrize("case", CASES)
def test_fits(case, from_r):
    number = list(CASES).index(case)
    seed, share, params, _ = CASES[case]
    frame = table(seed, share)
    found = wbms(frame, **GIVEN, **params, categories="indicators")
    fit = f"fit{number}-"
    kept = (found.labels >= 0).to_numpy()
    assert from_r[f"columns{number}"] == list(found.weights.index)
    same_bits(from_r[fit + "modes"], found.modes.to_numpy())
    same_bits(from_r[fit + "weights"], found.weights.to_numpy())
    same_bits(from_r[fit + "centers"], found.centers.to_numpy())
    same_bits(from_r[fit + "data"], found.data.to_numpy())
    same_bits(from_r[fit + "cluster"][kept], found.labels[kept].to_numpy() + 1)
    predicted = found.predict(frame.iloc[::-1])
    same_bits(from_r[f"predicted{number}"][kept[::-1]], predicted[kept[::-1]].to_numpy() + 1)
    if case == "imputed":
        same_bits(from_r[fit + "imputed"], found.imputed.to_numpy(dtype=float))
        assert found.imputed.sum() > 5
    if case == "path and tree":
        same_bits(from_r[fit + "tree-height"], found.tree[:, 2])


@pytest.mark.parametrize("case", WEIGHTED)
def test_weighted_fits(case, from_r):
    number = list(WEIGHTED).index(case)
    share, whole, params, _ = WEIGHTED[case]
    frame = weighted_table(share, whole, params)
    found = wbms(frame, weights="n", **GIVEN, **params, categories="indicators")
    fit = f"weighted{number}-"
    kept = (found.labels >= 0).to_numpy()
    assert from_r[f"weighted-columns{number}"] == list(found.weights.index)
    for name in ("modes", "weights", "centers", "data", "row_weights"):
        same_bits(from_r[fit + name], getattr(found, name).to_numpy())
    same_bits(from_r[fit + "cluster"][kept], found.labels[kept].to_numpy() + 1)
    predicted = found.predict(frame.iloc[::-1]).to_numpy()
    known = predicted >= 0
    same_bits(from_r[f"weighted-predicted{number}"][known], predicted[known] + 1)


def test_the_search(from_r):
    frame = table(*CASES["path and tree"][:2])
    found = wbms(frame, lam=0.1, categories="indicators", random_state=5)
    same_bits(from_r["seeded"], found.h)
    choice = select(frame, h=[0.05, 0.1], lam=0.1, categories="indicators")
    for name in ("screened", "score", "stability"):
        same_bits(from_r[f"grid-{name}"], choice.table[name].to_numpy())
