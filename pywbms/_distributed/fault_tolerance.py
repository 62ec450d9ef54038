"""A fit on a cluster that goes on when workers are lost."""

import hashlib
import tempfile
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from pywbms._data.container import plain
from pywbms._distributed.checkpoint import IN_MEMORY, Checkpoint, remove
from pywbms._distributed.memory_limit import MemoryWatch
from pywbms._distributed.remote_points import RemotePoints
from pywbms._distributed.worker_pool import MOST_LOSSES, WorkerLost, WorkerPool, wait_for_worker
from pywbms._engine.fit import FitResult, run_fit, tree_of
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.mixture_points import MixturePoints
from pywbms._engine.recorder import Recorder

# Share of the time that checkpoints may take.
SHARE_OF_TIME = 0.1
# Seconds to wait for a worker when all are gone: a nanny starts one within a few.
WAIT_FOR_WORKERS = 15.0


# Settings that do not tell fits apart: threads, and landmarks, which no checkpointed fit has.
UNSAVED = ("n_jobs", "landmarks")


class WorkersLost(RuntimeError):
    """All workers of a fit were lost, or they die repeatedly in the same iteration.

    Attributes
    ----------
    phase : str
    iteration : int
        The last iteration that was completed.
    checkpoint : str or None
        What to give to ``resume=``; None if nothing had been done yet, or could be written.
    """

    def __init__(self, what, phase, iteration, checkpoint=None):
        self.phase, self.iteration = phase, iteration
        self.checkpoint = None if checkpoint is None else checkpoint.place
        go_on = "there is no checkpoint: start again"
        if checkpoint is not None:
            go_on = f"continue from {checkpoint} with resume={self.checkpoint!r}"
        super().__init__(f"{what} after {phase} iteration {iteration}; {go_on}")


@dataclass(frozen=True)
class FaultOptions:
    """How a fit deals with faults, and when it uses the workers at all.

    Attributes
    ----------
    checkpoint : Path or None
        Folder that is kept up to date.
    resume : Checkpoint or None
        Where to go on from.
    worth_sending : float
        Multiply-adds of a step below which it is done in this process.
    wait : float
        Seconds to wait for a worker when all are gone.
    """

    checkpoint: Path | None
    resume: Checkpoint | None
    worth_sending: float
    wait: float


