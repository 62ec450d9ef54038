"""Lossless reduction of the coordinates of data with more features than rows."""

import numpy as np


def scores(X):
    """Return the rows in at most n coordinates that preserve all inner products.

    Distances, angles and means are therefore preserved, and methods that only use these give the
    same clusters, in far less time if p ≫ n.

    Examples
    --------
    >>> S = scores(np.array([[1.0, 2.0, 2.0], [0.0, 0.0, 5.0]]))
    >>> S.shape, (S @ S.T).round(12).tolist()
    ((2, 2), [[9.0, 10.0], [10.0, 25.0]])
    """
    n, p = X.shape
    return X if p <= n else np.ascontiguousarray(np.linalg.qr(X.T, mode="r").T)
