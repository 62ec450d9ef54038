"""The progress of a fit, described for R, which shows it."""

import re

from pywbms._terminal.progress import FitProgress


class FitProgressInR:
    """What a fit is doing: R asks for it from time to time.

    Parameters
    ----------
    call : rbridge.dispatch.Call
        The call that fits.
    show : R function or None
        What shows a description; None if nothing is to be shown.
    """

    def __init__(self, call, show):
        self._latest = None
        self._show = show
        if show is not None:
            call.show_progress(show, self._described)

    def limit(self, **limits):
        """Set the largest number of iterations of each phase."""
        self._limits = limits
        self._timed = FitProgress(False, limits, pause=float("inf"))

    def tell(self, info):
        """Take note of an iteration."""
        if self._show is not None:
            self._latest = info
            self._timed.tell(info)

    def _described(self):
        info = self._latest
        if info is None:
            return None
        text = with_lambda(self._timed.text(info))
        return {"text": text, "share": None if info.phase == "select" else self._share(info)}

    def _share(self, info):
        """Return the share of the iterations allowed that is done."""
        before = self._limits["warmup"] if info.phase == "main" else 0
        return min(1.0, (before + info.iteration) / max(1, sum(self._limits.values())))


def with_lambda(text):
    """Return a text with R's name of lam."""
    return re.sub(r"\blam\b", "lambda", text)
