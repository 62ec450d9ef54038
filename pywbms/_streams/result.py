"""The result for a table that is not in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from pywbms._results.summary import Summary
from pywbms._streams.label_file import write_labels
from pywbms._terminal.wording import counted
from pywbms.result import WBMSResult


class StreamResult:
    """A clustering of a file or an Arrow dataset, of which only landmarks are in memory.

    Attributes
    ----------
    labels : Series
        Cluster of each row, −1 for omitted ones. It is read into memory when asked for; see
        `label_blocks` and `write_labels`.
    sizes : Series
        Number of rows of each cluster.
    sample : WBMSResult
        The result for the landmarks: what can be told from a sample, such as `describe`,
        `outlier_score` or a plot. Its `predict` follows, and gives the labels of this result.
    n_rows, n_omitted : int
        Rows of the table, and those that were omitted for missing values.
    n_clusters, n_iter, h, lam, converged, weights, centers, history, landmarks, choice, confidence
        As of `WBMSResult`.
    """

    def __init__(self, engine: Any, sample: WBMSResult, name: str) -> None:
        self._engine, self.sample, self._name = engine, sample, name
        self.n_rows, self.n_omitted = engine.n_rows, engine.n_omitted

    @property
    def labels(self) -> pd.Series:
        return pd.Series(np.concatenate(list(self._engine.label_blocks())), name="cluster")

    @property
    def sizes(self) -> pd.Series:
        index = pd.RangeIndex(len(self._engine.sizes), name="cluster")
        return pd.Series(self._engine.sizes, index=index, name="size")

    def label_blocks(self) -> Iterator[np.ndarray]:
        """Yield the labels of all rows in order, some at a time."""
        return self._engine.label_blocks()

    def write_labels(self, path: str | os.PathLike) -> None:
        """Write the labels to a file with the columns row and cluster, in full or not at all.

        Parameters
        ----------
        path : path
            In the format of the suffix: .parquet, .arrow, .csv (also with .gz) …
        """
        write_labels(self.label_blocks(), path)

    def predict(self, data: Any, method: str | None = None) -> pd.Series:
        """Return the cluster of new rows in memory; see `WBMSResult.predict`."""
        return self.sample.predict(data, method)

    def save(self, path: str | os.PathLike) -> None:
        """Write the result for the landmarks to a file; `pywbms.load` gives `sample` again."""
        self.sample.save(path)

    def summary(self, top: int = 5) -> Summary:
        """Return a DataFrame with one row per cluster: its size, its share and its centre."""
        of_sample = self.sample.summary(top)
        table = pd.DataFrame(of_sample)
        table["size"] = self.sizes.to_numpy()
        table["share"] = self.sizes.to_numpy() / max(1, self.sizes.sum())
        return Summary.of(table, of_sample.note)

    def __getattr__(self, name: str) -> Any:
        if name in SHARED:
            return getattr(self.sample, name)
        raise AttributeError(f"{name!r}: a result of {type(self).__name__} has it in `sample`")

    def __repr__(self) -> str:
        omitted = f"\nomitted rows (missing values): {self.n_omitted}" if self.n_omitted else ""
        weights = self.weights.sort_values(ascending=False).head(6)
        heaviest = ", ".join(f"{name} {weight:.2g}" for name, weight in weights.items())
        return (
            f"WBMS: {counted(self.n_clusters, 'cluster')} in {counted(self.n_rows, 'row')} × "
            f"{counted(len(self.weights), 'column')} of {self._name} (h = {self.h:.4g}, "
            f"lam = {self.lam:.4g})\n\ncluster sizes: {', '.join(map(str, self.sizes[:12]))}\n"
            f"heaviest columns: {heaviest}{omitted}\n{self.landmarks}"
        )


# What a result shares with that of its landmarks.
SHARED = (
    "n_clusters", "n_iter", "h", "lam", "converged", "weights", "centers", "history", "landmarks",
    "choice", "confidence", "selection", "alternatives", "reached_by", "similar_columns", "scale",
    "estimator", "note",
)  # fmt: skip
