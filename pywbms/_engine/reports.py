"""What is told of a fit while it runs: to its engine, on the terminal, and to the caller."""

from pywbms._engine.settings import is_auto
from pywbms._terminal.progress import FitProgress


class Reports:
    """Told of each iteration; a context in which a line of progress may be shown.

    Parameters
    ----------
    engine : LocalEngine or DaskEngine
    settings : Settings
    verbose : bool or "auto"
        "auto": a line of progress, unless the engine has its own or the caller a callback.
    callback : callable or None
        Of the caller.
    """

    def __init__(self, engine, settings, verbose, callback):
        self._engine, self._callback = engine, callback
        self._prints = bool(verbose) and not is_auto(verbose)
        wanted = is_auto(verbose) and callback is None and engine.progress is None
        limits = {phase.name: phase.max_iter for phase in settings.phases}
        self._line = FitProgress.by_default(wanted, limits, settings.time_budget)

    def __enter__(self):
        self._line.__enter__()
        return self

    def __exit__(self, *error):
        self._line.__exit__(*error)

    def __call__(self, info):
        """Tell of an `IterationInfo`; return what the callback of the caller returns."""
        if self._engine.progress is not None:
            self._engine.progress(info)
        self._line.tell(info)
        if self._prints:
            print(info)
        return self._callback(info) if self._callback is not None else None
