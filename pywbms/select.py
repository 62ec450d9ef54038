"""Choosing h, lam and the start of the weights from the data alone.

Several starts of the feature weights (`WBMS.init`) are tried, each with a few values of lam and
with h from where all rows form one cluster down to where clusters are too small to be judged. A
candidate *promises* ``screened / k^(1/4)``: *screened* is the log density, in nats per row, that
its clusters, as they are in one half of the rows, gain on the other half over the best single cloud
(correlated, skewed and heavy-tailed as need be). Partitions that differ vote on each other: the
*centrality* of one is its mean adjusted Rand index with all of them, each of which counts as much
as it promises. The most promising and the most central ones are then looked at more closely:

- *refined* is the screened gain with clusters that have shapes of their own, and the skewness and
  the tails of the best single cloud if these fit them;
- the *valley* between two neighbouring clusters is the lowest density between them, as a share of
  the lower peak, along the direction that separates them best, on rows that did not choose that
  direction; clusters without such a dip are joined, groups of a few rows are part of their nearest
  neighbour unless the gap is plain, and the mean is taken over those that stay apart.

A search scans at most 600 rows. Lines (one start and one lam) that lead where others have been, or
are far behind the best, end early. Of more rows, at most 2,000, all are then fitted at the
best candidates only: those of different partitions whose scores are close, until none that was not
fitted to all rows might still be the best. `time_budget` ends it earlier with the best so far.

The candidate with the best *score* is chosen::

    √refined · (1.02 − valley) · centrality^0.15

The *surplus* is the refined gain over a single cloud that may also be bent. Where it and the
deepest dip together are too little evidence, or nothing is left to separate, there are no clusters,
and h is taken so large that all rows form one.

*Stability*, the mean adjusted Rand index with the clusterings of random subsets of 80 % of the
rows, is measured for the chosen candidate and its alternatives; it is reported, not used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from numbers import Real
from typing import Any

import numpy as np

from pywbms._data.checks import generator, positive, require_boolean, require_integer
from pywbms._data.identifiers import warn_of_identifiers
from pywbms._data.masses import WeightedRows
from pywbms._data.row_weights import require_no_weights, weighted_table
from pywbms._data.table import is_dask, require_plain
from pywbms._engine.parameters import require_known
from pywbms._engine.settings import Settings, is_auto
from pywbms._machine.threads import number_of_threads
from pywbms._selection.choice import MOST_ROWS, N_SUBSETS, SearchOptions, Selection, choose
from pywbms._terminal.line import Line, unasked
from pywbms._terminal.progress import DELAY, SearchTime
from pywbms._terminal.wording import counted

__all__ = ["MOST_ROWS", "N_SUBSETS", "Selection", "select"]


def select(
    X: Any,
    h: float | Sequence[float] | None = None,
    lam: float | Sequence[float] | None = None,
    n_subsets: int = N_SUBSETS,
    random_state: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    *,
    verbose: bool | str = "auto",
    time_budget: float | None = None,
    callback: Callable | None = None,
    client: Any = None,
    na_action: str = "raise",
    categories: str = "error",
    numeric_only: bool = False,
    sample_weight: Any = None,
    n_clusters: int | None = None,
    **params: Any,
) -> Selection:
    """Choose h and lam from the data alone.

    Parameters
    ----------
    X : table of any kind that `pywbms.wbms` takes, or array-like of shape (n, p)
        Finite numbers. Of more than 2,000 rows, a random 2,000 are looked at, 600 of them for all
        candidates. Of a Dask array or
        DataFrame only these leave its workers.
    h, lam : float or sequence of float, optional
        A value to keep, or values to choose from. By default the search finds its own: lam on a
        fixed grid, h from where all rows form one cluster down to where there are more than a
        quarter as many clusters as rows, both more finely around the best pair. lam is on the
        mean scale.
    n_subsets : int, default 4
        Random subsets of 80 % of the rows that show how stable the chosen clusters are.
    random_state : int, numpy.random.Generator or None, default 0
        Source of the random subsets. The same number gives the same choice, for any order of
        the rows and any `n_jobs`.
    n_jobs : int, optional
        Number of fits at a time, counted as in joblib (None: 1, −1: all).
    verbose : bool or "auto", default "auto"
        Show progress on a terminal or in a notebook. "auto": if it takes more than a second, and
        there is no callback.
    time_budget : float, optional
        Seconds after which the search ends with the best pair so far.
    callback : callable, optional
        Called after each fit with the number of fits so far and the number of clusters it found;
        returning True stops the search. So does Ctrl-C. Either way, what was found so far counts.
    client : distributed.Client, optional
        Run the fits as independent tasks on its Dask cluster (`pywbms.distributed`). The choice
        is the same.
    na_action, categories, numeric_only
        What to do with missing values and columns that are not numeric, as in `pywbms.wbms`.
    sample_weight : array-like of shape (n,), optional
        How many rows each one stands for; one by default. The search looks at rows drawn in
        proportion to them.
    n_clusters : int, optional
        Choose the best among the partitions with exactly so many clusters; a ValueError says if
        there is none, and which are nearest.
    **params
        Parameters of `WBMS` that the fits are to have, such as ``standardize``.

    Returns
    -------
    Selection

    Examples
    --------
    >>> from pywbms import datasets
    >>> from pywbms.select import select
    >>> X, truth = datasets.data1(random_state=0)
    >>> choice = select(X)
    >>> choice.n_clusters, choice.certain
    (2, True)
    >>> noise = X[["x11", "x12", "x13", "x14", "x15"]]
    >>> print(select(noise).explanation)
    No clusters: ...
    """
    settings = settings_of({**params, "n_clusters": n_clusters, "time_budget": time_budget})
    n_subsets = require_integer("n_subsets", n_subsets, least=2)
    run = None
    if is_dask(X):
        require_no_weights("sample_weight", sample_weight)
        from pywbms._distributed.fit import sample_collection  # whoever has such data has dask

        require_plain(na_action, categories, numeric_only)
        random_state = generator(random_state)
        X = sample_collection(X, client, random_state, settings)
    if client is not None:
        from pywbms._distributed.candidate_fits import DaskCandidates

        run = DaskCandidates(client)
    how = {"na_action": na_action, "categories": categories, "numeric_only": numeric_only}
    matrix, mass, settings = rows_and_masses(X, sample_weight, settings, how)
    with line_of_search(verbose, callback) as line:
        clock = SearchTime(time_budget)

        def report(n_fits, k, left):
            found = f"choosing h and lam: fit {n_fits}, {counted(k, 'cluster')}"
            line.show(found + clock.left(n_fits, left))
            return callback is not None and callback(n_fits, k) is True

        options = SearchOptions(
            values("h", h), values("lam", lam), n_subsets, random_state,
            n_jobs=number_of_threads(n_jobs), report=report, keep_on_interrupt=True, run=run,
        )  # fmt: skip
        return choose(matrix, settings, options, mass)


def line_of_search(verbose, callback):
    """Return the line that shows the progress of a search."""
    if is_auto(verbose):
        return Line(unasked() and callback is None, DELAY)
    require_boolean("verbose", verbose)
    return Line(verbose)


def rows_and_masses(X, sample_weight, settings, how):
    """Return a table as a checked matrix, the masses of its rows, and settings with indicators.

    Parameters
    ----------
    X, sample_weight
        See `select`.
    settings : Settings
    how : dict
        How `Table.of` prepares the table.
    """
    table, weights = weighted_table(
        X, None, sample_weight, "sample_weight", standardize=settings.standardize, **how
    )
    if table.indicators:
        if settings.indicators:
            raise ValueError("give indicators= or categories='indicators', not both")
        settings = replace(settings, indicators=table.indicators)
    warn_of_identifiers(table.matrix, table.columns, settings.indicators)
    if weights is None:
        return table.matrix, None, settings
    weighted = WeightedRows.of(table.matrix, weights, settings.merge)
    return weighted.rows, weighted.mass, settings


def settings_of(params):
    """Return the settings that parameters of `WBMS` ask for.

    Raises
    ------
    TypeError
        If there is no such parameter.
    """
    require_known(params, [field.name for field in fields(Settings)], "select")
    return Settings(**params)


def values(name, given):
    """Return the values to try as a sorted list, or None if the search is to find its own."""
    if given is None:
        return None
    tried = [given] if isinstance(given, Real) else list(given)
    if not tried or not all(map(positive, tried)):
        raise ValueError(f"{name} must be a positive number, several of them, or None: {given!r}")
    return sorted({float(value) for value in tried})
