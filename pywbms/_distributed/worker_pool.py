"""A Dask client as a fit needs it: tasks with telling names, and a loss that is noticed."""

import asyncio
import itertools
import time
import uuid
import weakref
from concurrent.futures import CancelledError

from distributed import Client, Future, KilledWorker, wait
from distributed.comm import CommClosedError

# Seconds between two looks whether all workers are still there.
LOOK_EVERY = 0.5
# Bytes of an argument that may travel with every task.
LARGE_ARGUMENT = 100_000
# Times in a row that something is tried anew.
MOST_LOSSES = 5


class WorkerLost(Exception):
    """A worker has gone, and what it held with it; others may be there."""


class WorkerPool:
    """The workers of a client, as one fit sees them.

    Parameters
    ----------
    client : distributed.Client
    n_threads : int
        Threads of the core in each task.
    """

    def __init__(self, client, n_threads=1):
        self.client = client
        self.n_threads = n_threads
        self._token = uuid.uuid4().hex[:8]
        self._number = itertools.count()
        self._futures = weakref.WeakSet()
        self._underway = None  # key of a task that is just being started
        self.place = "start"
        self.refresh()

    def refresh(self):
        """Look who is there; return how many."""
        self._workers = set(self._present())
        return len(self._workers)

    @property
    def size(self):
        """Number of workers when they were last counted, at least 1."""
        return max(1, len(self._workers))

    def submit(self, name, function, *args, part=None):
        """Start a task whose name tells the step, the place of the fit and the part.

        The dashboard groups tasks by the words before the first number: wbms-shift, wbms-gather …
        Parts are dealt out to the workers in turn; left to itself Dask would rather not move the
        cloud, and have one worker do them all.
        """
        where = {}
        if part is not None and self._workers:
            turn = sorted(self._workers)[part % len(self._workers)]
            where = {"workers": [turn], "allow_other_workers": True}
        part = "" if part is None else f"-{part}"
        key = f"wbms-{name}-{self.place}{part}-{self._token}{next(self._number)}"
        self._underway = key
        future = self.client.submit(function, *args, key=key, pure=False, **where)
        self._futures.add(future)
        self._underway = None
        return future

    def scatter(self, data):
        """Put data on a worker; return its future."""
        try:
            future = self.client.scatter(data, hash=False)
        except LOST as error:
            raise WorkerLost(str(error)) from error
        self._futures.add(future)
        return future

    def shared(self, array):
        """Return an array as tasks should be given it: a large one is sent once, not with each.

        It would also stay with the scheduler, as part of how later tasks came about.
        """
        return array if array.nbytes <= LARGE_ARGUMENT else self.scatter(array)

    def adopt(self, futures):
        """Count futures among those that were started here; return them."""
        self._futures.update(futures)
        return futures

    def result(self, future):
        """Return what a task has found; see `results`."""
        return self.results([future])[0]

    def results(self, futures):
        """Return what tasks have found.

        Raises
        ------
        WorkerLost
            If a worker goes in the meantime. Dask itself would make anew what it held, from
            the first iteration on.
        """
        futures = list(futures)
        self._wait_for(futures)
        for future in futures:
            if future.status == "error" and not isinstance(future.exception(), KilledWorker):
                future.result()  # an error of the task itself
        return self._gathered(futures)

    def _wait_for(self, futures):
        while True:
            try:
                wait(futures, timeout=LOOK_EVERY)
                return
            except TimeoutError:
                self._require_all()
            except LOST as error:
                raise WorkerLost(str(error)) from error

    def _gathered(self, futures):
        """Bring results here; `Client.gather` would wait for workers that never come back."""
        found = asyncio.run_coroutine_threadsafe(
            self.client.gather(futures, asynchronous=True), self.client.loop.asyncio_loop
        )
        while True:
            try:
                return found.result(LOOK_EVERY)
            except LOST as error:
                if found.done():
                    raise WorkerLost(str(error)) from error
                try:
                    self._require_all()
                except WorkerLost:
                    found.cancel()
                    raise

    def _require_all(self):
        """Raise `WorkerLost` unless everybody who was there still is, and somebody is."""
        present = set(self._present())
        if not present or not self._workers <= present:
            raise WorkerLost("a worker has gone")

    def cancel(self):
        """Take back all tasks that were started and forget what they made.

        What nobody wants any more is not begun. (`Client.cancel` fails on tasks whose results were
        given up before, and would have to go through all iterations so far.)
        """
        for future in list(self._futures):
            future.release()
        self._futures = weakref.WeakSet()
        if self._underway is not None and self.client.status == "running":
            # Ctrl-C came before its future was known; nothing depends on it yet.
            self.client.cancel([Future(self._underway, self.client)])
            self._underway = None

    def _present(self):
        try:
            return self.client.nthreads() if self.client.status == "running" else {}
        except LOST:
            return {}


# What Dask raises when data or workers are gone.
LOST = (KilledWorker, CancelledError, CommClosedError, OSError, TimeoutError)


def tried(client, action, wait):
    """Return what an action makes of a pool, tried anew when a worker is lost on the way.

    Parameters
    ----------
    client : distributed.Client
    action : callable
        Takes a `WorkerPool`.
    wait : float
        Seconds to wait for a worker when none is there.
    """
    for attempt in range(MOST_LOSSES + 1):
        if not somebody_is_there(client, wait):
            raise WorkerLost("no worker is there")
        pool = WorkerPool(client)
        try:
            return action(pool)
        except WorkerLost:
            if attempt == MOST_LOSSES:
                raise
        finally:
            pool.cancel()


def require_client(client):
    """Raise a ValueError unless a client is one, and open."""
    if not isinstance(client, Client):
        raise ValueError(f"client must be a distributed.Client or None, got {client!r}")
    if client.status != "running":
        raise ValueError(f"client must be open, this one is {client.status}")


def somebody_is_there(client, wait):
    """Tell whether there is a worker, if need be after a while."""
    until = time.monotonic() + wait
    while not WorkerPool(client).refresh():
        if time.monotonic() >= until:
            return False
        time.sleep(0.1)
    return True
