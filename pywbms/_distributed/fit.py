"""The engine that fits on a Dask cluster, and the function that users call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pywbms._data.checks import require_one_of
from pywbms._data.row_weights import require_no_weights
from pywbms._data.standardize import warn_if_narrow
from pywbms._data.table import NA_ACTIONS, Table, require_plain
from pywbms._distributed.candidate_fits import DaskCandidates
from pywbms._distributed.checkpoint import Checkpoint, checkpoint_folder
from pywbms._distributed.collections import Collection, is_collection
from pywbms._distributed.cost import LAYOUTS, layout_for
from pywbms._distributed.fault_tolerance import (
    WAIT_FOR_WORKERS,
    FaultOptions,
    FaultTolerantFit,
    WorkersLost,
)
from pywbms._distributed.landmarks import fit_landmarks
from pywbms._distributed.result import DaskResult, modes_on_workers
from pywbms._distributed.sources import CollectionRows, LocalRows
from pywbms._distributed.worker_pool import WorkerLost, client_or_own, retrying
from pywbms._engine.convergence import warn_if_not_converged
from pywbms._engine.settings import Settings
from pywbms._engine.weighted_engine import local_engine
from pywbms._selection.choice import MOST_ROWS, sampled_rows
from pywbms._selection.similarity import warn_if_similar
from pywbms._terminal.progress import FitProgress
from pywbms.estimator import WBMS
from pywbms.result import WBMSResult

# Multiply-adds (points² × features) of a step that takes about as long as starting its tasks.
WORTH_SENDING = 5e8


class DaskEngine:
    """Fits rows on the workers of a Dask cluster; see `LocalEngine` for its counterpart.

    Parameters
    ----------
    client : distributed.Client
    rows : LocalRows or CollectionRows
    layout : {"rows", "columns"}
    options : FaultOptions
    progress : callable
        Called with an `IterationInfo` after each iteration.
    modes_of : callable, optional
        See `FitResult.of`; used for rows that are not in this process.
    """

    weights = mass = None  # each row counts once
    total = n_landmarks = landmark_mass = None  # all rows are fitted

    def __init__(self, client, rows, layout, options, progress=None, modes_of=None):
        self._client = client
        self._rows = rows
        self._layout = layout
        self._options = options
        self._modes_of = modes_of
        self.progress = progress
        self.shape = rows.shape
        self.rows_are_here = rows.local

    def require_memory(self, settings):
        """Do nothing: the choice of the layout has checked the workers' memory."""

    @property
    def run_candidates(self):
        """Who runs the candidate fits of a search."""
        return DaskCandidates(self._client)

    def sample(self, settings, rng):
        """Return the rows on which h and lam are chosen: those that a local search would draw."""
        if self._rows.local:
            return self._rows.X
        n = self.shape[0]
        looked_at = sampled_rows(n, rng) if n > MOST_ROWS else slice(None)

        def fetch(pool):
            self._rows.prepare(pool, self._layout, settings)
            return self._rows.some_rows(pool, self._rows.order[looked_at])

        return retrying(self._client, fetch, self._options.wait)

    def labelled_sample(self, labels, most, rng):
        """Return at most so many rows, and their labels."""
        n = self.shape[0]
        some = self._rows.order
        if n > most:
            some = some[np.sort(rng.permutation(n)[:most])]
        if self._rows.local:
            return self._rows.X[some], labels[some]

        def fetch(pool):
            return self._rows.some_rows(pool, some)

        return retrying(self._client, fetch, self._options.wait), labels[some]

    def outliers(self, fitted):
        """Tell of each row whether it is an outlier in the coordinates of a fit."""
        if self._rows.local:
            return fitted.standardizer.outliers(self._rows.X, fitted.weights)

        def find(pool):
            return self._rows.outliers(pool, fitted.standardizer, fitted.weights)

        return retrying(self._client, find, self._options.wait)

    def run(self, settings, callback=None):
        """Fit and return a `FitResult`; h and lam are numbers."""
        modes_of = None if self._rows.local else self._modes_of
        fit = FaultTolerantFit(
            self._client, self._rows, self._layout, settings, self._options, modes_of
        )
        return fit.run(callback)

    def add_landmarks(self, fitted):
        """Tell that there are no new landmarks."""
        return False

    def for_caller(self, fitted, groups):
        """Return a fit and its groups with one entry per row of the caller."""
        return fitted, groups

    def training_rows(self):
        """Return the rows that `predict` needs."""
        return self._rows.training_rows()


