"""The feature weights with which a fit starts.

From equal weights, the first iterations of data with many noise columns see little but noise:
neighbours are random, all features are displaced alike, and the informative ones are lost before
they are found. A marginal start looks at each column alone first: columns with clusters are
displaced less by their own blurring than columns without.
"""

import numpy as np

from pywbms._core.marginal import marginal_displacement
from pywbms._data.checks import require_indicators
from pywbms._data.levels import shared_displacement
from pywbms._data.ordering import uniform_weights
from pywbms._data.standardize import Standardizer, mean_variance, varying_columns
from pywbms._engine.settings import AUTO

# Bandwidth (on z-scores) and entropy parameter of the start called "marginal".
MARGINAL_H, MARGINAL_LAM = 0.3, 0.1
MARGINAL_ITERATIONS = 20


def start_weights(settings, standardizer):
    """Return the weights of the active columns at the start; they sum to 1.

    Parameters
    ----------
    settings : Settings
        Its `init` is "uniform", or one number per column, constant columns included. "auto" is
        "uniform" to an engine: the choice comes before it.
    standardizer : Standardizer
    """
    active = standardizer.active
    if settings.init == "marginal":
        raise ValueError("init must be resolved by marginal_start before an engine runs")
    if settings.init in ("uniform", AUTO):
        return uniform_weights(int(active.sum()))
    given = np.asarray(settings.init)[active]
    if not given.size or (given == given[0]).all():
        return uniform_weights(len(given))  # exactly, whatever their sum
    weights = standardizer.active_weights(settings.init)
    return weights / weights.sum()


def require_init(settings, X):
    """Raise a ValueError if `init` or `indicators` do not suit the data."""
    require_indicators(settings.indicators, X)
    if isinstance(settings.init, str):
        return
    weights, varying = np.asarray(settings.init), varying_columns(X)
    if len(weights) != len(varying):
        raise ValueError(
            f"init must hold one number per column: got {len(weights)} for {len(varying)} columns"
        )
    if varying.any() and not weights[varying].any():
        raise ValueError("init must be positive for at least one column that is not constant")


def marginal_start(X, settings, h=MARGINAL_H, lam=MARGINAL_LAM, mass=None):
    """Return the marginal start for a checked matrix, as a value of `Settings.init`.

    See `marginal_starts`.
    """
    return marginal_starts(X, settings, h, [lam], mass)[0]


def marginal_starts(X, settings, h, lams, mass=None):
    """Return the marginal starts for a checked matrix, each as a value of `Settings.init`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
    h : float
        Bandwidth of the blurring along each column, in units of the mean variance.
    lams : list of float
        Entropy parameters, in units of the median displacement, one per start.
    mass : ndarray of shape (n,), optional
        How many rows each one stands for, whole numbers; one by default.
    """
    standardizer = Standardizer.of(
        X, settings.standardize, mass=mass, indicators=settings.indicators
    )
    rows = standardizer.working(X, mass)
    if not rows.size:
        return ["uniform"] * len(lams)
    D = np.empty(rows.shape[1])
    unit = 1.0 if settings.standardize else mean_variance(X, mass)
    mass = np.ones(len(rows)) if mass is None else mass
    marginal_displacement(rows, mass, h * unit, MARGINAL_ITERATIONS, settings.n_threads, D)
    D = shared_displacement(D, settings.in_columns(standardizer.active).indicators)
    weights = [standardizer.all_weights(weights_of_displacement(D, lam)) for lam in lams]
    return [tuple(of_lam.tolist()) for of_lam in weights]


def weights_of_displacement(D, lam):
    """Return w_l ∝ exp(−(D_l − min D) / (lam · median D)), the median over columns that move.

    Examples
    --------
    >>> weights_of_displacement(np.array([0.0, 1.0, 1.0]), 1.0).round(2).tolist()
    [0.58, 0.21, 0.21]
    """
    moving = D[D > 0]
    if not moving.size:
        return uniform_weights(len(D))
    weights = np.exp(-(D - D.min()) / (lam * np.median(moving)))
    return weights / weights.sum()
