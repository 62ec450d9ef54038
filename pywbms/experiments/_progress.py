"""A bar with the time left, on a terminal."""

import time

from pywbms._terminal.line import Line

WIDTH = 24


class Progress(Line):
    """A bar over cells of unequal length.

    Parameters
    ----------
    total : float
        The guessed length of all cells, in any unit.
    count : int
        The number of cells.
    """

    def __init__(self, total, count):
        super().__init__()
        self._total, self._count = total, count
        self._done, self._finished, self._name = 0.0, 0, ""
        self._begin = time.monotonic()

    def start(self, name):
        """Show which experiment is under way."""
        self._name = name
        self._show()

    def advance(self, length):
        """Count a cell of this length as finished."""
        self._done += length
        self._finished += 1
        self._show()

    def _show(self):
        share = min(self._done / self._total, 1.0) if self._total else 1.0
        bar = "█" * round(WIDTH * share) + "░" * (WIDTH - round(WIDTH * share))
        left = ""
        if 0 < share < 1:
            left = f", about {duration((time.monotonic() - self._begin) * (1 / share - 1))} left"
        self.show(f"{self._name}: {bar} {self._finished} of {self._count} cells{left}")


def duration(seconds):
    """Write a time in words.

    Examples
    --------
    >>> duration(42), duration(600), duration(5400)
    ('42 s', '10 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
