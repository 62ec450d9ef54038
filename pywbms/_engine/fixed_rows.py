"""Few rows with many features that stay where they are while points move as mixtures of them."""

import numpy as np
from scipy.linalg.blas import dtrmm
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
    factor : ndarray of shape (n, n)
        Coordinates of the rows in their own span, in another order: a lower triangular matrix.
    order : ndarray of shape (n,)
        The row that each of its rows belongs to.

    Attributes
    ----------
    moment : float
        The largest Σ_i m_i x_il² of a feature.
    spread : ndarray of shape (p,)
        Squared range of each feature.
    """

    def __init__(self, columns, mass, factor, order):
        values = columns[:, : len(mass)]
        self.columns, self.mass = columns, mass
        self._factor, self._order = factor, order
        self.moment = max(float((some**2 @ mass).max()) for _, some in blocks(values))
        self.spread = (values.max(axis=1) - values.min(axis=1)) ** 2

    @classmethod
    def of(cls, rows, mass):
        """Return the rows, or None if they are not in general position, as far as digits tell."""
        columns = mixtures.transposed(rows)
        with one_blas_thread():
            with np.errstate(over="ignore", invalid="ignore"):  # those are not in general position
                found = triangular_coordinates(gram(columns[:, : len(rows)]))
            return None if found is None else cls(columns, mass, *found)

    @property
    def shape(self):
        """Number of rows and of features."""
        return len(self.mass), len(self.columns)

    @property
    def values(self):
        """The rows, transposed, without padding."""
        return self.columns[:, : len(self.mass)]

    def gram(self, weights):
        """Return the weighted Gram matrix of the rows, of which only the lower triangle counts."""
        return gram(self.values, weights)

    @property
    def places(self):
        """The rows in the coordinates of their span."""
        places = np.empty_like(self._factor)
        places[self._order] = self._factor
        return places

    def places_of(self, shares):
        """Return mixtures of the rows in the coordinates of their span."""
        return times_triangle(shares[:, self._order], self._factor)

    def mixed(self, shares):
        """Return mixtures of the rows: shares · rows."""
        out = np.empty((len(shares), len(self.columns)))
        with one_blas_thread():
            for features, some in blocks(self.values):  # so that an interrupt need not wait
                out[:, features] = shares @ some.T
        return out


def blocks(columns):
    """Yield some features at a time: which ones, and their values."""
    for start in range(0, len(columns), FEATURES_AT_A_TIME):
        features = slice(start, min(start + FEATURES_AT_A_TIME, len(columns)))
        yield features, columns[features]


def gram(columns, weights=None):
    """Return Σ_l w_l x_l x_lᵀ, a symmetric matrix; all weights are one by default."""
    total = np.zeros((columns.shape[1],) * 2)
    roots = None if weights is None else np.sqrt(weights)[:, None]
    with one_blas_thread():
        for features, some in blocks(columns):
            if roots is not None:
                some = some * roots[features]
            total += some.T @ some
    return total


def triangular_coordinates(products):
    """Return points as far from each other as a Gram matrix tells, and which is which; or None.

    None if some points are so close to the span of others that rounding would show.

    Returns
    -------
    factor : ndarray of shape (n, n)
        The points, in another order: a lower triangular matrix, its last column 0.
    order : ndarray of shape (n,)
        The point that each of its rows is.

    Examples
    --------
    >>> points = np.array([[0.0, 0, 3], [4, 0, 3], [0, 3, 3]])
    >>> factor, order = triangular_coordinates(points @ points.T)
    >>> found = factor[np.argsort(order)]
    >>> round(float(np.linalg.norm(found[1] - found[2])), 12)
    5.0
    >>> triangular_coordinates(np.ones((3, 3))) is None
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
    factor = np.tril(factor)
    factor[:, n - 1] = 0
    return factor, pivots - 1


def times_triangle(matrix, triangle):
    """Return matrix · triangle for a lower triangular matrix: half the work of a product.

    Examples
    --------
    >>> times_triangle(np.ones((1, 2)), np.array([[1.0, 0], [2, 3]])).tolist()
    [[3.0, 3.0]]
    """
    return dtrmm(1.0, triangle.T, matrix.T, lower=0).T
