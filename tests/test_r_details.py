"""Memberships, outlier scores and features of clusters: R and Python agree to the last bit."""

import textwrap
import warnings

import numpy as np
import pandas as pd
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import wbms

# fixtures
r_library, r = rsession.r_library, rsession.r

GIVEN = {"h": 0.1, "lam": 0.05, "init": "uniform"}
COLUMNS = ["V1", "V2", "V3"]


def rows():
    """Return two clusters, a bad row and repeated rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    X[:40, :2] += 9
    X[5] = (60.0, -50.0, 40.0)
    X[70:] = X[20:30]
    return X


def new_rows():
    """Return rows near and far."""
    return np.vstack([rows()[::9] + 0.25, [[1e6, 0.0, 0.0], [4.5, 4.5, 0.0]]])


def result(**params):
    """Return the clustering in Python."""
    return wbms(pd.DataFrame(rows(), columns=COLUMNS), **GIVEN, **params)


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    """What one R session found."""

    def make(folder):
        exchange = Exchange(folder)
        code = f"""
            {textwrap.dedent(Exchange.IN_R)}
            options(warn = -1)
            x <- {exchange.put(rows(), "x")}
            new <- {exchange.put(new_rows(), "new")}
            for (outliers in c("keep", "label")) {{
              name <- function(what) paste(outliers, what, sep = "-")
              fit <- wbms(x, h = 0.1, lambda = 0.05, init = "uniform", outliers = outliers)
              put(fit$cluster, name("cluster"))
              put(fit$cluster_weights, name("cluster_weights"))
              put(fit$profile, name("profile"))
              put(membership(fit), name("membership"))
              put(predict(fit, new), name("predicted"))
              put(predict(fit, new, type = "prob"), name("prob"))
              put(predict(fit, new, type = "prob", n_jobs = 2), name("threads"))
              put(outlier_score(fit), name("score"))
              put(outlier_score(fit, new), name("new-score"))
              put(as.list(describe(fit, 2)), name("describe"))
              put(as.list(contrast(fit, 2, 1)), name("contrast"))
              put(as.list(summary(fit)$features), name("features"))
            }}
        """
        rsession.run_r(r_library, textwrap.dedent(code), folder)

    return Exchange(made_once(tmp_path_factory, "details-from-r", make))


def clusters_in_r(labels):
    """Return labels as R has them: from 1 on, NA for outliers."""
    return np.where(labels < 0, np.iinfo(np.int32).min, labels + 1).astype(np.int32)


@pytest.mark.parametrize("outliers", ["keep", "label"])
def test_r_and_python_agree(outliers, from_r):
    found = result(outliers=outliers)
    new = pd.DataFrame(new_rows(), columns=COLUMNS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = found.predict(new)
    same_bits(from_r[f"{outliers}-cluster"], clusters_in_r(found.labels.to_numpy()))
    same_bits(from_r[f"{outliers}-predicted"], clusters_in_r(predicted.to_numpy()))
    same_bits(from_r[f"{outliers}-membership"], found.membership)
    for name in ("prob", "threads"):
        same_bits(from_r[f"{outliers}-{name}"], found.predict_proba(new))
    same_bits(from_r[f"{outliers}-score"], found.outlier_score)
    same_bits(from_r[f"{outliers}-new-score"], found.outlier_score_of(new))
    same_bits(from_r[f"{outliers}-cluster_weights"], found.cluster_weights)
    same_bits(from_r[f"{outliers}-profile"], found.profile())
    assert (found.labels[5] == -1) == (outliers == "label")
    assert (predicted.iloc[-2] == -1) == (outliers == "label")


@pytest.mark.parametrize("outliers", ["keep", "label"])
def test_tables_of_features_agree(outliers, from_r):
    found = result(outliers=outliers)
    described, contrasted = found.describe(1), found.contrast(1, 0)
    for name, values in described.items():
        same_bits(from_r[f"{outliers}-describe-{name}"], values)
    assert from_r[f"{outliers}-describe-column"] == described.index.tolist()
    in_r = {"mean_1": "mean_2", "mean_0": "mean_1", "spread_1": "spread_2", "spread_0": "spread_1"}
    for name, values in contrasted.items():
        same_bits(from_r[f"{outliers}-contrast-{in_r.get(name, name)}"], values)
    same_bits(from_r[f"{outliers}-features-share"][3:], described["share"])
    same_bits(from_r[f"{outliers}-features-cluster"], np.repeat([1, 2], 3))
