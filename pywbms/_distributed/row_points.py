"""The layout for many rows: every worker moves some of them against the whole merged cloud.

One worker, whichever Dask chooses, keeps the books: where the rows came from, who has met. In each
iteration its points go to all others once, and what they moved comes back. The parts are those of
the core, whole tiles, so the sums do not depend on the number of workers.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pywbms._core.merge import merge_points
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement
from pywbms._data.ordering import weighted_means
from pywbms._distributed.remote_points import Look, RemoteCloud
from pywbms._engine.points import Cloud, worth_folding
from pywbms._engine.tile_order import LEAST_POINTS, TILE, compact_order
from pywbms._machine.threads import one_blas_thread

# Multiply-adds a task should have at least, so that its start does not count.
WORTH_A_PART = 1e8
# Parts a worker, if there is enough to do: with skipped tiles some parts end early.
PARTS_A_WORKER = 3


class Home(Cloud):
    """A cloud on a worker. Tasks must not change what they are given: nothing is done in place."""

    _in_place = False

    def moved(self, labels, points, nearest):
        """Return this cloud, folded if there are labels, after a step."""
        after = self.restart()
        if labels is not None:
            after._fold_into(labels)
        after._before, after.points, after._nearest = after.points, points, nearest
        return after

    def look(self, eps, folded, with_diameter):
        """Return what the client wants to know of the cloud."""
        cloud = self.restart()
        cloud._line = None
        finest = cloud.groups(folded) if self._merge else None
        if finest is not None and not worth_folding(self.shape, finest.max() + 1):
            finest = None
        D = np.empty(self.shape[1])
        with one_blas_thread():
            displacement(self._origin, self.points, self.mass, self._within, 1, D)
        stepped = self._before is not None
        lengths = np.empty(self.shape[0])
        if stepped:
            moves(self._before, self.points, 1, lengths)
        return Look(
            folds=finest,
            partitions={radius: cloud.groups(radius) for radius in (eps, 100 * eps)},
            D=D,
            lengths=lengths if stepped else None,
            swapping=self.swapping_pairs(eps) if stepped else [],
            diameter=diameter(self.points, 1) if with_diameter else None,
        )

    def at_rest(self):
        """Return this cloud without what only its last step needed."""
        cloud = self.restart()
        cloud._before = cloud._nearest = cloud._line = None
        return cloud

    @property
    def near(self):
        """The same as a plain cloud."""
        cloud = object.__new__(Cloud)
        cloud.__dict__.update(self.at_rest().__dict__)
        cloud.points, cloud._origin = cloud.points.copy(), cloud._origin.copy()
        cloud._within = cloud._within.copy()
        return cloud


@dataclass(frozen=True)
class Travelling:
    """What goes to every worker in an iteration."""

    points: np.ndarray
    mass: np.ndarray

    def folded(self, labels):
        """Return points and mass, points that have met folded into one."""
        if labels is None:
            return self.points, self.mass
        k = labels.max() + 1
        points, mass = np.empty((k, self.points.shape[1])), np.empty(k)
        unused = np.empty_like(points)
        merge_points(
            labels, self.points, self.points, self.mass, points, unused, mass,
            np.zeros(points.shape[1]),
        )  # fmt: skip
        return points, mass


def home_of(rows, merge):
    """Return the cloud at the start."""
    return Home(rows, merge, 1)


def travelling(home):
    """Return what of a cloud goes to all workers."""
    return Travelling(home.points, home.mass)


def tile_order(cloud, look, weights):
    """Return the order of the (folded) points in which runs of 128 are compact."""
    with one_blas_thread():
        return compact_order(cloud.folded(look.folds)[0], weights)


def plain_order(cloud):
    """Return the like for distances without weights."""
    with one_blas_thread():
        return compact_order(cloud.points, np.ones(cloud.points.shape[1]))


def shift_part(cloud, look, order, weights, h, exclude_self, part, n_threads):
    """Return where the points of some tiles go, and their nearest neighbours, in the order."""
    points, mass = cloud.folded(look.folds)
    order = np.arange(len(points)) if order is None else order
    shifted, nearest = np.empty_like(points), np.empty(len(points), dtype=np.intp)
    with one_blas_thread():
        shift(points, mass, weights, h, exclude_self, n_threads, shifted, nearest, order, part)
    own = order[part[0] * TILE : part[1] * TILE]
    return shifted[own], nearest[own]


def gathered(home, look, order, parts):
    """Return the cloud after a step whose parts have been done."""
    g, p = home.shape if look.folds is None else (look.folds.max() + 1, home.shape[1])
    order = np.arange(g) if order is None else order
    points, nearest = np.empty((g, p)), np.empty(g, dtype=np.intp)
    start = 0
    for shifted, nearest_of_part in parts:
        own = order[start : start + len(shifted)]
        points[own], nearest[own] = shifted, nearest_of_part
        start += len(shifted)
    return home.moved(look.folds, points, nearest)


def diameter_part(cloud, order, part, n_threads):
    """Return the largest distance from the points of some tiles to any point."""
    with one_blas_thread():
        return diameter(cloud.points, n_threads, order, part)


def looked_at(home, eps, folded, with_diameter):
    """Return what the client wants to know of a cloud."""
    with one_blas_thread():
        return home.look(eps, folded, with_diameter)


def with_pairs_together(home, pairs):
    """Return the cloud with each of the pairs at its midpoint."""
    cloud = home.restart()
    cloud.put_together(pairs)
    return cloud


def replayed(home, folds, slices, steps):
    """Return a cloud as it was: folded as it had been, its points at the places given."""
    cloud = home.restart()
    for labels in folds:
        cloud._fold_into(labels)
    cloud.points = np.concatenate(slices) if len(slices) != 1 else slices[0]
    cloud._steps = steps
    return cloud


class RowCloud(RemoteCloud):
    """A cloud on the workers, in the layout for many rows.

    Parameters
    ----------
    pool : WorkerPool
    home : Future of Home
    member, mass, p
        Of the cloud at the start; see `Cloud`.
    eps, folded : float
        Distances below which points have met, and travel on as one.
    """

    layout = "rows"

    def __init__(self, pool, home, member, mass, p, eps, folded):
        super().__init__(pool, member, mass, p, eps, folded)
        self._home = home
        self._cloud = self._order = self._plain = None
        self._order_points = self._plain_points = 0

    def _submit_look(self):
        pool, g = self._pool, self.shape[0]
        self._cloud = pool.submit("cloud", travelling, self._home)
        parts = self._n_parts(g // (4 * TILE))
        look = pool.submit("look", looked_at, self._home, self._eps, self._folded, parts == 1)
        if parts == 1:
            return look, []
        if self._due or self._plain_points != g:
            self._plain = pool.submit("plain-order", plain_order, self._cloud)
            self._plain_points = g
        across = [
            pool.submit(
                "diameter", diameter_part, self._cloud, self._plain, (part, parts),
                pool.n_threads, part=part,
            )
            for part in range(parts)
        ]  # fmt: skip
        return look, across

    def shift(self, weights, h, exclude_self, lam, lam_scale):
        """Move every point to the kernel-weighted mean of the others; return how far each went."""
        pool, look = self._pool, self._look_future
        g = self.shape[0]
        weights = pool.shared(weights)
        if g < LEAST_POINTS:
            self._order, self._order_points = None, 0
        elif self._due or self._order_points != g:
            self._order = pool.submit("order", tile_order, self._cloud, look, weights)
            self._order_points = g
        edges = self._edges(g)
        parts = [
            pool.submit(
                "shift", shift_part, self._cloud, look, self._order, weights, h, exclude_self,
                (first, last), pool.n_threads, part=number,
            )
            for number, (first, last) in enumerate(pairwise(edges))
        ]  # fmt: skip
        home = pool.submit("gather", gathered, self._home, look, self._order, parts)
        self._home = home
        self._steps += 1
        return self._look_again().lengths

    def _edges(self, g):
        """Return where the parts of a step begin and end, in tiles."""
        tiles = -(-g // TILE)
        parts = self._n_parts(tiles)
        return [tiles * part // parts for part in range(parts + 1)]

    def _n_parts(self, most):
        """Return into how many parts a pass over all pairs of points is divided."""
        g, p = self.shape
        size = self._pool.size
        parts = max(1, min(most, int(1 + float(g) * g * p / WORTH_A_PART), size * PARTS_A_WORKER))
        # All workers have as many to do, if none is skipped.
        return parts if parts < size else parts // size * size

    def put_together(self, pairs):
        """Put each pair at its midpoint."""
        pairs = list(pairs)
        if pairs:
            self._home = self._pool.submit("pairs", with_pairs_together, self._home, pairs)
            self._look_again()

    def fetch(self, function, *args):
        """Return what a function finds on the worker that keeps the books."""
        return self._pool.result(self._pool.submit("fetch", function, self._home, *args))

    def means(self, group):
        """Return the mean of each group's points, weighted by their mass."""
        return self.fetch(means_of, group)

    def places(self):
        """Return futures of the points, side by side."""
        return [self._pool.submit("points", points_of, self._home, slice(None))]

    def slices(self, rows):
        """Yield the points, so many rows at a time."""
        for start in range(0, self.shape[0], rows):
            yield self.fetch(points_of, slice(start, start + rows))

    def bring(self):
        """Return the cloud as one of this process."""
        cloud = self.fetch(near_of)
        cloud._most_threads = self._pool.n_threads
        order = np.arange(self.shape[0])
        if self._order_points == self.shape[0]:
            order = self._pool.result(self._order)
        cloud._order, cloud._steps = order, self._steps
        if self._look.folds is not None:
            cloud._fold_into(self._look.folds)
        cloud.member, cloud.mass = self.member, self.mass
        return cloud

    def kept(self):
        """Return what of this proxy is kept beside the points."""
        order = None if self._order is None else self._pool.result(self._order)
        return {**super().kept(), "order": order}

    def replay(self, kept, points, rows):
        """Return the cloud that was kept, set up anew from this one, its start."""
        copy = super().replay(kept, points, rows)
        places = [
            self._pool.scatter(np.array(points[start : start + rows]))
            for start in range(0, len(points), rows)
        ]
        copy._home = self._pool.submit(
            "replay", replayed, self._home, kept["folds"], places, kept["steps"]
        )
        if kept["order"] is not None:
            copy._order = self._pool.scatter(kept["order"])
            copy._order_points = len(kept["order"])
        return copy


def points_of(home, some):
    """Return some of the points."""
    return home.points[some]


def means_of(home, group):
    """Return the mean of each group's points, weighted by their mass."""
    return weighted_means(home.points, home.mass, group)


def outline(home):
    """Return what the client has to know of a cloud at the start: member, mass, features."""
    return home.member, home.mass, home.shape[1]


def near_of(home):
    """Return the cloud without what only its last step needed."""
    return home.near
