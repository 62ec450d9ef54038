"""Another name for `pywbms._terminal.progress.FitProgress`."""

from pywbms._terminal.progress import FitProgress as Progress

__all__ = ["Progress"]
