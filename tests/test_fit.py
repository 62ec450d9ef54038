"""The whole fit: against the oracle, along its path, and how it ends."""

import itertools
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import oracle
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from problems import FORMS, dirty_tables, forms, log_uniform, tables
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS, datasets
from pywbms._data.ordering import row_order
from pywbms._machine import threads

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture(autouse=True, scope="module")
def _threads_however_little_there_is_to_do():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_THREADS", 0)
        yield


def fitted(X, h, lam, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return WBMS(h, lam, record_path=True, **{"init": "uniform", **params}).fit(X)


def z_scores(X):
    """Plain z-scores of the columns that vary."""
    X = np.asarray(X)
    X = X[:, (X != X[0]).any(axis=0)]
    return oracle.z_scores(X).astype(float) if len(X) > 1 else np.zeros((1, 0))


def oracle_fit(Z, model):
    params = model.get_params()
    return oracle.fit(Z, model.h_, model.lam_, **{name: params[name] for name in oracle.SETTINGS})


def is_stable(Z, result, model):
    """Whether the fit does not amplify a change in the 13th digit into one in the 11th."""
    rng = np.random.default_rng(0)
    nudged = oracle_fit(Z + 1e-13 * rng.normal(size=Z.shape), model)
    return (
        np.array_equal(nudged["labels"], result["labels"])
        and nudged["n_iter"] == result["n_iter"]
        and np.abs(nudged["modes"] - result["modes"]).max() < 1e-11
    )


class TestAgainstTheOracle:
    @settings(max_examples=250)
    @given(
        tables(), forms(), log_uniform(1e-3, 30), log_uniform(1e-3, 30), st.booleans(),
        st.sampled_from([1, 2]),
    )  # fmt: skip
    def test_every_step_and_every_stable_fit(self, X, form, h, lam, merge, n_jobs):
        event(self.compare(X, h, lam, merge=merge, n_jobs=n_jobs, **form))

    @settings(max_examples=200)
    @given(
        dirty_tables(), forms(), log_uniform(1e-3, 30), log_uniform(1e-3, 30),
        st.sampled_from([True, "robust"]),
    )  # fmt: skip
    def test_dirty_data(self, X, form, h, lam, standardize):
        X = X[row_order(X)]  # of rows that are equally near, the first is taken
        event(self.compare(X, h, lam, standardize=standardize, **form))

    @pytest.mark.parametrize("form", FORMS, ids=str)
    def test_most_fits_are_stable_enough_to_be_compared_to_the_end(self, form):
        rng = np.random.default_rng(0)
        outcomes = Counter()
        for n, p in itertools.product((2, 5, 12, 30), (1, 3, 60)):
            X = rng.normal(size=(n, p)) + 4 * rng.integers(3, size=(n, 1))
            h, lam = 10.0 ** rng.uniform(-2, 1, size=2)
            outcomes[self.compare(X, h, lam, **form)] += 1
        assert set(outcomes) <= {"stable", "amplifies the last digits"}
        assert outcomes["stable"] >= 8  # of 12

    def compare(self, X, h, lam, **params):
        """Compare a fit with the oracle's as far as it can be; tell how far that was."""
        model = fitted(X, h, lam, **params)
        if model.standardize == "robust":
            Z, leader, groups = oracle.robust_scores(X)
        else:
            Z, leader = z_scores(X), np.arange(len(X))
            groups = [[i] for i in np.flatnonzero((X != X[0]).any(axis=0))]
        path = model.path_[..., [group[0] for group in groups]] if groups else model.path_[..., :0]
        weights = np.array([model.weights_path_[:, group].sum(axis=1) for group in groups]).T
        np.testing.assert_allclose(path[0], Z, rtol=0, atol=1e-9)
        if not groups:
            assert model.n_clusters_ == 1
            return "nothing varies"
        # Rows that follow others count for nothing.
        np.testing.assert_array_equal(path, path[:, leader])
        own, place = np.unique(leader, return_inverse=True)
        path = path[:, own]
        self.check_steps(model, path, weights)
        expected = oracle_fit(path[0], model)
        if not is_stable(path[0], expected, model):
            return "amplifies the last digits"
        labels = oracle.canonical(expected["labels"][place])
        np.testing.assert_array_equal(model.labels_, labels)
        np.testing.assert_allclose(path[-1], expected["modes"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(weights[-1], expected["weights"], rtol=0, atol=1e-9)
        assert model.n_iter_ == expected["n_iter"]
        assert model.converged_ == expected["converged"]
        return "stable" if len(own) == len(X) else "stable, with outliers"

    @staticmethod
    def check_steps(model, path, weights):
        """Each recorded step is the oracle's step from where the cloud was."""
        for t in range(model.n_iter_):
            expected = oracle.shift(path[t], weights[t], model.h_, model.exclude_self)
            found = path[t + 1].copy()
            for i, j in oracle.swapping_pairs(path[t], expected, weights[t], model.eps):
                if np.array_equal(found[i], found[j]):  # a pair put at its midpoint
                    middle = (expected[i] + expected[j]) / 2
                    np.testing.assert_allclose(found[i], middle, rtol=0, atol=1e-9)
                    expected[[i, j]] = found[[i, j]]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
            D = oracle.displacement(path[0], path[t + 1], model.lam_scale)
            np.testing.assert_allclose(
                weights[t + 1], oracle.entropy_weights(D, model.lam_), rtol=0, atol=1e-9
            )

    @pytest.mark.slow
    @pytest.mark.parametrize("merge", [True, False])
    @pytest.mark.parametrize("form", [{}, {"exclude_self": False}, {"stop": "fixed"}])
    def test_a_fit_larger_than_a_tile(self, form, merge):
        X, _ = datasets.simulation1(15, random_state=1)
        model = fitted(X, 0.03, 0.05, merge=merge, max_iter=20, **form)
        expected = oracle_fit(model.path_[0], model)
        np.testing.assert_array_equal(model.labels_, expected["labels"])
        np.testing.assert_allclose(model.path_[-1], expected["modes"], rtol=0, atol=1e-9)

    def test_unscaled_data_far_from_zero(self):
        rng = np.random.default_rng(0)
        X = 1e6 + rng.normal(size=(60, 12)) + 5 * rng.integers(2, size=(60, 1))
        model = fitted(X, 2.0, 1.0, standardize=False)
        expected = oracle_fit(X - 1e6, model)
        np.testing.assert_array_equal(model.labels_, expected["labels"])
        np.testing.assert_allclose(model.modes_ - 1e6, expected["modes"], rtol=0, atol=1e-8)


class TestReleasedCode:
    @pytest.mark.parametrize("merge", [False, True])
    @pytest.mark.parametrize(("name", "h", "lam"), [("data1", 0.1, 10), ("sim1_k5", 0.1, 10)])
    def test_simulated_data(self, name, h, lam, merge):
        with np.load(FIXTURES / "released" / f"{name}.npz") as released:
            self.compare(WBMS.released(h, lam, merge=merge), **released)

    @pytest.mark.parametrize("merge", [False, True])
    @pytest.mark.parametrize(
        ("name", "h", "lam"),
        [("zoo", 0.15, 20), ("appendicitis", 0.2, 10), ("movement_libras", 0.07, 300)],
    )
    def test_real_data(self, reference_folder, name, h, lam, merge):
        released = {
            what: np.loadtxt(reference_folder / f"{name}.{what}.csv", delimiter=",")
            for what in ("X", "modes", "weights", "labels")
        }
        self.compare(WBMS.released(h, lam, merge=merge), **released)

    @staticmethod
    def compare(model, X, modes, weights, labels, truth=None):
        model.fit(X)
        np.testing.assert_allclose(model.modes_, modes, rtol=0, atol=1e-9)
        np.testing.assert_allclose(model.feature_weights_, weights, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(model.labels_, oracle.canonical(labels.astype(int)))
        if truth is not None:
            score = adjusted_rand_score(truth, labels)
            assert adjusted_rand_score(truth, model.labels_) == pytest.approx(score)

    def test_a_pair_swaps_to_the_end(self):
        X = np.array([[0.0, 0.0], [1.0, 2.0]])
        odd = WBMS.released(0.1, 10, max_iter=29).fit(X)
        np.testing.assert_allclose(odd.modes_, X[::-1], atol=1e-12)
        assert odd.n_clusters_ == 2
        even = WBMS.released(0.1, 10, max_iter=30).fit(X)
        np.testing.assert_allclose(even.modes_, X, atol=1e-12)

    def test_what_underflows_there_is_a_number_here(self):
        X = np.vstack([np.random.default_rng(0).normal(size=(30, 2)), [[80.0, 90.0]]])
        model = WBMS.released(1e-3, 10).fit(X)
        assert np.isfinite(model.modes_).all()

    @pytest.mark.parametrize("seed", range(20))
    def test_the_motivating_example(self, seed):
        X, truth = datasets.data1(seed)
        model = WBMS.released(0.1, 10).fit(X)
        assert model.n_clusters_ == 2
        assert adjusted_rand_score(truth, model.labels_) == 1.0
        assert model.feature_weights_[:2].sum() > 0.99


class TestSettled:
    @pytest.mark.parametrize("seed", [0, 2, 3])
    @pytest.mark.parametrize(("k", "h"), [(20, 0.02), (50, 0.01)])
    def test_many_clusters_settle_early(self, k, h, seed):
        X, truth = datasets.simulation1(k, random_state=seed)
        model = WBMS(h, 0.1).fit(X)
        assert model.n_iter_ < 15
        assert model.converged_
        assert model.n_clusters_ == k
        assert adjusted_rand_score(truth, model.labels_) == 1.0

    def test_ends_while_the_cloud_still_moves(self):
        X, _ = datasets.simulation1(20, random_state=0)
        model = WBMS(0.02, 0.05).fit(X)
        assert model.history_.movement.iloc[-1] > 1e-8

    def test_patience_is_counted_in_iterations_without_change(self):
        X, _ = datasets.data1(0)
        patient = WBMS(0.1, 0.05, patience=9).fit(X)
        assert patient.n_iter_ == WBMS(0.1, 0.05, patience=5).fit(X).n_iter_ + 4

    def test_lone_rows_on_their_way_are_waited_for(self):
        """Three rows left out of their own means close in by half an iteration only."""
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(60, 2)) * 0.01, [[9.0, 9.0], [9.6, 9.0], [9.0, 9.6]]])
        model = WBMS(0.2, 1.0).fit(X)
        assert model.n_clusters_ == 2
        assert np.bincount(model.labels_).tolist() == [60, 3]

    def test_a_cloud_that_contracts_as_a_whole_has_not_settled(self):
        """Nobody meets anybody in the first seven iterations of this one, rows kept in."""
        X = np.random.default_rng(0).normal(size=(400, 12))
        model = WBMS(0.1, 10.0, exclude_self=False, warmup=0).fit(X)
        assert (model.history_.groups[:7] == 400).all()
        assert model.n_clusters_ < 100


class TestOtherRules:
    def test_movement_ends_a_fit_that_the_others_would_end_elsewhere(self):
        X, _ = datasets.data1(0)
        ends = {
            stop: WBMS(0.2, 0.05, stop=stop, init="uniform").fit(X)
            for stop in ("movement", "settled")
        }
        movement = ends["movement"].history_.movement
        assert movement.iloc[-1] < 1e-8
        assert (movement.iloc[20:-1] >= 1e-8).all()
        assert ends["movement"].n_iter_ != ends["settled"].n_iter_

    def test_diameter_ends_when_two_outliers_fix_it(self):
        """The paper's rule holds at once while everything else still moves."""
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(50, 2)), [[-40.0, 0.0]], [[40.0, 0.0]]])
        model = WBMS.paper(0.02, 10.0).fit(X)
        assert model.converged_
        assert model.n_iter_ == 1
        assert model.history_.movement.iloc[-1] > 1e-2

    def test_diameter_follows_its_change(self):
        X, _ = datasets.data1(0)
        model = WBMS(0.1, 0.05, stop="diameter", tol=1e-3, warmup=0).fit(X)
        start = oracle.diameter(z_scores(X))
        change = np.abs(np.diff(np.r_[start, model.history_.diameter]))
        assert change[-1] < 1e-3
        assert (change[:-1] >= 1e-3).all()

    def test_fixed_does_exactly_so_many_iterations(self):
        X, _ = datasets.data1(0)
        model = WBMS(0.1, 0.05, stop="fixed", max_iter=37).fit(X)
        assert model.n_iter_ == 37
        assert model.converged_

    def test_not_ended_in_time_is_said(self):
        X, _ = datasets.data1(0)
        with pytest.warns(ConvergenceWarning, match="max_iter=3"):
            model = WBMS(0.1, 0.05, max_iter=3).fit(X)
        assert not model.converged_
        assert model.n_iter_ == 3


