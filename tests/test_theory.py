"""The theorems as checks: each holds where it must, and fails where it must."""

import copy

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import log_uniform, seeds, tables
from scipy.optimize import minimize

from pywbms import WBMS, datasets, theory, wbms
from pywbms.theory import checks
from pywbms.theory.gaussian import printed_recursion
from pywbms.theory.paths import hull_volume

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def plane():
    """A fit in two features, with its path."""
    X, _ = datasets.simulation3(0)
    return WBMS(0.1, 0.1, record_path=True).fit(X[["x1", "x2"]])


class TestWeights:
    @settings(max_examples=40)
    @given(seeds, st.integers(2, 8), log_uniform(0.05, 20))
    def test_the_closed_form_is_the_minimiser_on_the_simplex(self, seed, p, lam):
        D = np.random.default_rng(seed).exponential(size=p)
        w = theory.entropy_weights(D, lam)
        found = minimize(
            lambda v: (v * D).sum() + lam * (v * np.log(v)).sum(),
            np.full(p, 1 / p),
            jac=lambda v: D + lam * (1 + np.log(v)),
            bounds=[(1e-12, 1)] * p,
            constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
            method="SLSQP",
            options={"ftol": 1e-14, "maxiter": 500},
        )
        assert theory.entropy_objective(w, D, lam) <= found.fun + 1e-9
        np.testing.assert_allclose(found.x, w, atol=1e-4)

    @given(seeds, st.integers(1, 200), log_uniform(1e-9, 1e9), log_uniform(1e-9, 1e9))
    def test_the_closed_form_passes_over_many_orders_of_magnitude(self, seed, p, size, lam):
        D = np.random.default_rng(seed).exponential(size=p) * size
        found = theory.check_weights(theory.entropy_weights(D, lam), D, lam)
        assert found["kkt"] < 1e-12
        assert found["gap"] < 1e-12

    @given(seeds, st.integers(2, 20), log_uniform(0.1, 10))
    def test_other_weights_do_not_pass(self, seed, p, lam):
        rng = np.random.default_rng(seed)
        D = rng.exponential(size=p)
        w = 0.9 * theory.entropy_weights(D, lam) + 0.1 * rng.dirichlet(np.ones(p))
        found = theory.check_weights(w, D, lam)
        assert found["kkt"] > 1e-8
        assert found["gap"] > 1e-14

    def test_a_series_stays_a_series(self):
        w = theory.entropy_weights(pd.Series({"a": 0.0, "b": 1.0}), 1.0)
        assert w.index.tolist() == ["a", "b"]

    def test_no_weight_is_no_trouble_for_the_objective(self):
        assert theory.entropy_objective([1.0, 0.0], [2.0, 5.0], 1.0) == 2.0


class TestShrinkingHull:
    def test_holds_along_a_fit(self, plane):
        steps = theory.check_shrinking_hull(plane.path_)
        assert list(steps) == ["iteration", "outside", "diameter", "volume", "holds"]
        assert steps.iteration.tolist() == list(range(1, plane.n_iter_ + 1))
        assert steps.holds.all()
        assert (steps.volume.diff().dropna() <= 1e-12).all()

    def test_reports_a_path_that_was_tampered_with(self, plane):
        path = plane.path_.copy()
        path[3, 7] = path[2].max(axis=0) + 0.01
        steps = theory.check_shrinking_hull(path)
        assert steps.loc[~steps.holds, "iteration"].tolist() == [3]
        assert steps.outside[2] > 0.01
        table = theory.check_all(path)
        assert not table.loc[table.theorem == "2", "holds"].any()

    @settings(max_examples=40)
    @given(tables(), log_uniform(0.01, 3), log_uniform(0.01, 10), st.booleans())
    def test_holds_on_any_data(self, X, h, lam, exclude_self):
        model = WBMS(
            h, lam, exclude_self=exclude_self, max_iter=12, warmup=3, record_path=True
        ).fit(X)
        if model.n_iter_:
            assert theory.check_shrinking_hull(model.path_).holds.all()

    @pytest.mark.parametrize(
        ("points", "volume"),
        [
            ([[0.0], [3.0], [1.0]], 3.0),
            ([[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [0.5, 0.5]], 2.0),
            ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], 0.0),
            ([[1.0, 1.0, 1.0]] * 3, 0.0),
            ([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], 1 / 6),
        ],
    )
    def test_volumes(self, points, volume):
        assert hull_volume(np.array(points, dtype=float)) == pytest.approx(volume)


