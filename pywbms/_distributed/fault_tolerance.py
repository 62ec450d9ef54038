"""A fit on a cluster from its start to its end, whatever happens to the workers on the way."""

import hashlib
import tempfile
import time

import numpy as np

from pywbms._distributed.checkpoint import IN_MEMORY, Checkpoint, remove
from pywbms._distributed.remote_points import RemoteCloud, TravellingCloud
from pywbms._distributed.worker_pool import MOST_LOSSES, WorkerLost, WorkerPool, somebody_is_there
from pywbms._engine.loop import FOLDED, Fit, groups_of_points, travel
from pywbms._engine.points import Cloud
from pywbms._engine.recorder import Trace

# A checkpoint may take this share of the time.
SHARE_OF_TIME = 0.1
# Seconds to wait for a worker when all are gone: a nanny starts one within a few.
WAIT_FOR_WORKERS = 15.0


class WorkersLost(RuntimeError):
    """All workers of a fit were lost, or they die again and again in the same iteration.

    Attributes
    ----------
    phase : str
    iteration : int
        The last iteration that was completed.
    checkpoint : str or None
        Folder from which ``resume=`` goes on; None if nothing had been done yet.
    """

    def __init__(self, what, phase, iteration, kept, folder):
        self.phase, self.iteration = phase, iteration
        self.checkpoint = None if folder is None else str(folder)
        go_on = "no checkpoint had been made yet: start again"
        if folder is not None:
            where = f"{kept[0]} iteration {kept[1]}"
            go_on = f"go on from {where} with resume={self.checkpoint!r}"
        super().__init__(f"{what} after {phase} iteration {iteration}; {go_on}")


