"""The start of the weights from the dependence between columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS
from pywbms._engine.settings import Settings
from pywbms._selection.dependence import (
    bins_of_ranks,
    bounds_of_chi_square,
    dependent_start,
    largest_excess,
)
from pywbms._selection.starts import starts_for


def strips(n, p, seed=0):
    """Two diagonal strips in the first two columns, which show nothing alone, and noise."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(2, size=n)
    along, across = rng.uniform(-3, 3, n), rng.normal(0, 0.2, n) + 2 * truth - 1
    return np.column_stack([along + across, along - across, rng.normal(size=(n, p - 2))]), truth


@pytest.mark.parametrize("levels", [0, 3])
def test_chi_square_is_pearsons(levels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4)) @ rng.normal(size=(4, 4))
    if levels:
        X[:, 1] = rng.integers(levels, size=150)
    bins = bins_of_ranks(X, 5)
    bound = bounds_of_chi_square(4, 5)
    used = [len(np.unique(column)) for column in bins.T]
    expected = np.full((4, 4), -np.inf)
    for a in range(4):
        for b in set(range(4)) - {a}:
            table = np.zeros((5, 5))
            np.add.at(table, (bins[:, a], bins[:, b]), 1)
            table = table[table.any(axis=1)][:, table.any(axis=0)]
            chi_square = chi2_contingency(table, correction=False).statistic
            expected[a, b] = chi_square - bound[used[a], used[b]]
    np.testing.assert_allclose(largest_excess(bins, 5), expected.max(axis=1), rtol=1e-9)


@given(st.integers(0, 2**31), st.integers(3, 12), st.integers(20, 80))
def test_order_and_scale_of_columns_do_not_matter(seed, p, n):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, p)) @ rng.normal(size=(p, p)), 1)
    order, rows = rng.permutation(p), rng.permutation(n)
    start = dependent_start(X)
    again = dependent_start(np.exp(X / 9)[rows][:, order])
    if start is None:
        assert again is None
    else:
        np.testing.assert_allclose(again, np.array(start)[order], rtol=1e-9)
        assert sum(start) == pytest.approx(1)


def test_independent_columns_have_no_start():
    found = [
        dependent_start(np.random.default_rng(seed).normal(size=(100, 20))) for seed in range(40)
    ]
    assert sum(start is not None for start in found) <= 6  # 5 % of them are expected


def test_it_finds_what_no_column_shows_alone():
    X, truth = strips(300, 30)
    start = np.array(dependent_start(X))
    assert start[:2].sum() > 0.9
    assert "dependent" in starts_for(X, Settings())
    found = WBMS().fit(X)
    assert adjusted_rand_score(truth, found.labels_) > 0.95


def test_indicators_of_one_category_depend_on_each_other_anyway():
    rng = np.random.default_rng(0)
    category = rng.integers(3, size=200)
    X = np.column_stack([rng.normal(size=(200, 3)), category[:, None] == np.arange(3)])
    assert dependent_start(X) is not None
    assert dependent_start(X, [(3, 4, 5)]) is None


@pytest.mark.parametrize("shape", [(19, 5), (100, 2), (300, 4000)])
def test_too_few_rows_or_columns_or_too_many(shape):
    X = np.repeat(np.random.default_rng(0).normal(size=(shape[0], 1)), shape[1], axis=1)
    assert dependent_start(X) is None
