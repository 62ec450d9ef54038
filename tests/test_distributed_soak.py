"""Fits on Dask while the cluster is restarted, runs out of memory, or suffers from all at once."""

import signal
import threading
from contextlib import suppress

import dask.array as da
import dasksession
import numpy as np
import pytest
import soak
from dasksession import (
    LAYOUTS,
    PATIENCE,
    assert_same,
    blobs,
    expected_of,
    fitted,
    kill_at,
    wait_until,
)
from distributed import Client, LocalCluster, WorkerPlugin
from distributed.client import FutureCancelledError

from pywbms import distributed
from pywbms._distributed import checkpoint
from pywbms._distributed.worker_pool import WorkerLost, WorkerPool

# fixtures
near, small_parts = dasksession.near, dasksession.small_parts

pytestmark = pytest.mark.xdist_group("dask")


def test_a_few_fits_among_troubles():
    """The short form of `make soak`."""
    outcome = soak.soak(5, seed=3)
    assert not outcome.failures, "\n".join(outcome.failures)
    assert outcome.fits == 5
    assert outcome.attempts > outcome.fits  # not all of them went undisturbed
    assert outcome.events.total() >= 5


def test_a_cluster_that_stays_dead_is_replaced(monkeypatch):
    """The soak itself: the fit says that its workers are lost, and ends elsewhere."""

    def for_good(trouble, state):
        trouble._seen += 1
        if trouble._seen == 1:  # here, not in the background: no fit ends before it has happened
            for nanny in list(trouble._session.cluster.workers.values()):
                nanny.auto_restart = False
                trouble._signal(nanny.pid, signal.SIGKILL)
                trouble._session.cluster.sync(nanny.close)

    monkeypatch.setattr(soak.Trouble, "callback", for_good)
    monkeypatch.setattr(soak, "WAIT", 3)
    outcome = soak.soak(1, seed=0)
    assert not outcome.failures, "\n".join(outcome.failures)
    assert outcome.dead_clusters == outcome.resumed >= 1


class TestRestart:
    def test_in_the_middle_of_a_fit(self):
        X = blobs(300, 16)
        expected = expected_of(X)
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            for data in (X, da.from_array(X, chunks=(100, 16))):
                for layout in LAYOUTS:
                    callback = kill_at("main", 2, lambda: client.restart(timeout=PATIENCE))
                    found = fitted(
                        data, client=client, layout=layout, callback=callback,
                        wait_for_workers=PATIENCE,
                    )  # fmt: skip
                    assert callback.done
                    assert_same(found, expected)

    @pytest.mark.parametrize("method", ["_scatter", "_gather"])
    def test_the_scheduler_stumbles_over_a_worker_that_is_gone(self, near, monkeypatch, method):
        """It raises a KeyError with the address of the worker."""
        X, call, calls = blobs(200), getattr(Client, method), []

        async def stumbling(client, *args, **options):
            calls.append(args)
            if len(calls) == 1:
                raise KeyError("tcp://127.0.0.1:40001")
            return await call(client, *args, **options)

        monkeypatch.setattr(Client, method, stumbling)
        assert_same(fitted(X, client=near, layout="rows"), expected_of(X))
        assert len(calls) > 1

    def test_an_error_of_a_task_is_no_loss(self, near):
        def broken(key):
            raise KeyError(key)

        pool = WorkerPool(near)
        with pytest.raises(KeyError, match="x"):
            pool.run("broken", broken, "x")
        future = pool.submit("broken", broken, "x")
        wait_until(lambda: future.status == "error")
        with pytest.MonkeyPatch.context() as patched:

            def cancelled(self):
                raise FutureCancelledError("x", "restarted")

            patched.setattr(type(future), "result", cancelled)
            with pytest.raises(WorkerLost):
                pool.result(future)


def test_a_worker_that_dies_of_its_memory_limit():
    """The error names the limit and what the fit needs."""

    class Hog(WorkerPlugin):
        def setup(self, worker):
            self.block = np.ones(80_000_000)  # on every worker that comes back, too

    def register():
        with suppress(Exception):  # its worker dies of it
            client.register_plugin(Hog())

    def no_more_memory():
        threading.Thread(target=register, daemon=True).start()
        wait_until(lambda: client.get_events("worker-restart-memory"))

    callback = kill_at("main", 2, no_more_memory)
    told = (
        r"because they exceeded their memory limit of 0\.50 GB \(the fit needs about 0\.06 GB .*"
        r"layout='rows'.*after main iteration 2; continue from .* resume="
    )
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit="500MB"
        ) as cluster,
        Client(cluster) as client,
        pytest.raises(distributed.WorkersLost, match=told) as error,
    ):
        fitted(blobs(300), client=client, layout="rows", callback=callback, wait_for_workers=0.5)
    with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
        found = fitted(blobs(300), client=client, layout="rows", resume=error.value.checkpoint)
    assert_same(found, expected_of(blobs(300)))
    checkpoint.remove(error.value.checkpoint)
