"""The clusters that a fit leaves, as points that go on to attract each other."""

from dataclasses import dataclass

import numpy as np

from pywbms._data.levels import shared_displacement
from pywbms._data.masses import total_mass
from pywbms._data.ordering import weighted_means

# Cost of evaluating the drift once, beside its multiply-adds, in multiply-adds.
OVERHEAD = 2e5
# Kernel values computed at a time.
BLOCK = 2**20
# Bound of d² / h: beyond it, differences of exponents could overflow.
LARGEST = 1e300


@dataclass(frozen=True)
class Drift:
    """Where the points go in one iteration: by exp(log_size) · direction, of norm about 1."""

    direction: np.ndarray
    log_size: float
    nearest: np.ndarray  # of each point, the one that attracts it most
    exponent: np.ndarray  # of each point, d² / h to the nearest
    weights: np.ndarray

    @property
    def step(self):
        """Return the move of each point in one iteration."""
        return np.exp(min(self.log_size, 700.0)) * self.direction

    def change_to(self, other):
        """Return the difference to another drift, in the unit of this one's direction."""
        return np.exp(min(other.log_size - self.log_size, 700.0)) * other.direction - self.direction


class ClusterSystem:
    """Groups of rows, each at one point, which attract each other and merge.

    Parameters
    ----------
    rows, modes : ndarray of shape (n, p)
        Where the rows started, and where the fit has left them, in working coordinates.
    labels : ndarray of shape (n,)
        Group of each row, 0 … g − 1.
    settings : Settings
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.

    Attributes
    ----------
    points : ndarray of shape (g, p)
    mass : ndarray of shape (g,)
        Number of rows in each group.
    name : ndarray of shape (g,)
        One row of each group, by which it is known.
    inv_h : float
        1 / h, within bounds.
    work : float
        Multiply-adds done so far.
    """

    def __init__(self, rows, modes, labels, settings, mass=None):
        self.inv_h = min(1 / settings.h, LARGEST)
        self._lam = settings.lam
        self._indicators = settings.indicators
        self._share = 1 / total_mass(rows, mass) if settings.lam_scale == "mean" else 1.0
        self._own = 1.0 if settings.exclude_self else 0.0
        if mass is not None:  # a row leaves itself out: one row, or all of it if it is lighter
            self._own = self._own * np.minimum(mass, 1.0)
        self.work = 0.0
        self.points, self._origin = modes, rows
        self.mass = np.ones(len(rows)) if mass is None else mass
        self.name = np.arange(len(rows))
        self._within = np.zeros(rows.shape[1])
        self.merge(labels)

    @property
    def held(self):
        """Rows of its own group that count in a row's mean."""
        return self.mass - self._own

    def merge(self, labels):
        """Merge the groups that share a label; 0 … k − 1, all of them in use."""
        mass = np.bincount(labels, weights=self.mass)
        share = (self.mass / mass[labels])[:, None]
        if np.ndim(self._own):
            self._own = weighted_means(self._own[:, None], self.mass, labels)[:, 0]
        points = np.zeros((len(mass), self.points.shape[1]))
        origin = np.zeros_like(points)
        np.add.at(points, labels, share * self.points)
        np.add.at(origin, labels, share * self._origin)
        apart = self._origin - origin[labels]
        self._within = self._within + (self.mass * self._share) @ apart**2
        self.points, self._origin, self.mass = points, origin, mass
        self.name = self.name[np.unique(labels, return_index=True)[1]]

    def weights(self, points):
        """Return the feature weights when the groups are at these points."""
        D = (self.mass * self._share) @ (points - self._origin) ** 2 + self._within
        D = np.minimum(shared_displacement(D, self._indicators), LARGEST)
        w = np.exp(np.maximum(-(D - D.min()) / self._lam, -LARGEST))
        return w / w.sum()

    def drift(self, points):
        """Return where the groups go in one iteration from these points.

        That is Σ_j m_j exp(−u_ij) (y_j − y_i) / (m_i′ + Σ_j m_j exp(−u_ij)) over the other groups
        j, where u_ij = ‖y_i − y_j‖²_w / h and m_i′ is what i holds of itself. Numerators are kept
        relative to their largest kernel value, so that even a drift of 10⁻³⁰⁰ has a direction.
        """
        g, p = points.shape
        self.work += g * g * (2.0 * p + 10) + OVERHEAD
        weights = self.weights(points)
        pull, log_scale = np.empty_like(points), np.empty(g)
        nearest, exponent = np.empty(g, dtype=np.intp), np.empty(g)
        rows_at_a_time = max(1, BLOCK // g)
        for first in range(0, g, rows_at_a_time):
            block = slice(first, min(g, first + rows_at_a_time))
            u = self._exponents(points, weights, block)
            nearest[block] = u.argmin(axis=1)
            exponent[block] = closest = u.min(axis=1)
            kernel = self.mass * np.exp(closest[:, None] - u)
            total = kernel.sum(axis=1)
            pull[block] = kernel @ points - total[:, None] * points[block]
            held = self.held[block]
            alone = held <= 0
            whole = np.where(alone, total, held + total * np.exp(-closest))
            log_scale[block] = np.where(alone, 0.0, -closest) - np.log(whole)
        with np.errstate(divide="ignore"):
            log_speed = log_scale + np.log(np.linalg.norm(pull, axis=1))
        log_size = float(log_speed.max())
        if log_size == -np.inf:
            return Drift(np.zeros_like(pull), log_size, nearest, exponent, weights)
        # Twice, as exp(log_scale − log_size) alone may overflow where the pull is next to nothing.
        shift = (log_scale - log_size) / 2
        factor = np.exp(np.clip(shift, -LARGEST, 350.0))[:, None]
        return Drift(pull * factor * factor, log_size, nearest, exponent, weights)

    def _exponents(self, points, weights, block):
        """Return u_ij of the rows of a block; a group's own is infinite."""
        weighted = points * weights
        norm = (weighted * points).sum(axis=1)
        squares = norm[block, None] + norm - 2 * (weighted[block] @ points.T)
        u = np.clip(squares, 0.0, LARGEST / self.inv_h) * self.inv_h
        own = np.arange(block.start, block.stop)
        u[own - block.start, own] = np.inf
        return u

    def log_times(self, i, weights):
        """Return the logarithm of the iterations after which i would meet each other group.

        The distance d of two isolated groups shrinks by c·d·exp(−d² / h) per iteration, where c is
        the sum of their attractions; it is 0 after ∫ exp(d² / h) / (c·d) dd iterations, which is
        exp(u) / (2·c·u) for a large u = d² / h.
        """
        u = self._exponents(self.points, weights, slice(i, i + 1))[0]
        u[i] = 0.0
        held, mass = self.held, self.mass
        whole = mass[i] * held[i] + mass * held
        with np.errstate(divide="ignore"):
            log_inverse_c = np.log(held[i] * held / np.maximum(whole, 1e-300))
        log_time = u - np.log(2 * np.maximum(u, 1.0)) + log_inverse_c
        return np.logaddexp(0.0, log_time)  # at least one iteration
