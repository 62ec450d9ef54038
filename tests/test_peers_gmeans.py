"""G-means and WG-means, compared with plain implementations."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_data import LINE, blobs, same_partition
from problems import seeds

from pywbms import datasets
from pywbms.peers.gmeans import CRITICAL, anderson_darling, gmeans, principal_pair
from pywbms.peers.wgmeans import feature_weights, wgmeans


def plain_statistic(values):
    """Return A²·(1 + 4/n − 25/n²) by the printed formula."""
    n = len(values)
    mean, sd = np.mean(values), np.std(values, ddof=1)
    F = [0.5 * (1 + math.erf((v - mean) / sd / math.sqrt(2))) for v in sorted(values)]
    total = sum(
        (2 * i - 1) * (math.log(F[i - 1]) + math.log(1 - F[n - i])) for i in range(1, n + 1)
    )
    return (-total / n - n) * (1 + 4 / n - 25 / n**2)


class TestAndersonDarling:
    @settings(max_examples=40)
    @given(seed=seeds, n=st.integers(8, 80), power=st.sampled_from([0.5, 1, 2]))
    def test_it_is_the_printed_formula(self, seed, n, power):
        values = np.abs(np.random.default_rng(seed).normal(size=n)) ** power
        assert anderson_darling(values) == pytest.approx(plain_statistic(values), abs=1e-6)

    def test_it_is_scipys(self):
        from scipy.stats import anderson

        values = np.random.default_rng(0).exponential(size=50)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer versions of SciPy require a choice of p-values
            a2 = anderson(values).statistic
        assert anderson_darling(values) == pytest.approx(a2 * (1 + 4 / 50 - 25 / 50**2))

    def test_far_outliers_give_a_finite_statistic(self):
        assert 1e3 < anderson_darling(np.r_[np.zeros(5000), 1e8]) < np.inf

    def test_equal_values_give_zero(self):
        assert anderson_darling(np.full(10, 0.1)) == 0

    def test_its_level(self):
        rng = np.random.default_rng(0)
        n = 60
        found = np.array([anderson_darling(rng.normal(size=n)) for _ in range(6000)])
        # the upper 5 % point of Stephens is 0.752, with his own correction
        stephens = found / (1 + 4 / n - 25 / n**2) * (1 + 0.75 / n + 2.25 / n**2)
        assert 0.041 < np.mean(stephens > 0.752) < 0.059
        assert np.sum(found > CRITICAL) <= 6


def lloyd(X, centers, importance=1.0):
    """Run plain k-means from given centres."""
    labels = None
    while True:
        distance = (importance * (X[:, None] - centers) ** 2).sum(axis=2)
        new = distance.argmin(axis=1)
        if labels is not None and (new == labels).all():
            return labels, centers
        labels = new
        centers = np.array([X[labels == c].mean(axis=0) for c in range(len(centers))])


def plain_split(X, importance):
    """Return two centres if the rows are not normal along their line, otherwise one."""
    c = X.mean(axis=0)
    if len(X) >= 8:
        values, vectors = np.linalg.eig(np.cov(X.T))
        m = vectors[:, values.argmax()].real * math.sqrt(2 * values.max().real / math.pi)
        _, (c1, c2) = lloyd(X, np.array([c + m, c - m]), importance)
        v = c1 - c2
        if plain_statistic(X @ (importance * v) / (importance * v * v).sum()) > 1.8692:
            return [c1, c2]
    return [c]


def plain_gmeans(X):
    centers = X.mean(axis=0)[None]
    while True:
        labels, centers = lloyd(X, centers)
        parts = [plain_split(X[labels == c], np.ones(X.shape[1])) for c in range(len(centers))]
        if sum(map(len, parts)) == len(centers):
            return labels
        centers = np.concatenate(parts)


def plain_wgmeans(X):
    p = X.shape[1]
    centers, labels, w = X.mean(axis=0)[None], np.zeros(len(X), int), np.full(p, 1 / p)
    while np.bincount(labels).min() >= 8:
        parts = [plain_split(X[labels == c], w**2) for c in range(len(centers))]
        if sum(map(len, parts)) == len(centers):
            break
        centers = np.concatenate(parts)
        for _ in range(30):
            labels = (w**2 * (X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
            centers = np.array([X[labels == c].mean(axis=0) for c in range(len(centers))])
            D = ((X - centers[labels]) ** 2).sum(axis=0)
            w = 1 / D / (1 / D).sum()
    return labels, w


class TestGMeans:
    def test_it_is_the_plain_version(self):
        several = 0
        for seed in range(8):
            rng = np.random.default_rng(seed)
            X, _ = blobs(seed, rng.normal(size=(6, 3)) * 4, size=30)
            found = gmeans(X, standardize=False)
            assert same_partition(found.labels, plain_gmeans(X))
            several += found.n_clusters > 1
        assert several >= 5

    def test_separated_gaussian_clusters_are_found(self):
        X, truth = blobs(0, size=50)
        found = gmeans(X)
        assert same_partition(found.labels, truth)
        assert found.params["k"] == 4
        assert found.params["k_max_reached"] is False

    @pytest.mark.parametrize("seed", range(5))
    def test_a_gaussian_cloud_stays_whole(self, seed):
        assert gmeans(np.random.default_rng(seed).normal(size=(300, 2))).n_clusters == 1

    def test_the_principal_pair_are_the_means_of_a_gaussians_halves(self):
        X = np.random.default_rng(0).normal(size=(200_000, 2)) * [3.0, 1.0] + 5
        pair = principal_pair(X)
        right = X[X[:, 0] > 5].mean(axis=0)
        np.testing.assert_allclose(pair[pair[:, 0].argmax()], right, atol=0.03)

    def test_the_principal_pair_is_the_same_for_more_features_than_rows(self):
        X = np.random.default_rng(0).normal(size=(30, 4))
        turn = np.linalg.qr(np.random.default_rng(1).normal(size=(100, 4)))[0].T
        wide, narrow = principal_pair(X @ turn), principal_pair(X) @ turn
        np.testing.assert_allclose(np.sort(wide, axis=0), np.sort(narrow, axis=0), atol=1e-10)

    def test_fewer_than_eight_rows_are_never_split(self):
        X = np.array([0.0, 0.1, 0.2, 0.3, 9.0, 9.1, 9.2])[:, None]
        assert gmeans(X, critical=1e-9).n_clusters == 1
        assert gmeans(np.append(X, [[9.3]], axis=0), critical=1e-9).n_clusters == 2

    @pytest.mark.parametrize("method", [gmeans, wgmeans])
    def test_k_max_holds(self, method):
        X, _ = blobs(0, LINE, size=50)
        found = method(X, k_max=3)
        assert found.n_clusters == 3
        assert found.params["k_max_reached"] is True

    def test_further_starts_find_splits_that_the_principal_start_misses(self, data_folder):
        X, _ = datasets.load("movement_libras", data_folder)
        few, many = gmeans(X), gmeans(X, n_init=5)
        assert few.n_clusters == 2
        assert many.n_clusters >= 8
        again = gmeans(X, n_init=5)
        pd.testing.assert_series_equal(many.labels, again.labels)

    def test_it_agrees_with_clustpy(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            centroid = pytest.importorskip("clustpy.centroid", reason="clustpy is not installed")
            for seed in range(3):
                X, truth = blobs(seed, size=60)
                theirs = centroid.GMeans(random_state=seed).fit(X)
                assert same_partition(theirs.labels_, gmeans(X, standardize=False).labels)
                assert same_partition(theirs.labels_, truth)


class TestWGMeans:
    def test_it_is_the_plain_version(self):
        several = 0
        for seed in range(8):
            rng = np.random.default_rng(seed)
            centers = np.pad(rng.normal(size=(4, 2)) * 12, ((0, 0), (0, 3)))
            X, _ = blobs(seed, centers, size=40)
            X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
            found = wgmeans(X)
            labels, weights = plain_wgmeans(X)
            assert same_partition(found.labels, labels)
            np.testing.assert_allclose(found.weights, weights, rtol=1e-9)
            several += found.n_clusters > 1
        assert several >= 5

    def test_features_with_clusters_get_the_weight(self):
        X, truth = datasets.simulation2(100, random_state=0)
        found = wgmeans(X)
        assert same_partition(found.labels, truth)
        assert found.weights.iloc[:5].min() > found.weights.iloc[5:].max()

    def test_it_stops_at_a_cluster_of_fewer_than_eight_rows(self):
        rng = np.random.default_rng(0)
        for far, sizes in ((7, [80, 7]), (8, [40, 40, 8])):
            X = np.repeat([0.0, 9.0, 500.0], [40, 40, far])[:, None]
            found = wgmeans(X + rng.normal(size=X.shape))
            assert found.labels.value_counts().tolist() == sizes

    @settings(max_examples=30)
    @given(seed=seeds, p=st.integers(1, 6), beta=st.floats(1.2, 8), zeros=st.integers(0, 6))
    def test_weights_are_a_power_of_the_scatter(self, seed, p, beta, zeros):
        rng = np.random.default_rng(seed)
        D = rng.exponential(size=p)
        D[: min(zeros, p)] = 0.0
        weights = feature_weights(D, np.ones(p), beta)
        assert weights.sum() == pytest.approx(1.0)
        if zeros:
            expected = (D == 0) / (D == 0).sum()
        else:
            expected = D ** (-1 / (beta - 1)) / np.sum(D ** (-1 / (beta - 1)))
        np.testing.assert_allclose(weights, expected, rtol=1e-9)

    def test_no_scatter_is_the_limit_of_little_scatter(self):
        total = np.ones(3)
        limit = feature_weights(np.array([1e-20, 0.5, 1e-20]), total, 2.0)
        np.testing.assert_allclose(
            feature_weights(np.array([0.0, 0.5, 0.0]), total, 2.0), limit, atol=1e-15
        )

    def test_a_feature_that_is_constant_in_every_cluster_has_all_the_weight(self):
        rng = np.random.default_rng(0)
        X = np.c_[np.repeat([0.0, 10.0], 30), rng.normal(size=(60, 2))]
        found = wgmeans(X, standardize=False)
        assert found.labels.tolist() == [0] * 30 + [1] * 30
        assert found.weights.tolist() == [1.0, 0.0, 0.0]
