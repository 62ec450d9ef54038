"""Landmarks in R: the numbers of Python, to the bit."""

import textwrap

import numpy as np
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import WBMS

# fixtures
r_library, r = rsession.r_library, rsession.r

IN_R = """
    fit <- wbms(x, h = 0.1, lambda = 0.1, landmarks = 300)
    put(unname(fit$cluster), "cluster"); put(fit$modes, "modes"); put(fit$weights, "weights")
    told <- c("number", "rows", "agreement", "unreached", "added")
    put(as.numeric(unlist(fit$landmarks[told])), "landmarks")
    put(unname(fit$uncertainty), "uncertainty"); put(unname(fit$outlier_score), "outlier_score")
    put(predict(fit, new), "follow"); put(predict(fit, new, method = "nearest"), "nearest")
    put(predict(fit, new, type = "prob"), "prob")
    exact <- wbms(x, h = 0.1, lambda = 0.1, landmarks = NULL)
    put(predict(exact, new, method = "follow"), "exact_follow")
    stopifnot(length(at(fit, 2)$size) == 2, is.null(exact$landmarks))
    put(capture.output(print(fit)), "printed")
    path <- tempfile(fileext = ".wbms")
    wbms_save(fit, path); put(predict(wbms_load(path), new), "again")
    error <- function(code) tryCatch(code, error = conditionMessage)
    put(c(
      error(wbms(x, landmarks = "some")), error(wbms(x, landmarks = 1)),
      error(predict(fit, new, method = "close")), error(layers(fit)),
      error(wbms(x, h = 1, lambda = 1, landmarks = 50, tree = TRUE))
    ), "errors")
"""


def clusters(n, seed):
    rng = np.random.default_rng(seed)
    centers = np.array([[0.0, 0, 0], [6, 0, 0], [0, 6, 1]])
    return centers[rng.integers(0, 3, n)] + rng.normal(size=(n, 3))


X, NEW = clusters(1500, 0), clusters(400, 1)


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    def make(folder):
        exchange = Exchange(folder)
        code = [
            textwrap.dedent(Exchange.IN_R),
            f"x <- {exchange.put(X, 'x')}",
            f"new <- {exchange.put(NEW, 'new')}",
            textwrap.dedent(IN_R),
        ]
        rsession.run_r(r_library, "\n".join(code), folder)

    return Exchange(made_once(tmp_path_factory, "landmarks", make))


@pytest.fixture(scope="module")
def model():
    return WBMS(0.1, 0.1, landmarks=300).fit(X)


def in_r(labels):
    """Return labels as R counts them."""
    return labels.astype(np.int32) + 1


def test_a_fit_has_the_numbers_of_python(from_r, model):
    same_bits(from_r["cluster"], in_r(model.labels_))
    same_bits(from_r["modes"], model.modes_)
    same_bits(from_r["weights"], model.feature_weights_)
    same_bits(from_r["uncertainty"], 1 - model.row_confidence_)
    same_bits(from_r["outlier_score"], model.outlier_score_)
    told = model.landmarks_
    expected = [told.number, told.rows, told.agreement, told.unreached, told.added]
    same_bits(from_r["landmarks"], np.array(expected, dtype=float))
    assert any("300 landmarks of 1,500 rows" in line for line in from_r["printed"])


def test_new_rows(from_r, model):
    exact = WBMS(0.1, 0.1, landmarks=None).fit(X)
    for name in ("follow", "again"):
        same_bits(from_r[name], in_r(model.predict(NEW)))
    same_bits(from_r["nearest"], in_r(model.predict(NEW, method="nearest")))
    same_bits(from_r["prob"], model.predict_proba(NEW))
    same_bits(from_r["exact_follow"], in_r(exact.predict(NEW, method="follow")))


def test_errors_name_the_argument(from_r):
    some, one, close, layers, tree = from_r["errors"]
    assert "'landmarks' must be a whole number of at least 2" in some
    assert "'landmarks' must be a whole number of at least 2" in one
    assert "'method' must be one of 'nearest', 'follow'" in close
    assert "has landmarks" in layers
    assert "needs a fit of all" in tree
