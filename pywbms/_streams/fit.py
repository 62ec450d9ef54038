"""Clusters the rows of a file or an Arrow dataset."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd

from pywbms._engine.settings import Settings
from pywbms._selection.similarity import warn_if_similar
from pywbms._streams.engine import StreamEngine
from pywbms._streams.result import StreamResult
from pywbms._streams.sources import Stream
from pywbms._terminal.line import Line
from pywbms._terminal.wording import counted, duration
from pywbms.estimator import WBMS, warn_if_not_converged
from pywbms.result import WBMSResult


class StreamProgress(Line):
    """How many rows have been read, or have followed, and the time left.

    Parameters
    ----------
    wanted : bool
        Nothing is written unless stderr is a terminal.
    n_rows : int or None
        In all, if that is known.
    """

    def __init__(self, wanted, n_rows):
        super().__init__(wanted)
        self._n_rows, self._doing, self._begin = n_rows, None, 0.0

    def tell(self, doing, done):
        """Show how many rows are done."""
        now = time.monotonic()
        if doing != self._doing:
            self._doing, self._begin = doing, now
            self._share = 0.0
        self.show(self.text(doing, done, now - self._begin))

    def text(self, doing, done, seconds):
        """Return what the line shows."""
        if self._n_rows is None:
            return f"{doing}: {counted(done, 'row')}"
        text = f"{doing}: {done:,} of {counted(self._n_rows, 'row')}"
        if 0 < done < self._n_rows:
            text += f", about {duration(seconds * (self._n_rows / done - 1))} left"
        return text


def landmarks_of_stream(stream: Stream, settings: Settings) -> int | None:
    """Return how many rows of a stream are landmarks; None if all are to be fitted in memory."""
    if stream.n_rows is None:
        stream.n_rows = sum(len(kept) for _, kept in stream.blocks())
    return settings.n_landmarks((stream.n_rows, len(stream.columns)))


def fit_stream(
    stream: Stream, model: WBMS, number: int, tell: Callable | None = None
) -> StreamResult:
    """Cluster the rows of a stream.

    Parameters
    ----------
    stream : Stream
    model : WBMS
        Not fitted yet.
    number : int
        Of landmarks.
    tell : callable, optional
        Called with a word on what is done and the number of rows that have been seen.
    """
    settings = model.settings()
    engine = StreamEngine(stream, settings, number, tell or (lambda doing, done: None))
    model.fit_with(engine, settings)
    warn_if_not_converged(model, stacklevel=4)
    warn_if_similar(model.similar_columns_, stream.columns, stacklevel=4)
    index = pd.RangeIndex(engine.n_landmarks)
    kept = np.ones(engine.n_landmarks, dtype=bool)
    sample = WBMSResult(model, index, stream.columns, kept, "raise")
    return StreamResult(engine, sample, stream.name)
