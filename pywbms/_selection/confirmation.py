"""Confirms on all rows what a scan of some of them has found.

A fit costs the square of its rows, so a search scans few of them. Only the candidates that are
close to the best one, and therefore might be the right one, are fitted and measured on all rows.
"""

import numpy as np

from pywbms._selection.scoring import Scoring

# A scan looks at so many rows.
SCAN_ROWS = 600
# Candidates of other partitions with this share of the best score are confirmed, too, and of all
# partitions not more than so many.
CLOSE, MOST_CONFIRMED = 0.85, 4


class Confirmation:
    """Fits all rows where a scan of some of them has found the best partitions.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        All rows, in an order of their own.
    scanned : ndarray of shape (m,)
        Indices of those that are scanned.
    rng : numpy.random.Generator
    """

    def __init__(self, X, scanned, rng):
        self._X, self._scanned = X, scanned
        self._rng = rng
        self._scoring = None

    def run(self, search, runner):
        """Confirm candidates of a search until none that is not confirmed might be the best."""
        waiting = search.distinct(lambda one: one.scored and one.k > 1)
        n_confirmed = 0
        while waiting and n_confirmed < MOST_CONFIRMED:
            best = max((one.score for one in search.scored()), default=0.0)
            close = [one for one in waiting if one.score >= CLOSE * best]
            close = close[: MOST_CONFIRMED - n_confirmed]
            if not close:
                return
            self._confirm(search, runner, close)
            n_confirmed += len(close)
            waiting = [one for one in waiting if one not in close]

    def _confirm(self, search, runner, candidates):
        if self._scoring is None:
            self._scoring = Scoring(self._X, runner.settings, self._rng)
        tasks = [(search.task(*one.place), None) for one in candidates]
        fits = list(runner(tasks, self._X))
        for one, (labels, weights) in zip(candidates, fits, strict=True):
            one.confirm(labels[self._scanned], weights, int(labels.max()) + 1)
            if one.n_groups > 1:
                self._scoring.screen(one, labels)
                self._scoring.look_closely(one, labels)
            search.weigh(one)


def rows_to_scan(n, rng):
    """Return the indices of the rows, of n, that are scanned; None if all are.

    Examples
    --------
    >>> rows_to_scan(600, np.random.default_rng(0)) is None
    True
    >>> len(rows_to_scan(2000, np.random.default_rng(0)))
    600
    """
    return np.sort(rng.permutation(n)[:SCAN_ROWS]) if n > SCAN_ROWS else None
