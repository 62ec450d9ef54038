"""Dask for the tests: clusters, fits that take every step on workers, and what to compare."""

import subprocess
import sys
import time
from contextlib import contextmanager

import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

from pywbms import distributed, wbms
from pywbms._distributed import row_points

# Seconds after which a cluster has hung, however busy the machine.
PATIENCE = 600
dask.config.set(
    {
        "distributed.comm.timeouts.connect": f"{PATIENCE}s",
        # Until then a nanny may take to bring its worker back; after it, the nanny is closed.
        "distributed.deploy.lost-worker-timeout": f"{PATIENCE}s",
    }
)

LAYOUTS = ("rows", "columns")
SHORT = {"warmup": 4, "patience": 2}  # a fit of ten iterations instead of thirty


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def near():
    """A worker in this process: quick, for many small fits."""
    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"
    ) as client:
        yield client


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Share out even the smallest step."""
    monkeypatch.setattr(row_points, "WORTH_A_PART", 1.0)


def blobs(n=300, p=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 5 * rng.normal(size=(k, p))[np.arange(n) % k]


def fitted(X, h=0.1, lam=0.2, client=None, **options):
    """A fit in which every step is taken on the workers."""
    return distributed.fit(X, h, lam, client, **{"worth_sending": 0, **SHORT, **options})


def expected_of(X, h=0.1, lam=0.2, **options):
    """The same on one machine."""
    return wbms(X, h=h, lam=lam, **{**SHORT, **options})


def computed(values):
    return values.compute() if hasattr(values, "compute") else values


def assert_same(found, expected, tolerance=1e-9):
    """As the issue has it: labels identical, modes and weights within 1e-9."""
    np.testing.assert_array_equal(computed(found.labels), computed(expected.labels))
    scale = expected.scale.to_numpy()
    difference = computed(found.modes).to_numpy() - computed(expected.modes).to_numpy()
    assert np.abs(difference / scale).max() <= tolerance
    np.testing.assert_allclose(found.weights, expected.weights, rtol=0, atol=tolerance)
    difference = found.centers.to_numpy() - expected.centers.to_numpy()
    assert np.abs(difference / scale).max() <= tolerance
    assert found.n_iter == expected.n_iter
    assert found.converged == expected.converged
    np.testing.assert_array_equal(found.history["groups"], expected.history["groups"])
    np.testing.assert_array_equal(found.history["n_points"], expected.history["n_points"])
    np.testing.assert_allclose(
        found.history[["diameter", "movement", "entropy"]],
        expected.history[["diameter", "movement", "entropy"]],
        rtol=1e-7, atol=1e-9,
    )  # fmt: skip


def wait_until(condition):
    """Wait for a condition that comes true sooner or later."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"not so after {PATIENCE} s"
        time.sleep(0.05)


@contextmanager
def workers(n):
    """A scheduler here and n worker processes that nobody starts again."""
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address,
                   "--no-nanny", "--nthreads", "1", "--no-dashboard"]  # fmt: skip
        processes = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(n)
        ]
        try:
            with Client(cluster) as client:
                client.wait_for_workers(n, timeout=PATIENCE)
                yield client, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def kill_at(phase, iteration, kill):
    """A callback that ends something in the middle of a fit, once."""
    done = []

    def callback(state):
        if (state.phase, state.iteration) == (phase, iteration) and not done:
            done.append(True)
            kill()

    callback.done = done
    return callback
