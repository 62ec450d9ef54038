"""The layout for many rows: every worker moves some points against all of them.

One worker, whichever Dask chooses, hosts the points: it knows where their rows came from and which
have merged. In each iteration its points go to all others once, and the moved ones come back. The
parts are whole tiles of the core, so the sums do not depend on the number of workers.
"""

from dataclasses import replace
from itertools import pairwise

import numpy as np

from pywbms._distributed import host_points as tasks
from pywbms._distributed.remote_points import RemotePoints
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.tile_order import LEAST_POINTS, TILE

# Multiply-adds that a task should have at least, so that starting it does not count.
WORTH_A_PART = 1e8
# Parts per worker, if there is enough to do: with skipped tiles some parts end early.
PARTS_PER_WORKER = 3


class RowPoints(RemotePoints):
    """Points on the workers, in the layout for many rows.

    Parameters
    ----------
    pool : WorkerPool
    settings : Settings
    host : Future of HostPoints
    """

    layout = "rows"

    def __init__(self, pool, settings, host):
        super().__init__(pool, settings, *pool.run("start", tasks.outline, host))
        self._host = host
        self._of_task = pool.settings_of_task(settings)
        self._shared = self._summary = self._order = self._plain = None
        self._order_points = self._plain_points = 0

    def shift(self, weights):
        """Step 1: move every point to its kernel-weighted mean; return the lengths of the moves."""
        pool, summary = self._pool, self._summary
        g = self.shape[0]
        weights = pool.shared(weights)
        if g < LEAST_POINTS:
            self._order, self._order_points = None, 0
        elif self.order_is_due or self._order_points != g:
            self._order = pool.submit("order", tasks.tile_order, self._shared, summary, weights)
            self._order_points = g
        parts = [
            pool.submit(
                "shift", tasks.shift_part, self._shared, summary, self._order, weights,
                self._of_task, (first, last), part=number,
            )
            for number, (first, last) in enumerate(pairwise(self._edges(g)))
        ]  # fmt: skip
        self._host = pool.submit(
            "gather", tasks.gather_step, self._host, summary, self._order, parts
        )
        self._steps += 1
        self._known = None
        return self.summary.moves

    def points_before(self):
        """Return where the points were before the last step, brought here."""
        return self._pool.run("fetch", tasks.points_before, self._host)

    def summarize(self):
        """Ask the workers for a `StepSummary`."""
        pool, g = self._pool, self.shape[0]
        self._shared = pool.submit("cloud", tasks.shared, self._host)
        parts = self._n_parts(g // (4 * TILE))
        self._summary = pool.submit("summary", tasks.summarize, self._host, parts == 1)
        if parts == 1:
            return pool.result(self._summary)
        if self.order_is_due or self._plain_points != g:
            self._plain = pool.submit("plain-order", tasks.plain_order, self._shared)
            self._plain_points = g
        across = [
            pool.submit(
                "diameter", tasks.diameter_part, self._shared, self._plain, (part, parts),
                pool.n_threads, part=part,
            )
            for part in range(parts)
        ]  # fmt: skip
        summary, *found = pool.results([self._summary, *across])
        return replace(summary, diameter=max(found))

    def _edges(self, g):
        """Return where the parts of a step begin and end, in tiles."""
        tiles = -(-g // TILE)
        parts = self._n_parts(tiles)
        return [tiles * part // parts for part in range(parts + 1)]

    def _n_parts(self, most):
        """Return into how many parts a pass over all pairs of points is divided."""
        g, p = self.shape
        size = self._pool.size
        parts = max(1, min(most, int(1 + float(g) * g * p / WORTH_A_PART), size * PARTS_PER_WORKER))
        # All workers have the same number of parts.
        return parts if parts < size else parts // size * size

    def put_at_midpoint(self, pairs):
        """Put both points of each pair at their midpoint."""
        if pairs:
            self._host = self._pool.submit("pairs", tasks.put_at_midpoint, self._host, pairs)
            self._known = None

    def means(self, group):
        """Return the mean of the points of each group, weighted by their masses."""
        return self._pool.run("fetch", tasks.means_of, self._host, group)

    def futures(self):
        """Return futures of the points, blocks of features side by side."""
        return [self._pool.submit("points", tasks.some_points, self._host, slice(None))]

    def slices(self, rows):
        """Yield the points, so many rows at a time."""
        for start in range(0, self.shape[0], rows):
            some = slice(start, start + rows)
            yield self._pool.run("fetch", tasks.some_points, self._host, some)

    def to_local(self):
        """Return the points as `LocalPoints`."""
        arrays = self._pool.run("fetch", tasks.arrays_of, self._host)
        order = np.arange(self.shape[0])
        if self._order_points == self.shape[0]:
            order = self._pool.result(self._order)
        saved = {**arrays, "order": order, "steps": self._steps, "gram": None}
        local = LocalPoints.restore(saved, self.settings)
        if self.summary.merges is not None:
            local.merge_into(self.summary.merges)
        return local

    def save(self):
        """Return a dict that, with the coordinates of the points, `restore` takes."""
        order = None if self._order is None else self._pool.result(self._order)
        return {**super().save(), "order": order}

    def restore(self, saved, points, rows):
        """Return what was saved, set up anew from these points, its start."""
        pool = self._pool
        other = super().restore(saved, points, rows)
        slices = [
            pool.scatter(np.array(points[start : start + rows]))
            for start in range(0, len(points), rows)
        ]
        other._host = pool.submit(
            "replay", tasks.replay, self._host, saved["merges"], slices, saved["steps"]
        )
        if saved["order"] is not None:
            other._order = pool.scatter(saved["order"])
            other._order_points = len(saved["order"])
        return other
