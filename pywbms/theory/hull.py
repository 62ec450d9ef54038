"""Distances of points to a convex hull, each with a certificate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from pywbms._core.hull import project
from pywbms._data.checks import positive
from pywbms._data.table import masked_as_nan
from pywbms._machine.threads import one_blas_thread
from pywbms._terminal.line import Line

# Distances up to this share of the scale are rounding errors.
TOL = 1e-12

# Error of the coordinates, as a share of the vertices' mean: a point computed from the vertices
# has rounding errors of that size, however small the hull.
ROUNDING = 16 * np.finfo(np.float64).eps

# From 2**FAR times its size away, a hull is a single point in double precision.
FAR = 60

# Points between two updates of the progress line.
BATCH = 256

# A distance less accurate than this, as a share of the scale, brings a warning.
PROMISED = 1e-8


@dataclass(frozen=True, eq=False)
class HullDistance:
    """Distances to a convex hull, with certificates from above and from below.

    Parameters
    ----------
    distance : ndarray of shape (m,)
        Distance of each point; exactly zero for points inside.
    coefficients : ndarray of shape (m, n)
        Nonnegative, with row sums 1. The combination of the vertices with these coefficients is
        `nearest`, which proves that the hull is at most `distance` away.
    direction : ndarray of shape (m, p)
        Unit vectors u with u·x − max_v u·v = distance, which proves that the hull is at least
        `distance` away. Zero for points inside.
    nearest : ndarray of shape (m, p)
        The point of the hull nearest to each point.
    """

    distance: np.ndarray
    coefficients: np.ndarray
    direction: np.ndarray
    nearest: np.ndarray


@overload
def hull_distance(
    points: ArrayLike,
    vertices: ArrayLike,
    *,
    certificate: Literal[False] = False,
    tol: float | None = None,
    progress: bool = False,
) -> np.ndarray: ...
@overload
def hull_distance(
    points: ArrayLike,
    vertices: ArrayLike,
    *,
    certificate: Literal[True],
    tol: float | None = None,
    progress: bool = False,
) -> HullDistance: ...
def hull_distance(points, vertices, *, certificate=False, tol=None, progress=False):
    """Return the Euclidean distance of each point to the convex hull of the vertices.

    The hull is never built: for each point an active-set method (Wolfe's minimum-norm point)
    finds the nearest point of the hull, in any number of dimensions, for hulls of any rank.

    Parameters
    ----------
    points : array-like of shape (m, p)
        One point per row.
    vertices : array-like of shape (n, p)
        Points that span the hull. They may be repeated or lie inside it.
    certificate : bool, default False
        Whether to return the certificates as well.
    tol : float, optional
        Largest error of a distance, as a share of the point's scale: the larger of its own and
        the farthest vertex's distance from the vertices' mean. Default 1e-12.
    progress : bool, default False
        Show progress on a terminal.

    Returns
    -------
    ndarray of shape (m,) or HullDistance
        The distances. Those below `tol` times the scale, or below the rounding error of the
        coordinates (a few units in the last place of the vertices' mean), are exactly zero.

    Raises
    ------
    ValueError
        If `points` or `vertices` is not a finite numeric matrix with rows and columns, if they
        differ in their number of columns, or if `tol` is not positive.

    Warns
    -----
    RuntimeWarning
        If, because of rounding, a distance is less accurate than 1e-8 times the scale. It is then
        an upper bound.

    References
    ----------
    P. Wolfe, Finding the nearest point in a polytope, Mathematical Programming 11, 1976.

    Examples
    --------
    >>> square = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> hull_distance([[0.5, 0.25], [3, 0.5], [4, 5]], square)
    array([0., 2., 5.])
    >>> proof = hull_distance([[3, 0.5]], square, certificate=True)
    >>> proof.nearest, proof.direction.round(9)
    (array([[1. , 0.5]]), array([[1., 0.]]))
    """
    points = matrix(points, "points")
    vertices = matrix(vertices, "vertices")
    if points.shape[1] != vertices.shape[1]:
        raise ValueError(
            f"points and vertices must have the same number of columns, "
            f"got {points.shape[1]} in points and {vertices.shape[1]} in vertices"
        )
    tol = TOL if tol is None else tol
    if not positive(tol):
        raise ValueError(f"tol must be a positive finite number or None, got {tol!r}")

    parts = []
    with one_blas_thread(), Line(progress) as line:
        hull = Hull(vertices)
        for first in range(0, len(points), BATCH):
            line.show(f"hull distance: {first} of {len(points)} points")
            proof = hull.certify(points[first : first + BATCH], tol)
            parts.append(proof if certificate else proof.distance)
    if not certificate:
        return np.concatenate(parts)
    return HullDistance(
        *(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(proof))
    )


def matrix(values, name):
    """Return a finite float64 matrix; raise a ValueError that names the argument otherwise.

    Examples
    --------
    >>> matrix([[1, 2]], "points")
    array([[1., 2.]])
    """
    try:
        values = np.asarray(masked_as_nan(values))
        if np.iscomplexobj(values):
            raise TypeError("complex numbers have no order")
        values = np.asarray(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a numeric matrix: {error}") from error
    if values.ndim != 2:
        raise ValueError(f"{name} must be a matrix, one point per row, got {values.ndim}-d")
    if 0 in values.shape:
        raise ValueError(f"{name} must have rows and columns, got shape {values.shape}")
    finite = np.isfinite(values).all(axis=1)
    if not finite.all():
        raise ValueError(f"{name} must be finite; NaN or infinite in row {np.argmin(finite)}")
    return values


class Hull:
    """The convex hull of some vertices, in its own units and coordinates.

    The hull is centred at its vertices' mean and scaled into the unit ball; with fewer vertices
    than features, only the subspace that they span is searched.

    Parameters
    ----------
    vertices : ndarray of shape (n, p)
        Finite.
    """

    def __init__(self, vertices):
        # A power of two scales without rounding.
        self._largest = np.abs(vertices).max()
        self._exponent = int(np.frexp(self._largest)[1])
        self._vertices = np.ldexp(vertices, -self._exponent)
        # The mean of equal numbers can be off in its last digit.
        low, high = self._vertices.min(axis=0), self._vertices.max(axis=0)
        self._mean = np.clip(self._vertices.mean(axis=0), low, high)
        centred = self._vertices - self._mean
        reach = np.linalg.norm(centred, axis=1).max()
        self._reach, self._radius = (1.0, reach) if reach > 0 else (0.0, 1.0)
        self._coordinates = centred / self._radius
        self._basis = None
        n, p = vertices.shape
        if p > n:
            self._basis, triangle = np.linalg.qr(self._coordinates.T)
            self._coordinates = triangle.T
        self._coordinates = np.ascontiguousarray(self._coordinates)

    def certify(self, points, tol):
        """Return the HullDistance of some points."""
        m, (n, p) = len(points), self._vertices.shape
        proof = HullDistance(np.empty(m), np.zeros((m, n)), np.zeros((m, p)), np.empty((m, p)))
        far = np.ldexp(np.abs(points).max(axis=1), -FAR) > self._largest
        for rows, search in ((far, self._far), (~far, self._near)):
            if rows.any():
                found = search(points[rows], tol)
                proof.distance[rows], proof.coefficients[rows], proof.direction[rows] = found
        with np.errstate(over="ignore"):
            np.ldexp(proof.coefficients @ self._vertices, self._exponent, out=proof.nearest)
        return proof

    def _near(self, points, tol):
        """Return distances, coefficients and directions, found by search."""
        points = (np.ldexp(points, -self._exponent) - self._mean) / self._radius
        noise = ROUNDING * np.linalg.norm(self._mean) / self._radius
        scale = np.maximum(np.linalg.norm(points, axis=1), self._reach)
        limit = tol * scale + noise
        inner, beyond = self._split(points)
        m, r = inner.shape
        distance, gap = np.empty(m), np.empty(m)
        coefficients, direction = np.empty((m, len(self._vertices))), np.empty((m, r))
        project(inner, self._coordinates, limit, distance, gap, coefficients, direction)
        if (gap > limit + PROMISED * scale).any():
            warnings.warn(
                "because of rounding, some distances are less accurate than 1e-8 times the scale; "
                "they are upper bounds",
                RuntimeWarning,
                stacklevel=4,
            )
        if self._basis is not None:
            direction = (direction * distance[:, None]) @ self._basis.T + beyond
            distance = np.hypot(distance, np.linalg.norm(beyond, axis=1))
            distance[distance <= limit] = 0.0
            outside = distance > 0
            direction[~outside] = 0.0
            direction[outside] /= distance[outside, None]
        with np.errstate(over="ignore"):
            return np.ldexp(distance * self._radius, self._exponent), coefficients, direction

    def _split(self, points):
        """Return the points' coordinates in the vertices' subspace, and the remainder."""
        if self._basis is None:
            return points, None
        inner = points @ self._basis
        beyond = points - inner @ self._basis.T
        # Twice: the remainder of a point near the subspace is not quite orthogonal to it.
        beyond -= (beyond @ self._basis) @ self._basis.T
        return inner, beyond

    def _far(self, points, tol):
        """Return distances, coefficients and directions for points so far that the hull is one."""
        largest = np.abs(points).max(axis=1, keepdims=True)
        direction = points / largest
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        direction /= length
        coefficients = np.zeros((len(points), len(self._vertices)))
        support = np.argmax(direction @ self._vertices.T, axis=1)
        coefficients[np.arange(len(points)), support] = 1.0
        with np.errstate(over="ignore"):
            return (largest * length)[:, 0], coefficients, direction
