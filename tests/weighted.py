"""Fits with weights of rows, and their comparison with repeated rows."""

import warnings

import numpy as np
import pytest
from hypothesis import strategies as st
from problems import seeds
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform
from sklearn.exceptions import ConvergenceWarning

from pywbms import WBMS
from pywbms._data import masses
from pywbms._machine import threads

PER_ROW = ("labels_", "groups_", "modes_", "outliers_")
OVERALL = ("feature_weights_", "cluster_centers_", "init_", "h_", "lam_", "n_iter_", "converged_")


@pytest.fixture(autouse=True, scope="module")
def threads_however_little_there_is_to_do():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_THREADS", 0)
        yield


def fitted(X, weights=None, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return WBMS(**{"h": 0.2, "lam": 0.1, **params}).fit(X, sample_weight=weights)


def with_masses(X, weights, **params):
    """A fit in which whole weights do not become repeated rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(masses, "MOST_REPEATED", 0)
        return fitted(X, weights, **params)


@st.composite
def whole_weights(draw, n, least=0):
    rng = np.random.default_rng(draw(seeds))
    weights = rng.integers(least, draw(st.sampled_from([2, 4, 9])), size=n).astype(float)
    weights[rng.integers(n)] += 1
    return weights


def repeated(weights):
    return np.repeat(np.arange(len(weights)), weights.astype(int))


def first_copies(rows):
    return np.unique(rows, return_index=True)


def assert_same(found, expected, rows, copies, close=None):
    """What rows have in one fit is what their copies have in another."""

    def check(name, a, b):
        if close is None or np.asarray(a).dtype.kind not in "fc":
            np.testing.assert_array_equal(a, b, err_msg=name)
        else:
            np.testing.assert_allclose(a, b, rtol=close, atol=close, err_msg=name)

    for name in PER_ROW:
        check(name, getattr(found, name)[rows], getattr(expected, name)[copies])
    for name in OVERALL:
        check(name, getattr(found, name), getattr(expected, name))
    assert found.similar_columns_ == expected.similar_columns_


def heights(model):
    """The height at which each two rows merge."""
    return squareform(cophenet(model.tree_))
