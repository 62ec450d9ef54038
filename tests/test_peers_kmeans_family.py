"""Properties common to k-means with Gap, G-means, WG-means and the adapters, and real data."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_data import SQUARE, blobs, same_partition
from problems import seeds, tables
from sklearn.metrics import adjusted_rand_score

from pywbms import datasets
from pywbms.peers import ADAPTERS, PEERS
from pywbms.peers.adapters import hdbscan, kmeans, sklearn_mean_shift, ward
from pywbms.peers.gmeans import gmeans
from pywbms.peers.kmeans_gap import kmeans_gap
from pywbms.peers.wgmeans import wgmeans

METHODS = {
    name: function
    for name, function in {**PEERS, **ADAPTERS}.items()
    if function in (kmeans_gap, gmeans, wgmeans, hdbscan, sklearn_mean_shift, ward, kmeans)
}

NEEDS_K = (ward, kmeans)


def run(name, X, **params):
    """Run a method fast: with few reference samples and starts, and k = 2 if k is required."""
    if METHODS[name] is kmeans_gap:
        params = {"n_refs": 3, "n_init": 2, "k_max": 6, **params}
    if METHODS[name] in NEEDS_K:
        params = {"k": min(2, len(X)), **params}
    return METHODS[name](X, **params)


def test_every_method_is_in_one_of_the_two_tables():
    assert {"kmeans_gap", "gmeans", "wgmeans"} <= set(PEERS)
    assert set(ADAPTERS) == {"hdbscan", "sklearn_mean_shift", "ward", "kmeans"}
    assert all(function.__name__ == name for name, function in METHODS.items())
    assert len(METHODS) == 7


@pytest.mark.parametrize("name", METHODS)
class TestEveryMethod:
    @settings(max_examples=25)
    @given(X=tables())
    def test_labels_weights_and_params_are_consistent(self, name, X):
        frame = pd.DataFrame(X).add_prefix("x").set_index(np.arange(len(X)) * 3)
        before = frame.copy()
        result = run(name, frame)
        pd.testing.assert_frame_equal(frame, before)
        assert result.method == name
        assert result.labels.index.equals(frame.index)
        clusters, first, size = np.unique(
            result.labels[result.labels >= 0], return_index=True, return_counts=True
        )
        assert clusters.tolist() == list(range(result.n_clusters))
        assert sorted(range(len(size)), key=lambda c: (-size[c], first[c])) == clusters.tolist()
        assert result.labels.min() >= (-1 if name == "hdbscan" else 0)
        assert result.params["standardize"] is True
        if name in ("kmeans_gap", "gmeans", "wgmeans"):
            assert result.params["k"] == result.n_clusters
        assert (result.weights is not None) == (name == "wgmeans")
        if result.weights is not None:
            assert result.weights.index.equals(frame.columns)
            assert (result.weights >= 0).all()
            assert result.weights.sum() == pytest.approx(1.0)

    @settings(max_examples=5)
    @given(X=tables())
    def test_the_same_call_gives_the_same_answer(self, name, X):
        first, second = run(name, X), run(name, X)
        pd.testing.assert_series_equal(first.labels, second.labels)
        assert first.params == second.params

    @pytest.mark.slow
    @settings(max_examples=5)
    @given(seed=seeds, exponent=st.integers(-8, 8), shift=st.floats(-50, 50))
    def test_units_do_not_matter_to_z_scores(self, name, seed, exponent, shift):
        X, _ = blobs(seed, size=15)
        changed = X * 10.0 ** np.array([exponent, -exponent]) + shift
        assert same_partition(run(name, X).labels, run(name, changed).labels)

    @settings(max_examples=5)
    @given(seed=seeds)
    def test_the_order_of_the_columns_does_not_matter(self, name, seed):
        X, _ = blobs(seed, np.c_[SQUARE, SQUARE[:, :1]], size=15)
        order = np.random.default_rng(seed).permutation(3)
        one, other = run(name, X), run(name, X[:, order])
        assert same_partition(one.labels, other.labels)
        if one.weights is not None:
            np.testing.assert_allclose(one.weights.to_numpy()[order], other.weights, rtol=1e-6)

    def test_constant_columns_do_not_matter(self, name):
        X, _ = blobs(3)
        with_constant = run(name, np.insert(X, 1, 7.0, axis=1))
        pd.testing.assert_series_equal(run(name, X).labels, with_constant.labels)
        if with_constant.weights is not None:
            assert with_constant.weights[1] == 0

    @pytest.mark.parametrize("scale", [1e-200, 1e140])
    def test_numbers_far_from_one_need_no_z_scores(self, name, scale):
        X, _ = blobs(0, size=10)
        scale = 2.0 ** np.round(np.log2(scale))
        found = run(name, X * scale, standardize=False)
        assert same_partition(found.labels, run(name, X, standardize=False).labels)

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (pd.DataFrame({"a": [1.0, np.nan]}), "'a'"),
            (pd.DataFrame({"a": ["u", "v"]}), "'a'"),
            (np.zeros((0, 2)), "no rows"),
            ([1.0, 2.0], "two-dimensional"),
        ],
    )
    def test_bad_data_are_named(self, name, X, message):
        params = {"k": 1} if METHODS[name] in NEEDS_K else {}
        if METHODS[name] in NEEDS_K and len(X) == 0:
            message = "no rows|at most the number of rows"
        with pytest.raises(ValueError, match=message):
            METHODS[name](X, **params)


@pytest.mark.parametrize(
    ("function", "argument", "bad"),
    [
        (kmeans_gap, "k_max", 0),
        (kmeans_gap, "n_refs", 2.5),
        (kmeans_gap, "reference", "sphere"),
        (kmeans_gap, "reference", None),
        (kmeans_gap, "n_init", 0),
        (kmeans_gap, "random_state", "seed"),
        (kmeans_gap, "standardize", 1),
        (gmeans, "critical", 0),
        (gmeans, "k_max", 0),
        (gmeans, "n_init", -1),
        (gmeans, "random_state", -1),
        (wgmeans, "beta", 1),
        (wgmeans, "beta", np.inf),
        (wgmeans, "critical", "high"),
        (wgmeans, "k_max", 1.0),
        (wgmeans, "max_iter", 0),
        (hdbscan, "min_cluster_size", 1),
        (hdbscan, "min_samples", 0),
        (sklearn_mean_shift, "bandwidth", -1),
        (ward, "k", 0),
        (ward, "k", 101),
        (kmeans, "k", 101),
        (kmeans, "n_init", 0),
        (kmeans, "random_state", 0.5),
    ],
)
def test_bad_arguments_are_named(function, argument, bad):
    params = {"k": 2} if function in NEEDS_K else {}
    with pytest.raises(ValueError, match=rf"^{argument} must"):
        function(blobs(0)[0], **{**params, argument: bad})


# ARI against the classes, on z-scores, one seed, from independent implementations.
KNOWN = [
    (kmeans_gap, "appendicitis", {}, 0.000, 0.0),
    (kmeans_gap, "mammographic", {}, 0.000, 0.0),
    (kmeans_gap, "nci9", {}, 0.005, 0.01),
    (kmeans_gap, "movement_libras", {"n_init": 3, "n_refs": 10}, 0.271, 0.06),
    (kmeans, "movement_libras", {"k": 15}, 0.301, 0.04),
    (ward, "appendicitis", {"k": 2}, 0.312, 0.0005),
    (ward, "zoo", {"k": 7}, 0.680, 0.0005),
    (ward, "mammographic", {"k": 2}, 0.312, 0.0005),
    (ward, "nci9", {"k": 9}, 0.241, 0.0005),
    (ward, "movement_libras", {"k": 15}, 0.314, 0.0005),
    (gmeans, "appendicitis", {}, 0.000, 0.0),
    (gmeans, "mammographic", {}, 0.293, 0.005),
    (gmeans, "nci9", {}, 0.000, 0.0),
    # their splits were the best of several starts, ours use the principal one by default
    (gmeans, "zoo", {"n_init": 10}, 0.463, 0.03),
    (gmeans, "movement_libras", {"n_init": 10}, 0.298, 0.06),
    (wgmeans, "appendicitis", {}, 0.000, 0.0),
    (wgmeans, "zoo", {}, 0.448, 0.0005),
    (wgmeans, "mammographic", {}, 0.223, 0.005),
    (wgmeans, "nci9", {}, 0.000, 0.0),
    (wgmeans, "movement_libras", {}, 0.117, 0.02),
    (hdbscan, "appendicitis", {}, 0.223, 0.0005),
    (hdbscan, "zoo", {}, 0.388, 0.0005),
    # Integer data: many distances are equal up to the last bit, which orders the merges.
    (hdbscan, "mammographic", {}, 0.009, 0.004),
    (hdbscan, "nci9", {}, 0.042, 0.0005),
    (hdbscan, "movement_libras", {}, 0.070, 0.0005),
]


@pytest.mark.parametrize(
    ("function", "name", "params", "known", "tolerance"),
    [pytest.param(*row, id=f"{row[0].__name__}-{row[1]}") for row in KNOWN],
)
def test_real_data_give_the_known_scores(data_folder, function, name, params, known, tolerance):
    X, truth = datasets.load(name, data_folder)
    found = adjusted_rand_score(truth, function(X, **params).labels)
    assert found == pytest.approx(known, abs=tolerance + 1e-12)
