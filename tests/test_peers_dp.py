"""DP-means and EWDP, compared with their definitions and with R."""

import shutil
import subprocess

import numpy as np
import oracle
import pandas as pd
import peer_data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import blobs, log_uniform, seeds

from pywbms.peers import dpmeans, ewdp
from pywbms.peers.dpmeans import assign, farthest_first, scatter
from pywbms.peers.dpmeans import descend as dp_descend
from pywbms.peers.ewdp import descend as ew_descend
from pywbms.peers.ewdp import visit


def plain_dpmeans(X, lam):
    """Run DP-means by its definition, one row at a time."""
    labels, centers = np.zeros(len(X), int), [X.mean(axis=0)]
    best = ((X - centers[0]) ** 2).sum() + lam
    while True:
        new = np.empty(len(X), int)
        for i, x in enumerate(X):
            distances = [((x - center) ** 2).sum() for center in centers]
            if min(distances) > lam * (1 + 1e-12):
                centers.append(x)
                new[i] = len(centers) - 1
            else:
                new[i] = int(np.argmin(distances))
        used = np.unique(new)
        centers = [X[new == c].mean(axis=0) for c in used]
        new = np.searchsorted(used, new)
        cost = sum(((x - centers[c]) ** 2).sum() for x, c in zip(X, new, strict=True))
        if not cost + lam * len(centers) < best * (1 - 1e-12):
            return labels
        labels, best = new, cost + lam * len(centers)


@settings(max_examples=60)
@given(X=blobs(), lam=log_uniform(0.1, 100))
def test_dpmeans_is_the_loop_over_the_rows(X, lam):
    assert oracle.same_partition(dp_descend(X, lam)[0], plain_dpmeans(X, lam))


@settings(max_examples=60)
@given(X=blobs(), k=st.integers(1, 45))
def test_dpmeans_ends_with_every_row_at_its_nearest_centre_within_lam(X, k):
    lam = farthest_first(X, k)
    labels, objectives = dp_descend(X, lam)
    assert (np.diff(objectives) < 0).all()
    centers = np.stack([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    assert scatter(X, centers, labels) + lam * len(centers) == pytest.approx(objectives[-1])
    to_centers = oracle.squared_distances(X, centers)
    own = to_centers[np.arange(len(X)), labels]
    slack = 1e-9 * (1 + (X**2).sum(axis=1).max())
    assert (own <= to_centers.min(axis=1) + slack).all()
    assert (own <= lam + slack).all()


def test_a_row_joins_a_cluster_opened_before_it_but_not_one_opened_after_it():
    X = np.array([[0.9], [3.0], [1.2], [2.0]])
    assert assign(X, np.array([[0.0]]), lam=4.0).tolist() == [0, 1, 0, 1]


@settings(max_examples=30)
@given(X=blobs(), k=st.integers(1, 10))
def test_farthest_first_is_its_definition(X, k):
    chosen = [X.mean(axis=0)]
    for _ in range(k):
        to_nearest = oracle.squared_distances(X, np.array(chosen)).min(axis=1)
        lam = to_nearest.max()
        chosen.append(X[to_nearest.argmax()])
    assert farthest_first(X, k) == pytest.approx(lam, abs=1e-12)


def test_one_guessed_cluster_is_one_cluster_and_too_many_are_as_many_as_there_are_rows():
    X = np.random.default_rng(0).normal(size=(30, 4)).round(1)
    doubled = np.concatenate([X, X])
    for method in (dpmeans, ewdp):
        assert method(doubled, k=1).n_clusters == 1
        assert method(doubled, k=10**9).n_clusters == 30
    assert dpmeans(X, k=4).params["lam"] > 0
    assert ewdp(X, k=4).params["lam_w"] == 30


def test_the_order_of_the_rows_matters_to_dpmeans():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0]])
    forth, back = (dpmeans(rows, lam=1.0).labels.to_numpy() for rows in (X, X[::-1]))
    assert not oracle.same_partition(forth, back[::-1])


def test_dpmeans_finds_the_clusters_of_maotai(tmp_path):
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    lams = [2.0, 8.0, 20.0, 60.0]
    drawn = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        drawn.append(3 * rng.normal(size=(6, 4))[rng.integers(6, size=80)])
        drawn[-1] += rng.normal(size=(80, 4))
    np.savetxt(tmp_path / "drawn.csv", np.concatenate(drawn), delimiter=",", fmt="%.17g")
    code = f"""
        if (!requireNamespace("maotai", quietly = TRUE)) quit(status = 77)
        drawn <- as.matrix(read.csv("drawn.csv", header = FALSE))
        fits <- sapply(c({", ".join(map(str, lams))}), function(lam)
            sapply(0:4, function(i)
                as.integer(maotai::dpmeans(drawn[80 * i + 1:80, ], lambda = lam)$cluster)))
        write.table(fits, "fits.csv", sep = ",", row.names = FALSE, col.names = FALSE)
    """
    run = subprocess.run(["Rscript", "-e", code], cwd=tmp_path, capture_output=True, timeout=120)
    if run.returncode == 77:
        pytest.skip("R has no package maotai; on Debian: apt-get install r-cran-maotai")
    assert run.returncode == 0, run.stderr
    theirs = np.loadtxt(tmp_path / "fits.csv", delimiter=",", dtype=int).T
    for lam, fits in zip(lams, theirs, strict=True):
        for X, labels in zip(drawn, np.split(fits, 5), strict=True):
            ours = dpmeans(X, lam=lam, standardize=False).labels.to_numpy()
            assert oracle.same_partition(ours, labels), lam
    assert len({fits.max() for fits in theirs}) > 2


