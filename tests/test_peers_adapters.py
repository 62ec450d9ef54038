"""The adapters to scikit-learn's clusterers."""

import pytest
from peer_data import blobs, same_partition
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, MeanShift, estimate_bandwidth

from pywbms.peers.adapters import hdbscan, kmeans, sklearn_mean_shift, ward


class TestAdapters:
    def z_scored(self):
        X, _ = blobs(5)
        return X, (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)

    def test_hdbscan_is_scikit_learns(self):
        X, Z = self.z_scored()
        theirs = HDBSCAN(min_cluster_size=5, copy=True).fit(Z).labels_
        ours = hdbscan(X).labels
        assert same_partition(ours, theirs)
        assert ((ours == -1) == (theirs == -1)).all()

    def test_fewer_rows_than_a_cluster_needs_are_noise(self):
        found = hdbscan([[1.0], [2.0], [3.0]])
        assert found.labels.tolist() == [-1, -1, -1]
        assert found.n_clusters == 0

    def test_mean_shift_is_scikit_learns(self):
        X, Z = self.z_scored()
        found = sklearn_mean_shift(X)
        assert found.params["bandwidth"] == pytest.approx(estimate_bandwidth(Z))
        assert same_partition(
            found.labels, MeanShift(bandwidth=estimate_bandwidth(Z)).fit(Z).labels_
        )
        assert sklearn_mean_shift(X, bandwidth=50.0).n_clusters == 1

    def test_ward_is_scikit_learns(self):
        X, Z = self.z_scored()
        assert same_partition(ward(X, k=5).labels, AgglomerativeClustering(5).fit(Z).labels_)

    def test_kmeans_is_scikit_learns(self):
        X, Z = self.z_scored()
        theirs = KMeans(4, n_init=10, random_state=0).fit(Z).labels_
        assert same_partition(kmeans(X, k=4).labels, theirs)

    def test_fewer_distinct_rows_than_clusters_are_fewer_clusters(self):
        assert kmeans([[0.0], [0.0], [1.0], [1.0]], k=3).n_clusters == 2
