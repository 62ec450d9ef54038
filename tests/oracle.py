"""Weighted Blurring Mean Shift in plain NumPy, to be read beside the paper.

It is written for reading, not for speed: every distance is a difference of two rows, every matrix
is n × n, and points that have met are never merged. The package must agree with it.

The working coordinates are whatever the caller hands in (the package hands in z-scores). Where the
printed algorithm and the released code differ, the arguments choose between them.
"""

import numpy as np

from pywbms._engine.settings import Settings


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


def marginal_displacement(Z, mass, h, n_iter):
    """The mean of (x − y)² over the rows along each column, after blurring every column by itself.

    Row i stands for mass_i equal rows, each of which is left out of its own mean only.
    """
    D = np.zeros(Z.shape[1])
    shares = np.tile(mass, (len(Z), 1)) - np.eye(len(Z))
    if shares.max() <= 0:  # a single row has no others
        return D
    for column, x in enumerate(Z.T):
        y = x
        for _ in range(n_iter):
            exponent = np.where(shares > 0, -((y[:, None] - y) ** 2) / h, -np.inf)
            K = shares * np.exp(exponent - exponent.max(axis=1, keepdims=True))
            y = K @ y / K.sum(axis=1)
        D[column] = mass @ (x - y) ** 2 / mass.sum()
    return D


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


def lasting(swaps, patience):
    """Pairs that swapped in each of the last `patience` iterations, if there were so many."""
    recent = swaps[1:][-patience:]
    return set.intersection(*recent) if len(recent) == patience else set()


def at_midpoints(Y, pairs):
    """The points, with those of each pair put halfway between them."""
    Y = Y.copy()
    for i, j in pairs:
        Y[[i, j]] = (Y[i] + Y[j]) / 2
    return Y


def blocks(Y, radius, linked=()):
    """The partition as a set of sets of rows."""
    labels = partition(Y, radius, linked)
    return {frozenset(np.flatnonzero(labels == k).tolist()) for k in range(labels.max() + 1)}


def settled(path, swaps, settings):
    """Whether the recorded path has come to rest, by looking back over it.

    It has when the partition at 100·eps has stayed the same for `patience` iterations and equals
    the one at eps, and no row that has met nobody is still on its way.
    """
    eps, patience = settings["eps"], settings["patience"]
    coarse_eps = 100 * eps
    if len(path) - 1 <= patience:  # the start is no iteration
        return False
    now = blocks(path[-1][0], coarse_eps, swaps[-1])
    if now != blocks(path[-1][0], eps, swaps[-1]):
        return False
    for back in range(2, patience + 2):
        if blocks(path[-back][0], coarse_eps, swaps[-back]) != now:
            return False
    return not some_are_on_their_way(path, now, coarse_eps, settings["exclude_self"])


def some_are_on_their_way(path, groups, coarse_eps, exclude_self):
    """Whether rows that have met nobody still move.

    Left out of its own mean, a row that moves moves towards others: it will meet them. Kept in, it
    may creep for ever and stay alone; what tells that a cloud has only begun is that something
    moves, and all rows are as far from having met as at the start.
    """
    moving = set(np.flatnonzero(moves(path) >= coarse_eps).tolist())
    alone = {row for group in groups if len(group) == 1 for row in group}
    if exclude_self and moving & alone:
        return True
    return bool(moving) and groups == blocks(path[0][0], coarse_eps)


def moves(path):
    """How far each point went in the last iteration."""
    return np.sqrt(((path[-1][0] - path[-2][0]) ** 2).sum(axis=1))


STOP = {
    "settled": settled,
    "movement": lambda path, swaps, settings: moves(path).max() < settings["tol"],
    "diameter": lambda path, swaps, settings: (
        abs(diameter(path[-1][0]) - diameter(path[-2][0])) < settings["tol"]
    ),
    "fixed": lambda path, swaps, settings: False,
}

# What `fit` can be told besides h and lam.
SETTINGS = (
    "lam_scale", "exclude_self", "warmup", "stop", "patience", "tol", "max_iter", "eps",
)  # fmt: skip


def defaults():
    """The package's own defaults: the oracle has an opinion on the algorithm, not on them."""
    return {name: getattr(Settings, name) for name in SETTINGS}


def fit(X, h, lam, **given):
    """The whole algorithm; returns a dict of what a fit knows in the end."""
    settings = {**defaults(), **given}
    assert set(settings) == set(SETTINGS), f"unknown: {set(settings) - set(SETTINGS)}"
    exclude_self, stop = settings["exclude_self"], settings["stop"]
    w = np.full(X.shape[1], 1 / X.shape[1])
    for phase in ("warmup", "main"):
        limit = settings["warmup" if phase == "warmup" else "max_iter"]
        path, swaps, converged = [(X, w)], [set()], False
        while len(path) <= limit and not converged:
            old = path[-1][0]
            Y = shift(old, w, h, exclude_self)
            pairs = swapping_pairs(old, Y, w, settings["eps"])
            swaps.append(set(pairs) if exclude_self and stop != "fixed" else set())
            Y = at_midpoints(Y, lasting(swaps, settings["patience"]))
            w = entropy_weights(displacement(X, Y, settings["lam_scale"]), lam)
            path.append((Y, w))
            converged = phase == "main" and bool(STOP[stop](path, swaps, settings))
    Y = path[-1][0]
    if converged and swaps[-1]:  # the rest has settled, so these would swap for ever
        Y = at_midpoints(Y, swaps[-1])
        w = entropy_weights(displacement(X, Y, settings["lam_scale"]), lam)
    return {
        "labels": canonical(partition(Y, settings["eps"])),
        "modes": Y,
        "weights": w,
        "n_iter": len(path) - 1,
        "converged": converged or stop == "fixed",
        "path": path,
    }
