"""A simple choice of h and lam from the data alone."""

from itertools import pairwise

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

# On z-scores these bounds take in every useful h met so far, from fifty tight clusters to two
# wide ones; each h is twice the one before.
H_GRID = 0.0025 * 2.0 ** np.arange(10)
LAM = 0.1
LEAST_AGREEMENT = 0.75
# As h falls, any partition freezes into tiny groups of nearest neighbours: stable, but no clusters.
LEAST_MEAN_SIZE = 12
MAX_ITER = 60


def choose_h(partition, n_rows, unit=1.0):
    """Choose h as the place where halving or doubling it changes the partition least.

    For each h of a grid the partition is compared (adjusted Rand index) with those at half and
    at twice that h; the smaller of the two agreements counts. The h with the best one wins, of
    several the middle one. Only partitions into two or more clusters, of twelve rows or more on
    average, are eligible, and neither end of the grid is. If none reaches an agreement of 0.75
    there is no structure to speak of, and the largest h is taken.

    Parameters
    ----------
    partition : callable
        Labels of the rows at a given h.
    n_rows : int
    unit : float
        What h is measured in: 1 for z-scores, else the mean variance of the columns.

    Returns
    -------
    h : float
    table : DataFrame
        A row an h: h, k, agreement, chosen.
    """
    grid = H_GRID * unit
    labels = [partition(value) for value in grid]
    k = np.array([found.max() + 1 for found in labels])
    steps = np.array([adjusted_rand_score(a, b) for a, b in pairwise(labels)])
    agreement = np.minimum(np.append(steps, 0.0), np.insert(steps, 0, 0.0))
    most = max(2, n_rows // LEAST_MEAN_SIZE)
    eligible = (k >= 2) & (k <= most) & (agreement >= LEAST_AGREEMENT)
    chosen = len(grid) - 1
    if eligible.any():
        best = np.flatnonzero(eligible & (agreement == agreement[eligible].max()))
        chosen = best[(len(best) - 1) // 2]
    table = pd.DataFrame({"h": grid, "k": k, "agreement": agreement})
    table["chosen"] = np.arange(len(grid)) == chosen
    return float(grid[chosen]), table
