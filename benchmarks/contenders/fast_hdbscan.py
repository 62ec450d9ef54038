"""fast_hdbscan at its defaults, on z-scores (the extra `large`)."""

from sklearn.preprocessing import StandardScaler


def fit(case, X):
    """Return the labels; −1 is noise."""
    from fast_hdbscan import HDBSCAN

    return HDBSCAN().fit_predict(StandardScaler().fit_transform(X))
