"""A look at R every quarter of a second while Python computes.

R checks its time limits and the events of its user interface between its own instructions. While
Python computes there are none, so a timer interrupts it now and then, as Ctrl-C would: between two
instructions of Python, or where the core asks for signals.
"""

import signal
import threading
from contextlib import contextmanager

from rbridge.interrupts import inside_rpy2, os_handler, restore_os_handler

SECONDS = 0.25
LEAST = 1e-3  # 0 would stop it


class Ticks:
    """A timer that calls a function, only within `running`.

    Parameters
    ----------
    tick : callable
        What to call. It may raise.
    """

    def __init__(self, tick):
        self._tick = tick
        self._runs = False
        # Python lets only its main thread set handlers; Windows has no such timer.
        self._possible = hasattr(signal, "setitimer") and (
            threading.current_thread() is threading.main_thread()
        )

    @contextmanager
    def running(self):
        """Tick while the code in this context runs."""
        if not self._possible:
            yield
            return
        foreign = os_handler(signal.SIGALRM)
        before = signal.signal(signal.SIGALRM, self._handle)
        signal.siginterrupt(signal.SIGALRM, False)
        left = signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
        self._runs = True
        try:
            yield
        finally:
            self._runs = False
            signal.setitimer(signal.ITIMER_REAL, *left)
            if callable(before):
                signal.signal(signal.SIGALRM, before)
            elif foreign:  # the default action (0) ends the process: a late signal must not meet it
                restore_os_handler(signal.SIGALRM, foreign)

    @contextmanager
    def paused(self):
        """Stop the timer for a while, for R code that may last; then it goes on where it was."""
        if not self._runs:
            yield
            return
        self._runs = False
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            yield
        finally:
            # Not from the beginning: callbacks in quick succession would put it off for ever.
            signal.setitimer(signal.ITIMER_REAL, max(left, LEAST), SECONDS)
            self._runs = True

    def _handle(self, signum, frame):
        if self._runs and not inside_rpy2(frame):
            self._tick()
