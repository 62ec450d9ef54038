"""Weighted Blurring Mean Shift in plain NumPy, to be read beside the paper.

It is written for reading, not for speed: every distance is a difference of two rows, every matrix
is n × n, and points that have met are never merged. The package must agree with it.

The working coordinates are whatever the caller hands in (the package hands in z-scores). Where the
printed algorithm and the released code differ, the arguments choose between them.
"""

import itertools

import numpy as np

from pywbms._engine.settings import Settings


def z_scores(X, mass=None):
    """Plain z-scores, in extended precision; row i counts mass_i times."""
    X = np.asarray(X, dtype=np.longdouble)
    if mass is None:
        return (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    X = X - mass @ X / mass.sum()
    return X / np.sqrt(mass @ X**2 / (mass.sum() - 1))


def bounds(x):
    """Between which values a column is left as it is, and the scale of the squash beyond them.

    The bulk lies between the 5 % and the 95 % quantile, 3.29 s apart. The bounds are as far from
    these again, or where the tails end (at the first gap above 2 s), or where the outermost
    clusters are: max(2, 1.5 % of n) values within 2 s, or within a tenth of their distance from
    the bulk.
    """
    n = len(x)
    if np.abs(z_scores(x)).max() <= min(5, 0.9 * (n - 1) / np.sqrt(n)):
        return -np.inf, np.inf, 1.0
    q05, q95 = np.quantile(x, [0.05, 0.95])
    s = (q95 - q05) / 3.29
    if s == 0:
        s = np.median(np.abs(x[x != q05] - q05))
    low, high = q05 - 3.29 * s, q95 + 3.29 * s
    x = np.sort(x)
    end = next((a for a, b in itertools.pairwise(x) if a >= q95 and b - a > 2 * s), x[-1])
    start = next((a for a, b in itertools.pairwise(x[::-1]) if a <= q05 and a - b > 2 * s), x[0])
    low, high = min(low, start), max(high, end)
    m = max(2, int(np.ceil(0.015 * n)))
    for some in (x[i : i + m] for i in range(n - m + 1)):
        away = max(some[0] - q95, q05 - some[-1])
        if some[-1] - some[0] <= max(2 * s, 0.1 * away):
            low, high = min(low, some[0]), max(high, some[-1])
    return low, high, s / 4


def squash(x, low, high, tau):
    """The identity between the bounds, a logarithm beyond them."""
    above = high + tau * np.log1p(np.maximum(x - high, 0) / tau)
    below = low - tau * np.log1p(np.maximum(low - x, 0) / tau)
    return np.where(x > high, above, np.where(x < low, below, x))


def robust_scores(X):
    """Robust z-scores of the columns that vary, equal ones once.

    A value beyond the bounds is replaced by that of the nearest row along the other columns. A row
    with such values in most columns is an outlier: it is where its nearest row is.

    Returns the scores; which columns each of their columns stands for; and the row that each row
    follows, itself unless it is an outlier.
    """
    X = np.asarray(X, dtype=float)
    X = X / np.where(X.any(axis=0), np.abs(X).max(axis=0), 1.0)
    varying = np.flatnonzero((X != X[0]).any(axis=0))
    far = np.zeros(X.shape, dtype=bool)
    Y = X.copy()
    for column in varying if len(X) >= 10 else ():
        low, high, tau = bounds(X[:, column])
        far[:, column] = (X[:, column] < low) | (X[:, column] > high)
        Y[:, column] = squash(X[:, column], low, high, tau)
    outliers = far.sum(axis=1) > len(varying) / 2
    kept = ~outliers
    groups = []
    for column in varying:
        if (Y[kept, column] == Y[kept, column][0]).all():
            continue
        for group in groups if len(np.unique(Y[kept, column])) >= 10 else ():
            a, b = z_scores(Y[kept][:, [group[0], column]]).T
            if min(np.abs(a - b).max(), np.abs(a + b).max()) < 1e-9:
                group.append(int(column))
                break
        else:
            groups.append([int(column)])
    first = [group[0] for group in groups]
    Z = np.zeros((len(X), len(first)))
    for place, column in enumerate(first):
        near = kept & ~far[:, column]
        y = np.asarray(Y[:, column], dtype=np.longdouble)
        Z[:, place] = (y - y[near].mean()) / y[near].std(ddof=1)
    return *with_donors(Z, far[:, first] | outliers[:, None], outliers), groups


def with_donors(Z, replaced, outliers):
    """The scores, those replaced taken from the nearest row, and the row that each one follows."""
    scores, leader = Z.copy(), np.arange(len(Z))
    for row in np.flatnonzero(replaced.any(axis=1) if replaced.size else outliers):
        along = ~replaced[row] if not outliers[row] else np.ones(Z.shape[1], dtype=bool)
        distance = ((Z - Z[row])[:, along] ** 2).sum(axis=1)
        distance[outliers] = distance[row] = np.inf
        donor = distance.argmin()
        scores[row, replaced[row]] = Z[donor, replaced[row]]
        leader[row] = donor if outliers[row] else row
    for row in np.flatnonzero(outliers):
        scores[row] = scores[leader[row]]
    return scores, leader


def squared_distances(A, B, w=1.0):
    """‖a − b‖²_w for every row a of A and b of B."""
    return np.stack([((a - B) ** 2 * w).sum(axis=1) for a in A])


def shift(Y, w, h, exclude_self=True, mass=None):
    """Step 1 of Algorithm 1: each point moves to the kernel-weighted mean of the (other) ones.

    Row i stands for mass_i rows, one by default. One of these is left out of its own mean; all of
    them if there is less than one.
    """
    mass = np.ones(len(Y)) if mass is None else mass
    shares = np.tile(mass, (len(Y), 1))
    if exclude_self:
        np.fill_diagonal(shares, np.maximum(mass - 1, 0))
        if not shares.any():  # nobody else is there: the point stays
            return Y.copy()
    exponent = np.where(shares > 0, -squared_distances(Y, Y, w) / h, -np.inf)
    K = shares * np.exp(exponent - exponent.max(axis=1, keepdims=True))  # no row can be 0/0
    return K @ Y / K.sum(axis=1, keepdims=True)


def displacement(X, Y, lam_scale="mean", mass=None):
    """D_l, how far the points have been carried along feature l; row i counts mass_i times."""
    mass = np.ones(len(X)) if mass is None else mass
    total = mass @ (X - Y) ** 2
    return total / mass.sum() if lam_scale == "mean" else total


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


def swapping_pairs(old, new, w, eps, mass=None):
    """Pairs, nearest to each other, that changed places in a step, to a tenth of their distance.

    A point left out of its own mean goes to where the others are; two that have only each other
    change places for ever. The tenth leaves room for the drift of such a pair towards the rest.
    """
    if len(old) == 1:
        return []
    mass = np.ones(len(old)) if mass is None else mass
    to_others = squared_distances(old, old, w)
    np.fill_diagonal(to_others, np.inf)
    nearest = to_others.argmin(axis=1)
    pairs = []
    for i, j in enumerate(nearest):
        apart = np.sqrt(((old[i] - old[j]) ** 2).sum())
        missed = max(
            np.sqrt(((new[i] - old[j]) ** 2).sum()), np.sqrt(((new[j] - old[i]) ** 2).sum())
        )
        alone = mass[i] <= 1 and mass[j] <= 1  # neither keeps anything of itself
        if alone and i < j and nearest[j] == i and eps <= apart and missed <= 0.1 * apart:
            pairs.append((i, int(j)))
    return pairs


def canonical(labels, mass=None):
    """Clusters renumbered 0 … k−1, the largest first, ties by their first row."""
    values, first = np.unique(labels, return_index=True)
    mass = np.ones(len(labels)) if mass is None else mass
    size = np.array([np.sort(mass[labels == value]).sum() for value in values])
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


def at_midpoints(Y, pairs, mass):
    """The points, with those of each pair put halfway between them, by mass."""
    Y = Y.copy()
    for i, j in pairs:
        Y[[i, j]] = (mass[i] * Y[i] + mass[j] * Y[j]) / (mass[i] + mass[j])
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
    return not some_are_on_their_way(path, now, coarse_eps, settings)


def some_are_on_their_way(path, groups, coarse_eps, settings):
    """Whether rows that have met nobody still move.

    Left out of its own mean, a row that moves moves towards others: it will meet them. Kept in, it
    may creep for ever and stay alone; what tells that a cloud has only begun is that something
    moves, and all rows are as far from having met as at the start.
    """
    moving = set(np.flatnonzero(moves(path) >= coarse_eps).tolist())
    alone = {row for group in groups if len(group) == 1 for row in group}
    alone = {row for row in alone if settings["mass"][row] <= 1}
    if settings["exclude_self"] and moving & alone:
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


def fit(X, h, lam, mass=None, **given):
    """The whole algorithm; returns a dict of what a fit knows in the end.

    Row i stands for mass_i rows, one by default.
    """
    settings = {**defaults(), **given}
    assert set(settings) == set(SETTINGS), f"unknown: {set(settings) - set(SETTINGS)}"
    settings["mass"] = mass = np.ones(len(X)) if mass is None else mass
    exclude_self, stop = settings["exclude_self"], settings["stop"]
    w = np.full(X.shape[1], 1 / X.shape[1])
    for phase in ("warmup", "main"):
        limit = settings["warmup" if phase == "warmup" else "max_iter"]
        path, swaps, converged = [(X, w)], [set()], False
        while len(path) <= limit and not converged:
            old = path[-1][0]
            Y = shift(old, w, h, exclude_self, mass)
            pairs = swapping_pairs(old, Y, w, settings["eps"], mass)
            swaps.append(set(pairs) if exclude_self and stop != "fixed" else set())
            Y = at_midpoints(Y, lasting(swaps, settings["patience"]), mass)
            w = entropy_weights(displacement(X, Y, settings["lam_scale"], mass), lam)
            path.append((Y, w))
            converged = phase == "main" and bool(STOP[stop](path, swaps, settings))
    Y = path[-1][0]
    if converged and swaps[-1]:  # the rest has settled, so these would swap for ever
        Y = at_midpoints(Y, swaps[-1], mass)
        w = entropy_weights(displacement(X, Y, settings["lam_scale"], mass), lam)
    return {
        "labels": canonical(partition(Y, settings["eps"]), mass),
        "modes": Y,
        "weights": w,
        "n_iter": len(path) - 1,
        "converged": converged or stop == "fixed",
        "path": path,
    }
