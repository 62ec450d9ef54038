"""Exactly k clusters, or an error that says which numbers there are."""

import pickle
import re
import warnings

import numpy as np
import oracle
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st
from problems import forms, log_uniform, seeds, tables
from scipy.cluster.hierarchy import fcluster
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from benchmarks.selection.data import draw_blobs
from pywbms import WBMS, datasets, wbms
from pywbms._engine.merge_tree import levels
from pywbms._engine.tree_levels import NoSuchPartition
from pywbms.select import select
from pywbms.theory import check_all
from pywbms.theory.refit import refit_with_path

NEAREST = re.compile(r"the nearest have (\d+)(?: and (\d+))?$")


def quietly(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


def same_partition(a, b):
    return np.array_equal(oracle.canonical(a), oracle.canonical(b))


@pytest.fixture(scope="module")
def five():
    return datasets.simulation1(5, random_state=0)


@pytest.fixture(scope="module")
def free(five):
    """What the data decide."""
    return wbms(five[0])


class TestGivenParameters:
    @settings(max_examples=60)
    @given(
        tables(), forms(), log_uniform(1e-3, 3), log_uniform(1e-3, 30), st.integers(1, 12), seeds
    )
    def test_exactly_k_or_an_error_with_the_nearest(self, X, form, h, lam, k, seed):
        whole = quietly(WBMS(h, lam, tree=True, **form), X)
        there = set(levels(whole.tree_[:, 2])[0].tolist()) | {whole.n_clusters_}
        model = WBMS(h, lam, n_clusters=k, **form)
        try:
            quietly(model, X)
        except NoSuchPartition as error:
            below, above = (int(x) if x else None for x in NEAREST.search(str(error)).groups())
            event("none")
            assert {x for x in (below, above) if x} <= there
            return
        event(model.reached_by_)
        assert k in there
        assert model.n_clusters_ == k == len(np.unique(model.labels_))
        assert model.cluster_centers_.shape == (k, X.shape[1])
        assert np.isfinite(model.cluster_centers_).all()
        size = np.bincount(model.labels_)
        assert (np.diff(size) <= 0).all()
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        if model.reached_by_ == "fit":
            np.testing.assert_array_equal(model.labels_, whole.labels_)
        else:
            assert same_partition(fcluster(whole.tree_, k, "maxclust"), model.labels_)
        order = np.random.default_rng(seed).permutation(len(X))
        other = quietly(clone(model), X[order])
        assert same_partition(other.labels_, model.labels_[order])
        np.testing.assert_array_equal(other.feature_weights_, model.feature_weights_)

    def test_what_the_fit_has_anyway(self, five):
        plain, asked = (WBMS(0.05, 0.1, n_clusters=k).fit(five[0]) for k in (None, 5))
        for name in ("labels_", "modes_", "cluster_centers_", "feature_weights_", "n_iter_"):
            np.testing.assert_array_equal(getattr(asked, name), getattr(plain, name))
        assert asked.reached_by_ == plain.reached_by_ == "fit"

    def test_above_the_end_of_the_fit_groups_are_merged(self, five):
        plain, model = (WBMS(0.05, 0.1, n_clusters=k).fit(five[0]) for k in (None, 3))
        assert model.reached_by_ == "tree"
        np.testing.assert_array_equal(model.groups_, plain.labels_)
        np.testing.assert_array_equal(model.modes_, plain.modes_)
        for cluster in range(3):
            center = model.modes_[model.labels_ == cluster].mean(axis=0)
            np.testing.assert_allclose(model.cluster_centers_[cluster], center, atol=1e-4)
        assert model.converged_

    def test_below_it_the_fit_is_stopped(self, five):
        X = five[0].to_numpy()
        whole = WBMS(0.05, 0.1, tree=True).fit(X)
        numbers, begins, _ = levels(whole.tree_[:, 2])
        k, begin = next((k, b) for k, b in zip(numbers, begins, strict=True) if 5 < k < 50)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = WBMS(0.05, 0.1, n_clusters=int(k)).fit(X)
        last = round(np.expm1(begin))
        assert (model.reached_by_, model.n_iter_, model.converged_) == ("stop", last, False)
        by_hand = WBMS(
            0.05, 0.1, callback=lambda info: (info.phase, info.iteration) == ("main", last)
        ).fit(X)
        for name in ("labels_", "modes_", "cluster_centers_", "feature_weights_"):
            np.testing.assert_array_equal(getattr(model, name), getattr(by_hand, name))
        np.testing.assert_array_equal(model.tree_, whole.tree_)
        assert same_partition(
            fcluster(model.tree_, np.log1p(model.n_iter_), "distance"), model.labels_
        )

    def test_a_tie_is_never_cut(self):
        X = np.random.default_rng(0).normal(size=(300, 2))
        with pytest.raises(ValueError, match="exactly 4 clusters; the nearest have 1 and 2"):
            WBMS(0.5, 0.1, n_clusters=4).fit(X)

    def test_paths_theorems_and_refits(self, five):
        for k in (3, 18):
            model = WBMS(0.05, 0.1, n_clusters=k).fit(five[0])
            again = refit_with_path(model)
            for name in ("labels_", "cluster_centers_", "modes_", "reached_by_", "n_iter_"):
                np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
            assert again.get_params() == {**model.get_params(), "record_path": True}
            assert check_all(model).holds.all()

    def test_other_parameters(self, five):
        model = WBMS(0.05, 0.1, n_clusters=3, record_path=True, tree=True).fit(five[0])
        assert model.path_.shape[0] == model.n_iter_ + 1
        assert pickle.loads(pickle.dumps(model)).reached_by_ == "tree"
        other = WBMS(0.05, 10.0, lam_scale="sum", n_clusters=3).fit(five[0])
        assert same_partition(model.labels_, other.labels_)
        for preset in (WBMS.paper, WBMS.released):
            assert preset(0.05, 0.1, n_clusters=2).fit(five[0]).n_clusters_ == 2

    def test_a_callback_that_ends_the_fit(self, five):
        end = "main", 7
        model = WBMS(
            0.05, 0.1, n_clusters=3, callback=lambda at: (at.phase, at.iteration) == end
        )  # fmt: skip
        assert model.fit(five[0]).n_clusters_ == 3
        assert not model.tree_observed_.all()


class TestSearch:
    def test_the_number_that_the_data_suggest_gives_what_they_suggest(self, five, free):
        asked = wbms(five[0], n_clusters=free.n_clusters)
        assert (asked.h, asked.lam) == (free.h, free.lam)
        np.testing.assert_array_equal(asked.labels, free.labels)
        assert asked.confidence == free.confidence
        assert "were asked for" in asked.choice.explanation

    @pytest.mark.parametrize("k", [1, 2, 3, 6, 20])
    def test_exactly_k(self, k, five):
        result = wbms(five[0], n_clusters=k)
        assert result.n_clusters == k == len(result.centers) == result.labels.nunique()
        assert result.choice.n_clusters == k
        assert f"n_clusters = {k}: " in repr(result)
        assert result.selection["chosen"].sum() == 1
        np.testing.assert_array_equal(result.predict(five[0]), result.labels)
        if k != 5:
            assert "The data alone suggest k = 5." in result.choice.explanation
        if k > 1:
            assert 5 in result.alternatives["k"].tolist()

    def test_the_best_of_them(self, five):
        """A level of the tree that keeps whole clusters beats fits that cut through them."""
        truth = five[1]
        for k in (3, 4):
            labels = wbms(five[0], n_clusters=k).labels
            assert (pd.crosstab(truth, labels).astype(bool).sum(axis=1) == 1).all()

    def test_any_order_of_the_rows_and_any_number_of_jobs(self, five):
        df = five[0]
        expected = wbms(df, n_clusters=3)
        order = np.random.default_rng(0).permutation(len(df))
        found = wbms(df.iloc[order], n_clusters=3, n_jobs=2)
        assert (found.h, found.lam, found.reached_by) == (
            expected.h,
            expected.lam,
            expected.reached_by,
        )
        assert same_partition(found.labels, expected.labels.iloc[order])

    def test_joined_clusters(self):
        X, truth = make_moons(300, noise=0.05, random_state=0)
        result = wbms(X, n_clusters=2)
        assert result.reached_by == "join"
        assert adjusted_rand_score(result.labels, truth) > 0.9
        assert wbms(X, n_clusters=2, join=False).reached_by in ("fit", "tree")

    def test_no_structure_at_all(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        for k in (1, 2, 4):
            assert wbms(X, n_clusters=k).n_clusters == k

    def test_one_of_the_two_is_given(self, five):
        result = wbms(five[0], h=0.05, n_clusters=3)
        assert (result.h, result.n_clusters) == (0.05, 3)
        result = wbms(five[0], lam=0.1, n_clusters=1)
        assert (result.lam, result.n_clusters) == (0.1, 1)

    def test_more_clusters_than_there_can_be(self, five):
        with pytest.raises(
            ValueError, match="n_clusters = 90: no partition that was tried"
        ) as told:
            wbms(five[0], n_clusters=90)
        nearest = int(NEAREST.search(str(told.value))[1])
        assert wbms(five[0], n_clusters=nearest).n_clusters == nearest

    def test_few_rows(self):
        X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]])
        labels = {k: wbms(X, n_clusters=k).labels.tolist() for k in (1, 2)}
        assert labels == {1: [0] * 6, 2: [0, 0, 0, 1, 1, 1]}
        assert wbms(np.ones((4, 2)), n_clusters=1).n_clusters == 1
        for data in (np.ones((4, 2)), np.array([[1.0]])):
            with pytest.raises(ValueError, match="exactly 2 clusters; the nearest have 1"):
                wbms(data, n_clusters=2)

    def test_a_search_that_is_stopped(self, five):
        result = wbms(
            five[0], n_clusters=3, callback=lambda i: i.phase == "select" and i.iteration > 30
        )
        assert result.n_clusters == 3
        assert not result.choice.complete

    def test_select(self, five):
        choice = select(five[0], n_clusters=3)
        assert choice.n_clusters == 3
        assert choice.ways[0]["way"] in ("fit", "join", "tree")
        with pytest.raises(ValueError, match="n_clusters must be an integer of at least 1"):
            select(five[0], n_clusters=0)

    @pytest.mark.slow
    def test_more_rows_than_are_searched(self):
        X, truth = draw_blobs(5, 2200, 3, 0, "", 0)
        result = wbms(X, n_clusters=3, n_jobs=2)
        assert result.n_clusters == 3
        together = pd.crosstab(truth, result.labels.to_numpy())
        together = together.where(together > 0.02 * len(X) / 5, 0)
        assert ((together > 0).sum(axis=1) == 1).all()  # no true cluster is cut


