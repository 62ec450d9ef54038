"""The layout for many features: every worker keeps some of them, for all points.

One g × g matrix of kernel values goes to all workers, and two come back from each: its share of the
weighted Gram matrix, from which the next kernel follows, and of the squared distances, which tell
which points have merged. No coordinate ever moves.
"""

import numpy as np

from pywbms._distributed import feature_blocks as tasks
from pywbms._distributed.remote_points import RemotePoints
from pywbms._engine.local_points import LocalPoints

# The kernel matrix goes to every worker: 200 MB.
MOST_POINTS = 5000
# Partial sums that a task adds up: no worker holds more matrices than these at a time.
ADDED_AT_ONCE = 8


class FeaturePoints(RemotePoints):
    """Points on the workers, in the layout for many features.

    Parameters
    ----------
    pool : WorkerPool
    settings : Settings
    blocks : list of Future of FeatureBlock
    widths : list of int
        Number of features in each.
    member : ndarray of shape (n,)
        The point that each row belongs to.
    """

    layout = "columns"

    def __init__(self, pool, settings, blocks, widths, member):
        super().__init__(pool, settings, np.ones(member.max() + 1), member, sum(widths))
        self._blocks = blocks
        self._edges = np.concatenate([[0], np.cumsum(widths)])
        self._of_task = pool.settings_of_task(settings)
        self._reduced = None  # future of the last step's outcome, while its kernel can be used
        self._blocks_before = None  # those before the last step, if a tree is asked for

    def merge_into(self, labels):
        """Merge the points that share a label."""
        self._blocks = self._each("merge", tasks.merge_block, labels, self.mass)
        super().merge_into(labels)
        self._reduced = None

    def shift(self, weights):
        """Step 1: move every point to its kernel-weighted mean; return the lengths of the moves."""
        kernel = self._kernel(weights)
        self._blocks_before = self._blocks if self.settings.tree else None
        self._blocks = self._each(
            "advance", tasks.advance, kernel, self.mass, self.lam_sum, self._n_threads
        )
        self._steps += 1
        self._known = self._reduce(self._each("sums", tasks.sums_of), kernel)
        return self._known.moves

    def points_before(self):
        """Return where the points were before the last step, brought here."""
        parts = [
            self._pool.submit("fetch", tasks.some_points, block, slice(None), part=part)
            for part, block in enumerate(self._blocks_before)
        ]
        return np.concatenate(self._pool.results(parts), axis=1)

    def summarize(self):
        """Ask the workers for a `StepSummary`."""
        return self._reduce(self._each("measure", tasks.measure, self.mass, self._n_threads))

    def _kernel(self, weights):
        """Return a future of the kernel for these weights."""
        if self._reduced is not None and self._usable:
            return self._reduced
        for exact in (False, True) if self._reduced is None else (True,):
            matrices = [
                self._pool.submit(
                    "gram", tasks.partial_gram, block, weights[first:last], exact,
                    self._n_threads, part=part,
                )
                for part, (block, first, last) in enumerate(self._parts())
            ]  # fmt: skip
            while len(matrices) > 1:
                matrices = self._level("add", tasks.add, matrices)
            kernel = self._pool.submit(
                "kernel", tasks.kernel_of, matrices[0], exact, self.mass, self._of_task
            )
            if exact or self._pool.run("usable", tasks.is_usable, kernel):
                break
        return kernel

    def _reduce(self, parts, kernel=None):
        """Bring the sums of all blocks together; return the summary."""
        pool = self._pool
        while len(parts) > ADDED_AT_ONCE:
            parts = self._level("join", tasks.join_sums, parts)
        reduced = pool.submit(
            "reduce", tasks.reduce_step, parts, kernel, self.mass, self.lam_sum, self._of_task
        )
        summary, usable = pool.results(
            [
                pool.submit("summary", tasks.summary_of, reduced),
                pool.submit("usable", tasks.is_usable, reduced),
            ]
        )
        self._reduced, self._usable = (None, False) if kernel is None else (reduced, usable)
        return summary

    def _each(self, name, function, *args):
        """Start a task for every block."""
        return [
            self._pool.submit(name, function, block, *args, part=part)
            for part, block in enumerate(self._blocks)
        ]

    def _parts(self):
        return zip(self._blocks, self._edges[:-1], self._edges[1:], strict=True)

    def _level(self, name, function, parts):
        """Combine parts, a few neighbours at a time."""
        return [
            self._pool.submit(name, function, parts[start : start + ADDED_AT_ONCE])
            for start in range(0, len(parts), ADDED_AT_ONCE)
        ]

    @property
    def _n_threads(self):
        return self._pool.n_threads

    def put_at_midpoint(self, pairs):
        """Put both points of each pair at their midpoint."""
        if pairs:
            self._blocks = self._each("pairs", tasks.put_at_midpoint, pairs)
            self._known = self._reduced = None

    def means(self, group):
        """Return the mean of the points of each group, weighted by their masses."""
        parts = self._pool.results(self._each("means", tasks.means_of, self.mass, group))
        return np.concatenate(parts, axis=1)

    def futures(self):
        """Return futures of the points, blocks of features side by side."""
        return self._each("points", tasks.some_points, slice(None))

    def slices(self, rows):
        """Yield the points, so many rows at a time."""
        for start in range(0, self.shape[0], rows):
            parts = self._each("fetch", tasks.some_points, slice(start, start + rows))
            yield np.concatenate(self._pool.results(parts), axis=1)

    def to_local(self):
        """Return the points as `LocalPoints`."""
        blocks = self._pool.results(self._each("fetch", tasks.block_of))
        names = ("points", "origin", "within")
        arrays = {
            name: np.concatenate([getattr(block, name) for block in blocks], axis=-1)
            for name in names
        }
        saved = {
            **arrays, "mass": self.mass, "member": self.member,
            "order": np.arange(self.shape[0]), "steps": self._steps, "gram": None,
        }  # fmt: skip
        return LocalPoints.restore(saved, self.settings)

    def restore(self, saved, points, rows):
        """Return what was saved, set up anew from these points, its start."""
        other = super().restore(saved, points, rows)
        done = len(self._merges)  # those of the start
        other._blocks = [
            self._pool.submit(
                "replay", tasks.replay, block, self.mass, saved["merges"][done:],
                self._pool.scatter(np.ascontiguousarray(points[:, first:last])), part=part,
            )
            for part, (block, first, last) in enumerate(self._parts())
        ]  # fmt: skip
        other._reduced = None
        return other
