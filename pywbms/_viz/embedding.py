"""The clustered rows in the plane along which they differ most in the learned distance."""

from dataclasses import dataclass

import numpy as np

from pywbms._terminal.names import shortened
from pywbms._viz.clusters import draw_points
from pywbms._viz.result import clustered_labels

# Columns with most of the weighted variance, if there are more: no larger matrix is made.
MOST_COLUMNS = 2000
# A component is named by its strongest columns: up to so many, with this share of it.
NAMED, SHARE, NAME_LENGTH = 3, 0.8, 15
# Components with a smaller share of the variance are rounding.
LEAST_SHARE = 1e-12


@dataclass(frozen=True)
class Embedding:
    """Principal components of rows whose columns are multiplied by the square roots of weights.

    Attributes
    ----------
    rows, centres : ndarray of shape (n, d), (k, d)
        Their scores; d is 1 or 2.
    loadings : ndarray of shape (p, d)
    share : ndarray of shape (d,)
        Share of each component in the weighted variance.
    """

    rows: np.ndarray
    centres: np.ndarray
    loadings: np.ndarray
    share: np.ndarray


def draw_embedding(result, ax):
    """Draw `pywbms.plot.embedding`."""
    found = embed(result)
    names = [component_name(result, found, number) for number in range(found.rows.shape[1])]
    return draw_points(found.rows, found.centres, clustered_labels(result), names, ax)


def embed(result):
    """Return the rows and centres of a result in its first two weighted principal components."""
    factors = np.sqrt(result.weights.to_numpy()) / positive(result.scale.to_numpy())
    data = result.data.to_numpy(dtype=float)
    mean = data.mean(axis=0)
    variance = (factors * data.std(axis=0)) ** 2
    used = np.sort(np.argsort(-variance, kind="stable")[:MOST_COLUMNS])
    rows = (data[:, used] - mean[used]) * factors[used]
    axes = principal_axes(rows)
    scores = rows @ axes
    share = (scores**2).mean(axis=0) / max(variance.sum(), np.finfo(float).tiny)
    kept = [0, *np.flatnonzero(share[1:] > LEAST_SHARE) + 1]
    loadings = np.zeros((len(factors), axes.shape[1]))
    loadings[used] = axes
    centres = (result.centers.to_numpy(dtype=float)[:, used] - mean[used]) * factors[used]
    return Embedding(scores[:, kept], (centres @ axes)[:, kept], loadings[:, kept], share[kept])


def principal_axes(rows):
    """Return the first two principal axes of centred rows, as columns.

    The largest coefficient of an axis is positive.

    Examples
    --------
    >>> rows = np.array([[-2.0, 0.0], [2.0, 0.0], [0.0, -1.0], [0.0, 1.0]])
    >>> principal_axes(rows).round(3).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n, p = rows.shape
    if p <= n:
        axes = np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :2]
    else:  # fewer rows than columns, of which there are at most MOST_COLUMNS
        axes = np.linalg.svd(rows, full_matrices=False)[2][:2].T
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return axes * np.where(largest < 0, -1.0, 1.0)


def component_name(result, found, number):
    """Return the label of an axis: share of the variance, and the columns that make it up."""
    strength = found.loadings[:, number] ** 2
    order = np.argsort(-strength, kind="stable")
    needed = int(np.searchsorted(np.cumsum(strength[order]), SHARE)) + 1
    names = shortened(result.weights.index[order[: min(needed, NAMED)]], NAME_LENGTH)
    made_of = ", ".join([*names, *["…"] * (needed > NAMED)])
    return f"component {number + 1}, {found.share[number]:.0%} of the variance\n{made_of}"


def positive(scale):
    """Return what columns were divided by, 1 for constant ones."""
    return np.where(scale > 0, scale, 1.0)