def fit(
    X: Any,
    h: float | str = Settings.h,
    lam: float | str = Settings.lam,
    client: Any = None,
    *,
    columns: Any = None,
    na_action: str = "raise",
    layout: str = "auto",
    checkpoint: Any = None,
    resume: Any = None,
    worth_sending: float = WORTH_SENDING,
    wait_for_workers: float = WAIT_FOR_WORKERS,
    verbose: bool = False,
    callback: Callable | None = None,
    weights: Any = None,
    **params: Any,
) -> WBMSResult:
    """Cluster the rows of a Dask collection, or of anything `wbms` takes, on a Dask cluster.

    Parameters
    ----------
    X : dask.array.Array, dask.dataframe.DataFrame, DataFrame or array-like of shape (n, p)
        Finite numbers. A Dask collection never comes to the client, except for a sample of at most
        2,000 rows if h or lam is "auto": rows are checked, sorted and standardised on the workers.
    h, lam : float or "auto"
        As in `WBMS`.
    client : distributed.Client, optional
        By default the current one; if there is none, a cluster is started on this machine, with
        one process per core, and closed at the end.
    columns, na_action
        As in `wbms`.
    layout : {"auto", "rows", "columns"}, default "auto"
        How the work is divided; "columns" takes at most 5,000 rows.
    checkpoint : path, optional
        Folder in which a checkpoint, the file ``checkpoint.pywbms``, is kept up to date; it stays
        after the fit. A new one is written beside it before it takes its place, so there must be
        room for two. One that cannot be written is a warning, and the last good one stays. By
        default there is one in memory, or in a temporary folder, while the fit runs.
    resume : path, optional
        Folder of a checkpoint to continue from, or the file; data and parameters must be the same.
        Nothing in it is executed.
    worth_sending : float, default 5e8
        Multiply-adds of a step (points² × features) below which it is done in this process.
    wait_for_workers : float, default 15
        Seconds to wait for a worker when all are gone.
    verbose : bool, default False
        Show iterations, groups and time left on a terminal.
    callback : callable, optional
        As in `WBMS`.
    weights : None
        Weights of rows are for data of this process: use `wbms`.
    **params
        Any other parameter of `WBMS`; ``n_jobs`` counts threads of each task, one by default.
        ``record_path``, ``tree`` and ``n_clusters`` need data of this process.

    Returns
    -------
    WBMSResult
        For a Dask collection its labels are a Dask Series, its modes and data Dask DataFrames.

    Raises
    ------
    WorkersLost
        If all workers are lost.

    Examples
    --------
    >>> from distributed import Client
    >>> from pywbms import datasets, distributed
    >>> df, truth = datasets.data1(random_state=0)
    >>> with Client(processes=False, n_workers=1, threads_per_worker=1,
    ...             dashboard_address=":0") as client:
    ...     result = distributed.fit(df, h=0.1, lam=0.05, client=client)
    >>> result.n_clusters
    2
    """
    require_no_weights("weights", weights)
    model = WBMS(h, lam, callback=callback, **params)
    settings = model.settings()
    require_one_of("na_action", na_action, NA_ACTIONS)
    require_one_of("layout", layout, ("auto", *LAYOUTS))
    if settings.indicators:
        raise ValueError("indicators are not used on Dask: fit in this process with pywbms.wbms")
    if is_collection(X):
        require_possible(settings, na_action)
    if checkpoint is not None:
        checkpoint = checkpoint_folder(checkpoint)
    resumed = None if resume is None else Checkpoint.read(resume)
    options = FaultOptions(checkpoint, resumed, worth_sending, wait_for_workers)
    limits = {phase.name: phase.max_iter for phase in settings.phases}
    data = DataRequest(X, columns, na_action)
    with (
        losses_as_one_error(),
        client_or_own(client) as (client, own),
        FitProgress(verbose, limits) as progress,
    ):
        make_engine = partial(
            DaskEngine, client, options=options, progress=progress.tell,
            modes_of=modes_on_workers(workers_stay=not own),
        )  # fmt: skip
        fit_data = fit_collection if is_collection(X) else fit_table
        result = fit_data(model, data, client, layout, make_engine)
    warn_if_not_converged(model, stacklevel=3)
    warn_if_similar(model.similar_columns_, result.weights.index, stacklevel=3)
    return result


