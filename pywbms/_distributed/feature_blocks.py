"""The layout for many features, on the workers: blocks of features, and what they add to sums."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

import pywbms._core.wide as wide
from pywbms._core.merge import merge_points
from pywbms._core.weights import displacement
from pywbms._data.ordering import weighted_means
from pywbms._distributed.remote_points import StepSummary
from pywbms._engine.points import have_swapped, mutual_nearest, worth_merging
from pywbms._machine.threads import one_blas_thread


@dataclass(frozen=True)
class FeatureBlock:
    """Some features of all points: where they are, where their rows came from."""

    points: np.ndarray
    origin: np.ndarray
    within: np.ndarray


@dataclass(frozen=True)
class PartialSums:
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
        Squared lengths of the moves; of pairs, squared distances before the step, and of each
        one's new place from the other's old.
    """

    distances: np.ndarray
    D: np.ndarray
    gram: np.ndarray | None = None
    least: float = 0.0
    moved: np.ndarray | None = None
    swaps: np.ndarray | None = None


@dataclass(frozen=True)
class BlockStep:
    """A block after a step, and what it contributes."""

    block: FeatureBlock
    sums: PartialSums


@dataclass(frozen=True)
class Kernel:
    """The share of each point in each one's mean, and each single row's nearest point.

    The matrix is None if distances have to be taken from differences.
    """

    matrix: np.ndarray | None
    nearest: np.ndarray | None


@dataclass(frozen=True)
class ReducedStep:
    """What follows from the sums over all features: the next kernel, and a summary."""

    kernel: Kernel
    summary: StepSummary


def block_of(held):
    """Return the block of a step, or the block itself."""
    return held.block if isinstance(held, BlockStep) else held


def kernel_in(held):
    """Return the kernel of a reduced step, or the kernel itself."""
    return held.kernel if isinstance(held, ReducedStep) else held


def squares(points, weights, exact, n_threads):
    """Return the weighted Gram matrix of the points, or their squared distances."""
    g = len(points)
    out = zeros(g)
    with one_blas_thread():
        wide.gram(points, weights, exact, n_threads, wide.workspace(g), out)
    return out


def zeros(g):
    """Return a padded g × g matrix of zeros, of which only one half will be written."""
    matrix = wide.square(g)
    matrix[:] = 0
    return matrix


def squared(a, b):
    """Return the squared distance of each row of a to that of b."""
    return np.einsum("ij,ij->i", a - b, a - b)


def components(distances, radius):
    """Return the connected components at distance < radius, numbered by their first point."""
    g = len(distances)
    i, j = np.nonzero(np.tril(distances[:, :g] < radius * radius, -1))
    return connected_components(coo_matrix((np.ones(len(i)), (i, j)), (g, g)))[1].astype(np.intp)


# Tasks


def start_block(rows):
    """Return a block at the start."""
    return FeatureBlock(rows, rows, np.zeros(rows.shape[1]))


def merge_block(held, labels, mass):
    """Return a block whose points with the same label are merged."""
    block = block_of(held)
    shape = labels.max() + 1, block.points.shape[1]
    points, origin, within = np.empty(shape), np.empty(shape), block.within.copy()
    merge_points(
        labels, block.points, block.origin, mass, points, origin, np.empty(shape[0]), within
    )
    return FeatureBlock(points, origin, within)


def sums_of(step):
    """Return what of a step goes to another worker."""
    return step.sums


def partial_gram(held, weights, exact, n_threads):
    """Return what a block contributes to the Gram matrix, or to the weighted distances."""
    return squares(block_of(held).points, weights, exact, n_threads)


def add(matrices):
    """Return the sum of matrices, in their order."""
    total = matrices[0].copy()
    for matrix in matrices[1:]:
        total += matrix
    return total


def kernel_of(matrix, exact, mass, settings):
    """Return the kernel that follows from a Gram matrix (or exact distances)."""
    h, n_threads = settings.h, settings.n_jobs
    if not exact and not wide.expandable(matrix, h):
        return Kernel(None, None)
    out, nearest = wide.square(len(mass)), np.empty(len(mass), dtype=np.intp)
    wide.kernel(matrix, exact, mass, h, settings.exclude_self, n_threads, out, nearest)
    return Kernel(out, nearest)


def is_usable(held):
    """Tell whether a kernel could be made of a Gram matrix."""
    return kernel_in(held).matrix is not None


