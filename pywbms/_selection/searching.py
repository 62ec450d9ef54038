"""Runs a search: on some of many rows first, and on all of them where these are too few."""

import numpy as np

from pywbms._selection.confirmation import Confirmation, rows_to_scan
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search

# Fewer rows are one cluster.
LEAST_ROWS = 10


def search_of(rows, space, settings, options, rng, deadline=np.inf):
    """Return the search over some rows, at its end if there is anything to search.

    Many rows are scanned first, unless the number of clusters is given: then all ways to it are
    looked at on the same rows. Nor do they do where a scan finds so many clusters that each has
    few rows in it.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In an order of their own, no constant columns.
    space : SearchSpace
    settings : Settings
        Of these columns.
    options : SearchOptions
    rng : numpy.random.Generator
    deadline : float
        See `CandidateRunner`.
    """

    def run(scan, confirmation, n_fits=0, many_clusters=False):
        runner = CandidateRunner(
            scan, settings, options.n_jobs, options.report, options.run, deadline
        )
        runner.n_fits = n_fits
        search = Search(scan, space, runner, options.n_subsets, rng, confirmation, many_clusters)
        if worth_searching(scan):
            run_until_interrupted(search, options.keep_on_interrupt)
        return search

    scanned = None if settings.n_clusters is not None else rows_to_scan(len(rows), rng)
    if scanned is None:
        return run(rows, None)
    search = run(rows[scanned], Confirmation(rows, scanned, rng))
    return run(rows, None, search.n_fits, True) if search.needs_more_rows else search


def run_until_interrupted(search, keep_on_interrupt):
    """Run a search; if it is interrupted, keep what it has found if the caller wants that."""
    try:
        search.run()
    except KeyboardInterrupt:
        if not (keep_on_interrupt and search.candidates):
            raise
        search.score()


def worth_searching(rows):
    """Tell whether there are rows, and columns, enough for clusters."""
    return len(rows) >= LEAST_ROWS and rows.size > 0
