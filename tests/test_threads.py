"""Threads: how many, beside whom, and after a fork."""

import os
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_info

from pywbms import WBMS
from pywbms._core import pool
from pywbms._machine import threads


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(600, 20))


@pytest.mark.parametrize("n_jobs", ["2", 1.5, True, 0])
def test_bad_counts_are_named(n_jobs):
    with pytest.raises(ValueError, match="n_jobs must"):
        threads.number_of_threads(n_jobs)


def test_no_more_threads_than_cores():
    assert threads.number_of_threads(10_000) == os.cpu_count()
    assert threads.number_of_threads(None) == 1


def test_small_work_is_done_by_one_thread():
    assert threads.worth(4, threads.WORTH_THREADS - 1) == 1
    assert threads.worth(4, threads.WORTH_THREADS) == 4


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_fits_side_by_side_leave_blas_as_it_was(X):
    before = blas_threads()
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda h: WBMS(h, 1.0).fit(X[:80]), [0.5] * 12))
    assert blas_threads() == before
    assert all(np.array_equal(model.modes_, models[0].modes_) for model in models)


def test_blas_is_held_to_one_thread_until_the_last_has_gone():
    outside = blas_threads()
    entered, leave = threading.Event(), threading.Event()

    def stay():
        with threads.one_blas_thread():
            entered.set()
            leave.wait(10)

    other = threading.Thread(target=stay)
    other.start()
    entered.wait(10)
    with threads.one_blas_thread():
        pass
    assert set(blas_threads()) == {1}
    leave.set()
    other.join()
    assert blas_threads() == outside


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # what is under test
def test_a_forked_child_does_not_wait_for_threads_it_does_not_have(X):
    expected = WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(X).modes_
    child = os.fork()
    if child == 0:  # no test runner in here: the answer is the exit code
        found = WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(X).modes_
        os._exit(0 if np.array_equal(found, expected) else 1)
    timer = threading.Timer(60, os.kill, (child, 9))
    timer.start()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    assert os.waitstatus_to_exitcode(status) == 0


def test_threads_sleep_while_they_have_nothing_to_do(X):
    WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(X)
    n_threads, _ = pool.state()
    assert n_threads >= min(2, os.cpu_count()) - 1
    deadline = time.monotonic() + 60  # so that a failure is one, and not a hang
    while pool.state()[1] < pool.state()[0] and time.monotonic() < deadline:
        time.sleep(0.001)
    assert pool.state() == (n_threads, n_threads)


def test_threads_are_used_again_and_no_more_are_started_than_needed(X):
    for _ in range(20):
        WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(X)
    assert pool.state()[0] < 20


def test_fits_side_by_side_with_threads_give_the_same(X):
    model = WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed")
    expected = model.fit(X).modes_
    with ThreadPoolExecutor(4) as executor:
        found = list(executor.map(lambda _: clone(model).fit(X).modes_, range(12)))
    assert all(np.array_equal(modes, expected) for modes in found)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_a_fork_in_the_middle_of_fits_leaves_a_working_child():
    code = """
    import os, threading, numpy as np
    from pywbms import WBMS
    X = np.random.default_rng(0).normal(size=(600, 20))
    fit = lambda: WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(X).modes_
    expected, stop = fit(), threading.Event()
    def keep_fitting():
        while not stop.is_set():
            fit()
    others = [threading.Thread(target=keep_fitting) for _ in range(2)]
    [other.start() for other in others]
    for _ in range(20):
        child = os.fork()
        if child == 0:
            os._exit(0 if np.array_equal(fit(), expected) else 1)
        assert os.waitpid(child, 0)[1] == 0
    stop.set()
    [other.join() for other in others]
    """
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=300
    )


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs Linux's /proc")
def test_signals_go_to_the_threads_of_the_program():
    code = """
    import numpy as np, os
    from pathlib import Path
    from pywbms import WBMS
    def tasks():
        return {task.name for task in Path("/proc/self/task").glob("*")}
    before = tasks()
    WBMS(0.5, 1.0, n_jobs=2, max_iter=3, stop="fixed").fit(
        np.random.default_rng(0).normal(size=(600, 20))
    )
    assert len(tasks() - before) == min(2, os.cpu_count()) - 1
    for task in tasks() - before:
        status = Path("/proc/self/task", task, "status").read_text()
        blocked = int(status.split("SigBlk:")[1].split()[0], 16)
        assert blocked & 2, "SIGINT would end the fit in a thread that is not Python's"
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
