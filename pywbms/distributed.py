"""The same fit on a Dask cluster, for data that have outgrown one machine.

`fit` runs the loop of WBMS on the client; the points of the cloud are on the workers. The
client has a few numbers a row (labels, lengths of moves), the weights and the history.

**Two layouts.** With n points, p features and W workers, an iteration in which nobody has met yet
costs

======================  ===================================  ====================================
what                    ``layout="rows"``                    ``layout="columns"``, n ≤ 5,000
======================  ===================================  ====================================
flop a worker           (4·n²·p + 20·n²) / W + 20·n·p        4.5·n²·p / W + 20·n²
bytes moved             8·n·p·(W − 1)·(1 + 1/W)              3 · 8·n²·(W − 1)
memory of a worker      6 · 8·n·p + 64 MB (at most)          4 · 8·n·p / W + 8 · 8·n² + 64 MB
======================  ===================================  ====================================

*Rows*: in every iteration the merged cloud goes to all workers once; each moves some tiles of 128
points against all of it, with the kernel of the core, and one of them, which keeps the books, gets
what the others moved. The kernel of two tiles on different workers is made twice: 4·n²·p instead of
the 3·n²·p of one machine. No n × n matrix exists anywhere. *Columns*: each worker keeps some
features of all points, and no coordinate ever moves; one n × n matrix (the kernel) goes to every
worker and two (its share of the weighted Gram matrix and of the squared distances) come back. The
layout with the smaller estimate of `cost` is taken, unless you say which. As points meet they
travel on as one: n in the table is the number of points that are left. When a step has fewer than
``worth_sending`` multiply-adds, the few points that are left come to the client, which takes the
last steps itself.

**The same answer.** Rows are sorted and standardised as on one machine, and the sums of a tile come
together in the same order: in the layout by rows the result is that of `WBMS` to the bit, but for
rounding where the core skips tiles that are too far apart to matter; by columns it is the same to
rounding. Neither depends on the number of workers or the chunks by more than that.

**Faults.** The client keeps a checkpoint, in memory if it is small, on disk if not, in at most a
tenth of the time. When a worker is lost, the fit goes on from it with those that are left. When all
are, and none comes back, `WorkersLost` names the last iteration and the folder from which
``resume=`` goes on. Dask's own way, to compute anew what was lost from what it was computed from,
would begin with the first iteration.

**Choosing h and lam** for a Dask collection looks at the 2,000 rows that `select` would draw from
the same rows in memory; lam is on the mean scale and h in units of z-scores, so that neither
depends on how many rows there are. The fits run as independent tasks.
"""

from contextlib import contextmanager
from pathlib import Path

import numpy as np

from pywbms._data.checks import check_parameters, numeric_frame, require_squarable
from pywbms._data.wording import quoted
from pywbms._engine.loop import says_stop
from pywbms._engine.recorder import State
from pywbms._machine.threads import number_of_threads
from pywbms.estimator import WBMS, warn_if_narrow, warn_if_not_ended
from pywbms.frame import (
    NA_ACTIONS,
    WBMSResult,
    as_frame,
    chosen_columns,
    complete_rows,
    require_finite_where,
)
from pywbms.select import MOST_ROWS, choose

try:
    from distributed import Client, LocalCluster

    from pywbms._distributed.candidate_fits import Grid as grid
    from pywbms._distributed.checkpoint import Checkpoint
    from pywbms._distributed.collections import Collection, is_collection
    from pywbms._distributed.cost import LAYOUTS, Cost, cheaper_layout, cost
    from pywbms._distributed.fault_tolerance import WAIT_FOR_WORKERS, FaultTolerantFit, WorkersLost
    from pywbms._distributed.feature_points import MOST_POINTS
    from pywbms._distributed.progress import Progress
    from pywbms._distributed.result import DaskResult, modes_of
    from pywbms._distributed.sources import DaskSource, LocalSource
    from pywbms._distributed.worker_pool import WorkerLost, require_client, tried
except ImportError as error:
    raise ImportError(
        f'pywbms.distributed needs dask and distributed: pip install "pywbms[dask]" ({error})'
    ) from error

__all__ = ["Cost", "WorkersLost", "cost", "fit", "grid"]

# Multiply-adds (points² × features) of a step that takes about as long as starting its tasks.
WORTH_SENDING = 5e8