class FaultTolerantFit:
    """A fit that goes on when workers are lost.

    Parameters
    ----------
    client : distributed.Client
    source : callable
        Given a `WorkerPool`, returns a source of rows.
    layout : {"rows", "columns"}
    settings : dict
        Parameters of `fit.fit` without h and lam; of them, `n_threads` counts on each worker.
    worth_sending : float
        Multiply-adds of a step below which it is done in this process.
    checkpoint : path, optional
        Folder that is kept up to date.
    wait : float
        Seconds to wait for a worker when all are gone.
    """

    def __init__(self, client, source, layout, settings, worth_sending, checkpoint, wait):
        self._client = client
        self._source = source
        self._layout = layout
        self._settings = dict(settings)
        self._worth_sending = worth_sending
        self._folder = checkpoint
        self._temporary = None
        self._wait = wait
        self._saved = None
        self._next_save = 0.0
        self._place = ("start", 0)
        self._told = ("warmup", 0)
        self.pool = None

    def run(self, h, lam, record_path, callback, tree, resume=None):
        """Return the `Fit` and the `FitState` behind it."""
        losses, reached = 0, None
        self._saved = resume
        try:
            while True:
                try:
                    return self._attempt(h, lam, record_path, callback, tree)
                except WorkerLost as loss:
                    losses = losses + 1 if self._place == reached else 1
                    reached = self._place
                    self.pool.cancel()
                    if losses > MOST_LOSSES:
                        raise self._lost("workers die again and again") from loss
                    self._await_workers(loss)
        except BaseException:
            if self.pool is not None:
                self.pool.cancel()
            raise
        finally:
            if self._temporary is not None:
                remove(self._temporary)

    def _attempt(self, h, lam, record_path, callback, tree):
        settings = dict(self._settings)
        n_threads, merge = settings.pop("n_threads"), settings.pop("merge")
        settings.pop("standardize")
        pool = self.pool = WorkerPool(self._client, n_threads)
        if not pool.refresh():
            raise WorkerLost("no worker is there")
        source = self._source(pool)
        self._of = fingerprint(source, {**self._settings, "h": h, "lam": lam, "tree": tree})
        if self._saved is not None and self._saved.of != self._of:
            raise ValueError("resume: the checkpoint is of other data or parameters")
        start = self._start(source, pool, merge)
        now = None
        if self._saved is not None:
            now = self._saved.journey(start, self._wrapped)
        trace = Trace(source.order, source.units.active, record_path)

        def after_iteration(state):
            self._place = (state.phase, state.iteration)
            pool.place = f"{state.phase}-{state.iteration + 1}"
            if self._place <= self._told and state.phase == self._told[0]:
                return None  # told before a worker was lost
            self._told = self._place
            return None if callback is None else callback(state)

        pool.place = "warmup-1" if now is None else f"{now.phase}-{now.trace.n_iter + 1}"
        end = travel(
            start, trace, h, lam, **settings, callback=after_iteration, keep=self._keep,
            rows=source.rows if tree else None, now=now,
        )  # fmt: skip
        return self._gathered(end, source), end

    def _start(self, source, pool, merge):
        n, p = source.shape
        eps = self._settings["eps"]
        if not source.units.active.any():
            return TravellingCloud(nowhere(n, merge), 0.0)
        kept_there = self._saved is not None and self._saved.layout is not None
        if float(n) * n * p < self._worth_sending and source.near and not kept_there:
            return TravellingCloud(source.at_home(merge, pool.n_threads), 0.0)
        layout = self._layout
        if self._saved is not None and self._saved.layout is not None:
            layout = self._saved.layout
        set_out = source.in_rows if layout == "rows" else source.in_columns
        return self._wrapped(set_out(pool, merge, eps, FOLDED * eps))

    def _wrapped(self, cloud):
        return TravellingCloud(cloud, self._worth_sending)

    def _gathered(self, end, source):
        """Return the `Fit`; the modes of rows that came from Dask stay where they are."""
        cloud = end.cloud.inner
        if source.near:
            return Fit.of(end, source.units)
        met = None
        if isinstance(cloud, RemoteCloud):
            met = cloud.means(groups_of_points(cloud, end.labels))
        return Fit.of(end, source.units, met, modes=())

    def _keep(self, journey):
        """Keep a checkpoint if it is time for one."""
        now = time.monotonic()
        if now < self._next_save:
            return
        folder = self._folder
        cloud = journey.cloud.inner
        large = isinstance(cloud, RemoteCloud) and 8 * np.prod(cloud.shape) > IN_MEMORY
        if folder is None and large:
            folder = self._temporary = self._temporary or new_folder()
        self._saved = Checkpoint.of_journey(journey, self._of, folder)
        ended = time.monotonic()
        self._next_save = ended + (ended - now) / SHARE_OF_TIME
        self.pool.refresh()

    def _await_workers(self, loss):
        """Wait until a worker is there."""
        if not somebody_is_there(self._client, self._wait):
            raise self._lost("all workers were lost") from loss

    def _lost(self, what):
        """Return the error for a fit that cannot go on, its checkpoint on disk."""
        if self._saved is None:
            return WorkersLost(what, *self._place, None, None)
        if self._saved.folder is None:
            self._saved = self._saved.written()
        self._temporary = None  # it is needed
        kept = self._saved.phase, self._saved.iteration
        return WorkersLost(what, *self._place, kept, self._saved.folder)


def nowhere(n, merge):
    """Return a cloud of rows without features: all columns were constant."""
    return Cloud(np.empty((n, 0)), merge, 1)


def new_folder():
    """Return a new folder of the system's."""
    return tempfile.mkdtemp(prefix="pywbms-")


def fingerprint(source, settings):
    """Return what tells one fit from another: its rows, their order and units, its parameters."""
    digest = hashlib.sha256(source.order.tobytes())
    for values in (source.units.scale, source.units.active, source.checksums):
        digest.update(np.ascontiguousarray(values).tobytes())
    settings = {name: value for name, value in settings.items() if name != "n_threads"}
    return source.shape, digest.hexdigest(), tuple(sorted(settings.items()))
