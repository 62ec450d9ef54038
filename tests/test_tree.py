"""The coalescence tree: a linkage, cut where the fit ends, with the times of plain iterations."""

import copy
import pickle
import warnings

import numpy as np
import oracle
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from problems import forms, log_uniform, seeds, tables
from scipy.cluster.hierarchy import cophenet, cut_tree, fcluster, is_monotonic, is_valid_linkage
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from pywbms import WBMS, datasets, wbms
from pywbms._engine import cluster_system
from pywbms._engine.merge_tree import Linkage, PartitionHistory
from pywbms._engine.settings import Settings
from pywbms._machine import threads


def fitted(X, h, lam, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return WBMS(h, lam, tree=True, **params).fit(X)


def same_partition(a, b):
    return np.array_equal(oracle.canonical(a), oracle.canonical(b))


def heights(model):
    """Return the height at which each two rows are one, a matrix."""
    n = len(model.labels_)
    together = np.zeros((n, n))
    together[np.triu_indices(n, 1)] = cophenet(model.tree_)
    return together + together.T


def check_tree(model):
    tree, n, k = model.tree_, len(model.labels_), model.n_clusters_
    assert tree.shape == (n - 1, 4)
    assert model.tree_observed_.shape == (n - 1,)
    if n == 1:
        return
    assert is_valid_linkage(tree, throw=True)
    assert is_monotonic(tree)
    assert np.isfinite(tree).all()
    assert (tree[:, 0] < tree[:, 1]).all()
    assert tree[-1, 3] == n
    end = np.log1p(model.n_iter_)
    assert (tree[: n - k, 2] <= end).all()
    assert (tree[n - k :, 2] > end).all()
    assert same_partition(fcluster(tree, k, "maxclust"), model.labels_)
    assert same_partition(fcluster(tree, end, "distance"), model.labels_)
    assert same_partition(cut_tree(tree, n_clusters=k).ravel(), model.labels_)
    # What was predicted is at the top.
    assert model.tree_observed_[: n - k].all()
    assert (np.diff(model.tree_observed_.astype(int)) <= 0).all()


class TestAnyData:
    @pytest.mark.slow
    @settings(max_examples=200)
    @given(
        tables(), forms(), log_uniform(1e-4, 30), log_uniform(1e-3, 30), st.booleans(),
        st.sampled_from([1e-5, 1e-150, 0.3]),
    )  # fmt: skip
    def test_a_linkage_that_holds_the_fit(self, X, form, h, lam, merge, eps):
        form = {**form, "eps": eps}
        model = fitted(X, h, lam, merge=merge, **form)
        check_tree(model)
        event("all observed" if model.tree_observed_.all() else "some predicted")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            without = WBMS(h, lam, merge=merge, **form).fit(X)
        for name in ("labels_", "modes_", "feature_weights_", "cluster_centers_", "n_iter_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(without, name))
        assert without.tree_ is None

    @pytest.mark.slow
    @settings(max_examples=60)
    @given(tables(), forms(), log_uniform(1e-3, 3), log_uniform(1e-3, 30), seeds)
    def test_any_order_of_the_rows_and_any_number_of_threads(self, X, form, h, lam, seed):
        model = fitted(X, h, lam, **form)
        order = np.random.default_rng(seed).permutation(len(X))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(threads, "WORTH_THREADS", 0)
            other = fitted(X[order], h, lam, n_jobs=2, **form)
        if len(X) > 1:
            np.testing.assert_array_equal(heights(other), heights(model)[np.ix_(order, order)])
            np.testing.assert_array_equal(other.tree_[:, 2], model.tree_[:, 2])
        np.testing.assert_array_equal(other.tree_observed_, model.tree_observed_)

    @pytest.mark.parametrize("exclude_self", [True, False])
    @pytest.mark.parametrize(
        "X",
        [
            np.zeros((1, 3)),
            np.zeros((5, 3)),
            np.array([[0.0, 1.0], [3.0, 1.0]]),
            np.array([[0.0], [0.0], [1.0]]),
            np.arange(12.0).reshape(2, 6),
        ],
        ids=["one row", "constant", "two rows", "two equal", "p > n"],
    )
    def test_smallest_data(self, X, exclude_self):
        model = fitted(X, 0.1, 1.0, exclude_self=exclude_self)
        check_tree(model)
        assert model.tree_observed_.all()

    def test_equal_rows_join_at_height_0(self):
        X = np.repeat(np.random.default_rng(0).normal(size=(5, 2)), 3, axis=0)
        model = fitted(X, 0.1, 1.0)
        assert (model.tree_[:10, 2] == 0).all()
        assert (model.tree_[10:, 2] > 0).all()
        assert same_partition(fcluster(model.tree_, 0.0, "distance"), np.repeat(range(5), 3))

    def test_far_groups_meet_beyond_the_range_of_floats(self):
        X = np.repeat([[0.0], [1.0], [1.4]], 4, axis=0) + 1e-3 * np.arange(12)[:, None] % 4
        model = fitted(X, 1e-5, 1.0)
        check_tree(model)
        assert model.n_clusters_ == 3
        assert model.tree_observed_.all()
        assert model.tree_[-1, 2] > 1e4

    @pytest.mark.parametrize("h", [1e-12, 1e-300, 5e-324])
    def test_the_smallest_h(self, h):
        X = np.random.default_rng(0).normal(size=(20, 3))
        check_tree(fitted(X, h, 1.0))
        check_tree(fitted(1e140 * X, h, 1.0, standardize=False, exclude_self=False))

    def test_wide_data(self):
        X = np.random.default_rng(0).normal(size=(12, 3000))
        X[:6, :1500] += 3
        model = fitted(X, 0.3, 10.0)
        check_tree(model)
        assert model.tree_observed_.all()


class TestAgainstPlainIterations:
    """A fit that is made to go on for thousands of iterations has the times in its own record."""

    @staticmethod
    def groups(distances, seed=0, sizes=(14, 9, 5)):
        rng = np.random.default_rng(seed)
        places = np.array([[0, 0], [distances[0], 0], [0.4, distances[1]]])[: len(sizes)]
        return np.repeat(places, sizes, axis=0) + 0.1 * rng.normal(size=(sum(sizes), 2))

    @pytest.mark.slow
    @pytest.mark.parametrize("exclude_self", [True, False])
    @pytest.mark.parametrize("lam", [0.05, 1.0])
    @pytest.mark.parametrize(("distances", "h"), [((1, 1.3), 0.35), ((1, 2), 0.3), ((1, 1), 0.2)])
    def test_three_groups(self, distances, h, lam, exclude_self):
        X = self.groups(distances)
        settled = fitted(X, h, lam, exclude_self=exclude_self)
        n_iter = 4000
        plain = fitted(
            X, h, lam, exclude_self=exclude_self, stop="movement", tol=1e-150, max_iter=n_iter
        )
        self.compare(settled, plain, np.log1p(n_iter))

    def test_groups_of_all_speeds(self):
        X, _ = datasets.two_moons(random_state=0)
        settled = fitted(X, 0.02, 0.1, init="uniform")
        plain = fitted(X, 0.02, 0.1, init="uniform", stop="movement", tol=1e-150, max_iter=1000)
        assert settled.n_clusters_ == 7
        assert plain.n_clusters_ == 4
        self.compare(settled, plain, np.log1p(1000))

    def test_two_groups_for_long(self):
        """Brute force on two weighted points, beyond what a fit can do in a test."""
        sizes = np.array([14, 9])
        X = np.repeat([0.0, 1.0], sizes)[:, None] + 0.01 * np.arange(23)[:, None] % 0.05
        model = fitted(X, 0.25, 1.0)
        assert model.n_clusters_ == 2
        gap = float(np.ptp(model.cluster_centers_) / X.std(ddof=1))
        t = model.n_iter_
        while abs(gap) >= 1e-5:  # one column has all the weight
            kernel = np.exp(-(gap**2) / 0.25)
            gap *= 1 - (sizes[::-1] * kernel / (sizes - 1 + sizes[::-1] * kernel)).sum()
            t += 1
        assert 1e4 < t < 1e6
        assert abs(model.tree_[-1, 2] - np.log1p(t)) < 0.005

    @staticmethod
    def compare(settled, plain, end):
        expected, found = heights(plain), heights(settled)
        assert expected.max() > np.log1p(settled.n_iter_) + 1  # there is something to compare
        below = expected <= end
        # An iteration is a fraction of the time, too: 1 in some 50 in the shortest case.
        np.testing.assert_allclose(found[below], expected[below], rtol=0, atol=0.02)
        assert np.median(np.abs(found - expected)[below]) < 0.005
        # And what lies beyond, followed from the end of either.
        np.testing.assert_allclose(found, expected, rtol=0, atol=0.02)


class TestTheEnd:
    def test_what_is_left_when_the_budget_is_spent_is_predicted(self, monkeypatch):
        X, _ = datasets.simulation1(20, random_state=0)
        whole = fitted(X, 0.02, 0.1)
        monkeypatch.setattr("pywbms._engine.coalescence.MOST_WORK", 2e8)
        model = fitted(X, 0.02, 0.1)
        check_tree(model)
        observed = model.tree_observed_
        assert 0 < observed[-19:].sum() < 19
        np.testing.assert_array_equal(model.tree_[observed], whole.tree_[: observed.sum()])

    def test_predictions_are_near_for_groups_far_from_each_other(self, monkeypatch):
        X = np.repeat([[0.0], [1.0], [2.6]], [9, 6, 7], axis=0)
        X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)
        followed = fitted(X, 0.02, 1.0).tree_[-2:, 2]
        monkeypatch.setattr("pywbms._engine.coalescence.MOST_WORK", 0)
        model = fitted(X, 0.02, 1.0)
        assert not model.tree_observed_[-2:].any()
        # The first has nobody in its way; it changes the distance of the second.
        assert abs(model.tree_[-2, 2] - followed[0]) < 0.05
        assert model.tree_[-1, 2] < followed[1]

    @pytest.mark.parametrize("phase", ["warmup", "main"])
    def test_a_callback_that_ends_the_fit_ends_the_following_too(self, phase):
        X, _ = datasets.data1(0)
        end = phase, 4
        model = fitted(X, 0.02, 0.05, callback=lambda at: (at.phase, at.iteration) == end)
        check_tree(model)
        assert model.n_iter_ == 4
        assert not model.tree_observed_[-(model.n_clusters_ - 1) :].any()

    def test_a_pair_that_swaps_to_the_end_of_a_fixed_fit_meets_after_it(self):
        model = WBMS.released(0.1, 10, max_iter=30, tree=True).fit([[0.0, 0.0], [1.0, 2.0]])
        assert model.n_clusters_ == 2
        np.testing.assert_allclose(model.tree_, [[0, 1, np.log1p(35), 2]], rtol=1e-12)

    @pytest.mark.slow
    def test_memory_does_not_grow_with_the_square_of_the_groups(self, monkeypatch):
        X = np.random.default_rng(0).normal(size=(30, 4))
        whole = fitted(X, 0.01, 1.0, exclude_self=False)
        monkeypatch.setattr(cluster_system, "BLOCK", 200)
        blocks = fitted(X, 0.01, 1.0, exclude_self=False)
        assert whole.n_clusters_ > 20
        np.testing.assert_allclose(blocks.tree_[:, 2], whole.tree_[:, 2], rtol=1e-6)


class TestParts:
    def test_meetings_count_from_when_rows_do_not_part_again(self):
        meetings = PartitionHistory()
        meetings.begin(np.array([0, 1, 2, 3]))
        for partition in ([0, 0, 1, 2], [0, 1, 1, 2], [0, 1, 1, 2], [0, 0, 0, 1], [0, 0, 0, 1]):
            meetings.add(np.array(partition))
        found = meetings.for_good(np.array([0, 0, 0, 1]))
        assert [(t, labels.tolist()) for t, labels, _, _ in found] == [
            (0, [0, 1, 2, 3]),
            (2, [0, 1, 1, 2]),
            (4, [0, 0, 0, 1]),
        ]

    def test_many_that_meet_at_once_make_no_deep_tree(self):
        linkage = Linkage(1000)
        linkage.join(range(1000), 1.0)
        tree = linkage.tree(np.arange(1000)).linkage
        depth = np.zeros(1999, dtype=int)
        for i, (a, b) in enumerate(tree[:, :2].astype(int)):
            depth[1000 + i] = 1 + max(depth[a], depth[b])
        assert depth[-1] <= 11
        assert is_valid_linkage(tree)

    @settings(max_examples=50)
    @given(st.integers(1, 12), st.integers(1, 4), seeds, st.booleans())
    def test_the_drift_is_that_of_the_oracle(self, g, p, seed, exclude_self):
        rng = np.random.default_rng(seed)
        labels = np.concatenate([np.arange(g), rng.integers(g, size=g)])
        rows = rng.normal(size=(2 * g, p))
        modes = rng.normal(size=(g, p))[labels]
        groups = cluster_system.ClusterSystem(
            rows, modes, labels, Settings(0.7, 0.3, exclude_self=exclude_self)
        )
        D = oracle.displacement(rows, modes)
        np.testing.assert_allclose(
            groups.weights(groups.points), oracle.entropy_weights(D, 0.3), atol=1e-12
        )
        if g == 1:
            return
        w = oracle.entropy_weights(D, 0.3)
        drift = groups.drift(groups.points)
        expected = oracle.shift(modes, w, 0.7, exclude_self)[:g]
        np.testing.assert_allclose(groups.points + drift.step, expected, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def result():
    df, _ = datasets.simulation1(5, random_state=0)
    return wbms(df, h=0.05, lam=0.1, tree=True)


class TestInterface:
    def test_result_and_accessor(self, result):
        np.testing.assert_array_equal(result.tree, result.estimator.tree_)
        np.testing.assert_array_equal(result.tree_observed, result.estimator.tree_observed_)
        result.tree[:] = 0  # a copy
        assert result.estimator.tree_.any()
        again = result.data.wbms.cluster(h=0.05, lam=0.1, tree=True)
        np.testing.assert_array_equal(again.tree, result.tree)
        without = result.data.wbms.cluster(h=0.05, lam=0.1)
        assert without.tree is None
        assert without.tree_observed is None

    def test_rows_left_out_are_not_in_the_tree(self):
        df, _ = datasets.data1(0)
        df.iloc[3, 0] = np.nan
        result = wbms(df, h=0.1, lam=0.05, na_action="omit", tree=True)
        assert result.tree.shape == (198, 4)
        assert same_partition(
            fcluster(result.tree, 2, "maxclust"), result.labels[result.labels >= 0]
        )

    def test_pickle_clone_and_copy(self, result):
        model = result.estimator
        assert clone(model).get_params()["tree"] is True
        for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            np.testing.assert_array_equal(other.tree_, model.tree_)

    def test_a_second_fit_without_a_tree_forgets_the_first(self, result):
        model = clone(result.estimator).fit(result.data)
        model.set_params(tree=False).fit(result.data)
        assert model.tree_ is None
        assert model.tree_observed_ is None

    @pytest.mark.parametrize("tree", [1, None, "yes", 0.0])
    def test_tree_must_be_true_or_false(self, tree):
        with pytest.raises(ValueError, match="tree must be True or False"):
            WBMS(0.1, 0.1, tree=tree).fit([[0.0], [1.0]])

    @pytest.mark.slow
    def test_h_chosen_from_the_data(self):
        df, _ = datasets.data1(0)
        result = wbms(df, tree=True)
        assert result.n_clusters == 2
        check_tree(result.estimator)

    def test_the_example_of_the_readme(self, result):
        assert result.n_clusters == 5
        last = np.expm1(result.tree[-6:, 2])
        np.testing.assert_allclose(last[:5], [6, 6, 2.6e12, 2.6e12, 6.7e21], rtol=0.02)
        assert np.bincount(fcluster(result.tree, 3, "maxclust"))[1:].sum() == len(result.data)

    def test_with_path_keeps_the_tree(self, result):
        np.testing.assert_array_equal(result.with_path().tree, result.tree)
