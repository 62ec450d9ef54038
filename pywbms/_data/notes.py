"""Warnings that point to the line which called pywbms, however deep inside they are given."""

import sys
import warnings

PACKAGE = __name__.partition(".")[0]


def note(message):
    """Give a UserWarning at the nearest line outside this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and inside(frame):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)


def inside(frame):
    """Tell whether a frame belongs to this package."""
    return frame.f_globals.get("__name__", "").partition(".")[0] == PACKAGE
