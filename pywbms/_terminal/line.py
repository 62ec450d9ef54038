"""A line of progress on a terminal."""

import shutil
import sys


class Line:
    """A line on the terminal that is written over again and again, and gone in the end.

    Parameters
    ----------
    wanted : bool, default True
        Whether to write anything. Only a terminal is ever written to.
    """

    def __init__(self, wanted=True):
        self._wanted = wanted and sys.stderr.isatty()
        self._length = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.show("")
        if self._wanted:
            sys.stderr.write("\r")
            sys.stderr.flush()

    def show(self, text):
        """Write a text over the one before."""
        if self._wanted:
            # A text that fills the line would go on in the next, where \r does not reach it.
            text = text[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write("\r" + text.ljust(self._length))
            sys.stderr.flush()
            self._length = len(text)
