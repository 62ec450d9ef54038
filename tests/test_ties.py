"""Rows that meet in the same iteration: merged by distance, the same for scipy and R."""

import warnings

import numpy as np
import oracle
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st
from problems import blobs, forms, log_uniform, seeds, tables
from scipy.cluster.hierarchy import cut_tree as scipy_cut_tree
from scipy.cluster.hierarchy import fcluster, is_valid_linkage, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.exceptions import ConvergenceWarning

from pywbms import WBMS
from pywbms._engine.meetings import spanning_links, spanning_tree
from pywbms._engine.merge_tree import PartitionHistory, grow_tree, levels, told_apart
from pywbms._engine.tree_levels import cut_tree


def fitted(X, h, lam, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return WBMS(h, lam, tree=True, **params).fit(X)


def first_merges(tree, k):
    """Return the partition after the first n − k merges, as R's cutree has it."""
    n = len(tree) + 1
    cluster = {row: {row} for row in range(n)}
    for i, (a, b) in enumerate(tree[: n - k, :2].astype(int)):
        cluster[n + i] = cluster.pop(a) | cluster.pop(b)
    labels = np.empty(n, dtype=int)
    for number, rows in enumerate(cluster.values()):
        labels[list(rows)] = number
    return oracle.canonical(labels)


def single_linkage(places, block):
    """Return single linkage of some points, in which blocks come together last of all."""
    distance = squareform(pdist(places)) if len(places) > 1 else np.zeros((1, 1))
    far = 1e6 * (1 + distance.max())
    distance = np.where(block[:, None] == block, distance, far)
    np.fill_diagonal(distance, 0.0)
    return linkage(squareform(distance, checks=False), "single")


class TestCuts:
    @settings(max_examples=60)
    @given(tables(), forms(), log_uniform(1e-3, 30), log_uniform(1e-3, 30), st.booleans())
    def test_scipy_and_r_agree_wherever_there_are_k_clusters(self, X, form, h, lam, merge):
        tree = fitted(X, h, lam, merge=merge, **form).tree_
        n = len(tree) + 1
        assume(n > 1)
        assert is_valid_linkage(tree)
        height = tree[:, 2]
        assert (np.diff(height) >= 0).all()
        for k in range(1, n + 1):
            between = k in (1, n) or height[n - k - 1] < height[n - k]
            mine = oracle.canonical(cut_tree(tree, k))
            np.testing.assert_array_equal(mine, first_merges(tree, k))
            if between and not (k == n and height[0] == 0):
                for other in (fcluster(tree, k, "maxclust"), scipy_cut_tree(tree, k).ravel()):
                    np.testing.assert_array_equal(mine, oracle.canonical(other))

    @settings(max_examples=60)
    @given(blobs(), log_uniform(0.02, 3), log_uniform(0.05, 3), st.booleans())
    def test_a_cut_inside_a_tie_is_single_linkage_of_where_the_rows_were(self, X, h, lam, merge):
        model = fitted(X, h, lam, record_path=True, merge=merge)
        tree, n = model.tree_, len(X)
        numbers, begins, _ = levels(tree[:, 2])
        compared = 0
        for before, after, begin in zip(numbers, numbers[1:], begins[1:], strict=False):
            iteration = round(np.expm1(begin))
            if iteration > model.n_iter_ or before - after < 2:
                continue
            groups, met = cut_tree(tree, before), cut_tree(tree, after)
            there = model.path_[iteration - 1]
            places = np.stack([there[groups == group].mean(axis=0) for group in range(before)])
            block = np.array([met[groups == group][0] for group in range(before)])
            expected = single_linkage(places, block)
            apart = expected[: before - after, 2]
            if (np.diff(apart) < 1e-7 * apart[1:]).any():
                continue  # which is nearer is left to rounding
            compared += 1
            for k in range(after, before + 1):
                found = fcluster(expected, k, "maxclust")[groups]
                np.testing.assert_array_equal(
                    oracle.canonical(found), oracle.canonical(fcluster(tree, k, "maxclust"))
                )
        event(f"ties compared: {min(compared, 2)}")
        assert tree[-1, 3] == n

    def test_a_cut_separates_what_was_farther_apart(self):
        """The example of cutree() that used to return groups of 44, 128, 64 and 64 rows."""
        X = np.random.default_rng(0).normal(size=(300, 2))
        model = fitted(X, 0.5, 0.1, record_path=True)
        assert model.n_clusters_ == 1
        last = round(np.expm1(model.tree_[-1, 2]))
        there = model.path_[last - 1]
        assert 1 not in np.diff(levels(model.tree_[:, 2])[0])  # all of them are inside a tie
        distance = squareform(pdist(there))
        for k in (2, 3, 4, 10):
            labels = fcluster(model.tree_, k, "maxclust")
            assert labels.max() == k
            between = distance[labels[:, None] != labels].min()
            for cluster in range(1, k + 1):
                inside = np.flatnonzero(labels == cluster)
                if len(inside) > 1:
                    _, _, edges = spanning_tree(there[inside])
                    assert edges.max() <= between

    @settings(max_examples=40)
    @given(tables(), forms(), log_uniform(1e-2, 3), log_uniform(1e-2, 30), seeds)
    def test_the_order_of_the_rows_does_not_matter(self, X, form, h, lam, seed):
        order = np.random.default_rng(seed).permutation(len(X))
        tree, other = fitted(X, h, lam, **form).tree_, fitted(X[order], h, lam, **form).tree_
        np.testing.assert_array_equal(tree[:, 2], other[:, 2])
        for k in levels_at_any_height(tree):
            np.testing.assert_array_equal(
                oracle.canonical(cut_tree(tree, k)[order]), oracle.canonical(cut_tree(other, k))
            )

    @settings(max_examples=30)
    @given(tables(), log_uniform(1e-2, 3), log_uniform(1e-2, 30))
    def test_cuts_nest(self, X, h, lam):
        tree = fitted(X, h, lam).tree_
        finer = np.arange(len(X))
        for k in range(len(X), 0, -1):
            coarser = cut_tree(tree, k)
            assert coarser.max() + 1 == k
            for group in np.unique(finer):
                assert len(set(coarser[finer == group])) == 1
            finer = coarser


def levels_at_any_height(tree):
    n = len(tree) + 1
    return [1, *(n - np.flatnonzero(np.diff(tree[:, 2])) - 1)] if n > 1 else [1]


class TestParts:
    def test_equal_rows_stay_at_height_0_and_near_ones_just_above(self):
        X = np.array([[0.0], [0.0], [1e-7], [1.0], [1.0]])
        model = fitted(X, 0.01, 1.0, standardize=False)
        assert model.tree_[:2, 2].tolist() == [0.0, 0.0]
        assert 0 < model.tree_[2, 2] < 1e-12
        assert levels(model.tree_[:, 2])[0].tolist() == [2, 1]

    def test_heights_keep_their_order_whatever_is_told_apart(self):
        height = np.array([0.0, 0.0, 2.0, 2.0, 2.0, 2.0 + 1e-15, 3.0])
        distance = np.array([0.0, 1.0, 0.5, 0.6, 0.6, 0.0, 1.0])
        told = told_apart(height, distance)
        assert (np.diff(told) >= 0).all()
        np.testing.assert_allclose(told, height, rtol=0, atol=1e-13)
        assert told[0] == 0 < told[1]
        assert told[2] < told[3] == told[4] == 2.0

    @settings(max_examples=50)
    @given(st.integers(2, 40), st.integers(1, 5), seeds)
    def test_the_spanning_tree_is_minimal(self, n, p, seed):
        places = np.random.default_rng(seed).normal(size=(n, p))
        a, b, distance = spanning_tree(places)
        np.testing.assert_allclose(distance, np.linalg.norm(places[a] - places[b], axis=1))
        np.testing.assert_allclose(np.sort(distance), linkage(places, "single")[:, 2])

    def test_groups_that_part_again_keep_the_order_of_their_distances(self):
        """Four rows meet, one leaves and comes back: those that stay are ordered all the same."""
        history = PartitionHistory()
        history.begin(np.arange(4))
        places = np.array([[0.0], [3.0], [4.0], [9.0]])
        rows = np.arange(4)
        history.add(np.zeros(4, dtype=int), lambda _: spanning_links(places, rows, rows * 0))
        history.add(np.array([0, 0, 0, 1]), lambda _: np.empty((0, 3)))
        history.add(np.zeros(4, dtype=int), lambda _: np.array([[0, 3, 2.0]]))
        tree = grow_tree(history, np.zeros(4, dtype=int), np.arange(4)).linkage
        assert tree[:, :2].tolist() == [[1, 2], [0, 4], [3, 5]]
        np.testing.assert_allclose(np.expm1(tree[:, 2]), [1, 1, 3])
        assert tree[0, 2] < tree[1, 2]

    def test_no_square_matrix(self, monkeypatch):
        """All of 3,000 rows meet at once, and no more than a row of distances is computed."""
        from pywbms._engine import meetings

        largest = []
        cdist = meetings.cdist
        monkeypatch.setattr(
            meetings, "cdist", lambda a, b: largest.append(len(a) * len(b)) or cdist(a, b)
        )
        X = np.random.default_rng(0).normal(size=(3000, 2))
        model = fitted(X, 2.0, 1.0, init="uniform")
        assert model.n_clusters_ == 1
        assert 1000 < max(largest) < 3000


def test_what_is_met_at_once_after_the_fit_is_ordered_too():
    """Four groups at the corners of a rectangle, which come together two and two, then all."""
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.5], [1.0, 1.5]])
    X = np.repeat(corners, 4, axis=0) + np.tile(
        [[0.01, 0], [-0.01, 0], [0, 0.01], [0, -0.01]], (4, 1)
    )
    model = fitted(X, 0.1, 100.0, standardize=False, exclude_self=False)
    assert model.n_clusters_ == 4
    assert levels(model.tree_[:, 2])[0][-3:].tolist() == [4, 2, 1]  # the pairs are tied
    two = fcluster(model.tree_, 2, "maxclust")
    assert two[0] == two[4] != two[8] == two[12]


@pytest.mark.parametrize("h", [0.2, 0.5, 2.0])
def test_trees_in_many_dimensions(h):
    X = np.random.default_rng(1).normal(size=(120, 30))
    tree = fitted(X, h, 0.1, init="uniform").tree_
    for k in range(1, 121):
        np.testing.assert_array_equal(
            oracle.canonical(fcluster(tree, k, "maxclust")), first_merges(tree, k)
        )