class TestFiniteConvergence:
    def test_gives_the_first_iteration_after_the_last_large_change(self):
        diameters = [8.0, 4.0, 4.0, 1.0, 0.9, 0.85]
        path = np.array([[[0.0], [d]] for d in diameters])
        found = theory.check_finite_convergence(path, 0.5)
        assert found.T == 3
        np.testing.assert_allclose(found.changes, np.abs(np.diff(diameters)))
        assert theory.check_finite_convergence(path, 100.0).T == 0
        assert theory.check_finite_convergence(path, 0.01).T is None

    def test_two_outliers_fix_the_diameter_while_the_cloud_moves(self):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(50, 2)), [[-40.0, 0.0]], [[40.0, 0.0]]])
        model = WBMS.paper(0.02, 10.0, stop="fixed", max_iter=10, record_path=True).fit(X)
        assert theory.check_finite_convergence(model.path_, 1e-8).T == 0
        assert model.history_.movement.iloc[3] > 1e-2


class TestCheckAll:
    @pytest.mark.parametrize("scale", ["mean", "sum"])
    def test_everything_holds_on_a_fit(self, scale):
        X, _ = datasets.data1(0)
        lam = 0.05 if scale == "mean" else 10.0
        table = theory.check_all(wbms(X, h=0.1, lam=lam, lam_scale=scale))
        assert list(table) == ["theorem", "checked", "deviation", "tolerance", "holds"]
        assert table.theorem.tolist() == ["1", "1", "2", "2, corollary", "3", "5", "5"]
        assert table.holds.all()

    def test_an_estimator_and_a_result_give_the_same(self):
        X, _ = datasets.simulation3(1)
        model = WBMS(0.1, 0.1).fit(X)
        result = wbms(X, h=0.1, lam=0.1)
        assert theory.check_all(model).equals(result.check_theory())
        assert not hasattr(model, "path_")

    def test_weights_that_were_tampered_with_fail(self, plane):
        forged = copy.deepcopy(plane)
        forged.feature_weights_ = np.array([0.9, 0.1])
        table = theory.check_all(forged)
        assert not table.loc[table.theorem == "1", "holds"].any()

    def test_a_path_alone_shows_what_concerns_the_hull(self, plane):
        table = theory.check_all(plane.path_)
        assert set(table.theorem) == {"2", "2, corollary", "3"}
        assert table.holds.all()

    def test_a_diameter_that_still_changes_fails_theorem_3(self):
        path = np.array([[[0.0], [8.0]], [[0.0], [6.0]], [[0.0], [3.0]]])
        table = theory.check_all(path)
        assert not table.loc[table.theorem == "3", "holds"].any()

    def test_an_order_that_is_not_cubic_fails_theorem_5(self, plane, monkeypatch):
        monkeypatch.setattr(checks, "gaussian_recursion", printed_recursion)
        table = theory.check_all(plane)
        assert not table.loc[table.theorem == "5", "holds"].any()

    @settings(max_examples=40)
    @given(tables(), log_uniform(1e-4, 30), log_uniform(1e-4, 30), st.booleans())
    def test_everything_but_the_diameter_holds_on_any_data(self, X, h, lam, standardize):
        if not standardize:
            largest = np.abs(X).max(axis=0)
            X = X / np.where(largest > 0, largest, 1) * np.geomspace(0.1, 10, X.shape[1])
        model = WBMS(h, lam, max_iter=8, warmup=2, standardize=standardize, eps=1e-9).fit(X)
        table = theory.check_all(model)
        assert table.loc[table.theorem != "3", "holds"].all()

    def test_data_that_do_not_vary_have_nothing_to_check(self):
        assert len(theory.check_all(wbms(np.ones((4, 2)), h=0.1, lam=1.0))) == 0


BAD = [
    (lambda: theory.entropy_weights([], 1.0), "D must be"),
    (lambda: theory.entropy_weights([-1.0], 1.0), "D must be"),
    (lambda: theory.entropy_weights([np.nan], 1.0), "D must be"),
    (lambda: theory.entropy_weights([1.0], 0), "lam must be"),
    (lambda: theory.entropy_objective([0.5, 0.4], [1.0, 1.0], 1.0), "w must be"),
    (lambda: theory.entropy_objective([0.5, 0.5], [1.0], 1.0), "same length"),
    (lambda: theory.check_shrinking_hull(np.zeros((3, 2))), "path must have shape"),
    (lambda: theory.check_shrinking_hull(np.zeros((1, 2, 2))), "path must have shape"),
    (lambda: theory.check_all(np.full((2, 2, 2), np.inf)), "path must contain only finite"),
    (lambda: theory.check_finite_convergence(np.zeros((2, 2, 2)), 0), "delta must be"),
    (lambda: theory.check_all(WBMS()), "not fitted"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
