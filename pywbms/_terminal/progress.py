"""Progress of a fit, and of a batch of jobs, on a line of the terminal."""

import time

from pywbms._terminal.line import Line, unasked
from pywbms._terminal.wording import counted, duration

BAR_WIDTH = 24
# Progress that nobody has asked for is shown after so many seconds, and so often.
DELAY, PAUSE = 1.0, 0.1


class FitProgress(Line):
    """The iterations of a fit, its groups and points, and an upper bound on the time left.

    The number of iterations is not known in advance, so the time left is that of the largest
    number allowed.

    Parameters
    ----------
    wanted : bool
        Whether to write anything. Nothing is written unless stderr is a terminal.
    limits : dict
        Largest number of iterations of each phase, ``{"warmup": …, "main": …}``.
    pause : float, default 0
        Shortest time between two updates within a phase, in seconds.
    delay : float, default 0
        See `Line`.
    budget : float, optional
        Seconds after which a search ends.
    """

    def __init__(self, wanted, limits, pause=0.0, delay=0.0, budget=None):
        super().__init__(wanted, delay)
        self._search = SearchTime(budget)
        self._limits = limits
        self._pause = pause
        self._next_update = 0.0
        self._phase = None
        self._last = None
        self._seconds = None

    @classmethod
    def by_default(cls, wanted, limits, budget=None):
        """Return the progress of a fit that takes its time, which nobody has asked for."""
        return cls(wanted and unasked(), limits, PAUSE, DELAY, budget)

    def tell(self, info):
        """Show an IterationInfo; return None, as a callback that does not stop a fit does."""
        now = time.monotonic()
        if self._last is not None:
            took = now - self._last
            # Recent iterations count more: iterations get faster as points merge.
            self._seconds = took if self._seconds is None else (self._seconds + took) / 2
        # Only iterations are timed: a trial fit that selects h and lam is no guide to them.
        self._last = None if info.phase == "select" else now
        if now >= self._next_update or info.phase != self._phase:
            self._phase, self._next_update = info.phase, now + self._pause
            self.show(self.text(info))

    def text(self, info):
        """Return what the line shows for an IterationInfo."""
        if info.phase == "select":
            return str(info) + self._search.left(info.iteration, info.fits_left)
        limit = self._limits[info.phase]
        left = limit - info.iteration
        left += self._limits["main"] if info.phase == "warmup" else 0
        text = f"{info.phase} {info.iteration} of at most {limit}"
        if self._seconds is not None:  # first, because a narrow terminal cuts off the end
            text += f", at most {duration(self._seconds * left)} left"
        text += f": {counted(info.groups, 'group')}, {counted(info.n_points, 'point')}"
        if self._seconds is not None:
            text += f"; {duration(self._seconds)} per iteration"
        return text


class SearchTime:
    """How long a search still takes, from the time that its fits so far have taken.

    Parameters
    ----------
    budget : float, optional
        Seconds after which it ends in any case.
    """

    def __init__(self, budget=None):
        self._budget = budget
        self._begin = time.monotonic()

    def left(self, n_fits, fits_left):
        """Return the time left as the end of a text; nothing where it is not known."""
        spent = time.monotonic() - self._begin
        if not fits_left or spent <= 0:
            return ""
        seconds = spent / n_fits * fits_left
        if self._budget is not None:
            seconds = min(seconds, max(self._budget - spent, 0.0))
        return f", about {duration(seconds)} left"


class BatchProgress(Line):
    """A bar over jobs of unequal length, with the time left.

    Parameters
    ----------
    total : float
        The estimated length of all jobs, in any unit.
    count : int
        The number of jobs.
    noun : str
        What a job is called.
    """

    def __init__(self, total, count, noun):
        super().__init__()
        self._total, self._count, self._noun = total, count, noun
        self._done, self._finished, self._name = 0.0, 0, ""
        self._begin = time.monotonic()

    def start(self, name):
        """Show the name of the part that begins."""
        self._name = name
        self._show()

    def advance(self, length):
        """Count a job of this length as finished."""
        self._done += length
        self._finished += 1
        self._show()

    def _show(self):
        share = min(self._done / self._total, 1.0) if self._total else 1.0
        filled = round(BAR_WIDTH * share)
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        left = ""
        if 0 < share < 1:
            left = f", about {duration((time.monotonic() - self._begin) * (1 / share - 1))} left"
        self.show(
            f"{self._name}: {bar} {self._finished} of {counted(self._count, self._noun)}{left}"
        )
