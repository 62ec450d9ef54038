"""Few rows with many features that stay where they are while points move as mixtures of them."""

import numpy as np
from scipy.linalg.lapack import dpstrf

import pywbms._core.mixtures as mixtures
from pywbms._machine.threads import one_blas_thread

# Rows must be so much in general position that coordinates in their span are as good as the rows:
# the last pivot of their Gram matrix, relative to the first.
LEAST_PIVOT = 1e-4
# Features whose Gram matrix is added up at a time.
FEATURES_AT_A_TIME = 2048


class FixedRows:
    """Rows that nothing is written to, and coordinates of them in as many dimensions as they span.

    Parameters
    ----------
    columns : ndarray of shape (p, padded)
        The rows, transposed, with some padding at the end.
    mass : ndarray of shape (n,)
    coordinates : ndarray of shape (n, n - 1)
        Points as far from each other as the rows.

    Attributes
    ----------
    moment : float
        The largest Σ_i m_i x_il² of a feature.
    spread : ndarray of shape (p,)
        Squared range of each feature.
    """

    def __init__(self, columns, mass, coordinates):
        values = columns[:, : len(mass)]
        self.columns, self.mass, self.coordinates = columns, mass, coordinates
        self.moment = max(float((some**2 @ mass).max()) for some in blocks(values))
        self.spread = (values.max(axis=1) - values.min(axis=1)) ** 2

    @classmethod
    def of(cls, rows, mass):
        """Return the rows, or None if they are not in general position, as far as digits tell."""
        columns = mixtures.transposed(rows)
        coordinates = coordinates_of(gram(columns[:, : len(rows)]))
        return None if coordinates is None else cls(columns, mass, coordinates)

    @property
    def shape(self):
        """Number of rows and of features."""
        return len(self.mass), len(self.columns)

    @property
    def values(self):
        """The rows, transposed, without padding."""
        return self.columns[:, : len(self.mass)]

    def gram(self, weights):
        """Return the weighted Gram matrix of the rows."""
        return gram(self.values, weights)

    def mixed(self, shares):
        """Return mixtures of the rows: shares · rows."""
        with one_blas_thread():
            return shares @ self.values.T


def blocks(columns):
    """Yield some features of all rows at a time."""
    for start in range(0, len(columns), FEATURES_AT_A_TIME):
        yield columns[start : start + FEATURES_AT_A_TIME]


def gram(columns, weights=None):
    """Return Σ_l w_l x_l x_lᵀ, a symmetric matrix; all weights are one by default."""
    total = np.zeros((columns.shape[1],) * 2)
    roots = None if weights is None else np.sqrt(weights)[:, None]
    with one_blas_thread():
        for place, some in enumerate(blocks(columns)):
            if roots is not None:
                some = some * roots[place * FEATURES_AT_A_TIME :][: len(some)]
            total += some.T @ some
    return total


def coordinates_of(products):
    """Return points in n − 1 dimensions with the distances that a Gram matrix tells of, or None.

    None if some points are so close to the span of others that rounding would show.

    Examples
    --------
    >>> points = np.array([[0.0, 0, 3], [4, 0, 3], [0, 3, 3]])
    >>> found = coordinates_of(points @ points.T)
    >>> found.shape, round(float(np.linalg.norm(found[1] - found[2])), 12)
    ((3, 2), 5.0)
    >>> coordinates_of(np.ones((3, 3))) is None
    True
    """
    n = len(products)
    mean = products.mean(axis=0)
    centred = products - mean - mean[:, None] + mean.mean()
    # Where the mean is far off, centring would cost digits.
    if not np.diagonal(products).max() * LEAST_PIVOT <= np.diagonal(centred).max():
        return None
    factor, pivots, rank, _ = dpstrf(centred, lower=1)
    diagonal = np.diagonal(factor)[: n - 1]
    if rank < n - 1 or diagonal[-1] ** 2 < LEAST_PIVOT * diagonal[0] ** 2:
        return None
    found = np.empty((n, n - 1))
    found[pivots - 1] = np.tril(factor)[:, : n - 1]
    return found
