"""Other methods on the sets of the corpus, at their defaults, for comparison."""

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from benchmarks.selection import data
from pywbms.peers import gmeans

# Gaussian mixtures get so many principal components, numbers of clusters, and kinds of covariance.
MOST_COMPONENTS, MOST_CLUSTERS = 10, 20
COVARIANCES = ("full", "tied", "diag", "spherical")


def agreements(X, labelings):
    """Return the agreement of each rival with the best labeling: a dict from its name."""
    Z = StandardScaler().fit_transform(X)
    true_k = [len(np.unique(truth[truth != 0])) for truth in np.atleast_2d(labelings)]
    told = [KMeans(k, n_init=10, random_state=0).fit_predict(Z) for k in sorted({*true_k})]
    found = {
        "GMM + BIC": mixture(Z),
        "HDBSCAN": HDBSCAN(copy=True).fit_predict(Z),
        "G-means": gmeans(Z, random_state=0).labels,
    }
    scores = {name: data.best_agreement(labelings, labels) for name, labels in found.items()}
    scores["k-means, told k"] = max(data.best_agreement(labelings, labels) for labels in told)
    return scores


def mixture(Z):
    """Return the clusters of the Gaussian mixture with the best BIC."""
    if Z.shape[1] > MOST_COMPONENTS:
        Z = PCA(min(MOST_COMPONENTS, len(Z) - 1), random_state=0).fit_transform(Z)
    models = [
        GaussianMixture(k, covariance_type=kind, random_state=0, reg_covar=1e-4).fit(Z)
        for kind in COVARIANCES
        for k in range(1, min(MOST_CLUSTERS, len(Z) // 4) + 1)
    ]
    return min(models, key=lambda model: model.bic(Z)).predict(Z)