def weighted_cost(X, labels, w, lam_k):
    parts = [X[labels == c] for c in np.unique(labels)]
    return sum((w * (part - part.mean(axis=0)) ** 2).sum() for part in parts) + lam_k * len(parts)


def softmax_of_scatter(X, labels, lam_w):
    parts = [X[labels == c] for c in np.unique(labels)]
    D = sum(((part - part.mean(axis=0)) ** 2).sum(axis=0) for part in parts)
    return oracle.entropy_weights(D, lam_w)


def plain_visit(X, centers, w, lam_k):
    """Run a pass of EWDP as in the released code, one row at a time."""

    def nearest(x):
        distances = [(w * (x - center) ** 2).sum() for center in centers]
        return int(np.argmin(distances)), min(distances)

    def averaged(labels):
        return [X[labels == c].mean(axis=0) for c in np.unique(labels)]

    for x in X:
        if nearest(x)[1] > lam_k * (1 + 1e-12):
            centers = [*centers, x]
            for _ in range(5):
                centers = averaged(np.array([nearest(y)[0] for y in X]))
    labels = np.array([nearest(y)[0] for y in X])
    return labels, averaged(labels)


@settings(max_examples=40)
@given(X=blobs(max_rows=25), lam_k=log_uniform(0.1, 30), seed=seeds)
def test_a_pass_of_ewdp_is_the_loop_over_the_rows(X, lam_k, seed):
    w = np.random.default_rng(seed).dirichlet(np.ones(X.shape[1]))
    start = X[:2].copy()
    labels, centers = visit(X, start, np.sqrt(w), lam_k)
    plain_labels, plain_centers = plain_visit(X, list(start), w, lam_k)
    assert oracle.same_partition(labels, plain_labels)
    assert np.allclose(centers, plain_centers)
    before = (
        oracle.squared_distances(X * np.sqrt(w), start * np.sqrt(w)).min(axis=1).sum() + 2 * lam_k
    )
    assert weighted_cost(X, labels, w, lam_k) <= before * (1 + 1e-12)


def test_five_rounds_of_k_means_follow_a_new_cluster_even_if_not_converged():
    X = np.linspace(0, 1, 60)[:, None] ** 2
    for lam_k in (0.02, 0.1, 0.3):
        labels, centers = visit(X, X[:1], np.ones(1), lam_k)
        plain_labels, plain_centers = plain_visit(X, [X[0]], np.ones(1), lam_k)
        assert oracle.same_partition(labels, plain_labels)
        assert np.allclose(centers, plain_centers)


@settings(max_examples=50)
@given(X=blobs(), k=st.integers(1, 12), lam_w=log_uniform(0.01, 1000))
def test_ewdp_decreases_until_weights_rows_and_centres_are_consistent(X, k, lam_w):
    lam_k = farthest_first(X, k) / X.shape[1]
    labels, weights, objectives = ew_descend(X, lam_k, lam_w)
    assert (np.diff(objectives) < 0).all()
    assert weights.sum() == pytest.approx(1)
    assert np.allclose(weights, softmax_of_scatter(X, labels, lam_w))
    entropy = sum(v * np.log(v) for v in weights if v > 0)
    assert objectives[-1] == pytest.approx(
        weighted_cost(X, labels, weights, lam_k) + lam_w * entropy, abs=1e-9
    )
    centers = np.stack([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    to_centers = oracle.squared_distances(X, centers, weights)
    own = to_centers[np.arange(len(X)), labels]
    slack = 1e-9 * (1 + (X**2).sum(axis=1).max())
    assert (own <= to_centers.min(axis=1) + slack).all()
    assert (own <= lam_k + slack).all()


def test_ewdp_gives_weight_to_the_features_that_separate_clusters():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
    X["b"] += 20 * (np.arange(100) % 2)
    X["e"] = 5.0
    weights = ewdp(X, k=3).weights
    assert weights.idxmax() == "b"
    assert weights["e"] == 0


def test_it_is_the_method_that_joins_two_of_three_plain_clusters():
    X, truth = peer_data.blobs(0, peer_data.THREE_PLAIN, size=80)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    found = ewdp(X, k=3)
    lam_k, lam_w = found.params["lam_k"], found.params["lam_w"]
    centers, w, plain = [Z.mean(axis=0)], np.full(4, 0.25), None
    for _ in range(5):
        for _ in range(2):
            plain, centers = plain_visit(Z, centers, w, lam_k)
        w = softmax_of_scatter(Z, plain, lam_w)
    assert peer_data.same_partition(found.labels, plain)
    assert np.allclose(found.weights, w)
    assert found.n_clusters == 2
    for guess in ({"k": 4}, {"lam_k": 0.3}, {"lam_k": 1.0}):
        assert peer_data.same_partition(ewdp(X, **guess).labels, truth)
    assert peer_data.same_partition(dpmeans(X, k=3).labels, truth)
