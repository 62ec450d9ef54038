"""k-means with the Gap statistic, and principal component scores."""

import json
import math
import shutil
import subprocess
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from peer_data import blobs, same_partition
from problems import tables
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import pdist

from pywbms.peers._kmeans import principal_scores
from pywbms.peers.kmeans_gap import kmeans_gap, uniform_like


class TestScores:
    @settings(max_examples=30)
    @given(X=tables())
    def test_distances_are_kept(self, X):
        X = np.asarray(X, float) / (np.abs(X).max() or 1.0)
        if len(X) > 1 and (X != X[0]).any():
            Z = principal_scores(X)
            assert Z.shape[1] <= min(len(X) - 1, X.shape[1])
            np.testing.assert_allclose(pdist(Z), pdist(X), atol=1e-6 * pdist(X).max())

    def test_equal_rows_stay_equal(self):
        X = np.random.default_rng(0).normal(size=(5, 40))[[0, 1, 2, 3, 4, 2, 0]]
        Z = principal_scores(X)
        np.testing.assert_array_equal(Z[[0, 2]], Z[[6, 5]])


def plain_gap(Z, k_max, n_refs, box, seed):
    """Return the Gap table computed with SciPy's k-means and eigenvectors of the covariance."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.eigh(np.cov(Z.T))[1] if box == "pca" else np.eye(Z.shape[1])

    def log_w(X, k):
        best = np.inf
        for _ in range(6):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # an empty cluster: another start is used
                _, labels = kmeans2(X, k, minit="++", rng=rng)
            parts = [X[labels == c] for c in range(k) if (labels == c).any()]
            best = min(best, sum(((part - part.mean(axis=0)) ** 2).sum() for part in parts))
        return math.log(best)

    turned = Z @ axes
    low, high = turned.min(axis=0), turned.max(axis=0)
    samples = [rng.uniform(low, high, size=Z.shape) @ axes.T for _ in range(n_refs)]
    table = []
    for k in range(1, k_max + 1):
        expected = [log_w(sample, k) for sample in samples]
        table.append((log_w(Z, k), np.mean(expected), np.std(expected)))
    return np.array(table).T


class TestGap:
    @pytest.mark.parametrize("reference", ["pca", "box"])
    def test_the_table_equals_that_of_a_plain_implementation(self, reference):
        X = blobs(1)[0] @ [[1.0, 0.3], [0.0, 1.0]]
        found = kmeans_gap(X, k_max=5, reference=reference).params
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        log_w, expected, sd = plain_gap(Z, len(found["gap"]), 30, reference, seed=0)
        assert len(log_w) == 5
        np.testing.assert_allclose(np.array(found["log_w"])[[0, 1, 3]], log_w[[0, 1, 3]], atol=1e-9)
        error = sd * np.sqrt(1 / 20 + 1 / 30)
        assert (np.abs(found["gap"] - (expected - found["log_w"])) < 4 * error + 0.02).all()
        assert (np.abs(np.log(found["s"] / sd)) < 0.6).all()

    @settings(max_examples=15)
    @given(X=tables())
    def test_k_is_the_smallest_that_meets_the_rule(self, X):
        params = kmeans_gap(X, k_max=4, n_refs=3, n_init=2).params
        gap, s, k = params["gap"], params["s"], params["k"]
        met = [gap[i] >= gap[i + 1] - s[i + 1] for i in range(len(gap) - 1)] + [gap[-1] == np.inf]
        assert any(met) == params["rule_met"]
        assert k == (met.index(True) + 1 if params["rule_met"] else len(gap))
        assert len(gap) == len(s) == len(params["log_w"]) <= 4
        assert not np.isnan(gap + s).any()

    def test_a_larger_k_max_changes_nothing(self):
        X, truth = blobs(0)
        few, many = kmeans_gap(X, k_max=5), kmeans_gap(X, k_max=40)
        assert few.params["gap"] == many.params["gap"]
        assert same_partition(many.labels, truth)

    def test_it_reports_when_no_k_meets_the_rule(self):
        found = kmeans_gap(blobs(0)[0], k_max=3)
        assert found.n_clusters == 3
        assert found.params["rule_met"] is False

    def test_one_cloud_is_one_cluster(self):
        X = np.random.default_rng(0).normal(size=(200, 3))
        assert kmeans_gap(X).n_clusters == 1

    def test_copies_of_two_points_are_two_clusters(self):
        X = np.repeat([[0.0, 1.0], [3.0, 7.0]], 7, axis=0)
        found = kmeans_gap(X)
        assert found.labels.tolist() == [0] * 7 + [1] * 7
        assert found.params["gap"][-1] == np.inf

    def test_more_features_than_rows_give_the_same_table(self):
        X, _ = blobs(2, size=6)
        rng = np.random.default_rng(0)
        turn = np.linalg.qr(rng.normal(size=(500, 2)))[0].T
        wide = kmeans_gap(X @ turn, standardize=False)
        narrow = kmeans_gap(X, standardize=False)
        np.testing.assert_allclose(wide.params["gap"], narrow.params["gap"], rtol=1e-6)
        assert same_partition(wide.labels, narrow.labels)

    def test_a_box_with_more_features_than_rows_preserves_distances(self):
        X = np.random.default_rng(0).random((6, 50))
        rng, again = np.random.default_rng(1), np.random.default_rng(1)
        plain = X.min(axis=0) + np.ptp(X, axis=0) * again.random(X.shape)
        np.testing.assert_allclose(pdist(uniform_like(X, rng)), pdist(plain))

    def test_seeds_and_generators_matter(self):
        X, _ = blobs(0)
        first, second = (kmeans_gap(X, random_state=seed).params["gap"] for seed in (0, 1))
        assert first != second
        assert kmeans_gap(X, random_state=np.random.default_rng(1)).params["gap"] == second

    def test_it_agrees_with_cluster_clusgap_of_r(self, tmp_path):
        if shutil.which("Rscript") is None:
            pytest.skip("R is not installed")
        X, _ = blobs(4)
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        np.savetxt(tmp_path / "Z.csv", Z, delimiter=",", fmt="%.17g")
        code = """
            if (!requireNamespace("cluster", quietly = TRUE)) quit(status = 3)
            Z <- as.matrix(read.csv("Z.csv", header = FALSE))
            set.seed(1)
            g <- cluster::clusGap(Z, kmeans, K.max = 5, B = 60, d.power = 2, verbose = FALSE,
                                  spaceH0 = "scaledPCA", nstart = 20)$Tab
            k <- cluster::maxSE(g[, "gap"], g[, "SE.sim"], method = "Tibs2001SEmax")
            writeLines(sprintf("%d", k))
            writeLines(sprintf("[%.15g, %.15g, %.15g]", g[, "logW"], g[, "gap"], g[, "SE.sim"]))
        """
        done = subprocess.run(
            ["Rscript", "--vanilla", "-e", code],
            cwd=tmp_path, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        if done.returncode == 3:
            pytest.skip("R lacks the package cluster")
        assert done.returncode == 0, done.stderr
        k, *rows = map(json.loads, done.stdout.splitlines())
        log_w, gap, se = np.array(rows).T
        found = kmeans_gap(Z, k_max=5, standardize=False)
        assert found.n_clusters == k == 4
        # R's W is half the sum of squares, and its standard errors use a denominator of B − 1
        np.testing.assert_allclose(np.array(found.params["log_w"]) - math.log(2), log_w, atol=2e-3)
        np.testing.assert_allclose(
            np.array(found.params["log_w"])[[0, 3]] - math.log(2), log_w[[0, 3]], atol=1e-12
        )
        assert (np.abs(found.params["gap"] - gap) < 4 * se * np.sqrt(1 / 20 + 1 / 60) + 0.02).all()
        assert (np.abs(np.log(found.params["s"] / se)) < 0.6).all()