class FaultTolerantFit:
    """A fit that goes on from a checkpoint when workers are lost.

    Parameters
    ----------
    client : distributed.Client
    rows : LocalRows or CollectionRows
    layout : {"rows", "columns"}
    settings : Settings
        Its `n_jobs` counts threads on each worker.
    options : FaultOptions
    modes_of : callable or None
        See `FitResult.of`.
    """

    def __init__(self, client, rows, layout, settings, options, modes_of):
        self._client = client
        self._rows = rows
        self._layout = layout
        self._settings = settings
        self._options = options
        self._modes_of = modes_of
        self._checkpoint = self._on_disk = options.resume
        self._temporary = None
        self._warned = False
        self._memory = MemoryWatch(client)
        self._next_checkpoint = 0.0
        self._reached = ("start", 0)
        self._reported = ("warmup", 0)
        self.pool = None

    def run(self, callback=None):
        """Return the `FitResult`."""
        losses, lost_at = 0, None
        try:
            while True:
                try:
                    return self._attempt(callback)
                except WorkerLost as loss:
                    losses = losses + 1 if self._reached == lost_at else 1
                    lost_at = self._reached
                    self.pool.cancel()
                    if losses > MOST_LOSSES:
                        raise self._lost("workers die repeatedly") from loss
                    if not wait_for_worker(self._client, self._options.wait):
                        raise self._lost("all workers were lost") from loss
        except BaseException:
            if self.pool is not None:
                self.pool.cancel()
            raise
        finally:
            if self._temporary is not None:
                remove(self._temporary)

    def _attempt(self, callback):
        """Run the fit with the workers that are alive now."""
        settings, rows = self._settings, self._rows
        pool = WorkerPool(self._client, settings.n_threads, self._options.worth_sending)
        self.pool = pool
        if not pool.refresh():
            raise WorkerLost("there is no worker")
        if self._checkpoint is not None and self._checkpoint.layout is not None:
            self._layout = self._checkpoint.layout
        rows.prepare(pool, self._layout, settings)
        self._fingerprint = fingerprint(rows, settings)
        if self._checkpoint is not None:
            self._checkpoint.require_same(self._fingerprint)
        start = self._start()

        def report(info):
            self._reached = (info.phase, info.iteration)
            pool.place = f"{info.phase}-{info.iteration + 1}"
            if self._reached <= self._reported and info.phase == self._reported[0]:
                return None  # reported before a worker was lost
            self._reported = self._reached
            return None if callback is None else callback(info)

        recorder = Recorder(rows.order, rows.standardizer, settings, report, self._keep)
        state = None
        if self._checkpoint is not None:
            state = self._checkpoint.restore(start, recorder)
        pool.place = "warmup-1" if state is None else f"{state.phase}-{state.n_iter + 1}"
        state = run_fit(start, settings, recorder, state)
        tree = tree_of(state, recorder, settings, rows.working_rows)
        return FitResult.of(state, recorder, tree, self._modes_of)

    def _start(self):
        """Return the points at the start, on the workers if that is worth it."""
        rows, settings = self._rows, self._settings
        n, p = rows.shape
        if not rows.standardizer.active.any():
            return LocalPoints.at_start(np.empty((n, 0)), settings)
        saved_there = self._checkpoint is not None and self._checkpoint.layout is not None
        small = float(n) * n * p < self._options.worth_sending
        if small and rows.local and not saved_there:
            return MixturePoints.start(LocalPoints.at_start(*rows.start_rows(settings)))
        return rows.start(self.pool, self._layout, settings)

    def _keep(self, state, recorder):
        """Keep a checkpoint if it is time for one."""
        now = time.monotonic()
        if now < self._next_checkpoint:
            return
        points = state.points
        large = isinstance(points, RemotePoints) and 8 * np.prod(points.shape) > IN_MEMORY
        made = Checkpoint.of(state, recorder, self._fingerprint, in_memory=not large)
        if not large:
            self._checkpoint = made
        if large or self._options.checkpoint is not None:
            self._write(made)
        ended = time.monotonic()
        self._next_checkpoint = ended + (ended - now) / SHARE_OF_TIME
        self.pool.refresh()

    def _write(self, made, then="and the fit goes on"):
        """Write a checkpoint; if that is not possible, warn and say what happens then."""
        folder = self._options.checkpoint or self._temporary
        try:
            if folder is None:
                folder = tempfile.gettempdir()
                folder = self._temporary = tempfile.mkdtemp(prefix="pywbms-")
            self._checkpoint = self._on_disk = made.write(folder)
            self._warned = False
        except OSError as error:
            if not self._warned:
                last = "there is none so far"
                if self._on_disk is not None:
                    last = f"the last good one, of {self._on_disk}, stays"
                warnings.warn(
                    f"the checkpoint of {made} could not be written in {str(folder)!r} "
                    f"({error.strerror or error}); {last}, {then}",
                    UserWarning,
                    stacklevel=2,
                )
            self._warned = True  # until it is possible again

    def _lost(self, what):
        """Return the error for a fit that cannot go on, its checkpoint on disk."""
        if self._checkpoint is not None and self._checkpoint.path is None:
            self._write(self._checkpoint, then="and the fit ends")
        if self._on_disk is not None and str(self._on_disk.path.parent) == self._temporary:
            self._temporary = None  # it is needed
        what += self._memory.explain(self._rows.shape, self._layout)
        return WorkersLost(what, *self._reached, self._on_disk)


def fingerprint(rows, settings):
    """Return what tells one fit from another: its rows, their order and units, its parameters."""
    digest = hashlib.sha256(rows.order.tobytes())
    for values in (rows.standardizer.scale, rows.standardizer.active, rows.checksums):
        digest.update(np.ascontiguousarray(values).tobytes())
    params = {name: value for name, value in asdict(settings).items() if name not in UNSAVED}
    return plain({"shape": rows.shape, "data": digest.hexdigest(), "parameters": params})
