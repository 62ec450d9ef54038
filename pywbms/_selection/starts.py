"""The starts of the feature weights that a search tries, and the values of lam that go with each.

No start wins everywhere. From equal weights clusters are found that no column shows on its own;
a marginal start finds a few informative columns among many noise columns. A coarse marginal pass
sees few wide clusters per column, a fine one many narrow ones. The dependent start finds the few
columns that show clusters only together.
"""

import numpy as np

from pywbms._data.ordering import uniform_weights
from pywbms._engine.settings import AUTO
from pywbms._engine.start import MARGINAL_H, MARGINAL_LAM, marginal_start, marginal_starts
from pywbms._selection.dependence import dependent_start

# Bandwidth and entropy parameter of the marginal pass; see `marginal_start`.
MARGINAL = {
    "marginal": (MARGINAL_H, MARGINAL_LAM),
    "marginal, fine": (0.1, 0.3),
    "marginal, sharp": (0.1, 0.1),
}
LAM_GRID = (0.05, 0.12, 0.35)
# Fewer for the starts that the others nearly make superfluous.
LAMS = {
    "marginal": (0.05, 0.12),
    "marginal, fine": (0.12,),
    "marginal, sharp": (0.12,),
    "dependent": (0.05, 0.12),
}
# Weights that differ by less from equal ones, in total variation, are no start of their own.
NEARLY_EQUAL = 0.02


def starts_for(X, settings, mass=None):
    """Return the starts to try: name → a value of `Settings.init` with one number per column.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Without constant columns.
    settings : Settings
    mass : ndarray of shape (n,), optional
        How many rows each one stands for, whole numbers; one by default.
    """
    p = X.shape[1]
    if not isinstance(settings.init, str):
        return {"given": settings.init}
    if settings.init == "uniform" or p < 2:
        return {"uniform": "uniform"}
    if settings.init == "marginal":
        return {"marginal": marginal_start(X, settings, mass=mass)}
    assert settings.init == AUTO
    starts = {"uniform": "uniform"}
    others = {}
    for h in dict.fromkeys(h for h, _ in MARGINAL.values()):  # one pass over the columns for each
        lams = {name: lam for name, (own_h, lam) in MARGINAL.items() if own_h == h}
        found = marginal_starts(X, settings, h, list(lams.values()), mass)
        others |= dict(zip(lams, found, strict=True))
    others["dependent"] = dependent_start(X, settings.indicators) if mass is None else None
    for name, init in others.items():
        if init is not None and total_variation(init, uniform_weights(p)) > NEARLY_EQUAL:
            starts[name] = init
    return starts


def total_variation(a, b):
    """Return half the sum of the absolute differences."""
    return np.abs(np.subtract(a, b)).sum() / 2


def equal(p):
    """Return equal weights as a value of `Settings.init`."""
    return tuple(uniform_weights(p).tolist())


def lams_of(start):
    """Return the values of lam that are tried with a start, on z-scores."""
    return LAMS.get(start, LAM_GRID)


def all_columns(init, varying):
    """Return the start of the varying columns as numbers, with zeros for the constant ones."""
    if isinstance(init, str):
        return equal(len(varying))
    weights = np.zeros(len(varying))
    weights[varying] = init
    return tuple(weights.tolist())
