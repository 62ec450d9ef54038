"""A line of progress on a terminal."""

import shutil
import sys


class Line:
    """A line of the terminal that is overwritten with each text and cleared on exit.

    Parameters
    ----------
    wanted : bool, default True
        Whether to write anything. Nothing is written unless stderr is a terminal.
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
        """Replace the text on the line."""
        if self._wanted:
            # A text as wide as the terminal would wrap, and \r does not reach the line above.
            text = text[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write("\r" + text.ljust(self._length))
            sys.stderr.flush()
            self._length = len(text)
