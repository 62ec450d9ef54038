"""The paper's simulations, and a loader for its real data.

Every function returns ``(X, truth)``: a DataFrame with float columns ``x1 … xp`` and a Series of
integer labels, both with the same RangeIndex. In the simulations the features that carry the
clusters come first, followed by N(0, 1) noise features. Nothing is standardised here; the paper
z-transforms all data before use.
"""

from pywbms.datasets.real import REAL_DATA, Dimensions, find_file, load
from pywbms.datasets.simulated import (
    data1,
    simulation1,
    simulation2,
    simulation3,
    two_moons,
    varied_densities,
)

__all__ = [
    "REAL_DATA",
    "Dimensions",
    "data1",
    "find_file",
    "load",
    "simulation1",
    "simulation2",
    "simulation3",
    "two_moons",
    "varied_densities",
]
