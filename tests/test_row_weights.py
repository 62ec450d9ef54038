"""Whole weights of rows are repeated rows; rows of weight 0 follow their nearest ones."""

import numpy as np
import pandas as pd
import pytest
import weighted
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from problems import dirty_tables, forms, log_uniform, seeds, tables
from scipy.cluster.hierarchy import is_valid_linkage
from weighted import assert_same, first_copies, fitted, heights, repeated, whole_weights

from pywbms import datasets
from pywbms._data.masses import WeightedRows
from pywbms._selection.choice import MOST_ROWS
from pywbms.select import select

pytestmark = pytest.mark.filterwarnings("ignore:nearly equal columns")
# a fixture
threads_however_little_there_is_to_do = weighted.threads_however_little_there_is_to_do


class TestWholeWeightsAreRepeatedRows:
    @settings(max_examples=100)
    @given(
        st.data(), tables() | dirty_tables(), forms(), log_uniform(1e-3, 30), log_uniform(1e-3, 30),
        st.booleans(), st.sampled_from([1, 2]),
    )  # fmt: skip
    def test_to_the_bit(self, data, X, form, h, lam, merge, n_jobs):
        weights = data.draw(whole_weights(len(X)))
        params = {"h": h, "lam": lam, "merge": merge, "init": "uniform", **form}
        rows = repeated(weights)
        expected = fitted(X[rows], **params)
        found = fitted(X, weights, n_jobs=n_jobs, **params)
        assert_same(found, expected, *first_copies(rows))
        pd.testing.assert_frame_equal(found.history_, expected.history_, check_exact=True)

    @settings(max_examples=25)
    @given(st.data(), tables(20), st.booleans())
    def test_path_and_tree(self, data, X, merge):
        assume(len(X) > 2)
        weights = data.draw(whole_weights(len(X), least=1))
        params = {"tree": True, "record_path": True, "merge": merge, "max_iter": 40, "warmup": 5}
        rows = repeated(weights)
        expected, found = fitted(X[rows], **params), fitted(X, weights, **params)
        kept, copies = first_copies(rows)
        np.testing.assert_array_equal(found.path_, expected.path_[:, copies])
        np.testing.assert_array_equal(found.weights_path_, expected.weights_path_)
        assert is_valid_linkage(found.tree_)
        np.testing.assert_array_equal(heights(found), heights(expected)[np.ix_(copies, copies)])
        assert_same(found, expected, kept, copies)

    @pytest.mark.parametrize("params", [{}, {"init": "marginal"}, {"standardize": False}], ids=str)
    def test_the_search(self, params):
        rng = np.random.default_rng(1)
        X = rng.normal(size=(60, 4)) + 8 * rng.integers(2, size=(60, 1)) * [1, 1, 0, 0]
        weights = rng.integers(0, 4, size=60).astype(float)
        expected = select(X[repeated(weights)], lam=0.1, n_subsets=2, **params)
        found = select(X, lam=0.1, n_subsets=2, sample_weight=weights, **params)
        assert (found.h, found.lam, found.init) == (expected.h, expected.lam, expected.init)
        assert found.explanation == expected.explanation
        pd.testing.assert_frame_equal(found.table, expected.table, check_exact=True)

    def test_joins_and_the_start_of_a_default_fit(self):
        X, _ = datasets.two_moons(random_state=0)
        X = X.to_numpy()[::2]
        weights = np.random.default_rng(0).integers(1, 3, size=len(X)).astype(float)
        rows = repeated(weights)
        for params in ({"join": True, "h": 0.02}, {"join": True, "h": 0.05, "init": "auto"}):
            expected = fitted(X[rows], **params)
            found = fitted(X, weights, **params)
            assert expected.groups_.max() + 1 > expected.n_clusters_
            assert_same(found, expected, *first_copies(rows))

    def test_ones_change_nothing(self):
        X, _ = datasets.data1(random_state=0)
        expected = fitted(X)
        for weights in (np.ones(len(X)), np.full(len(X), 0.3), [1] * len(X)):
            found = fitted(X, weights)
            assert_same(found, expected, np.arange(len(X)), np.arange(len(X)))
            np.testing.assert_array_equal(found.sample_weight_, weights)

    def test_large_weights_need_no_more_memory(self, monkeypatch):
        X, _ = datasets.data1(random_state=0)
        sizes = []
        of = WeightedRows.of.__func__

        def watched(cls, X, weights, merge):
            sizes.append(of(cls, X, weights, merge))
            return sizes[-1]

        monkeypatch.setattr(WeightedRows, "of", classmethod(watched))
        model = fitted(X, np.full(len(X), 1e6), init="auto")
        assert len(sizes[0].rows) == len(X)
        assert model.n_clusters_ == 2
        assert select(X, h=0.1, lam=0.05, sample_weight=np.full(len(X), 1e6)).n_rows == MOST_ROWS


class TestZeroWeights:
    @settings(max_examples=50)
    @given(st.data(), tables(), st.booleans())
    def test_rows_are_dropped_and_labelled_as_new_ones(self, data, X, whole):
        rng = np.random.default_rng(data.draw(seeds))
        weights = data.draw(whole_weights(len(X)))
        if not whole:
            weights *= rng.uniform(1, 2, size=len(X))
        kept = weights > 0
        params = {"max_iter": 30, "warmup": 5, "tree": True, "record_path": True}
        expected = fitted(X[kept], weights[kept], **params)
        found = fitted(X, weights, **params)
        np.testing.assert_array_equal(found.labels_[kept], expected.labels_)
        np.testing.assert_array_equal(found.labels_[~kept], expected.predict(X)[~kept])
        np.testing.assert_array_equal(found.predict(X), expected.predict(X))
        np.testing.assert_array_equal(found.modes_[kept], expected.modes_)
        np.testing.assert_array_equal(found.cluster_centers_, expected.cluster_centers_)
        np.testing.assert_array_equal(found.path_[:, kept], expected.path_)
        assert found.tree_.shape == (len(X) - 1, 4)
        assert len(X) == 1 or is_valid_linkage(found.tree_)
        if kept.sum() > 1:
            merged = heights(found)[np.ix_(kept, kept)]
            np.testing.assert_array_equal(merged, heights(expected))

    def test_a_row_far_from_all_others(self):
        X = np.array([[0.0], [0.1], [5.0], [5.1], [1e6], [-3.0]])
        model = fitted(X, [1, 1, 1, 1, 0, 0], h=0.1)
        assert model.labels_.tolist() == [0, 0, 1, 1, 1, 0]
