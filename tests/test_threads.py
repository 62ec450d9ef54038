"""Threads: how many, beside whom, and after a fork."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from pywbms import WBMS
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
