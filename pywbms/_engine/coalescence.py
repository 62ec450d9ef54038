"""How the groups that a fit leaves go on to meet: the iterations after the last, many at a time.

A Gaussian kernel never reaches zero, so groups attract each other at any distance, and two at
weighted distance d meet after some exp(d² / h) iterations. One after the other they are out of
reach, but almost all of them do the same: the drift f(y) = step(y) − y is nearly what it was an
iteration before. Where it is not, iterations are done one by one. Where it is, they are followed as
the flow dy/dt = F(y) that passes through them, and along its length rather than in its time: so the
groups move at an even pace, and the number of iterations is an integral of 1 / speed, kept as a
logarithm. It may well be 10³⁰⁰ and more.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._core.components import components

# Relative change of the drift in one iteration above which iterations are done one by one.
EVEN = 0.02
# Groups slower than this share of what counts stand still.
STILL = 0.01
# Errors of one glide: in the exponents d² / h, which are the logarithms of the drifts, and in the
# logarithm of the iterations; absolute, and relative to how large these are.
TOLERANCE = 1e-3
RELATIVE = 1e-6
# Work after which groups are no longer followed, in multiply-adds; what an evaluation of the drift
# costs besides is counted as OVERHEAD of them.
MOST_WORK = 6e9
OVERHEAD = 2e5
# Kernel values computed at a time.
BLOCK = 2**20
# Bound of d² / h: beyond it, differences of exponents could overflow.
LARGEST = 1e300
# Exponents beyond this are off by more than 0.0001, whatever the care: nothing can be followed.
FATHOMABLE = 1e12
# A drift below this share of √h, and of the smallest distance, does not change in one iteration, to
# any digit that counts.
STEADY = 1e-9
# Distances below this share of the coordinates are those of rounding.
ROUNDING = 1e-13
# Lengths below this are none.
SHORTEST = 1e-300


@dataclass(frozen=True)
class Drift:
    """Where the points go in one iteration: by exp(log_size) · direction, of norm about 1."""

    direction: np.ndarray
    log_size: float
    nearest: np.ndarray  # of each point, the one that pulls it most
    exponent: np.ndarray  # of each point, d² / h to the nearest
    weights: np.ndarray

    @property
    def step(self):
        """Return the move of each point in one iteration."""
        return np.exp(min(self.log_size, 700.0)) * self.direction

    def change_to(self, other):
        """Return the difference to another drift, in the unit of this one's direction."""
        return np.exp(min(other.log_size - self.log_size, 700.0)) * other.direction - self.direction


@dataclass(frozen=True)
class Flow:
    """The flow that passes through the iterates: dy/dt = exp(log_speed) · direction, of norm 1.

    It is F = f − (f(y + f) − f) / 2 + …, the logarithm of the step as a series in differences of
    the drift f; what is left out is of the order of the change squared.
    """

    direction: np.ndarray
    log_speed: float
    change: float  # of the drift in an iteration, relative to it
    drift: Drift
    ahead: Drift  # the drift an iteration later


