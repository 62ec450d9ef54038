"""The layout for many features: every worker keeps some of them, for all points.

What travels is one g × g matrix of kernel values to all workers, and two back from each: its share
of the weighted Gram matrix, from which the next kernel follows, and of the squared distances, which
tell who has met. No coordinate ever moves.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from pywbms._core import wide
from pywbms._core.merge import merge_points
from pywbms._core.weights import displacement
from pywbms._data.ordering import weighted_means
from pywbms._distributed.remote_points import Look, RemoteCloud
from pywbms._engine.points import Cloud, worth_folding
from pywbms._machine.threads import one_blas_thread

# The kernel matrix goes to every worker: 200 MB.
MOST_POINTS = 5000
# Shares that a task adds up: no worker holds more matrices than these at a time.
ADDED_AT_ONCE = 8


@dataclass(frozen=True)
class Strip:
    """Some features of all points: where they are, where their rows came from."""

    points: np.ndarray
    origin: np.ndarray
    within: np.ndarray


@dataclass(frozen=True)
class Share:
    """What some features contribute to the sums over all of them.

    Attributes
    ----------
    distances : ndarray of shape (g, padded)
        Squared distances, below the diagonal.
    D : ndarray
        Squared displacement along each of these features.
    gram : ndarray of shape (g, padded) or None
        Gram matrix with weights exp(least − D / lam), on and below the diagonal.
    least : float
        Smallest D / lam.
    moved, swaps : ndarray or None
        Squared lengths of the moves; of pairs, squared distances before, and of each one's new
        place from the other's old.
    """

    distances: np.ndarray
    D: np.ndarray
    gram: np.ndarray | None = None
    least: float = 0.0
    moved: np.ndarray | None = None
    swaps: np.ndarray | None = None


@dataclass(frozen=True)
class Turn:
    """A strip after a step, and what it contributes."""

    strip: Strip
    share: Share


@dataclass(frozen=True)
class Kernel:
    """The share of each point in each one's mean, and each single row's nearest point.

    The matrix is None if distances have to be taken from differences.
    """

    matrix: np.ndarray | None
    nearest: np.ndarray | None

    @property
    def mutual(self):
        """Pairs of points that are each other's nearest, a row a pair."""
        i = np.flatnonzero(self.nearest > np.arange(len(self.nearest)))
        i = i[self.nearest[self.nearest[i]] == i]
        return np.stack([i, self.nearest[i]], axis=1)


@dataclass(frozen=True)
class Met:
    """What comes out when the shares of all features meet."""

    kernel: Kernel
    look: Look


def strip_of_rows(rows):
    """Return a strip at the start."""
    return Strip(rows, rows, np.zeros(rows.shape[1]))


def strip_of(held):
    """Return the strip of a turn, or the strip itself."""
    return held.strip if isinstance(held, Turn) else held


def share_of(turn):
    """Return what of a turn goes to another worker."""
    return turn.share


def folded_strip(held, labels, mass):
    """Return a strip whose points that have met are one."""
    strip = strip_of(held)
    shape = labels.max() + 1, strip.points.shape[1]
    points, origin, within = np.empty(shape), np.empty(shape), strip.within.copy()
    merge_points(
        labels, strip.points, strip.origin, mass, points, origin, np.empty(shape[0]), within
    )
    return Strip(points, origin, within)


def squares(points, weights, exact, n_threads):
    """Return the weighted Gram matrix of the points, or their squared distances."""
    g = len(points)
    out = blank(g)
    with one_blas_thread():
        wide.gram(points, weights, exact, n_threads, wide.workspace(g), out)
    return out


def blank(g):
    """Return a g × g matrix of noughts, padded: only half of it will be written."""
    matrix = wide.square(g)
    matrix[:] = 0
    return matrix


def gram_share(held, weights, exact, n_threads):
    """Return what a strip contributes to the Gram matrix, or to the weighted distances."""
    return squares(strip_of(held).points, weights, exact, n_threads)


