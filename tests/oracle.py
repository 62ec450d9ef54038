"""Weighted Blurring Mean Shift in plain NumPy, to be read beside the paper.

It is written for reading, not for speed: every distance is a difference of two rows, every matrix
is n × n, and points that have met are never folded. The package must agree with it.

The working coordinates are whatever the caller hands in (the package hands in z-scores). Where the
printed algorithm and the released code differ, the arguments choose between them.
"""

import numpy as np


def squared_distances(A, B, w=1.0):
    """‖a − b‖²_w for every row a of A and b of B."""
    return np.stack([((a - B) ** 2 * w).sum(axis=1) for a in A])


def shift(Y, w, h, exclude_self=True):
    """Step 1 of Algorithm 1: each point moves to the kernel-weighted mean of the (other) ones."""
    exponent = -squared_distances(Y, Y, w) / h
    if exclude_self:
        np.fill_diagonal(exponent, -np.inf)
        if len(Y) == 1:  # nobody else is there: the point stays
            return Y.copy()
    K = np.exp(exponent - exponent.max(axis=1, keepdims=True))  # no row can be 0/0
    return K @ Y / K.sum(axis=1, keepdims=True)


def displacement(X, Y, lam_scale="mean"):
    """D_l, how far the points have been carried along feature l."""
    squares = (X - Y) ** 2
    return squares.mean(axis=0) if lam_scale == "mean" else squares.sum(axis=0)


def entropy_weights(D, lam):
    """Step 2 of Algorithm 1: w_l ∝ exp(−D_l / lam)."""
    w = np.exp(-(D - D.min()) / lam)
    return w / w.sum()


def diameter(Y):
    """The largest distance between two points."""
    return np.sqrt(squared_distances(Y, Y).max())


def partition(Y, radius, linked=()):
    """Connected components of points closer than radius, numbered by their first row.

    Pairs in `linked` belong together wherever they are.
    """
    adjacent = squared_distances(Y, Y) < radius**2
    for i, j in linked:
        adjacent[i, j] = adjacent[j, i] = True
    labels = np.full(len(Y), -1)
    k = 0
    for row in range(len(Y)):
        if labels[row] < 0:
            reached = [row]
            labels[row] = k
            while reached:
                fresh = np.flatnonzero(adjacent[reached.pop()] & (labels < 0))
                labels[fresh] = k
                reached.extend(fresh)
            k += 1
    return labels


def swapping_pairs(old, new, w, eps):
    """Pairs, nearest to each other, that changed places in a step, to a tenth of their distance.

    A point left out of its own mean goes to where the others are; two that have only each other
    change places for ever. The tenth leaves room for the drift of such a pair towards the rest.
    """
    if len(old) == 1:
        return []
    to_others = squared_distances(old, old, w)
    np.fill_diagonal(to_others, np.inf)
    nearest = to_others.argmin(axis=1)
    pairs = []
    for i, j in enumerate(nearest):
        apart = np.sqrt(((old[i] - old[j]) ** 2).sum())
        missed = max(
            np.sqrt(((new[i] - old[j]) ** 2).sum()), np.sqrt(((new[j] - old[i]) ** 2).sum())
        )
        if i < j and nearest[j] == i and eps <= apart and missed <= 0.1 * apart:
            pairs.append((i, int(j)))
    return pairs


def canonical(labels):
    """Clusters renumbered 0 … k−1, the largest first, ties by their first row."""
    values, first, size = np.unique(labels, return_index=True, return_counts=True)
    rank = np.empty(values.max() + 1, dtype=int)
    rank[values[np.lexsort((first, -size))]] = np.arange(len(values))
    return rank[labels]


def same_partition(a, b):
    """Whether two labellings differ by the numbers of their clusters at most."""
    return np.array_equal(canonical(a), canonical(b))


def fit(
    X,
    h,
    lam,
    *,
    lam_scale="mean",
    exclude_self=True,
    warmup=20,
    stop="settled",
    patience=5,
    tol=1e-8,
    max_iter=300,
    eps=1e-5,
):
    """The whole algorithm; returns a dict of what a fit knows in the end."""
    w = np.full(X.shape[1], 1 / X.shape[1])
    settle_pairs = exclude_self and stop != "fixed"
    for phase, limit in (("warmup", warmup), ("main", max_iter)):
        Y, path, converged = X.copy(), [(X.copy(), w)], False
        streak, pairs, last, same = {}, [], None, 0
        for _ in range(limit):
            old, Y, w_before = Y, shift(Y, w, h, exclude_self), w
            if settle_pairs:
                pairs = swapping_pairs(old, Y, w_before, eps)
                streak = {pair: streak.get(pair, 0) + 1 for pair in pairs}
                for (i, j), times in streak.items():
                    if times >= patience:
                        Y[i] = Y[j] = (Y[i] + Y[j]) / 2
            w = entropy_weights(displacement(X, Y, lam_scale), lam)
            path.append((Y.copy(), w))
            if phase == "warmup":
                continue
            moves = np.sqrt(((Y - old) ** 2).sum(axis=1))
            coarse = partition(Y, 100 * eps, pairs)
            same = same + 1 if np.array_equal(coarse, last) else 0
            last = coarse
            # Left out of its own mean, a lone row that moves is on its way to somebody. Kept in,
            # it may stay alone for good; but a cloud that moves and in which nobody has met
            # anybody since the start has only begun.
            alone = np.bincount(coarse)[coarse] == 1
            restless = moves >= 100 * eps
            only_begun = np.array_equal(coarse, partition(X, 100 * eps)) and restless.any()
            on_the_way = (exclude_self and (restless & alone).any()) or only_begun
            converged = {
                "settled": same >= patience
                and np.array_equal(coarse, partition(Y, eps, pairs))
                and not on_the_way,
                "movement": moves.max() < tol,
                "diameter": abs(diameter(Y) - diameter(old)) < tol,
                "fixed": False,
            }[stop]
            if converged:
                break
    if converged and pairs:  # the rest has settled, so these would swap for ever
        for i, j in pairs:
            Y[i] = Y[j] = (Y[i] + Y[j]) / 2
        w = entropy_weights(displacement(X, Y, lam_scale), lam)
    return {
        "labels": canonical(partition(Y, eps)),
        "modes": Y,
        "weights": w,
        "n_iter": len(path) - 1,
        "converged": converged or stop == "fixed",
        "path": path,
    }
