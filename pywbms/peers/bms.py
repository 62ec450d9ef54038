"""Blurring mean shift: WBMS with all weights equal."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from pywbms._data.checks import require_integer, require_positive
from pywbms._engine.fit import fit_rows
from pywbms._engine.settings import Settings
from pywbms.peers._table import clustered

# With this lam, w_l ∝ exp(−D_l / lam) are equal for any displacements D: the weights stay 1/p.
FLAT = 1e300


def bms(X, h, *, max_iter=300, standardize=True):
    """Cluster a table with blurring mean shift (Fukunaga and Hostetler, 1975; Cheng, 1995).

    In each iteration every point moves to the mean of all points, including itself, with the
    weights exp(−‖x − y‖² / (p·h)), and the moved points replace the data. This is WBMS with
    the feature weights fixed at 1/p, and runs on the same core.

    The points first collapse into groups, which then drift and merge one by one over ever longer
    times. As in WBMS the iteration stops in between: when the groups of points within 10⁻³ of each
    other have been the same for five iterations and equal those within 10⁻⁵.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    h : float
        Bandwidth; as the distance is divided by the number of non-constant columns, it has the
        same meaning as in WBMS. On z-scores useful values lie between 0.02 and 0.5.
    max_iter : int, default 300
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
    >>> bms([[0.0], [0.1], [0.2], [9.0], [9.1]], h=0.1).labels.tolist()
    [0, 0, 0, 1, 1]
    """
    h = require_positive("h", h)
    max_iter = require_integer("max_iter", max_iter, least=1)

    def cluster(Z):
        path = blur(Z, h, max_iter)
        if not path.converged:
            warnings.warn(
                f"blurring mean shift has not converged within max_iter={max_iter} iterations",
                ConvergenceWarning,
                stacklevel=4,
            )
        return path.labels, None, {}

    params = {"h": h, "max_iter": max_iter}
    return clustered("bms", X, cluster, params, standardize=standardize)


def blur(X, h, max_iter, record_path=False):
    """Run blurring mean shift on an array; return the `FitResult`."""
    settings = Settings(
        h, FLAT, lam_scale="sum", exclude_self=False, warmup=0, max_iter=max_iter,
        standardize=False, record_path=record_path,
    )  # fmt: skip
    return fit_rows(X, settings)
