"""The fits of the search for h and lam as independent tasks on a cluster."""

from pywbms._distributed.fault_tolerance import WAIT_FOR_WORKERS, WorkersLost
from pywbms._distributed.worker_pool import (
    MOST_LOSSES,
    WorkerLost,
    WorkerPool,
    require_client,
    wait_for_worker,
)
from pywbms._selection.runner import fit_candidate


class DaskCandidates:
    """Runs the fits of a search on a cluster.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client):
        require_client(client)
        self._pool = WorkerPool(client)
        self._pool.place = "1"
        self._X = self._sent = None
        self._n_fits = 0

    def __call__(self, X, tasks, settings):
        """Yield labels and weights of fits at ((h, lam, init), rows), in the order of the tasks."""
        waiting, losses = list(tasks), 0
        try:
            futures = self._start(X, waiting, settings)
            while waiting:
                try:
                    found = self._pool.result(futures[0])
                except WorkerLost:
                    losses += 1
                    if losses > MOST_LOSSES:
                        raise self._lost() from None
                    self._forget()
                    futures = self._start(X, waiting, settings)
                    continue
                waiting, futures = waiting[1:], futures[1:]
                yield found
        finally:
            if waiting:  # the search was stopped
                self._forget()

    def _forget(self):
        self._pool.cancel()
        self._sent = None

    def _lost(self):
        return WorkersLost("all workers were lost", "select", self._n_fits)

    def _start(self, X, tasks, settings):
        if not wait_for_worker(self._pool.client, WAIT_FOR_WORKERS):
            raise self._lost()
        self._pool.refresh()
        if self._sent is None or self._X is not X:
            self._X, self._sent = X, self._pool.scatter(X)
        futures = []
        for place, rows in tasks:
            self._n_fits += 1
            name = f"select-{self._n_fits}"
            futures.append(
                self._pool.submit(name, fit_candidate, self._sent, rows, place, settings)
            )
        return futures
