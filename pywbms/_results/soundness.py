"""Checks that the parts of a result from a file belong together."""

import numpy as np


def require_sound(result):
    """Raise a ValueError unless the parts of a result fit together; checksums cannot tell."""
    model = result.estimator
    n, p = np.shape(model._X)
    k = model.n_clusters_
    if type(k) is not int or not 1 <= k <= n:
        raise ValueError(f"n_clusters_ is {k!r}")
    shapes = {
        "_X": (n, p), "modes_": (n, p), "labels_": (n,), "groups_": (n,), "outliers_": (n,),
        "feature_weights_": (p,), "init_": (p,), "cluster_centers_": (k, p),
    }  # fmt: skip
    for name, shape in shapes.items():
        values = getattr(model, name)
        if not isinstance(values, np.ndarray) or values.shape != shape:
            raise ValueError(f"{name} is not an array of shape {shape}")
        if values.dtype.kind == "f" and not np.isfinite(values).all():
            raise ValueError(f"{name} has values that are not finite")
    if not np.array_equal(np.setdiff1d(model.labels_, -1), np.arange(k)):
        raise ValueError(f"labels_ are not 0 … {k - 1}")
    assigned = model._assigned
    if assigned is not None and (np.shape(assigned) != (n,) or assigned.dtype.kind != "i"):
        raise ValueError(f"_assigned is not an array of {n} integers")
    if assigned is not None and not 0 <= assigned.min() <= assigned.max() < n:
        raise ValueError("_assigned are not clusters")
    if model._standardizer.n_columns != p or len(result._columns) != p:
        raise ValueError(f"there are not {p} columns")
    kept = result._kept
    if kept.dtype != bool or kept.shape != (len(result._index),) or kept.sum() != n:
        raise ValueError("the rows do not match the index")
    if model.tree_ is not None and np.shape(model.tree_) != (n - 1, 4):
        raise ValueError("tree_ is not a linkage matrix of the rows")
    for name in ("history_", "selection_", "choice_", "h_", "lam_", "n_iter_", "converged_"):
        if not hasattr(model, name):
            raise ValueError(f"{name} is missing")
    model.settings()
