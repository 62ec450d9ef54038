"""Progress of a fit in a notebook, if tqdm is there to show it."""

import sys
import warnings

# Shorter fits show nothing.
SECONDS_BEFORE = 1.0


def in_notebook():
    """Tell whether the code runs in the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def new_bar():
    """Return a bar of tqdm that shows a text and the time, or None without tqdm."""
    try:
        with warnings.catch_warnings():  # without ipywidgets tqdm writes a line, and warns of it
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(bar_format="{desc} ({elapsed})", leave=False, delay=SECONDS_BEFORE)


class NotebookProgress:
    """Shows the iterations of a fit in a notebook; elsewhere nothing.

    Parameters
    ----------
    wanted : bool, default True
        Whether to show anything.
    """

    def __init__(self, wanted=True):
        self._wanted = wanted and in_notebook()
        self._bar = None

    def __enter__(self):
        self._bar = new_bar() if self._wanted else None
        return self

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()

    @property
    def tell(self):
        """What shows an IterationInfo, or None if nothing does."""
        return None if self._bar is None else self._show

    def _show(self, info):
        self._bar.set_description_str(str(info), refresh=False)
        self._bar.update()
