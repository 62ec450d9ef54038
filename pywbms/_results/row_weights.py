"""What the weights of rows make of the clusters' shares."""

import numpy as np


def remark(weights):
    """Return a line about the weights of rows.

    Examples
    --------
    >>> remark(np.array([2.0, 0.5]))
    'weights of rows: sum 2.5; shares are those of the weights'
    """
    return f"weights of rows: sum {weights.sum():.6g}; shares are those of the weights"


def cluster_shares(model):
    """Return the share of each cluster in all rows, or in their weights if there are any.

    Rows that are labelled as outliers are in none.

    Parameters
    ----------
    model : WBMS
        Fitted.
    """
    inside = model.labels_ >= 0
    weights = None if model.sample_weight_ is None else model.sample_weight_[inside]
    total = np.bincount(model.labels_[inside], weights, minlength=model.n_clusters_)
    return total / total.sum()