def require_possible(settings, na_action):
    """Raise a ValueError that names what a fit of a Dask collection cannot do."""
    require_plain(na_action, "error", False)
    if settings.record_path or settings.tree:
        raise ValueError("record_path and tree need data of this process, not a Dask collection")
    if settings.n_clusters is not None:
        raise ValueError("n_clusters needs data of this process, not a Dask collection")


class DataRequest(NamedTuple):
    """The data to fit, and what is asked of them; see `pywbms.wbms`."""

    data: object
    columns: object = None
    na_action: str = "raise"


def fit_table(model, data, client, layout, make_engine):
    """Fit rows of this process; return a `WBMSResult`."""
    settings = model.settings()
    table = Table.of(*data[:2], na_action=data.na_action, standardize=settings.standardize)
    if not settings.standardize:
        warn_if_narrow(table.matrix, settings.eps, stacklevel=4)
    if number_of_landmarks_here(settings, table.matrix.shape, make_engine) is not None:
        engine = local_engine(table.matrix, True, None, settings)
    else:
        layout = layout_for(layout, table.matrix.shape, client)
        engine = make_engine(LocalRows(table.matrix), layout)
    model.fit_with(engine, settings)
    rows = table.index, table.columns, table.kept, data.na_action
    return WBMSResult(model, *rows, table.encoding, table.imputed)


def fit_collection(model, data, client, layout, make_engine):
    """Fit a Dask collection; return a `DaskResult`."""
    settings = model.settings()
    wait = make_engine.keywords["options"].wait
    collection, layout = checked_collection(client, data, layout, settings, wait)
    number = number_of_landmarks_here(settings, collection.array.shape, make_engine)
    if number is not None:
        return fit_landmarks(model, client, collection, number, wait)
    model.fit_with(make_engine(CollectionRows(collection), layout), settings)
    collection.release()
    return DaskResult(model, collection, data.na_action)


def number_of_landmarks_here(settings, shape, make_engine):
    """Return how many landmarks there are; none if there is to be a checkpoint, or was one."""
    number = settings.n_landmarks(shape)
    options = make_engine.keywords["options"]
    if number is None or (options.checkpoint is None and options.resume is None):
        return number
    if settings.landmarks == "auto":
        return None
    raise ValueError("checkpoint= and resume= are for fits of all rows: use landmarks=None")


@contextmanager
def losses_as_one_error():
    """Report workers that are lost before the first iteration like any others."""
    try:
        yield
    except WorkerLost as loss:
        raise WorkersLost("all workers were lost", "start", 0) from loss


def checked_collection(client, data, layout, settings, wait):
    """Return a Dask collection that has been checked, and the layout for it."""

    def check(pool):
        collection = Collection(*data, pool)
        suited = layout_for(layout, collection.array.shape, client)
        collection.check(pool, settings.standardize)
        return collection, suited

    return retrying(client, check, wait)


def sample_collection(X, client, rng, settings):
    """Return the rows of a Dask collection that `pywbms.select.select` looks at."""
    wait = WAIT_FOR_WORKERS
    with losses_as_one_error(), client_or_own(client) as (client, _):
        collection, layout = checked_collection(client, DataRequest(X), "auto", settings, wait)
        options = FaultOptions(None, None, 0.0, wait)
        engine = DaskEngine(client, CollectionRows(collection), layout, options)
        return engine.sample(settings, rng)
