"""The values of h and lam, and the number of draws, in each form of a run."""

import numpy as np

from pywbms.datasets import REAL_DATA


def spread(low, high, number):
    """Return numbers evenly spaced on a logarithmic scale, rounded to three digits.

    Examples
    --------
    >>> spread(0.01, 1, 3)
    [0.01, 0.1, 1.0]
    """
    return [float(f"{value:.3g}") for value in np.geomspace(low, high, number)]


#: Pairs from which the best one is found with the labels: h, and lam on the mean scale.
GRID = {
    "full": {"h": spread(0.005, 1, 14), "lam": spread(0.01, 10, 7)},
    "quick": {"h": spread(0.005, 1, 12), "lam": spread(0.01, 10, 6)},
    "tiny": {"h": [0.05, 0.2], "lam": [0.05, 1.0]},
}
#: The same for the real data: few data sets, but some with thousands of features.
FINE_GRID = {
    "full": {"h": spread(0.01, 1, 18), "lam": spread(0.01, 10, 10)},
    "quick": {"h": spread(0.01, 1, 9), "lam": spread(0.01, 10, 4)},
    "tiny": GRID["tiny"],
}
#: The range of h and λ that the paper recommends, for the released form.
PAPER_RANGE = {
    "full": {"h": [0.1, 0.2, 0.5, 0.8, 1.0], "lam": [1.0, 5.0, 10.0, 20.0]},
    "quick": {"h": [0.1, 0.5, 1.0], "lam": [1.0, 10.0, 20.0]},
    "tiny": {"h": [0.1], "lam": [1.0, 10.0]},
}
#: Pairs of the released form on the real data, to search for the printed scores at other pairs.
RELEASED_GRID = {
    "full": {
        "h": [0.01, 0.02, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3, 0.5, 0.8, 1.0],
        "lam": [0.1, 1.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0],
    },
    "quick": {"h": [0.05, 0.1, 0.2, 0.5, 0.8, 1.0], "lam": [1.0, 10.0, 20.0, 100.0]},
    "tiny": {"h": [0.1], "lam": [10.0]},
}
IN_THE_RANGE = (
    "The paper gives no h and λ for this. The column of the released form shows the best pair in "
    "the range that the text recommends, h from 0.1 to 1 and λ from 1 to 20, found with the "
    "labels; kernel exp(−d²/h), λ on the sum scale, as in the released code."
)
SPREAD_OF_CLUSTERS = (
    "The text states a variance of 0.3 and “without any overlaps”, which contradict each other: "
    "with that variance the clusters overlap completely. As in `pywbms.datasets.simulation2`, the "
    "standard deviation here is 0.03, with which they do not overlap."
)
#: h of MS and BMS, in units of the mean squared distance per feature, which is 2 for two z-scored
#: rows.
BANDWIDTHS = {
    "full": spread(0.02, 2, 15),
    "quick": spread(0.02, 2, 10),
    "tiny": [0.1, 0.5],
}
DRAWS = {"full": 10, "quick": 2, "tiny": 1}


def work(name):
    """Return the size of one step on a real data set, n² p."""
    n, p, *_ = REAL_DATA[name]
    return n * n * p


def choice(form):
    """Return the options of the choice without labels: none, or lam in a test, to save time."""
    return {"lam": 0.05} if form == "tiny" else {}


def peer_options(method, form):
    """Return the options of a peer in a form of a run."""
    return {"h": BANDWIDTHS[form]} if method in ("mean_shift", "bms") else {}


def fine_grid(form, name, grid=FINE_GRID):
    """Return the grid for a real data set: the coarse one if a single fit takes many seconds."""
    return grid["quick" if form == "full" and work(name) > 2e8 else form]