class TestPairs:
    @pytest.mark.parametrize("stop", ["settled", "movement", "diameter"])
    @pytest.mark.parametrize("merge", [True, False])
    def test_two_rows_are_one_cluster_at_their_midpoint(self, stop, merge):
        X = np.array([[0.0, 0.0], [1.0, 2.0]])
        model = WBMS(0.1, 1.0, stop=stop, merge=merge).fit(X)
        assert model.converged_
        np.testing.assert_array_equal(model.labels_, [0, 0])
        np.testing.assert_allclose(model.modes_, [[0.5, 1.0]] * 2, atol=1e-12)

    @pytest.mark.parametrize("stop", ["settled", "movement"])
    def test_isolated_pairs_end_a_fit(self, stop):
        rng = np.random.default_rng(0)
        group = rng.normal(size=(40, 2)) * 0.1
        pairs = np.array([[20.0, 0.0], [20.3, 0.0], [0.0, 30.0], [0.0, 30.4]])
        model = WBMS(0.05, 1.0, stop=stop).fit(np.vstack([group, pairs]))
        assert model.converged_
        assert model.labels_[-4:].tolist() == [1, 1, 2, 2]

    def test_a_pair_that_swaps_while_others_come_in_is_left_alone(self):
        """b and c swap in the first step, but a and d join them and hold them apart."""
        X = np.array([[0.0], [1.0], [1.9], [2.9]])
        model = WBMS(1e-4, 1.0, warmup=0).fit(X)
        assert model.labels_.tolist() == [0, 1, 0, 1]