def added(matrices):
    """Return the sum of matrices, in their order."""
    total = matrices[0].copy()
    for matrix in matrices[1:]:
        total += matrix
    return total


def kernel_of(matrix, exact, mass, h, exclude_self, n_threads):
    """Return the kernel that follows from a Gram matrix (or exact distances)."""
    if not exact and not wide.expandable(matrix, h):
        return Kernel(None, None)
    out, nearest = wide.square(len(mass)), np.empty(len(mass), dtype=np.intp)
    wide.kernel(matrix, exact, mass, h, exclude_self, n_threads, out, nearest)
    return Kernel(out, nearest)


def measured(held, mass, n_threads):
    """Return what a strip contributes to distances and displacement where it is."""
    strip = strip_of(held)
    D = np.empty(strip.points.shape[1])
    with one_blas_thread():
        displacement(strip.origin, strip.points, mass, strip.within, n_threads, D)
    return Share(squares(strip.points, np.ones(len(D)), True, n_threads), D)


def advanced(held, kernel, mass, lam, n_threads):
    """Move the points along the features of a strip; return its turn."""
    kernel = kernel.kernel if isinstance(kernel, Met) else kernel
    strip = strip_of(held)
    g, width = strip.points.shape
    after, D, moved = np.empty_like(strip.points), np.empty(width), np.empty(g)
    gram, work = blank(g), wide.workspace(g)
    with one_blas_thread():
        wide.advance(
            strip.points, strip.origin, mass, strip.within, kernel.matrix, lam, n_threads, work,
            after, D, moved, gram,
        )  # fmt: skip
    # The Gram matrix comes with weights that sum to one over these features; what they would sum
    # to on the scale on which the largest is one is known from D.
    least = (D / lam).min()
    gram *= np.exp(least - D / lam).sum()
    del work
    i, j = kernel.mutual.T
    old = strip.points
    swaps = np.stack(
        [squared(old[i], old[j]), squared(after[i], old[j]), squared(after[j], old[i])]
    )
    share = Share(squares(after, np.ones(width), True, n_threads), D, gram, least, moved**2, swaps)
    return Turn(Strip(after, strip.origin, strip.within), share)


def squared(a, b):
    """Return the squared distance of each row of a to that of b."""
    return np.einsum("ij,ij->i", a - b, a - b)


def joined(shares):
    """Return shares of neighbouring features as one."""
    first = shares[0]
    D = np.concatenate([share.D for share in shares])
    distances = added([share.distances for share in shares])
    if first.gram is None:
        return Share(distances, D)
    least = min(share.least for share in shares)
    return Share(
        distances,
        D,
        added([np.exp(least - share.least) * share.gram for share in shares]),
        least,
        sum(share.moved for share in shares),
        sum(share.swaps for share in shares),
    )


def met(shares, kernel, mass, lam, h, exclude_self, eps, folded, n_threads):
    """Return what follows from the shares of all features: the next kernel, and a look.

    `kernel` is that of the step that was taken, None if there was none; `folded` the radius below
    which points travel on as one, None if they do not.
    """
    kernel = kernel.kernel if isinstance(kernel, Met) else kernel
    share = joined(shares)
    following, lengths, swapping = Kernel(None, None), None, []
    if kernel is not None:
        gram = share.gram / np.exp(share.least - share.D / lam).sum()
        following = kernel_of(gram, False, mass, h, exclude_self, n_threads)
        lengths = np.sqrt(share.moved)
        apart, *missed = np.sqrt(share.swaps)
        swapped = (np.maximum(*missed) <= 0.1 * apart) & (apart >= eps)
        swapping = [tuple(pair) for pair in kernel.mutual[swapped].tolist()]
    partitions = {radius: groups(share.distances, radius) for radius in (eps, 100 * eps)}
    folds = None
    if folded is not None:
        folds = groups(share.distances, folded)
        if not worth_folding((len(mass), len(share.D)), folds.max() + 1):
            folds = None
    widest = float(np.sqrt(np.tril(share.distances[:, : len(mass)]).max()))
    return Met(following, Look(folds, partitions, share.D, lengths, swapping, widest))


