"""Rows that no landmark reaches: there may be clusters that the sample has missed."""

import numpy as np

from pywbms._data.row_keys import row_keys
from pywbms._engine.landmark_draw import Keyed

# A row is not reached if its kernel sum is below those of all landmarks but this share, at least
# so many of them.
SHARE_BELOW, LEAST_BELOW = 1e-3, 3

# Such rows are more than chance if there are so many standard deviations more than expected.
DEVIATIONS = 1.5

# Of them, at most this share of the number of landmarks is added to these.
MOST_ADDED = 0.25


class Reach:
    """How well landmarks are reached by each other, which tells when other rows are not.

    Parameters
    ----------
    log_sums : ndarray of shape (m,)
        Log of the kernel sum of each landmark, itself included.
    mass : ndarray of shape (m,) or None
        How many rows each one stands for.
    total : float
        How many rows there are.

    Attributes
    ----------
    others : ndarray of shape (m,)
        The logs of the kernel sums without the landmarks themselves.
    threshold : float
        Rows with a smaller log of their kernel sum are not reached.
    expected, deviation : float
        Number of such rows that is to be expected, and its standard deviation.
    scale : float
        Mass of the landmarks per row.
    """

    def __init__(self, log_sums, mass, total):
        mass = np.ones(len(log_sums)) if mass is None else mass
        others = np.maximum(np.exp(np.minimum(log_sums, 700.0)) - np.minimum(mass, 1.0), 1e-300)
        order = np.argsort(others, kind="stable")
        below = max(LEAST_BELOW, round(SHARE_BELOW * len(others)))
        below = min(below, len(others) - 1)
        self.others = np.log(others)
        self.threshold = float(self.others[order[below]])
        per_landmark = total / mass.sum()
        self.expected = float(mass[order[:below]].sum() * per_landmark)
        self.deviation = float(np.sqrt((mass[order[:below]] ** 2).sum()) * per_landmark)
        self.scale = 1 / per_landmark  # mass per row

    def is_beyond_chance(self, number):
        """Tell whether so many rows that are not reached are more than chance."""
        return number > self.expected + DEVIATIONS * self.deviation


class Unreached:
    """The rows that are not reached, of rows that come in blocks: their number, and a sample.

    Parameters
    ----------
    threshold : float
    n_columns, most : int
        Of the sample.
    seed : int
    """

    def __init__(self, threshold, n_columns, most, seed):
        self.threshold, self.n_columns, self.most, self.seed = threshold, n_columns, most, seed
        self.number = 0.0
        self._sample = Keyed.none(n_columns)

    def add(self, rows, log_sums, mass=None):
        """See some rows and the logs of their kernel sums."""
        mass = np.ones(len(rows)) if mass is None else mass
        here = (log_sums < self.threshold) & (mass > 0)
        self.number += float(mass[here].sum())
        if here.any():
            found = Keyed.of(row_keys(rows[here], self.seed), mass[here], rows[here])
            self._sample = self._sample.with_others(found).some(slice(self.most))

    def merge(self, other):
        """See the rows that another one has seen."""
        self.number += other.number
        self._sample = self._sample.with_others(other._sample).some(slice(self.most))

    def added_to(self, rows, mass, log_sums, scale):
        """Return landmarks and their masses with a sample of the rows that are not reached.

        Landmarks that are as far out and these rows together get the mass of all rows like them.

        Parameters
        ----------
        rows, mass, log_sums
            Of the landmarks; the kernel sums do not include themselves.
        scale : float
            The mass of the landmarks, divided by the number of rows.
        """
        mass = np.ones(len(rows)) if mass is None else mass
        new = ~np.isin(self._sample.keys, row_keys(rows, self.seed))
        outside = log_sums < self.threshold
        every = np.concatenate([mass, self._sample.mass[new]])
        out = np.concatenate([outside, np.ones(int(new.sum()), dtype=bool)])
        # Rows that are not reached, landmarks among them, are `number` of all.
        every[out] *= scale * self.number / every[out].sum()
        return np.concatenate([rows, self._sample.rows[new]]), every