class Groups:
    """Groups of rows, each at one point, which move and meet.

    Parameters
    ----------
    rows, modes : ndarray of shape (n, p)
        Where the rows set out, and where the fit has left them, in working coordinates.
    labels : ndarray of shape (n,)
        Group of each row, 0 … g − 1.
    h, lam : float
    lam_scale : {"mean", "sum"}
    exclude_self : bool

    Attributes
    ----------
    points : ndarray of shape (g, p)
    mass : ndarray of shape (g,)
        How many rows there are in each group.
    name : ndarray of shape (g,)
        A row of each group.
    inv_h : float
        1 / h, within bounds.
    work : float
        Multiply-adds done so far.
    """

    def __init__(self, rows, modes, labels, h, lam, lam_scale, exclude_self):
        self.inv_h = min(1 / h, LARGEST)
        self._lam = lam
        self._share = 1 / len(rows) if lam_scale == "mean" else 1.0
        self._own = 1.0 if exclude_self else 0.0
        self.work = 0.0
        self.points, self._origin = modes, rows
        self.mass, self.name = np.ones(len(rows)), np.arange(len(rows))
        self._within = np.zeros(rows.shape[1])
        self.fold(labels)

    @property
    def held(self):
        """Rows of its own group that each row counts in its mean."""
        return self.mass - self._own

    def fold(self, labels):
        """Make one group of those that share a label; 0 … k − 1, all of them in use."""
        mass = np.bincount(labels, weights=self.mass)
        share = (self.mass / mass[labels])[:, None]
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
        D = np.minimum(D, LARGEST)
        w = np.exp(np.maximum(-(D - D.min()) / self._lam, -LARGEST))
        return w / w.sum()

    def drift(self, points):
        """Return where the groups go in one iteration from these points.

        That is Σ_j m_j exp(−u_ij) (y_j − y_i) / (m_i′ + Σ_j m_j exp(−u_ij)) over the other groups
        j, where u_ij = ‖y_i − y_j‖²_w / h and m_i′ is what i holds of itself. Numerators are kept
        relative to their largest kernel value, so that a drift of 10⁻³⁰⁰ has a direction, too.
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
        """Return the logarithm of the iterations in which i would meet each other group.

        Of two alone, the distance d shrinks by c·d·exp(−d² / h) an iteration, c the sum of their
        pulls; it is 0 after ∫ exp(d² / h) / (c·d) dd of them, which is exp(u) / (2·c·u) for a large
        u = d² / h.
        """
        u = self._exponents(self.points, weights, slice(i, i + 1))[0]
        u[i] = 0.0
        held, mass = self.held, self.mass
        whole = mass[i] * held[i] + mass * held
        with np.errstate(divide="ignore"):
            log_inverse_c = np.log(held[i] * held / np.maximum(whole, 1e-300))
        log_time = u - np.log(2 * np.maximum(u, 1.0)) + log_inverse_c
        return np.logaddexp(0.0, log_time)  # an iteration at least


class Walk:
    """Groups on their way from the end of a fit.

    Parameters
    ----------
    groups : Groups
    n_iter : int
        Iterations of the fit.
    eps : float
        Distance below which groups have met; they also have if rounding is all that parts them.
    patience : int
        Times in a row that two single rows have to swap places to count as met.
    most_work : float
        Multiply-adds of the groups after which they are no longer followed.

    Attributes
    ----------
    log_time : float
        Logarithm of the iterations since the fit began.
    """

    def __init__(self, groups, n_iter, eps, patience, most_work=MOST_WORK):
        self.groups = groups
        self._most_work = most_work
        self.log_time = float(np.log(n_iter)) if n_iter else -np.inf
        self._earliest = float(np.log1p(n_iter + 1))
        self._eps = max(eps, ROUNDING * np.abs(groups.points).max())
        self._patience = patience
        self._streak = {}
        self._here = None  # the drift, if it is known
        self._length = None  # of the next glide

    def meetings(self):
        """Yield who meets: the height, log(1 + iterations), and groups that do, by their names."""
        groups, begun = self.groups, False
        while len(groups.points) > 1 and groups.work < self._most_work:
            self._here = self._here or groups.drift(groups.points)
            if self._here.log_size == -np.inf or self._here.exponent.min() > FATHOMABLE:
                return  # nothing pulls anybody, or nobody can tell whom
            # Groups, as points, may be closer than any two of their rows were.
            together = self._advance() if begun else self._met(groups.points)
            begun = True
            if together is not None:
                height = max(float(np.logaddexp(0.0, self.log_time)), self._earliest)
                yield height, [groups.name[block] for block in blocks(together)]
                groups.fold(together)
                self._streak, self._length, self._here = {}, None, None

    def predicted(self):
        """Return when the groups that are left would meet if no two were in the way of two others.

        Returns
        -------
        list of (float, int, int)
            Height and the names of two groups: the shortest of all trees that connect them.
        """
        groups = self.groups
        g = len(groups.points)
        weights = groups.weights(groups.points)
        outside = np.arange(1, g)
        best, via = np.full(g, np.inf), np.zeros(g, dtype=np.intp)
        found, last = [], 0
        while len(outside):
            times = groups.log_times(last, weights)[outside]
            closer = times < best[outside]
            best[outside[closer]], via[outside[closer]] = times[closer], last
            place = best[outside].argmin()
            last = outside[place]
            outside = np.delete(outside, place)
            height = np.logaddexp(0.0, np.logaddexp(self.log_time, best[last]))
            found.append((float(height), int(groups.name[via[last]]), int(groups.name[last])))
        return found

    def _advance(self):
        """Do an iteration, or many; return the group of each group if some have met, else None."""
        groups, here = self.groups, self._here
        flow = self._flow(groups.points, here) if (groups.held > 0).all() else None
        if flow is not None and flow.change <= EVEN:
            return self._glide(flow)
        before = groups.points
        groups.points = before + here.step
        self.log_time = np.logaddexp(self.log_time, 0.0)
        self._length = None
        self._here = None if flow is None else flow.ahead
        return self._met(groups.points, self._swapping(before, here.nearest))

    def _flow(self, points, here=None):
        """Return the flow at some points."""
        here = here or self.groups.drift(points)
        speed = here.direction
        ahead, change = here, 0.0
        smallest = min(1.0, here.exponent.min()) / self.groups.inv_h
        if np.exp(here.log_size) > STEADY * np.sqrt(smallest):
            ahead = self.groups.drift(points + here.step)
            difference = here.change_to(ahead)
            change = self._change(here, difference)
            speed = speed - difference / 2
        norm = np.linalg.norm(speed)
        if norm == 0:
            return Flow(speed, -np.inf, np.inf, here, ahead)
        return Flow(speed / norm, here.log_size + np.log(norm), change, here, ahead)

    def _change(self, here, difference):
        """Return the largest relative change of a group's drift, be it the fastest or not.

        Slow is no excuse: a light group may come to the end of its way while a heavy one hurries
        elsewhere. But the drift of a group that stands still changes by nothing that counts.
        """
        speed, change = (np.linalg.norm(x, axis=1) for x in (here.direction, difference))
        largest = (change / np.maximum(speed, STILL * speed.max())).max()
        speed, change = (np.sqrt(x**2 @ here.weights) for x in (here.direction, difference))
        # An exponent u changes by 2 √(u / h) times the move of its groups.
        still = STILL * np.exp(-here.log_size) / np.sqrt(1 + here.exponent)
        still *= self.groups.inv_h**-0.5
        return max(largest, (change / np.maximum(speed, still)).max())

    def _glide(self, first):
        """Follow the flow for a while: a step of Bogacki and Shampine, with error control."""
        groups, here = self.groups, first.drift
        start, k1 = groups.points, first.direction
        root_h = groups.inv_h**-0.5
        steep = 2 * np.sqrt(here.exponent.max()) / root_h  # of u in a weighted length
        allowed = TOLERANCE + RELATIVE * here.exponent.max()
        if self._length is None:
            fastest = here.exponent.min()
            steepest = 2 * np.sqrt((1 + fastest) * here.weights.max()) / root_h
            self._length = (0.1 + RELATIVE * fastest) / steepest
        while groups.work < self._most_work and self._length > SHORTEST:
            length = self._length
            middle = self._flow(start + length / 2 * k1)
            k2 = middle.direction
            k3 = self._flow(start + 3 / 4 * length * k2).direction
            points = start + length * (2 * k1 + 3 * k2 + 4 * k3) / 9
            last = self._flow(points)
            self._length = length / 2
            if -np.inf in (middle.log_speed, last.log_speed):  # a balance of forces: no way through
                continue
            off = length * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - last.direction / 8)
            off = np.sqrt((off**2 @ here.weights).max()) * steep / allowed

            whole = log_duration(length, first.log_speed, last.log_speed)
            halves = np.logaddexp(
                log_duration(length / 2, first.log_speed, middle.log_speed),
                log_duration(length / 2, middle.log_speed, last.log_speed),
            )
            then = np.logaddexp(self.log_time, halves)
            # Of an error of second order, two halves have a third of what they differ by.
            allowed_time = TOLERANCE + RELATIVE * abs(then)
            off_time = abs(then - np.logaddexp(self.log_time, whole)) / 3 / allowed_time

            together = self._met(points)
            passed = together is not None and then - self.log_time > allowed_time
            worst = max(off, off_time, 1e-3)
            if worst <= 1 and last.change <= 2 * EVEN and not passed:
                self._length = length * min(4.0, 0.9 * worst ** (-1 / 3))
                groups.points, self.log_time, self._here = points, float(then), last.drift
                return together
        self._length = self._here = None
        return None

    def _met(self, points, linked=()):
        """Return the group of each group, by distance and by links, or None if all are apart."""
        labels = np.empty(len(points), dtype=np.intp)
        components(points, self._eps, labels)
        for i, j in linked:
            labels[labels == labels[j]] = labels[i]
        found, labels = np.unique(labels, return_inverse=True)
        return labels if len(found) < len(points) else None

    def _swapping(self, before, nearest):
        """Return pairs of single rows, left out of their own means, that have swapped for long."""
        groups = self.groups
        alone = np.flatnonzero(groups.held <= 0)
        streak = {}
        for i in alone:
            j = nearest[i]
            if i < j and nearest[j] == i and groups.held[j] <= 0:
                apart = np.linalg.norm(before[i] - before[j])
                missed = max(
                    np.linalg.norm(groups.points[i] - before[j]),
                    np.linalg.norm(groups.points[j] - before[i]),
                )
                if missed <= 0.1 * apart:
                    streak[i, j] = self._streak.get((i, j), 0) + 1
        self._streak = streak
        return [pair for pair, times in streak.items() if times >= self._patience]


def log_duration(length, log_speed1, log_speed2):
    """Return log ∫ 1 / speed over a length on which the speed goes from one value to another.

    Its logarithm is taken as linear in between.

    Examples
    --------
    >>> round(float(log_duration(2.0, 0.0, 0.0)), 6), round(float(log_duration(1.0, -800, -799)), 6)
    (0.693147, 799.541325)
    """
    rise = abs(log_speed2 - log_speed1)
    slowest = min(log_speed1, log_speed2)
    mean = 1 - rise / 2 if rise < 1e-6 else -np.expm1(-rise) / rise
    return np.log(length) - slowest + np.log(mean)


def blocks(partition):
    """Return the rows of each block of a partition that has more than one.

    Examples
    --------
    >>> [rows.tolist() for rows in blocks(np.array([0, 1, 0, 2]))]
    [[0, 2]]
    """
    size = np.bincount(partition)
    rows = np.flatnonzero(size[partition] > 1)
    rows = rows[np.argsort(partition[rows], kind="stable")]
    return np.split(rows, np.cumsum(size[size > 1])[:-1]) if len(rows) else []
