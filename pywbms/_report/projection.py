"""The plane in which a page shows the rows: the first weighted principal components."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from pywbms._viz.embedding import component_name, embed, positive
from pywbms._viz.style import jitter

# Values farther from the median of their column, in its scale, are drawn at this distance: one
# broken value must not press all others into a point.
FARTHEST = 20.0


@dataclass(frozen=True)
class WithinReach:
    """The parts of a result that are projected, without values far outside."""

    weights: pd.Series
    scale: pd.Series
    data: pd.DataFrame
    centers: pd.DataFrame

    @classmethod
    def of(cls, result):
        """Bring far values of a result nearer."""
        middle, scale = result.data.median(), result.scale
        room = FARTHEST * scale.where(scale > 0, np.inf)
        low, high = middle - room, middle + room
        nearer = [t.clip(low, high, axis=1) for t in (result.data, result.centers)]
        return cls(result.weights, scale, *nearer)


@dataclass(frozen=True)
class Projection:
    """Maps rows in the caller's units to the plane.

    Attributes
    ----------
    names : list of str
        Of the axes.
    share : float
        Share of the weighted variance that the plane shows.
    columns : ndarray
        The columns that have a part in it.
    mean, axes : ndarray
        Of these columns.
    points, centres : ndarray of shape (n, 2), (k, 2)
        All rows, and the centres of the clusters.
    """

    names: list
    share: float
    columns: np.ndarray
    mean: np.ndarray
    axes: np.ndarray
    points: np.ndarray
    centres: np.ndarray

    @classmethod
    def of(cls, result):
        """Find the plane of a result."""
        result = WithinReach.of(result)
        found = embed(result)
        factors = np.sqrt(result.weights.to_numpy()) / positive(result.scale.to_numpy())
        axes = found.loadings * factors[:, None]
        columns = np.flatnonzero(axes.any(axis=1))
        names = [component_name(result, found, i) for i in range(found.rows.shape[1])]
        if len(names) == 1:
            names.append("no second component: rows are spread at random")
        mean = result.data.to_numpy(dtype=float).mean(axis=0)[columns]
        share = float(min(found.share.sum(), 1.0))
        flat = found.centres.shape[1] == 1
        centres = np.pad(found.centres, ((0, 0), (0, 1))) if flat else found.centres
        return cls(
            names, share, columns, mean, axes[columns], planar(found.rows), centres,
        )  # fmt: skip

    def of_rows(self, rows):
        """Return the places of rows that have all columns, in the caller's units."""
        return (rows[:, self.columns] - self.mean) @ self.axes


def planar(points):
    """Return points with two coordinates, the second one spread without meaning if it lacks."""
    if points.shape[1] == 2:
        return points
    width = np.ptp(points[:, 0]) or 1.0
    return np.column_stack([points[:, 0], 0.2 * width * jitter(len(points))])
