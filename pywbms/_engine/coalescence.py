"""The iterations after a fit has stopped, many at a time: how its clusters go on to merge.

A Gaussian kernel never reaches zero, so clusters attract each other at any distance, and two at
weighted distance d merge after some exp(d² / h) iterations. Done one by one these are out of reach,
but nearly all are alike: the drift f(y) = step(y) − y is almost what it was one iteration before.
Where it is not, iterations are done one by one. Where it is, they are integrated as the flow
dy/dt = F(y) that passes through them, by arc length rather than time: so the groups move at an even
pace, and the number of iterations, an integral of 1 / speed, is kept as a logarithm. It may exceed
10³⁰⁰.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._core.components import components
from pywbms._engine.cluster_system import Drift
from pywbms._engine.meetings import spanning_links
from pywbms._engine.points import SWAP_TOLERANCE

# Relative change of the drift in one iteration above which iterations are done one by one.
EVEN = 0.02
# Groups slower than this share of what counts stand still.
STILL = 0.01
# Errors of one glide: in the exponents d² / h, which are the logarithms of the drifts, and in the
# logarithm of the iterations; absolute, and relative to their size.
TOLERANCE = 1e-3
RELATIVE = 1e-6
# Work, in multiply-adds, after which groups are no longer followed.
MOST_WORK = 6e9
# Exponents beyond this are off by more than 0.0001: nothing can be followed.
FATHOMABLE = 1e12
# A drift below this share of √h, and of the smallest distance, does not change in one iteration, to
# any digit that counts.
STEADY = 1e-9
# Distances below this share of the coordinates are those of rounding.
ROUNDING = 1e-13
# Lengths below this count as zero.
SHORTEST = 1e-300


@dataclass(frozen=True)
class Flow:
    """The flow that passes through the iterates: dy/dt = exp(log_speed) · direction, of norm 1.

    It is F = f − (f(y + f) − f) / 2 + …, the logarithm of the step as a series in differences of
    the drift f; what is left out is of the order of the change squared.
    """

    direction: np.ndarray
    log_speed: float
    change: float  # of the drift in one iteration, relative to it
    drift: Drift
    ahead: Drift  # the drift one iteration later


class CoalescenceIntegrator:
    """Follows the clusters from the end of a fit until they have merged.

    Parameters
    ----------
    groups : ClusterSystem
    n_iter : int
        Iterations of the fit.
    settings : Settings
        Groups closer than its `eps` merge, as do groups that only rounding keeps apart, and two
        single rows that have swapped places `patience` times in a row.
    most_work : float, optional
        Multiply-adds after which the groups are no longer followed.

    Attributes
    ----------
    log_time : float
        Logarithm of the iterations since the fit began.
    """

    def __init__(self, groups, n_iter, settings, most_work=None):
        self.groups = groups
        self._most_work = MOST_WORK if most_work is None else most_work
        self.log_time = float(np.log(n_iter)) if n_iter else -np.inf
        self._earliest = float(np.log1p(n_iter + 1))
        self._eps = max(settings.eps, ROUNDING * np.abs(groups.points).max())
        self._patience = settings.patience
        self._streak = {}
        self._here = None  # the drift, if it is known
        self._length = None  # of the next glide

    def merges(self):
        """Yield the merges: height, log(1 + iterations), and links of groups that merge, by name.

        The links hold the distances of the groups as they merge; see `meetings`.
        """
        groups, begun = self.groups, False
        while len(groups.points) > 1 and groups.work < self._most_work:
            self._here = self._here or groups.drift(groups.points)
            if self._here.log_size == -np.inf or self._here.exponent.min() > FATHOMABLE:
                return  # nothing attracts anything, or the digits do not tell what
            # Groups, as points, may be closer than any two of their rows were.
            together = self._advance() if begun else self._met(groups.points)
            begun = True
            if together is not None:
                height = max(float(np.logaddexp(0.0, self.log_time)), self._earliest)
                yield height, spanning_links(groups.points, groups.name, together)
                groups.merge(together)
                self._streak, self._length, self._here = {}, None, None

    def predicted(self):
        """Return when the remaining groups would merge if every two were isolated.

        Returns
        -------
        list of (float, float, int, int)
            Height, distance and the names of two groups: a minimum spanning tree in height.
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
            apart = float(np.linalg.norm(groups.points[via[last]] - groups.points[last]))
            names = int(groups.name[via[last]]), int(groups.name[last])
            found.append((float(height), apart, *names))
        return found

    def _advance(self):
        """Do one iteration, or many; return the merged group of each group, None if none merge."""
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

        Slow groups count: a light one may be about to merge while a heavy one moves fast
        elsewhere. But changes in the drift of a group that stands still are negligible.
        """
        speed, change = (np.linalg.norm(x, axis=1) for x in (here.direction, difference))
        largest = (change / np.maximum(speed, STILL * speed.max())).max()
        speed, change = (np.sqrt(x**2 @ here.weights) for x in (here.direction, difference))
        # An exponent u changes by 2 √(u / h) times the move of its groups.
        still = STILL * np.exp(-here.log_size) / np.sqrt(1 + here.exponent)
        still *= self.groups.inv_h**-0.5
        return max(largest, (change / np.maximum(speed, still)).max())

    def _glide(self, first):
        """Integrate the flow: one step of Bogacki and Shampine, with error control."""
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
            if -np.inf in (middle.log_speed, last.log_speed):  # the forces balance: go less far
                continue
            off = length * (-5 * k1 / 72 + k2 / 12 + k3 / 9 - last.direction / 8)
            off = np.sqrt((off**2 @ here.weights).max()) * steep / allowed

            whole = log_duration(length, first.log_speed, last.log_speed)
            halves = np.logaddexp(
                log_duration(length / 2, first.log_speed, middle.log_speed),
                log_duration(length / 2, middle.log_speed, last.log_speed),
            )
            then = np.logaddexp(self.log_time, halves)
            # For an error of second order, that of two halves is a third of the difference.
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
        """Return the merged group of each group, by distance and links, or None if none merge."""
        labels = np.empty(len(points), dtype=np.intp)
        components(points, self._eps, labels)
        for i, j in linked:
            labels[labels == labels[j]] = labels[i]
        found, labels = np.unique(labels, return_inverse=True)
        return labels if len(found) < len(points) else None

    def _swapping(self, before, nearest):
        """Return the pairs of single rows that have swapped places often enough to count as one."""
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
                if missed <= SWAP_TOLERANCE * apart:
                    streak[i, j] = self._streak.get((i, j), 0) + 1
        self._streak = streak
        return [pair for pair, times in streak.items() if times >= self._patience]


def log_duration(length, log_speed1, log_speed2):
    """Return log ∫ 1 / speed over a length on which the speed goes from one value to another.

    The logarithm of the speed is taken as linear in between.

    Examples
    --------
    >>> round(float(log_duration(2.0, 0.0, 0.0)), 6), round(float(log_duration(1.0, -800, -799)), 6)
    (0.693147, 799.541325)
    """
    rise = abs(log_speed2 - log_speed1)
    slowest = min(log_speed1, log_speed2)
    mean = 1 - rise / 2 if rise < 1e-6 else -np.expm1(-rise) / rise
    return np.log(length) - slowest + np.log(mean)
