"""Timing on a shared machine: contenders are interleaved, minima are used."""

import gc
import signal
import time
from contextlib import contextmanager
from typing import NamedTuple

SECONDS_BETWEEN_SIGNALS = 0.1


class Seconds(NamedTuple):
    """A duration: CPU time of all threads, and wall time."""

    cpu: float
    wall: float

    @classmethod
    def now(cls):
        """Return the current reading of both clocks."""
        return cls(time.process_time(), time.perf_counter())

    def since(self, start):
        """Return the time since an earlier reading."""
        return Seconds(self.cpu - start.cpu, self.wall - start.wall)

    def best(self, other):
        """Return the minimum of each clock."""
        return Seconds(min(self.cpu, other.cpu), min(self.wall, other.wall))


def seconds_of(function):
    """Call a function and return its duration."""
    with no_garbage_collection():
        start = Seconds.now()
        function()
        return Seconds.now().since(start)


def interleave(contenders, seconds, least, most):
    """Time contenders alternately and return the minima of each.

    A temporary disturbance of the machine then affects all of them, and repeats of the same
    contender are spread over time.

    Parameters
    ----------
    contenders : dict of str to callable
        Each returns the `Seconds` of one repeat.
    seconds : float
        A contender drops out when its repeats have taken this long, including untimed work.
    least, most : int
        Bounds on the number of repeats.

    Returns
    -------
    dict of str to Seconds

    Examples
    --------
    >>> best = interleave({"a": lambda: Seconds(2, 3), "b": lambda: Seconds(1, 1)}, 1, 2, 5)
    >>> best["a"]
    Seconds(cpu=2, wall=3)
    """
    best = {}
    taken = dict.fromkeys(contenders, 0.0)
    for turn in range(most):
        for name, repeat in contenders.items():
            if turn >= least and taken[name] > seconds:
                continue
            start = time.perf_counter()
            found = repeat()
            taken[name] += time.perf_counter() - start
            best[name] = found.best(best[name]) if name in best else found
    return best


@contextmanager
def no_garbage_collection():
    """Disable Python's cyclic garbage collector temporarily."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class TookTooLong(Exception):
    """The timed code has exceeded its CPU time limit."""


@contextmanager
def time_limit(seconds):
    """Raise `TookTooLong` when the process has used this much more CPU time.

    Works in the main thread, if the system has such a timer. Compiled code stops when it next
    checks for signals.
    """

    def stop(number, frame):
        raise TookTooLong

    if not hasattr(signal, "SIGPROF"):
        yield
        return
    before = signal.signal(signal.SIGPROF, stop)
    # Repeatedly: an exception raised inside a destructor or a callback is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, SECONDS_BETWEEN_SIGNALS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
