"""Figures: matplotlib, imported only when something is drawn, and files to save a figure to."""

from pywbms._data.atomic import atomic_path
from pywbms._terminal.errors import naming


def pyplot():
    """Return `matplotlib.pyplot`, or raise an ImportError that says what to install."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('a picture needs matplotlib: pip install "pywbms[plot]"') from error
    return plt


def require_matplotlib():
    """Prepare matplotlib for figures that go to files, which needs no display."""
    pyplot()
    import matplotlib

    matplotlib.use("agg")


def new_axes(figsize):
    """Return the axes of a new figure."""
    return pyplot().subplots(figsize=figsize, layout="constrained")[1]


def save_picture(figure, path):
    """Write a figure to a file, close it, and return the path."""
    try:
        with naming("write", path), atomic_path(path) as new:
            figure.savefig(new, dpi=150)
    finally:
        pyplot().close(figure)
    return path
