"""A line of progress on a terminal."""

import os
import shutil
import sys
import time


class Line:
    """A line of the terminal that is overwritten with each text and cleared on exit.

    Parameters
    ----------
    wanted : bool, default True
        Whether to write anything. Nothing is written unless stderr is a terminal, or this process
        a notebook's.
    delay : float, default 0
        Seconds in which nothing is shown yet: what is quick needs no progress.
    """

    def __init__(self, wanted=True, delay=0.0):
        self._stream = place_for_progress() if wanted else None
        self._length = 0
        self._first = time.monotonic() + delay if delay else 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._stream is not None and (self._length or not self._first):
            self._write("")
            self._stream.write("\r")
            self._stream.flush()

    def show(self, text):
        """Replace the text on the line."""
        if self._stream is not None and (not self._first or time.monotonic() >= self._first):
            self._write(text)

    def _write(self, text):
        # A text as wide as the terminal would wrap, and \r does not reach the line above.
        text = text[: shutil.get_terminal_size().columns - 1]
        self._stream.write("\r" + text.ljust(self._length))
        self._stream.flush()
        self._length = len(text)


def place_for_progress():
    """Return where a line can be written over: a terminal, a notebook, or nowhere (None)."""
    if sys.stderr.isatty():
        return sys.stderr
    return sys.stdout if in_notebook() else None


def in_notebook():
    """Tell whether this process is that of a notebook, whose cells write lines over, too."""
    loaded = sys.modules.get("IPython")
    shell = getattr(loaded, "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


def unasked():
    """Tell whether to show progress that nobody has asked for: not while tests run.

    Examples
    --------
    >>> unasked()
    False
    """
    return "PYTEST_CURRENT_TEST" not in os.environ
