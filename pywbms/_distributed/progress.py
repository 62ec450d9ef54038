"""How far a fit is, on the terminal."""

import time

from pywbms._data.wording import counted
from pywbms._terminal.line import Line


class Progress(Line):
    """A line on the terminal: iterations, groups left, and the most time that is left.

    How many iterations a fit takes is not known before it ends: the time left is an upper bound.

    Parameters
    ----------
    wanted : bool
    limits : dict
        Largest number of iterations, phase by phase.
    """

    def __init__(self, wanted, limits):
        super().__init__(wanted)
        self._limits = limits
        self._last = None
        self._seconds = None

    def tell(self, state):
        """Show a state."""
        now = time.monotonic()
        if self._last is not None:
            took = now - self._last
            # Later iterations count more: they get quicker as points meet.
            self._seconds = took if self._seconds is None else (self._seconds + took) / 2
        self._last = now
        self.show(self.text(state))

    def text(self, state):
        """Return a state in words."""
        if state.phase == "select":
            return str(state)
        limit = self._limits[state.phase]
        left = limit - state.iteration
        left += self._limits["main"] if state.phase == "warmup" else 0
        text = f"{state.phase} {state.iteration} of at most {limit}"
        if self._seconds is not None:  # early in the line: a narrow terminal cuts its end
            text += f", at most {duration(self._seconds * left)} left"
        text += f": {counted(state.groups, 'group')}, {counted(state.n_points, 'point')}"
        if self._seconds is not None:
            text += f"; {duration(self._seconds)} an iteration"
        return text


def duration(seconds):
    """Return a time as text.

    Examples
    --------
    >>> duration(0.0312), duration(75), duration(7500)
    ('0.031 s', '1.2 min', '2.1 h')
    """
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2g} s"
