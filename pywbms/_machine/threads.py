"""How many threads to use, and how BLAS is kept from adding its own."""

import os
import threading
from contextlib import contextmanager
from functools import cache
from numbers import Integral

import joblib
from threadpoolctl import OpenBLASController, ThreadpoolController

# Multiply-adds below which threads cost more than they gain: they wait for each other at the end of
# every step, and on a busy machine that wait is long.
WORTH_THREADS = 5e6

_lock = threading.Lock()
_blas = {"users": 0, "limit": None}


def after_fork():
    """Forget who uses BLAS in the parent: only one thread of it exists here.

    Python calls this in a forked child; code that forks without Python's knowledge must call it.
    """
    global _lock
    _lock = threading.Lock()
    _blas["users"] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=after_fork)


def number_of_threads(n_jobs):
    """Return the number of threads that n_jobs asks for, as joblib counts."""
    if n_jobs is not None and (not isinstance(n_jobs, Integral) or isinstance(n_jobs, bool)):
        raise ValueError(f"n_jobs must be an integer or None, got {n_jobs!r}")
    if n_jobs == 0:
        raise ValueError("n_jobs must not be 0; None means 1, −1 all cores")
    return min(joblib.effective_n_jobs(n_jobs), os.cpu_count() or 1)


def worth(n_threads, work):
    """Return n_threads if there are enough multiply-adds for them, else 1."""
    return n_threads if work >= WORTH_THREADS else 1


@contextmanager
def one_blas_thread():
    """Hold BLAS to one thread while ours do the work.

    Fits may run side by side in several Python threads: the first to enter sets the limit, the
    last to leave lifts it.
    """
    with _lock:
        if _blas["users"] == 0:
            _blas["limit"] = _controller().limit(limits=1, user_api="blas")
            _let_any_thread_lift_it()
        _blas["users"] += 1
    try:
        yield
    finally:
        with _lock:
            _blas["users"] -= 1
            if _blas["users"] == 0:
                _blas["limit"].restore_original_limits()
                _let_any_thread_lift_it()


def _let_any_thread_lift_it():
    """Release the hold that newer threadpoolctl gives to the thread that has set a limit."""
    clear = getattr(OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear()


@cache
def _controller():
    return ThreadpoolController()