def groups(distances, radius):
    """Return the groups of points closer than a radius, numbered by their first point."""
    g = len(distances)
    i, j = np.nonzero(np.tril(distances[:, :g] < radius * radius, -1))
    return connected_components(coo_matrix((np.ones(len(i)), (i, j)), (g, g)))[1].astype(np.intp)


def look_of(found):
    """Return what the client wants to know."""
    return found.look


def strip_with_pairs_together(held, pairs):
    """Return a strip with each of the pairs at its midpoint."""
    strip = strip_of(held)
    points = strip.points.copy()
    for i, j in pairs:
        points[i] = points[j] = (points[i] + points[j]) / 2
    return Strip(points, strip.origin, strip.within)


def replayed_strip(held, mass, folds, points):
    """Return a strip as it was: folded as it had been, its points at the places given."""
    strip = strip_of(held)
    for labels in folds:
        strip = folded_strip(strip, labels, mass)
        mass = np.bincount(labels, weights=mass)
    return Strip(points, strip.origin, strip.within)


def points_of(held, some):
    """Return some of the points."""
    return np.ascontiguousarray(strip_of(held).points[some])


def strip_means(held, mass, group):
    """Return the mean of each group's points along these features, weighted by their mass."""
    return weighted_means(strip_of(held).points, mass, group)


