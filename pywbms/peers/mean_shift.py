"""Mean shift: every row climbs to a mode of the kernel density estimate of the data."""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pywbms._core.components import components
from pywbms._data.checks import require_integer, require_positive
from pywbms.peers._scores import scores
from pywbms.peers._table import clustered, in_row_order

# In units of √(h·p): a point that moves less has converged; modes closer than SAME are equal.
STILL = 1e-6
SAME = 1e-2

# Number of kernel values held in memory at a time, rather than n².
BLOCK = 2**18


def mean_shift(X, h, *, max_iter=1000, standardize=True):
    """Cluster a table with Gaussian mean shift (Fukunaga and Hostetler, 1975; Cheng, 1995).

    Starting at each row, a point moves repeatedly to the mean of the data with the weights
    exp(−‖x − y‖² / (p·h)), while the data stay fixed, until it moves less than 10⁻⁶ √(p·h). Rows
    that converge to the same mode of the density (closer than 10⁻² √(p·h)) form a cluster.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    h : float
        Bandwidth; as the distance is divided by the number of non-constant columns, it has the
        same meaning as in WBMS. On z-scores useful values lie between 0.02 and 0.5.
    max_iter : int, default 1000
        Maximum number of iterations; a ConvergenceWarning is issued if they were not enough.
    standardize : bool, default True
        Work on z-scores.

    Returns
    -------
    PeerResult

    References
    ----------
    K. Fukunaga and L. D. Hostetler (1975). The estimation of the gradient of a density function,
    with applications in pattern recognition. IEEE Transactions on Information Theory 21(1), 32-40.

    Y. Cheng (1995). Mean shift, mode seeking, and clustering. IEEE Transactions on Pattern Analysis
    and Machine Intelligence 17(8), 790-799.

    Examples
    --------
    >>> mean_shift([[0.0], [0.1], [0.2], [9.0], [9.1]], h=0.1).labels.tolist()
    [0, 0, 0, 1, 1]
    """
    h = require_positive("h", h)
    max_iter = require_integer("max_iter", max_iter, least=1)

    @in_row_order
    def cluster(Z):
        bandwidth = h * Z.shape[1]
        modes, converged = climb(scores(Z), bandwidth, max_iter)
        if not converged:
            warnings.warn(
                f"mean shift has not converged for all rows within max_iter={max_iter} iterations",
                ConvergenceWarning,
                stacklevel=5,
            )
        labels = np.empty(len(Z), dtype=np.intp)
        components(modes, SAME * np.sqrt(bandwidth), labels)
        return labels, None, {}

    params = {"h": h, "max_iter": max_iter}
    return clustered("mean_shift", X, cluster, params, standardize=standardize)


def climb(X, bandwidth, max_iter):
    """Return the mode to which each row converges, and whether all have converged.

    Examples
    --------
    >>> modes, converged = climb(np.array([[0.0], [1.0], [9.0]]), 4.0, 100)
    >>> modes.round(3).tolist(), converged
    ([[0.5], [0.5], [9.0]], True)
    """
    points = X.copy()
    climbing = np.arange(len(X))
    norms = np.einsum("ij,ij->i", X, X)
    for _ in range(max_iter):
        moves = np.empty(len(climbing))
        rows_at_a_time = max(1, BLOCK // len(X))
        for first in range(0, len(climbing), rows_at_a_time):
            some = slice(first, first + rows_at_a_time)
            before = points[climbing[some]]
            after = shifted(before, X, norms, bandwidth)
            moves[some] = np.linalg.norm(after - before, axis=1)
            points[climbing[some]] = after
        climbing = climbing[moves >= STILL * np.sqrt(bandwidth)]
        if not len(climbing):
            return points, True
    return points, False


def shifted(points, X, norms, bandwidth):
    """Return the kernel-weighted means of the data X at the points.

    norms are the squared norms of the rows of X.
    """
    # −‖x − y‖² without ‖y‖², which cancels in the quotient.
    exponent = points @ X.T
    exponent *= 2
    exponent -= norms
    # Relative to the nearest row, so that no sum is 0.
    exponent -= exponent.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):  # −∞ is fine: its exponential is 0
        exponent /= bandwidth
    kernel = np.exp(exponent, out=exponent)
    means = kernel @ X
    means /= kernel.sum(axis=1, keepdims=True)
    return means
