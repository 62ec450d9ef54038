"""Fits on Dask that lose workers, connections or patience, and go on."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap

import dask.array as da
import dasksession
import pytest
from dasksession import (
    LAYOUTS,
    PATIENCE,
    assert_same,
    blobs,
    expected_of,
    fitted,
    kill_at,
    wait_until,
    workers,
)
from distributed import Client, LocalCluster

from pywbms import distributed
from pywbms._distributed import checkpoint, fault_tolerance, host_points
from pywbms._distributed.worker_pool import WorkerPool

# fixtures
cluster, client, near = dasksession.cluster, dasksession.client, dasksession.near
small_parts = dasksession.small_parts

# One test process starts the clusters, not all of them.
pytestmark = pytest.mark.xdist_group("dask")


class TestFaults:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_a_worker_killed_in_the_middle(self, layout, monkeypatch):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)  # a checkpoint every iteration
        X = blobs(400, 40)
        expected = expected_of(X)
        with workers(2) as (client, processes):
            callback = kill_at("main", 2, lambda: os.kill(processes[0].pid, signal.SIGKILL))
            told = []

            def callbacks(state):
                told.append((state.phase, state.iteration))
                callback(state)

            found = fitted(X, client=client, layout=layout, callback=callbacks)
            assert callback.done
            assert len(client.nthreads()) == 1
            assert_same(found, expected)
            assert told == list(
                zip(expected.history["phase"], expected.history["iteration"], strict=True)
            )

            # now there is one, and none comes back
            lost = kill_at("main", 2, lambda: os.kill(processes[1].pid, signal.SIGKILL))
            with pytest.raises(distributed.WorkersLost, match="resume=") as error:
                fitted(X, client=client, layout=layout, callback=lost, wait_for_workers=0.5)
        assert error.value.phase == "main"
        assert error.value.iteration == 2
        assert f"after main iteration {error.value.iteration}" in str(error.value)
        folder = error.value.checkpoint
        with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
            with pytest.raises(ValueError, match="other data or parameters"):
                fitted(X, 0.2, client=client, layout=layout, resume=folder)
            states = []
            found = fitted(X, client=client, layout=layout, resume=folder, callback=states.append)
            assert_same(found, expected)
            assert states[0].phase == "main"  # the warm-up is not done again
        checkpoint.remove(folder)

    def test_a_nanny_brings_the_only_worker_back(self):
        X = blobs(300)
        with (
            LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            (pid,) = client.run(os.getpid).values()
            callback = kill_at("warmup", 4, lambda: os.kill(pid, signal.SIGKILL))
            found = fitted(
                X, client=client, layout="rows", callback=callback, wait_for_workers=PATIENCE
            )
            assert callback.done
            assert_same(found, expected_of(X))

    def test_a_checkpoint_on_disk_is_gone_on_with(self, near, tmp_path, monkeypatch):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)  # after every iteration
        monkeypatch.setattr(checkpoint, "AT_A_TIME", 8 * 6 * 100)  # in slices
        X = blobs(350)
        lazy = da.from_array(X, chunks=100)
        expected = expected_of(X)
        for layout in LAYOUTS:
            folder = tmp_path / layout

            def interrupt(state):
                if (state.phase, state.iteration) == ("main", 2):
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                fitted(lazy, client=near, layout=layout, checkpoint=folder, callback=interrupt)
            states = []
            found = fitted(lazy, client=near, layout=layout, resume=folder, callback=states.append)
            assert (states[0].phase, states[0].iteration) == ("main", 2)
            assert_same(found, expected)
        with pytest.raises(ValueError, match="no checkpoint in"):
            fitted(X, client=near, resume=tmp_path)
        # a step that would be taken here is taken where it was
        assert_same(fitted(X, client=near, resume=tmp_path / "rows", worth_sending=1e9), expected)

    @pytest.mark.parametrize("standardize", [True, False])
    def test_a_checkpoint_of_other_data_is_refused(self, near, tmp_path, standardize):
        X = blobs(100)

        def interrupt(state):
            if state.iteration == 3:
                raise KeyboardInterrupt

        options = {"client": near, "standardize": standardize, "h": 0.5}
        with pytest.raises(KeyboardInterrupt):
            fitted(X, checkpoint=tmp_path, callback=interrupt, **options)
        other = X * [1, -1, 1, 1, 1, 1]
        with pytest.raises(ValueError, match="of other data"):
            fitted(other, resume=tmp_path, **options)

    def test_a_cluster_without_workers_is_told(self):
        with (
            LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            for X in (blobs(20), da.from_array(blobs(20))):
                with pytest.raises(distributed.WorkersLost):
                    fitted(X, client=client, wait_for_workers=0.2)

    def test_workers_that_vanish_while_results_travel(self, monkeypatch):
        with workers(2) as (client, processes):
            wait_for = WorkerPool._wait_for

            def then_kill(pool, futures):
                wait_for(pool, futures)
                if pool.place.startswith("main"):
                    for process in processes:
                        process.send_signal(signal.SIGSTOP)
                        process.kill()

            monkeypatch.setattr(WorkerPool, "_wait_for", then_kill)
            with pytest.raises(distributed.WorkersLost):
                fitted(da.from_array(blobs(200), chunks=50), client=client, wait_for_workers=0.5)

    def test_a_large_checkpoint_is_on_disk_as_long_as_it_is_needed(
        self, near, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)
        monkeypatch.setattr(fault_tolerance, "IN_MEMORY", 1000)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        seen = []

        def look(state):
            seen.extend(path.name for path in tmp_path.glob("pywbms-*/*"))

        fitted(blobs(50), client=near, layout="rows", callback=look)
        assert set(seen) == {checkpoint.FILE}
        assert not list(tmp_path.glob("pywbms-*"))

    def test_an_error_in_a_task_is_raised_as_it_is(self, near, monkeypatch):
        def broken(*args):
            raise ZeroDivisionError("in a task")

        monkeypatch.setattr(host_points, "gather_step", broken)
        with pytest.raises(ZeroDivisionError, match="in a task"):
            fitted(blobs(50), client=near, layout="rows")

        def missing(block):
            raise FileNotFoundError("no such file")

        with pytest.raises(FileNotFoundError, match="no such file"):
            fitted(da.ones((4, 2)).map_blocks(missing, dtype=float), client=near)

    def test_ctrl_c_takes_back_what_was_submitted(self, cluster, client):
        code = f"""
            import signal
            import numpy as np
            from distributed import Client
            from pywbms import distributed

            def tell(state):
                print("going", flush=True)

            signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it

            with Client({cluster.scheduler_address!r}) as client:
                X = np.random.default_rng(0).normal(size=(3000, 40))
                try:
                    distributed.fit(X, 0.1, 0.2, client, worth_sending=0, callback=tell)
                except KeyboardInterrupt:
                    print("interrupted", flush=True)
                    input()
        """
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout.readline() == "going\n"
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        while process.stdout.readline() != "interrupted\n":
            assert process.poll() is None

        def tasks_of_the_fit():
            names = client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
            return [name for name in names if str(name).startswith("wbms")]

        # The client is still there: nothing but the fit itself takes its tasks back.
        wait_until(lambda: not tasks_of_the_fit())
        process.communicate("\n", timeout=PATIENCE)
        assert process.returncode == 0
