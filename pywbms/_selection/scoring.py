"""What is measured of candidates on some rows: gains between halves, and dips in density."""

import numpy as np

from pywbms._data.standardize import Standardizer, working_columns
from pywbms._selection.halves import random_half
from pywbms._selection.heldout import HeldOut
from pywbms._selection.separation import separations


class Scoring:
    """Measures candidates on some rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows in an order of their own (`row_order`). Columns that are constant in them do not
        count.
    settings : Settings
    rng : numpy.random.Generator
    """

    def __init__(self, X, settings, rng):
        standardize, indicators = settings.standardize, settings.indicators
        self._columns = np.ones(X.shape[1], dtype=bool)
        if X.size:
            self._columns = working_columns(X, standardize, indicators=indicators)
            X = X[:, self._columns]
            indicators = settings.in_columns(self._columns).indicators
        # The standardizer copes with columns of any magnitude.
        scores = rows = X
        if X.size:
            of_scores = Standardizer.of(X, standardize or True, indicators=indicators)
            scores = of_scores.working(X)
            rows = Standardizer.of(X, standardize, indicators=indicators).working(X)
        self._heldout = HeldOut(scores, rng) if X.size else None
        self._rows = rows
        self._halves = random_half(X, rng)

    def gain(self, train, labels, weights, **options):
        """Return the gain in log density on held-out rows; see `HeldOut.gain`."""
        return self._heldout.gain(train, labels, self._of_columns(weights), **options)

    def _of_columns(self, weights):
        if self._columns.all():
            return weights
        weights = weights[self._columns]
        return weights / weights.sum()

    def screen(self, candidate, labels=None):
        """Measure the gain between halves; the labels are those of the candidate by default."""
        labels = candidate.labels if labels is None else labels
        candidate.screened = self._gain_between_halves(labels, candidate.weights)

    def look_closely(self, candidate, labels=None):
        """Measure the gains with shapes of their own, and the dips between the clusters."""
        labels = candidate.labels if labels is None else labels
        weights, own = candidate.weights, {"own_shapes": True}
        candidate.refined = self._gain_between_halves(labels, weights, **own)
        candidate.surplus = self._gain_between_halves(labels, weights, **own, may_bend=True)
        candidate.separations = self._separations(labels, weights)
        if 1 < candidate.k < candidate.n_groups:
            candidate.between = self._separations(candidate.joined_labels(labels), weights)

    def _separations(self, labels, weights):
        return separations(self._rows, labels, self._of_columns(weights))

    def _gain_between_halves(self, labels, weights, **options):
        """Return how well the clusters of all rows, as they are in one half, predict the other."""
        gains = [
            self.gain(half, labels[half], weights, **options)
            for half in (self._halves, ~self._halves)
        ]
        return np.mean(gains)