class TestWatching:
    def test_history_has_a_row_an_iteration(self):
        X, _ = datasets.data1(0)
        history = WBMS(0.1, 0.05, warmup=7).fit(X).history_
        assert list(history) == [
            "phase", "iteration", "diameter", "movement", "groups", "entropy", "n_points",
        ]  # fmt: skip
        assert history.phase.tolist() == ["warmup"] * 7 + ["main"] * (len(history) - 7)
        assert history.groups.iloc[-1] == 2
        assert history.entropy.between(0, np.log(32)).all()
        assert history.n_points.iloc[-1] < 200
        assert not history.isna().any().any()

    def test_history_agrees_with_the_path(self):
        X, _ = datasets.data1(0)
        model = fitted(X, 0.1, 0.05)
        main = model.history_[model.history_.phase == "main"]
        steps = np.linalg.norm(np.diff(model.path_, axis=0), axis=2).max(axis=1)
        np.testing.assert_allclose(main.movement, steps, rtol=1e-9, atol=1e-9)
        diameters = [oracle.diameter(points) for points in model.path_[1:]]
        np.testing.assert_allclose(main.diameter, diameters, rtol=1e-9)
        groups = [oracle.partition(points, 1e-5).max() + 1 for points in model.path_[1:]]
        assert main.groups.tolist() == groups

    def test_a_callback_sees_every_iteration(self):
        seen = []
        X, _ = datasets.data1(0)
        model = WBMS(0.1, 0.05, callback=seen.append).fit(X)
        assert [(s.phase, s.iteration) for s in seen] == list(
            zip(model.history_.phase, model.history_.iteration, strict=True)
        )
        assert seen[-1].groups == 2

    def test_a_callback_cannot_change_the_fit(self):
        def meddle(state):
            state.weights[:] = 0

        X, _ = datasets.data1(0)
        with pytest.raises(ValueError, match="read-only"):
            WBMS(0.1, 0.05, callback=meddle).fit(X)

    @pytest.mark.parametrize("phase", ["warmup", "main"])
    def test_a_callback_ends_a_fit_cleanly(self, phase):
        X, _ = datasets.data1(0)
        model = WBMS(
            0.1, 0.05, callback=lambda state: state.phase == phase and state.iteration == 3
        ).fit(X)
        assert not model.converged_
        assert model.n_iter_ == 3
        assert len(model.labels_) == 200

    def test_only_true_ends_a_fit(self):
        X, _ = datasets.data1(0)
        stopped = WBMS(0.1, 0.05, callback=lambda state: state.weights.max() > 0).fit(X)  # np.True_
        assert stopped.n_iter_ == 1
        assert WBMS(0.1, 0.05, callback=lambda state: "no").fit(X).converged_

    def test_an_interrupt_leaves_the_estimator_as_it_was(self):
        def interrupt(state):
            raise KeyboardInterrupt

        X, _ = datasets.data1(0)
        model = WBMS(0.1, 0.05).fit(X)
        labels = model.labels_
        with pytest.raises(KeyboardInterrupt):
            model.set_params(callback=interrupt, h=0.3).fit(X)
        assert model.labels_ is labels
        assert model.h_ == 0.1

    def test_verbose_prints_a_line_an_iteration(self, capsys):
        X, _ = datasets.data1(0)
        model = WBMS(0.1, 0.05, verbose=True).fit(X)
        assert len(capsys.readouterr().out.splitlines()) == len(model.history_)


@pytest.mark.slow
def test_merging_changes_no_label():
    """On many data sets: simulations, blobs, noise, ties."""
    rng = np.random.default_rng(0)
    sets = [datasets.simulation1(8, s)[0] for s in range(4)]
    sets += [datasets.simulation2(40, s)[0] for s in range(4)]
    sets += [datasets.varied_densities(random_state=s)[0] for s in range(2)]
    sets += [rng.normal(size=(90, p)) for p in (1, 2, 10)]
    sets += [rng.integers(3, size=(80, 4)).astype(float)]
    for X in sets:
        for h in (0.03, 0.2):
            merged, single = (fitted(X, h, 0.1, merge=merge) for merge in (True, False))
            np.testing.assert_array_equal(merged.labels_, single.labels_)
            np.testing.assert_allclose(merged.path_[-1], single.path_[-1], rtol=0, atol=1e-8)
