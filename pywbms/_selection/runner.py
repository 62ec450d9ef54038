"""Runs the many short fits of a search, here or elsewhere."""

import time
from dataclasses import replace

import numpy as np
from joblib import Parallel, delayed

from pywbms._engine.fit import PreparedRows

# Iterations after which a candidate fit is taken as it is.
MAX_ITER = 50


class SearchStopped(Exception):
    """The caller has asked the search to stop; it keeps what it has."""


class BudgetSpent(SearchStopped):
    """The time for the search is over."""


class CandidateRunner:
    """Fits candidates and counts the fits.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
        Of the candidate fits, but for h and lam.
    n_jobs : int, default 1
        Fits at a time.
    report : callable, optional
        Called after each fit with the number of fits so far, the number of clusters found, and
        about how many fits are still to come; returning True stops the search.
    run : callable, optional
        Given rows, tasks ((h, lam, init), rows or None) and settings, yields labels and weights of
        their fits in order; by default they are done in this process.
    deadline : float, default inf
        What `time.monotonic` tells when the time for the search is over.

    Attributes
    ----------
    settings : Settings
        Of the fits.
    n_fits : int
        Number of fits so far.
    expected : int
        About how many fits there will be in the end.
    """

    def __init__(self, X, settings, n_jobs=1, report=None, run=None, deadline=np.inf):
        self._X = X
        self.settings = settings.for_candidates(MAX_ITER)
        self._n_jobs = n_jobs
        self._report = report
        self._run = run or self._run_here
        self._prepared = {}
        self._deadline = deadline
        self.n_fits = self.expected = 0

    def __call__(self, tasks, X=None):
        """Yield labels and weights of fits at ((h, lam, init), rows), in the order of the tasks.

        The rows are those of X, by default those of the runner.
        """
        X = self._X if X is None else X
        for labels, weights in self._run(X, tasks, self.settings):
            self.n_fits += 1
            left = max(self.expected - self.n_fits, 0)
            if self._report is not None and self._report(self.n_fits, int(labels.max()) + 1, left):
                raise SearchStopped
            yield labels, weights
            if time.monotonic() >= self._deadline:
                raise BudgetSpent

    def _run_here(self, X, tasks, settings):
        if id(X) not in self._prepared:  # one X, or two, as long as the runner
            self._prepared[id(X)] = PreparedRows(X, settings)
        prepared = self._prepared[id(X)]
        calls = (
            delayed(fit_candidate)(X, rows, place, settings, prepared=prepared)
            for place, rows in tasks
        )
        if self._n_jobs == 1 or len(tasks) == 1:
            return (function(*args, **kwargs) for function, args, kwargs in calls)
        return Parallel(self._n_jobs, prefer="threads", return_as="generator")(calls)


def fit_candidate(X, rows, place, settings, mass=None, prepared=None):
    """Return labels and feature weights of a fit of some rows, or of all, at (h, lam, init).

    `prepared` are all rows, if they are prepared already.
    """
    h, lam, init = place
    if rows is not None:
        prepared = PreparedRows(X[rows], settings)
    elif prepared is None:
        prepared = PreparedRows(X, settings, mass)
    return prepared.labels_and_weights(replace(settings, h=h, lam=lam, init=init), short=True)
