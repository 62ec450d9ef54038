"""scikit-learn's HDBSCAN at its defaults, on z-scores."""

from sklearn.cluster import HDBSCAN
from sklearn.preprocessing import StandardScaler


def fit(case, X):
    """Return the labels; −1 is noise."""
    return HDBSCAN(copy=False).fit_predict(StandardScaler().fit_transform(X))
