"""What the pictures need to know about a fit."""

from typing import Any, Protocol

import numpy as np
import pandas as pd


class Fitted(Protocol):
    """The fields of a result that are drawn; a `WBMSResult` has them all."""

    @property
    def labels(self) -> Any:
        """Cluster of each row, −1 for rows that were omitted."""

    @property
    def weights(self) -> pd.Series:
        """Weight of each feature."""

    @property
    def data(self) -> pd.DataFrame:
        """The rows that were clustered."""

    @property
    def centers(self) -> pd.DataFrame:
        """Mean of each cluster."""

    @property
    def scale(self) -> pd.Series:
        """What each column was divided by."""

    @property
    def h(self) -> float:
        """Bandwidth."""

    @property
    def n_iter(self) -> int:
        """Number of iterations."""


def with_pandas(result: Any) -> Any:
    """Return a result with tables of pandas, whatever kind of table was clustered."""
    return getattr(result, "pandas", result)


def clustered_labels(result: Fitted) -> np.ndarray:
    """Return the labels of the rows in ``result.data``, those that were not omitted.

    Rows that are labelled as outliers have −1.
    """
    labels = result.labels.to_numpy()
    n_rows, inside = len(result.data), labels >= 0
    if n_rows in (len(labels), inside.sum()):
        return labels if n_rows == len(labels) else labels[inside]
    return result.estimator.labels_  # type: ignore[attr-defined]