def fit(
    X, h="auto", lam="auto", client=None, *, columns=None, na_action="raise", layout="auto",
    checkpoint=None, resume=None, worth_sending=WORTH_SENDING,
    wait_for_workers=WAIT_FOR_WORKERS, verbose=False, callback=None, **params,
):  # fmt: skip
    """Cluster the rows of a Dask collection, or of anything `wbms` takes, on a Dask cluster.

    Parameters
    ----------
    X : dask.array.Array, dask.dataframe.DataFrame, DataFrame or array-like of shape (n, p)
        Finite numbers. A Dask collection never comes to the client, but for a sample of at most
        2,000 rows if h or lam is "auto": rows are checked, sorted and standardised on the workers.
    h, lam : float or "auto"
        As in `WBMS`.
    client : distributed.Client, optional
        By default the current one; if there is none, a cluster is started on this machine, a
        process a core, and closed in the end.
    columns, na_action
        As in `wbms`.
    layout : {"auto", "rows", "columns"}, default "auto"
        How the work is shared out; "columns" takes at most 5,000 rows.
    checkpoint : path, optional
        Folder in which a checkpoint is kept up to date, and left at the end. By default there is
        one in memory, or in a temporary folder, while the fit runs.
    resume : path, optional
        Folder of a checkpoint to go on from; data and parameters must be the same. It is unpickled:
        take only what you trust.
    worth_sending : float, default 5e8
        Multiply-adds of a step (points² × features) below which it is done in this process.
    wait_for_workers : float, default 15
        Seconds to wait for a worker when all are gone.
    verbose : bool, default False
        Show iterations, groups and time left on a terminal.
    callback : callable, optional
        As in `WBMS`.
    **params
        Any other parameter of `WBMS`; ``n_jobs`` counts threads of each task, by default one.
        ``record_path`` and ``tree`` are for data of this process.

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
    model = WBMS(h, lam, callback=callback, **params)
    check_parameters(model)
    if na_action not in NA_ACTIONS:
        raise ValueError(f"na_action must be one of {quoted(NA_ACTIONS)}, got {na_action!r}")
    if layout not in ("auto", *LAYOUTS):
        raise ValueError(f"layout must be one of {quoted(('auto', *LAYOUTS))}, got {layout!r}")
    if is_collection(X) and (model.record_path or model.tree):
        raise ValueError("record_path and tree need data of this process, not a Dask collection")
    if checkpoint is not None:
        checkpoint = Path(checkpoint)
        checkpoint.mkdir(parents=True, exist_ok=True)
    saved = None if resume is None else Checkpoint.read(resume)
    take = fit_collection if is_collection(X) else fit_rows
    limits = {"warmup": model.warmup, "main": model.max_iter}
    with as_one_error(), crowd(client) as (client, own), Progress(verbose, limits) as progress:

        def after_iteration(state):
            progress.tell(state)
            return None if callback is None else callback(state)

        options = {"worth_sending": worth_sending, "checkpoint": checkpoint}
        options["wait"] = wait_for_workers
        result = take(
            X, model, client, columns, na_action, layout, saved, after_iteration, options, own
        )
    warn_if_not_ended(model, stacklevel=3)
    return result


@contextmanager
def as_one_error():
    """Tell of workers that are lost before the first iteration as of any others."""
    try:
        yield
    except WorkerLost as loss:
        raise WorkersLost("all workers were lost", "start", 0, None, None) from loss


@contextmanager
def crowd(client):
    """Give a client, and whether its cluster was started for it, which is then closed again."""
    if client is None:
        try:
            client = Client.current()
        except ValueError:  # there is none
            client = None
    if client is not None:
        require_client(client)
        yield client, False
        return
    with (
        LocalCluster(threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client, True


def fit_rows(
    X, model, client, columns, na_action, layout, saved, callback, options, own
):  # fmt: skip
    """Fit rows of this process; return a `WBMSResult`."""
    frame = numeric_frame(chosen_columns(as_frame(X), columns))
    kept = complete_rows(frame, na_action)
    matrix = frame.to_numpy()
    require_finite_where(kept, matrix, frame.columns)
    matrix = np.ascontiguousarray(matrix[kept])
    if not model.standardize:
        require_squarable(matrix, frame.columns)
        warn_if_narrow(matrix, model.eps, stacklevel=4)
    model.n_features_in_ = matrix.shape[1]
    settings = {**model.fit_settings(), "n_threads": number_of_threads(model.n_jobs)}
    choice = chosen(model, matrix, len(matrix), settings, client, callback, 0)
    source = LocalSource(matrix, model.standardize)
    fitted, _ = travelled(
        model, choice, client, lambda pool: source, matrix.shape, layout, saved, callback,
        options, settings,
    )  # fmt: skip
    model._keep(matrix, fitted)
    return WBMSResult(model, frame.index, frame.columns, kept, na_action)


def taken(X, client, columns, na_action, standardize, layout, wait):
    """Return a Dask collection that has been checked, and the layout for it."""

    def checked(pool):
        collection = Collection(X, columns, na_action, pool)
        suited = layout_for(layout, collection.array.shape, client)
        collection.check(pool, standardize)
        return collection, suited

    return tried(client, checked, wait)


def fit_collection(
    X, model, client, columns, na_action, layout, saved, callback, options, own
):  # fmt: skip
    """Fit a Dask collection; return a `DaskResult`."""
    settings = {**model.fit_settings(), "n_threads": number_of_threads(model.n_jobs)}
    wait = options["wait"]
    collection, layout = taken(X, client, columns, na_action, model.standardize, layout, wait)
    shape = collection.array.shape

    def source(pool):
        return DaskSource(collection.held, pool, layout, model.standardize, model.merge)

    choice = None
    if isinstance(model.h, str) or isinstance(model.lam, str):
        rng = np.random.default_rng(0)
        rows = drawn(source, shape[0], rng, client, wait)
        choice = chosen(model, rows, shape[0], settings, client, callback, rng)
    fitted, end = travelled(
        model, choice, client, source, shape, layout, saved, callback, options, settings
    )
    model.n_features_in_ = shape[1]
    collection.let_go()
    model._keep(collection.array, fitted)
    model.modes_ = modes_of(end, fitted.units, workers_stay=not own)
    return DaskResult(model, collection, na_action)


def drawn(source, n, rng, client, wait):
    """Return the rows that `select` would draw if all were here."""
    looked_at = slice(None)
    if n > MOST_ROWS:
        looked_at = np.sort(rng.permutation(n)[:MOST_ROWS])

    def fetched(pool):
        rows = source(pool)
        return pool.result(rows.some_rows(rows.order[looked_at]))

    return tried(client, fetched, wait)


def sample(X, client, rng, standardize):
    """Return the rows of a Dask collection that `select` looks at.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
    client : distributed.Client or None
    rng : numpy.random.Generator
    standardize : bool
    """
    with as_one_error(), crowd(client) as (client, _):
        wait = WAIT_FOR_WORKERS
        collection, layout = taken(X, client, None, "raise", standardize, "auto", wait)

        def source(pool):
            return DaskSource(collection.held, pool, layout, standardize, True)

        return drawn(source, collection.array.shape[0], rng, client, wait)


def chosen(model, X, n, settings, client, callback, random_state):
    """Return the `Selection` of what is "auto", or None if neither h nor lam is."""
    if not (isinstance(model.h, str) or isinstance(model.lam, str)):
        return None
    scale = n if model.lam_scale == "sum" else 1
    h = None if isinstance(model.h, str) else [float(model.h)]
    lam = None if isinstance(model.lam, str) else [float(model.lam) / scale]

    def report(n_fits, k):
        return says_stop(callback(State.of_trial(n_fits, k, n)))

    return choose(X, h, lam, settings, random_state=random_state, report=report, run=grid(client))


def layout_for(layout, shape, client):
    """Return the layout to take for data of that shape."""
    if layout == "columns" and shape[0] > MOST_POINTS:
        raise ValueError(f"layout='columns' takes at most {MOST_POINTS:,} rows, got {shape[0]:,}")
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    layout = cheaper_layout(*shape, max(1, len(workers))) if layout == "auto" else layout
    needed = cost(*shape, max(1, len(workers)), layout).bytes_a_worker
    least = min((worker["memory_limit"] or np.inf for worker in workers), default=np.inf)
    if needed > least:
        raise MemoryError(
            f"{shape[0]:,} rows × {shape[1]:,} columns need {needed / 1e9:,.1f} GB on a worker "
            f"(layout {layout!r}), but a worker may have only {least / 1e9:,.1f} GB"
        )
    return layout


def travelled(
    model, choice, client, source, shape, layout, saved, callback, options, settings
):  # fmt: skip
    """Fit; note in the model what was chosen, and return the `Fit` and its `FitState`."""
    to_scale = shape[0] if model.lam_scale == "sum" else 1
    model.h_ = float(choice.h if isinstance(model.h, str) else model.h)
    model.lam_ = float(choice.lam * to_scale if isinstance(model.lam, str) else model.lam)
    model.choice_, model.selection_ = choice, None
    if choice is not None:
        model.selection_ = choice.table.assign(lam=choice.table["lam"] * to_scale)
    expedition = FaultTolerantFit(
        client, source, layout_for(layout, shape, client), settings, **options
    )
    return expedition.run(model.h_, model.lam_, model.record_path, callback, model.tree, saved)
