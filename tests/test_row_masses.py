"""Weights of rows that are not repeated rows: masses, which follow the definition."""

import numpy as np
import oracle
import pandas as pd
import pytest
import weighted
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from problems import blobs, clouds, dirty_tables, forms, log_uniform, seeds, simplex, tables
from weighted import (
    assert_same,
    first_copies,
    fitted,
    heights,
    repeated,
    whole_weights,
    with_masses,
)

import pywbms._core.wide as wide
from pywbms import datasets
from pywbms._core.shift import shift
from pywbms._data import masses
from pywbms._data.masses import drawn_by_mass
from pywbms._data.squash import bounds_of
from pywbms._data.standardize import Standardizer, mean_variance
from pywbms.select import select

pytestmark = pytest.mark.filterwarnings("ignore:nearly equal columns")
# a fixture
threads_however_little_there_is_to_do = weighted.threads_however_little_there_is_to_do


class TestMasses:
    """The formulas with masses, where repeated rows would be too many or weights are not whole."""

    @settings(max_examples=60)
    @given(st.data(), blobs(), st.booleans(), st.sampled_from(["mean", "sum"]), st.booleans())
    def test_agree_with_repeated_rows(self, data, X, exclude_self, lam_scale, tree):
        assume(len(X) > 2)
        weights = data.draw(whole_weights(len(X), least=1))
        rows = repeated(weights)
        lam = 0.1 if lam_scale == "mean" else 0.1 * weights.sum()
        params = {
            "exclude_self": exclude_self, "lam_scale": lam_scale, "lam": lam, "tree": tree,
            "max_iter": 15, "stop": "fixed", "warmup": 4, "init": "uniform",
        }  # fmt: skip
        expected, found = fitted(X[rows], **params), with_masses(X, weights, **params)
        nudged = fitted(X[rows] * (1 + 1e-13 * np.random.default_rng(0).normal()), **params)
        if not np.allclose(nudged.modes_, expected.modes_, rtol=0, atol=1e-9):
            event("amplifies the last digits")
            return
        assert_same(found, expected, *first_copies(rows), close=1e-7)
        if tree:
            copies = first_copies(rows)[1]
            merged = heights(expected)[np.ix_(copies, copies)]
            np.testing.assert_allclose(heights(found), merged, rtol=1e-4, atol=1e-4)

    @settings(max_examples=150)
    @given(
        st.data(), blobs(25), forms(), log_uniform(1e-2, 10), log_uniform(1e-2, 10), st.booleans()
    )
    def test_every_step_is_the_oracles(self, data, X, form, h, lam, heavy):
        rng = np.random.default_rng(data.draw(seeds))
        weights = rng.exponential(size=len(X)) * data.draw(st.sampled_from([0.1, 1.0, 5.0]))
        weights = weights + 1 if heavy else weights
        mass = weights / min((weights**2).sum() / weights.sum(), 1)  # Kish's number of rows
        # Merging rows that are lighter than one averages what they leave out.
        params = {"merge": heavy, "standardize": True, "init": "uniform", **form}
        model = fitted(X, weights, h=h, lam=lam, record_path=True, **params)
        path, w = model.path_, model.weights_path_
        np.testing.assert_allclose(path[0], oracle.z_scores(X, mass).astype(float), atol=1e-9)
        for t in range(model.n_iter_):
            expected = oracle.shift(path[t], w[t], h, model.exclude_self, mass)
            pairs = oracle.swapping_pairs(path[t], expected, w[t], model.eps, mass)
            met = [(i, j) for i, j in pairs if np.array_equal(path[t + 1, i], path[t + 1, j])]
            expected = oracle.at_midpoints(expected, met, mass)
            np.testing.assert_allclose(path[t + 1], expected, rtol=0, atol=1e-9)
            D = oracle.displacement(path[0], path[t + 1], model.lam_scale, mass)
            np.testing.assert_allclose(w[t + 1], oracle.entropy_weights(D, lam), atol=1e-9)
        names = oracle.SETTINGS
        given_params = {name: model.get_params()[name] for name in names}
        whole = oracle.fit(path[0], h, lam, mass, **given_params)
        nudge = 1e-13 * np.random.default_rng(0).normal(size=X.shape)
        again = oracle.fit(path[0] + nudge, h, lam, mass, **given_params)
        if again["n_iter"] == whole["n_iter"] and np.allclose(
            again["modes"], whole["modes"], rtol=0, atol=1e-11
        ):
            event("stable")
            np.testing.assert_array_equal(model.labels_, whole["labels"])
            assert (model.n_iter_, model.converged_) == (whole["n_iter"], whole["converged"])

    @settings(max_examples=60)
    @given(st.data(), clouds(), log_uniform(1e-6, 10), st.booleans(), st.sampled_from([1, 2]))
    def test_a_step_in_tiles_and_one_for_many_features(self, data, points, h, exclude, n_threads):
        rng = np.random.default_rng(data.draw(seeds))
        g, p = points.shape
        mass = rng.exponential(2.0, size=g)
        weights = data.draw(simplex(p))
        scale = max(1.0, np.abs(points).max()) ** 2
        expected = oracle.shift(points, weights, h * scale, exclude, mass)
        moved, nearest = np.empty_like(points), np.empty(g, dtype=np.intp)
        left = np.minimum(mass, 1.0)
        shift(points, mass, weights, h * scale, exclude, n_threads, moved, nearest, left=left)
        atol = 1e-9 * np.sqrt(scale)
        np.testing.assert_allclose(moved, expected, rtol=0, atol=atol)
        alone = (mass <= 1) & exclude & (g > 1)
        assert (nearest[~alone] == -1).all()
        squares = oracle.squared_distances(points, points, weights)
        kernel, gram = wide.square(g), wide.square(g)
        np.asarray(gram)[:, :g] = squares
        wide.kernel(gram, True, mass, h * scale, exclude, n_threads, kernel, nearest, left)
        np.testing.assert_allclose(np.asarray(kernel)[:, :g] @ points, expected, rtol=0, atol=atol)

    def test_many_features(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(20, 300)) + 3 * rng.integers(2, size=(20, 1))
        weights = rng.exponential(size=20) + 0.5
        mass = weights / min((weights**2).sum() / weights.sum(), 1)
        model = fitted(X, weights, h=0.5, merge=False, record_path=True, standardize=True)
        for t in range(model.n_iter_):
            expected = oracle.shift(model.path_[t], model.weights_path_[t], 0.5, True, mass)
            np.testing.assert_allclose(model.path_[t + 1], expected, rtol=0, atol=1e-9)

    def test_the_search_draws_the_rows_that_repeated_rows_would_give(self, monkeypatch):
        rng = np.random.default_rng(2)
        X = rng.normal(size=(50, 3)) + 8 * rng.integers(2, size=(50, 1)) * [1, 1, 0]
        X[3] = 1e4  # an outlier
        weights = rng.integers(1, 5, size=50).astype(float)
        weights[3] = 1
        monkeypatch.setattr("pywbms._selection.choice.MOST_ROWS", 80)
        for params in ({}, {"init": "marginal"}, {"standardize": False}):
            expected = select(X[repeated(weights)], lam=0.1, n_subsets=2, **params)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(masses, "MOST_REPEATED", 0)
                found = select(X, lam=0.1, n_subsets=2, sample_weight=weights, **params)
            assert found.n_rows == expected.n_rows <= 80
            pd.testing.assert_frame_equal(found.table, expected.table, rtol=1e-9)

    def test_what_a_light_row_leaves_out_survives_merging(self):
        X = np.array([[0.0], [1e-13], [9.0], [9.2]])
        weights = np.array([0.5, 0.5, 1.5, 1.5])
        for merge in (True, False):
            model = fitted(X, weights, merge=merge, standardize=False, init="uniform", h=1.0)
            assert model.labels_.tolist() == [1, 1, 0, 0]

    @settings(max_examples=100)
    @given(st.data(), dirty_tables())
    def test_the_robust_standardizer(self, data, X):
        weights = data.draw(whole_weights(len(X), least=1))
        rows = repeated(weights)
        expected, found = (
            Standardizer.of(X[rows], "robust"), Standardizer.of(X, "robust", mass=weights)
        )  # fmt: skip
        np.testing.assert_array_equal(found.active, expected.active)
        np.testing.assert_array_equal(found.outliers(X), expected.outliers(X))
        np.testing.assert_allclose(found.forward(X), expected.forward(X), rtol=1e-9, atol=1e-9)
        points, leader = found.start(X, weights)
        again, leader_again = expected.start(X[rows])
        copies = first_copies(rows)[1]
        np.testing.assert_allclose(points, again[copies], rtol=1e-9, atol=1e-9)
        assert (leader is None) == (leader_again is None)
        if leader is not None:
            np.testing.assert_array_equal(leader, rows[leader_again[copies]])

    @settings(max_examples=100)
    @given(st.data(), st.integers(10, 300), st.sampled_from(["t", "few", "cluster"]))
    def test_bounds_of_far_values(self, data, n, kind):
        rng = np.random.default_rng(data.draw(seeds))
        x = rng.standard_t(1.5, size=(n, 2))
        if kind == "few":
            x = np.where(rng.uniform(size=x.shape) < 0.95, 0.0, x)
            x[0] = 1.0
        elif kind == "cluster":
            x[: n // 30] = 50 + rng.normal(size=(n // 30, 2))
        weights = data.draw(whole_weights(n, least=1))
        expected, s_expected = bounds_of(x[repeated(weights)])
        found, s = bounds_of(x, weights)
        for a, b in zip((*found, s), (*expected, s_expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)

    def test_mean_variance(self):
        rng = np.random.default_rng(0)
        X, weights = rng.normal(size=(30, 3)), rng.integers(1, 5, size=30).astype(float)
        expected = mean_variance(X[repeated(weights)])
        assert mean_variance(X, weights) == pytest.approx(expected, rel=1e-12)

    @settings(max_examples=30)
    @given(st.data(), tables(), st.booleans())
    def test_the_order_of_the_rows_and_the_number_of_threads_do_not_matter(self, data, X, tree):
        rng = np.random.default_rng(data.draw(seeds))
        weights = rng.exponential(size=len(X)).round(1)
        weights[0] = 1.7
        order = rng.permutation(len(X))
        params = {"max_iter": 30, "warmup": 5, "tree": tree}
        expected = fitted(X, weights, **params)
        found = fitted(X[order], weights[order], n_jobs=2, **params)
        np.testing.assert_array_equal(found.modes_, expected.modes_[order])
        np.testing.assert_array_equal(found.feature_weights_, expected.feature_weights_)
        assert oracle.same_partition(found.labels_, expected.labels_[order])

    def test_multiplying_shares_by_a_constant_changes_nothing(self):
        X, _ = datasets.data1(random_state=0)
        shares = np.random.default_rng(0).exponential(size=len(X))
        shares /= shares.max()
        expected = fitted(X, shares)
        found = fitted(X, shares / 8)
        np.testing.assert_array_equal(found.modes_, expected.modes_)
        counts = fitted(X, shares * 8)
        assert not np.array_equal(counts.modes_, expected.modes_)

    def test_tiny_weights_do_no_harm(self):
        X, _ = datasets.data1(random_state=0)
        weights = np.full(len(X), 1.0)
        weights[:5] = 1e-300
        weights[5] = 5e-324
        model = fitted(X, weights)
        assert np.isfinite(model.modes_).all()
        expected = fitted(X, np.where(weights < 1, 0, 1.0))
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_allclose(model.feature_weights_, expected.feature_weights_, atol=1e-9)


class TestDrawnByMass:
    @settings(max_examples=50)
    @given(st.data(), st.integers(1, 50), st.integers(1, 60))
    def test_whole_masses_draw_repeated_rows(self, data, n, most):
        weights = data.draw(whole_weights(n))
        rows = repeated(weights)
        if len(rows) > most:
            rows = rows[np.sort(np.random.default_rng(3).permutation(len(rows))[:most])]
        found = drawn_by_mass(weights, most, np.random.default_rng(3))
        np.testing.assert_array_equal(found, rows)

    def test_huge_masses(self):
        rng = np.random.default_rng(0)
        drawn = drawn_by_mass(np.array([1e15, 3e15, 1.0]), 2000, rng)
        assert len(drawn) == 2000
        assert np.bincount(drawn, minlength=3) == pytest.approx([500, 1500, 0], abs=100)