def measure(held, mass, n_threads):
    """Return what a block contributes to distances and displacement where it is."""
    block = block_of(held)
    D = np.empty(block.points.shape[1])
    with one_blas_thread():
        displacement(block.origin, block.points, mass, block.within, n_threads, D)
    return PartialSums(squares(block.points, np.ones(len(D)), True, n_threads), D)


def advance(held, kernel, mass, lam, n_threads):
    """Move the points along the features of a block; return a `BlockStep`."""
    kernel, block = kernel_in(kernel), block_of(held)
    old = block.points
    g, width = old.shape
    new, D, moved = np.empty_like(old), np.empty(width), np.empty(g)
    gram, work = zeros(g), wide.workspace(g)
    with one_blas_thread():
        wide.advance(
            old, block.origin, mass, block.within, kernel.matrix, lam, n_threads, work, new, D,
            moved, gram,
        )  # fmt: skip
    # The Gram matrix comes with weights that sum to one over these features; what they would sum
    # to on the scale on which the largest is one is known from D.
    least = (D / lam).min()
    gram *= np.exp(least - D / lam).sum()
    del work
    i, j = mutual_nearest(kernel.nearest).T
    swaps = np.stack([squared(old[i], old[j]), squared(new[i], old[j]), squared(new[j], old[i])])
    distances = squares(new, np.ones(width), True, n_threads)
    sums = PartialSums(distances, D, gram, least, moved**2, swaps)
    return BlockStep(FeatureBlock(new, block.origin, block.within), sums)


def join_sums(parts):
    """Return the sums of neighbouring features as one."""
    D = np.concatenate([part.D for part in parts])
    distances = add([part.distances for part in parts])
    if parts[0].gram is None:
        return PartialSums(distances, D)
    least = min(part.least for part in parts)
    return PartialSums(
        distances,
        D,
        add([np.exp(least - part.least) * part.gram for part in parts]),
        least,
        sum(part.moved for part in parts),
        sum(part.swaps for part in parts),
    )


def reduce_step(parts, kernel, mass, lam, settings):
    """Return what follows from the sums over all features; the kernel is that of the step taken.

    `kernel` is None if there was no step.
    """
    sums = join_sums(parts)
    following, moves, swapped = Kernel(None, None), None, []
    if kernel is not None:
        gram = sums.gram / np.exp(sums.least - sums.D / lam).sum()
        following = kernel_of(gram, False, mass, settings)
        moves = np.sqrt(sums.moved)
        apart, *missed = np.sqrt(sums.swaps)
        found = have_swapped(apart, np.maximum(*missed), settings.eps)
        pairs = mutual_nearest(kernel_in(kernel).nearest)[found]
        swapped = [tuple(pair) for pair in pairs.tolist()]
    radii = (settings.eps, settings.coarse_radius)
    merges = None
    if settings.merge:
        merges = components(sums.distances, settings.merge_radius)
        if not worth_merging((len(mass), len(sums.D)), merges.max() + 1):
            merges = None
    summary = StepSummary(
        merges=merges,
        partitions={radius: components(sums.distances, radius) for radius in radii},
        D=sums.D,
        moves=moves,
        swapped=swapped,
        diameter=float(np.sqrt(np.tril(sums.distances[:, : len(mass)]).max())),
    )
    return ReducedStep(following, summary)


def summary_of(reduced):
    """Return what the client wants to know."""
    return reduced.summary


def put_at_midpoint(held, pairs):
    """Return a block with each of the pairs at its midpoint."""
    block = block_of(held)
    points = block.points.copy()
    for i, j in pairs:
        points[i] = points[j] = (points[i] + points[j]) / 2
    return FeatureBlock(points, block.origin, block.within)


def replay(held, mass, merges, points):
    """Return a block as it was when it was saved: merged as it had been, at the places given."""
    block = block_of(held)
    for labels in merges:
        block = merge_block(block, labels, mass)
        mass = np.bincount(labels, weights=mass)
    return FeatureBlock(points, block.origin, block.within)


def some_points(held, some):
    """Return some of the points."""
    return np.ascontiguousarray(block_of(held).points[some])


def means_of(held, mass, group):
    """Return the mean of the points of each group along these features, weighted by mass."""
    return weighted_means(block_of(held).points, mass, group)