class ColumnCloud(RemoteCloud):
    """A cloud on the workers, in the layout for many features.

    Parameters
    ----------
    pool : WorkerPool
    strips : list of Future of Strip
    widths : list of int
        Features of each.
    merge : bool
    n : int
        Number of rows.
    eps, folded : float
        Distances below which points have met, and travel on as one.
    """

    layout = "columns"

    def __init__(self, pool, strips, widths, merge, n, eps, folded):
        super().__init__(pool, np.arange(n), np.ones(n), sum(widths), eps, folded)
        self._strips = strips
        self._edges = np.concatenate([[0], np.cumsum(widths)])
        self._merge = merge
        self._met = None  # future of what came out of the last step, if it is still valid

    def fold_into(self, labels):
        """Fold points into new ones: equal rows at the start, points that have met later on."""
        self._folds.append(labels)
        self._strips = self._each("fold", folded_strip, labels, self.mass)
        self.mass = np.bincount(labels, weights=self.mass)
        self.member = labels[self.member]
        self._met = None

    def fold(self, radius):
        """Fold points closer than radius into one."""
        if self.look.folds is not None:
            self.fold_into(self.look.folds)

    def shift(self, weights, h, exclude_self, lam, lam_scale):
        """Move every point to the kernel-weighted mean of the others; return how far each went."""
        kernel = self._kernel(weights, h, exclude_self)
        lam = self._on_sum_scale(lam, lam_scale)
        self._strips = self._each("advance", advanced, kernel, self.mass, lam, self._threads)
        self._steps += 1
        self._settings = lam, h, exclude_self
        return self._look_at("share", share_of, kernel=kernel).lengths

    def _kernel(self, weights, h, exclude_self):
        """Return a future of the kernel for these weights."""
        if self._met is not None and self._expandable:
            return self._met
        for exact in (False, True) if self._met is None else (True,):
            matrices = [
                self._pool.submit(
                    "gram", gram_share, strip, weights[first:last], exact, self._threads, part=part
                )
                for part, (strip, first, last) in enumerate(self._parts())
            ]
            kernel = self._pool.submit(
                "kernel", kernel_of, self._tree("add", added, matrices), exact, self.mass, h,
                exclude_self, self._threads,
            )  # fmt: skip
            if exact or self._pool.result(self._pool.submit("usable", usable, kernel)):
                break
        return kernel

    def _look_at(self, name, function, *args, kernel=None):
        """Bring the shares of all strips together and look at what comes out."""
        shares = self._each(name, function, *args)
        while len(shares) > ADDED_AT_ONCE:
            shares = self._level("join", joined, shares)
        lam, h, exclude_self = (1.0, 1.0, False) if kernel is None else self._settings
        found = self._pool.submit(
            "meet", met, shares, kernel, self.mass, lam, h, exclude_self, self._eps,
            self._folded if self._merge else None, self._threads,
        )  # fmt: skip
        self._look, usable_next = self._pool.results(
            [self._pool.submit("look", look_of, found), self._pool.submit("usable", usable, found)]
        )
        self._diameter = self._look.diameter
        self._met, self._expandable = (None, False) if kernel is None else (found, usable_next)
        return self._look

    def _look_again(self):
        return self._look_at("measure", measured, self.mass, self._threads)

    def _each(self, name, function, *args):
        """Start a task for every strip."""
        return [
            self._pool.submit(name, function, strip, *args, part=part)
            for part, strip in enumerate(self._strips)
        ]

    def _parts(self):
        return zip(self._strips, self._edges[:-1], self._edges[1:], strict=True)

    def _tree(self, name, function, parts):
        """Return a future of what comes of parts, a few at a time, neighbours first."""
        while len(parts) > 1:
            parts = self._level(name, function, parts)
        return parts[0]

    def _level(self, name, function, parts):
        return [
            self._pool.submit(name, function, parts[start : start + ADDED_AT_ONCE])
            for start in range(0, len(parts), ADDED_AT_ONCE)
        ]

    @property
    def _threads(self):
        return self._pool.n_threads

    def put_together(self, pairs):
        """Put each pair at its midpoint."""
        pairs = list(pairs)
        if pairs:
            self._strips = self._each("pairs", strip_with_pairs_together, pairs)
            self._look_again()

    def means(self, group):
        """Return the mean of each group's points, weighted by their mass."""
        parts = self._pool.results(self._each("means", strip_means, self.mass, group))
        return np.concatenate(parts, axis=1)

    def places(self):
        """Return futures of the points, side by side."""
        return self._each("points", points_of, slice(None))

    def slices(self, rows):
        """Yield the points, so many rows at a time."""
        for start in range(0, self.shape[0], rows):
            parts = self._each("fetch", points_of, slice(start, start + rows))
            yield np.concatenate(self._pool.results(parts), axis=1)

    def bring(self):
        """Return the cloud as one of this process."""
        strips = self._pool.results(self._each("fetch", strip_of))
        rows = np.concatenate([strip.points for strip in strips], axis=1)
        cloud = Cloud(rows, False, self._threads)
        cloud._merge = self._merge
        cloud._origin = np.concatenate([strip.origin for strip in strips], axis=1)
        cloud._within = np.concatenate([strip.within for strip in strips])
        cloud.member, cloud.mass, cloud._steps = self.member, self.mass, self._steps
        cloud._order = np.arange(len(rows))
        return cloud

    def replay(self, kept, points, rows):
        """Return the cloud that was kept, set up anew from this one, its start."""
        copy = super().replay(kept, points, rows)
        held = len(self._folds)  # those of the start are done
        copy._strips = [
            self._pool.submit(
                "replay", replayed_strip, strip, self.mass, kept["folds"][held:],
                self._pool.scatter(np.ascontiguousarray(points[:, first:last])), part=part,
            )
            for part, (strip, first, last) in enumerate(self._parts())
        ]  # fmt: skip
        copy._met = None
        return copy


def usable(found):
    """Tell whether a kernel could be made of a Gram matrix."""
    kernel = found.kernel if isinstance(found, Met) else found
    return kernel.matrix is not None
