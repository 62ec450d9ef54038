"""The workers of a Dask client, as one fit uses them; the loss of a worker is noticed."""

import asyncio
import itertools
import time
import uuid
import weakref
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import replace

from distributed import Client, Future, KilledWorker, LocalCluster, wait
from distributed.comm import CommClosedError

# Seconds between two checks whether all workers are still alive.
LOOK_EVERY = 0.5
# Bytes of an argument that may be sent with every task.
LARGE_ARGUMENT = 100_000
# Number of times in a row that something is tried again.
MOST_LOSSES = 5


class WorkerLost(Exception):
    """A worker is gone, and what it held with it; others may be alive."""


@contextmanager
def losses():
    """Turn what Dask raises when data or workers are gone into a `WorkerLost`."""
    try:
        yield
    except LOST as error:
        raise WorkerLost(str(error)) from error
    except KeyError as error:
        # The scheduler itself stumbles over a worker that is gone since it was asked.
        if not is_address(error):
            raise
        raise WorkerLost(f"the worker {error} is gone") from error


def is_address(error):
    """Tell whether a KeyError is about the address of a worker.

    Examples
    --------
    >>> is_address(KeyError("tcp://127.0.0.1:40001")), is_address(KeyError("x"))
    (True, False)
    """
    return "://" in str(error)


# What Dask raises when data or workers are gone.
LOST = (KilledWorker, CancelledError, CommClosedError, OSError, TimeoutError)


class WorkerPool:
    """The workers of a client, as one fit uses them.

    Parameters
    ----------
    client : distributed.Client
    n_threads : int, default 1
        Threads of the core in each task.
    worth_sending : float, default 0
        Multiply-adds of a step below which it is done in this process.
    """

    def __init__(self, client, n_threads=1, worth_sending=0.0):
        self.client = client
        self.n_threads = n_threads
        self.worth_sending = worth_sending
        self._token = uuid.uuid4().hex[:8]
        self._number = itertools.count()
        self._futures = weakref.WeakSet()
        self._underway = None  # key of a task that is just being started
        self.place = "start"
        self.refresh()

    def refresh(self):
        """Refresh the set of live workers; return its size."""
        self._workers = set(self._present())
        return len(self._workers)

    @property
    def size(self):
        """Number of live workers at the last refresh, at least 1."""
        return max(1, len(self._workers))

    def submit(self, name, function, *args, part=None):
        """Start a task whose name tells the step, the iteration and the part.

        The dashboard groups tasks by the words before the first number: wbms-shift, wbms-gather …
        Parts are assigned to the workers in turn; left to itself Dask would rather not move the
        points, and have one worker do all of them.
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
        with losses():
            future = self.client.scatter(data, hash=False)
        self._futures.add(future)
        return future

    def shared(self, array):
        """Return an array as tasks should be given it: a large one is sent once, not with each.

        The scheduler would also keep it, as an argument of later tasks' ancestors.
        """
        return array if array.nbytes <= LARGE_ARGUMENT else self.scatter(array)

    def adopt(self, futures):
        """Count futures among those of this pool; return them."""
        self._futures.update(futures)
        return futures

    def settings_of_task(self, settings):
        """Return the settings as tasks are given them: `n_jobs` is the number of their threads."""
        return replace(settings, n_jobs=self.n_threads)

    def run(self, name, function, *args):
        """Start a task and return its result."""
        return self.result(self.submit(name, function, *args))

    def result(self, future):
        """Return the result of a task; see `results`."""
        return self.results([future])[0]

    def results(self, futures):
        """Return the results of tasks.

        Raises
        ------
        WorkerLost
            If a worker is lost in the meantime. Dask itself would recompute what it held, from
            the first iteration on.
        """
        futures = list(futures)
        self._wait_for(futures)
        for future in futures:
            if future.status == "error":
                try:
                    future.result()  # raises an error of the task itself
                except (KilledWorker, CancelledError) as error:
                    raise WorkerLost(str(error)) from error
        return self._gathered(futures)

    def _wait_for(self, futures):
        while True:
            try:
                with losses():
                    wait(futures, timeout=LOOK_EVERY)
                return
            except WorkerLost as loss:
                if not isinstance(loss.__cause__, TimeoutError):
                    raise
                self._require_all()

    def _gathered(self, futures):
        """Fetch results; `Client.gather` would wait for workers that never come back."""
        found = asyncio.run_coroutine_threadsafe(
            self.client.gather(futures, asynchronous=True), self.client.loop.asyncio_loop
        )
        while True:
            try:
                with losses():
                    return found.result(LOOK_EVERY)
            except WorkerLost:
                if found.done():
                    raise
                try:
                    self._require_all()
                except WorkerLost:
                    found.cancel()
                    raise

    def _require_all(self):
        """Raise `WorkerLost` unless all workers of the last refresh, at least one, are alive."""
        present = set(self._present())
        if not present or not self._workers <= present:
            raise WorkerLost("a worker is gone")

    def cancel(self):
        """Cancel all tasks that were started and release their results.

        Released tasks that have not begun are not run. (`Client.cancel` fails on tasks whose
        results were released before, and would have to go through all iterations so far.)
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


def retrying(client, action, wait):
    """Return what an action makes of a pool, tried again when a worker is lost on the way.

    Parameters
    ----------
    client : distributed.Client
    action : callable
        Takes a `WorkerPool`.
    wait : float
        Seconds to wait for a worker when there is none.
    """
    for attempt in range(MOST_LOSSES + 1):
        if not wait_for_worker(client, wait):
            raise WorkerLost("there is no worker")
        pool = WorkerPool(client)
        try:
            return action(pool)
        except WorkerLost:
            if attempt == MOST_LOSSES:
                raise
        finally:
            pool.cancel()


@contextmanager
def client_or_own(client):
    """Yield a client and whether we started its cluster; close it on exit if so."""
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


def require_client(client):
    """Raise a ValueError unless a client is one, and open."""
    if not isinstance(client, Client):
        raise ValueError(f"client must be a distributed.Client or None, got {client!r}")
    if client.status != "running":
        raise ValueError(f"client must be open, this one is {client.status}")


def wait_for_worker(client, seconds):
    """Tell whether there is a worker, if need be after a while."""
    until = time.monotonic() + seconds
    while not WorkerPool(client).refresh():
        if time.monotonic() >= until:
            return False
        time.sleep(0.1)
    return True