class TestOtherPartitions:
    def test_levels_of_a_given_fit(self, five):
        result = wbms(five[0], h=0.05, lam=0.1)
        for k in (1, 2, 3, 5, 18):
            other = result.at(k)
            assert other.n_clusters == k
            assert other.labels.index.equals(five[0].index)
        with pytest.raises(ValueError, match=r"k = 4: .* there are some with 3 and 5"):
            result.at(4)
        for k in (0, 2.5, "two", None):
            with pytest.raises(ValueError, match="k must be an integer of at least 1"):
                result.at(k)

    def test_candidates_of_a_search_come_first_then_trees(self, free):
        tried = {*free.selection["k"]} - {1, 5}
        assert free.at(max(tried)).reached_by == "fit"
        assert 4 not in tried
        assert free.at(4).reached_by == "tree"
        assert same_partition(free.at(5).labels, free.labels)
        with pytest.raises(ValueError, match="k = 99: no candidate and no level of a tree"):
            free.at(99)

    def test_omitted_rows(self, five):
        df = five[0].copy()
        df.iloc[3, 0] = np.nan
        result = wbms(df, h=0.05, lam=0.1, na_action="omit").at(3)
        assert result.labels.iloc[3] == -1
        assert result.n_clusters == 3

    def test_layers_of_a_tree(self, five):
        result = wbms(five[0], h=0.05, lam=0.1)
        layers = result.layers
        assert layers["k"].tolist() == [2, 3, 5]
        assert layers["own"].tolist() == [False, False, True]
        numbers, begins, ends = levels(result.at(2).estimator.tree_[:, 2])
        for one in layers.itertuples():
            assert (one.h, one.lam, one.source) == (0.05, 0.1, "tree")
            assert one.lifetime == (ends - begins)[numbers == one.k][0] >= 1
            assert 0 <= one.stability <= 1
            assert result.at(one.k).n_clusters == one.k
        assert (layers["stability"] > 0.9).all()
        changed = result.layers
        changed["k"] = 0
        pd.testing.assert_frame_equal(result.layers, layers)

    def test_layers_of_a_search(self, free):
        layers = free.layers
        assert layers["k"].is_monotonic_increasing
        assert 5 in layers["k"].tolist()
        assert not layers.isna().any().any()
        table = free.selection
        for one in layers.itertuples():
            other = free.at(one.k)
            assert (other.n_clusters, other.h, other.lam) == (one.k, one.h, one.lam)
            line = table[(table["k"] == one.k) & (table["lam"] == one.lam)]["h"]
            assert one.lifetime >= np.log(line.max() / line.min()) > 0 or one.own

    def test_one_cluster_has_no_layers(self, five):
        for result in (wbms(five[0], h=9.0, lam=0.1), wbms(five[0].iloc[:1]), wbms(five[0][:4])):
            assert result.n_clusters == 1
            assert result.layers.empty
            assert result.layers["k"].dtype == int
            assert result.at(1).n_clusters == 1

    def test_layers_do_not_depend_on_the_order_of_the_rows(self, five):
        df = five[0]
        order = np.random.default_rng(1).permutation(len(df))
        layers = wbms(df, h=0.02, lam=0.1).layers
        pd.testing.assert_frame_equal(wbms(df.iloc[order], h=0.02, lam=0.1).layers, layers)


class TestBadInput:
    @pytest.mark.parametrize("k", [0, -1, 2.0, "3", True, [2]])
    def test_what_is_no_number_of_clusters(self, k):
        with pytest.raises(ValueError, match="n_clusters must be an integer of at least 1"):
            WBMS(0.1, 0.1, n_clusters=k).fit([[0.0], [1.0]])

    def test_the_error_survives_a_pickle(self):
        error = NoSuchPartition(4, [7, 3])
        again = pickle.loads(pickle.dumps(error))
        assert str(again) == str(error)
        assert (again.k, again.there) == (4, [3, 7])
