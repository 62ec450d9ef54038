"""Timing on a machine that others use as well: contenders take turns, minima count."""

import gc
import signal
import time
from contextlib import contextmanager
from typing import NamedTuple

SECONDS_BETWEEN_SIGNALS = 0.1


class Seconds(NamedTuple):
    """How long something took: processor time of all threads, and time on the wall."""

    cpu: float
    wall: float

    @classmethod
    def now(cls):
        """Return both clocks."""
        return cls(time.process_time(), time.perf_counter())

    def since(self, start):
        """Return how long it is since an earlier reading."""
        return Seconds(self.cpu - start.cpu, self.wall - start.wall)

    def best(self, other):
        """Return the smaller of each."""
        return Seconds(min(self.cpu, other.cpu), min(self.wall, other.wall))


def seconds_of(function):
    """Call a function and return how long it took."""
    with no_garbage_collection():
        start = Seconds.now()
        function()
        return Seconds.now().since(start)


def interleave(contenders, seconds, least, most):
    """Time contenders in turns and return the minima of each.

    What disturbs the machine for a while then disturbs all of them, and a repeat of the same
    contender comes at another moment.

    Parameters
    ----------
    contenders : dict of str to callable
        Each returns the `Seconds` of one repeat.
    seconds : float
        A contender drops out when its repeats have taken this long, what they do not time
        included.
    least, most : int
        Bounds of the number of repeats.

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
    """Keep Python from looking for cycles meanwhile."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class TookTooLong(Exception):
    """What is being timed has used up its processor time."""


@contextmanager
def time_limit(seconds):
    """Raise `TookTooLong` when the process has used this much more processor time.

    Works in the main thread, and where the system has such a timer. What runs in compiled code
    ends when it next looks for signals.
    """

    def ended(number, frame):
        raise TookTooLong

    if not hasattr(signal, "SIGPROF"):
        yield
        return
    before = signal.signal(signal.SIGPROF, ended)
    # Again and again: an exception inside a destructor or a callback of Python's is lost.
    signal.setitimer(signal.ITIMER_PROF, seconds, SECONDS_BETWEEN_SIGNALS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
