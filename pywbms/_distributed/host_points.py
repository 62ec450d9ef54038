"""The layout for many rows, on the workers: points on their host, and tasks on some of them.

Tasks must not change what they are given: nothing here is done in place.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._core.merge import merge_points
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._distributed.remote_points import StepSummary
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.points import worth_merging
from pywbms._engine.tile_order import TILE, compact_order
from pywbms._machine.threads import one_blas_thread


class HostPoints(LocalPoints):
    """All points, on the worker that knows where their rows came from and which have merged."""

    _in_place = False

    def moved(self, merges, points, nearest):
        """Return these points, merged if there are merges, after a step."""
        after = self.copy()
        if merges is not None:
            after.merge_into(merges)
        after._before, after.points, after._nearest = after.points, points, nearest
        after._projection = None
        return after

    def replayed(self, merges, points, steps):
        """Return points as they were: merged as they had been, at the places given."""
        after = self.copy()
        for labels in merges:
            after.merge_into(labels)
        after.points, after._steps, after._projection = points, steps, None
        return after

    def summarize(self, with_diameter):
        """Return the `StepSummary` for the client."""
        settings = self.settings
        merges = self.components(settings.merge_radius) if settings.merge else None
        if merges is not None and not worth_merging(self.shape, merges.max() + 1):
            merges = None
        stepped = self._before is not None
        lengths = np.empty(self.shape[0])
        if stepped:
            moves(self._before, self.points, 1, lengths)
        radii = (settings.eps, settings.coarse_radius)
        return StepSummary(
            merges=merges,
            partitions={radius: self.components(radius) for radius in radii},
            D=self.displacement(),
            moves=lengths if stepped else None,
            swapped=self.swapped_pairs() if stepped else [],
            diameter=diameter(self.points, 1) if with_diameter else None,
        )

    def arrays(self):
        """Return copies of the arrays that `LocalPoints` are made of."""
        names = ("points", "origin", "within", "mass", "member")
        return {name: getattr(self, name).copy() for name in names}


@dataclass(frozen=True)
class SharedPoints:
    """What goes to every worker in an iteration."""

    points: np.ndarray
    mass: np.ndarray

    def merged(self, labels):
        """Return points and masses, merged if there are labels."""
        if labels is None:
            return self.points, self.mass
        k, p = labels.max() + 1, self.points.shape[1]
        points, mass, unused = np.empty((k, p)), np.empty(k), np.empty((k, p))
        merge_points(labels, self.points, self.points, self.mass, points, unused, mass, np.zeros(p))
        return points, mass


# Tasks


def start_host(rows, settings, leader=None):
    """Return the points at the start."""
    return HostPoints.at_start(rows, settings, leader)


def outline(host):
    """Return what the client has to know of the points at the start."""
    return host.mass, host.member, host.shape[1]


def shared(host):
    """Return what goes to all workers."""
    return SharedPoints(host.points, host.mass)


def tile_order(cloud, summary, weights):
    """Return an order of the (merged) points that makes tiles compact."""
    with one_blas_thread():
        return compact_order(cloud.merged(summary.merges)[0], weights)


def plain_order(cloud):
    """Return the same for distances without weights."""
    with one_blas_thread():
        return compact_order(cloud.points, np.ones(cloud.points.shape[1]))


def shift_part(cloud, summary, order, weights, settings, part):
    """Return where the points of some tiles go, and their nearest neighbours, in the order."""
    points, mass = cloud.merged(summary.merges)
    order = np.arange(len(points)) if order is None else order
    shifted, nearest = np.empty_like(points), np.empty(len(points), dtype=np.intp)
    with one_blas_thread():
        shift(
            points, mass, weights, settings.h, settings.exclude_self, settings.n_jobs, shifted,
            nearest, order, part,
        )  # fmt: skip
    own = order[part[0] * TILE : part[1] * TILE]
    return shifted[own], nearest[own]


def gather_step(host, summary, order, parts):
    """Return the points after a step whose parts are done."""
    merges = summary.merges
    g = host.shape[0] if merges is None else merges.max() + 1
    order = np.arange(g) if order is None else order
    points, nearest = np.empty((g, host.shape[1])), np.empty(g, dtype=np.intp)
    start = 0
    for shifted, nearest_of_part in parts:
        own = order[start : start + len(shifted)]
        points[own], nearest[own] = shifted, nearest_of_part
        start += len(shifted)
    return host.moved(merges, points, nearest)


def diameter_part(cloud, order, part, n_threads):
    """Return the largest distance from the points of some tiles to any point."""
    with one_blas_thread():
        return diameter(cloud.points, n_threads, order, part)


def summarize(host, with_diameter):
    """Return the `StepSummary` of the points."""
    with one_blas_thread():
        return host.copy().summarize(with_diameter)


def put_at_midpoint(host, pairs):
    """Return the points with each of the pairs at its midpoint."""
    after = host.copy()
    after.put_at_midpoint(pairs)
    return after


def replay(host, merges, slices, steps):
    """Return the points as they were when they were saved."""
    points = np.concatenate(slices) if len(slices) != 1 else slices[0]
    return host.replayed(merges, points, steps)


def some_points(host, some):
    """Return some of the points."""
    return host.points[some]


def points_before(host):
    """Return where the points were before the last step."""
    return host.points_before()


def means_of(host, group):
    """Return the mean of the points of each group, weighted by their masses."""
    return host.means(group)


def arrays_of(host):
    """Return the arrays of the points."""
    return host.arrays()
