"""Whether neighbouring clusters are separated by a dip in density.

A fit with a small bandwidth cuts a curved or uneven cluster into pieces, and pieces predict
held-out rows better than one cloud does. What tells pieces from clusters is the density between
them: two neighbours are looked at along the direction that separates them best, learned from one
half of the rows and applied to the other, where chance cannot have made a gap. A group of a few
rows is too small to be looked at in this way: it is part of its nearest neighbour, unless the gap
between them is plain.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from pywbms._selection.halves import random_half

N_NEIGHBOURS = 5
MOST_AXES, ROWS_PER_AXIS = 10, 12
# Beyond so many columns only the heaviest are looked at: so many times the effective number.
FEW_COLUMNS, HEAVY, MOST_COLUMNS = 30, 3, 400
# The pooled covariance of all clusters counts as much as this number of rows of a pair.
PRIOR_ROWS = 5
# The density is estimated on the scale on which the two means are 0 and 1.
GRID = np.linspace(-0.25, 1.25, 31)
BETWEEN = (GRID > 0.15) & (GRID < 0.85)
LEAST_BANDWIDTH = 0.08
# Clusters are joined if the density between them is above this share of the lower of their two
# peaks, and the dip is less than so many of its standard errors.
SHALLOW, WEAK = 0.4, 2.0
# Groups of fewer rows than one of these, the second times √n, are tiny. The gap around one is plain
# if the valley is below this share of the lower peak or, where there are too few rows to tell, if
# it is so many times as far from its nearest neighbour as the rows of that are from their mean.
TINY, TINY_SHARE = 3, 0.5
PLAIN, FAR = 0.2, 4


class Separation(NamedTuple):
    """The dip in density between two neighbouring clusters.

    Attributes
    ----------
    a, b : int
        The clusters.
    valley : float
        Lowest density between them, as a share of the lower of their two peaks.
    strength : float
        Depth of the dip in standard errors; 0 if there are too few rows to tell.
    known : bool
        Whether there are rows enough to tell.
    n_rows : int
        Number of rows of the smaller one.
    absorbed : bool
        Whether one of them is tiny and there is no plain gap: it is part of the other.
    """

    a: int
    b: int
    valley: float
    strength: float
    known: bool
    n_rows: int = 1
    absorbed: bool = False

    @property
    def missing(self):
        """Whether there is no dip worth the name."""
        shallow = self.known and self.valley > SHALLOW and self.strength < WEAK
        return shallow or self.absorbed


def separations(rows, labels, weights):
    """Return the `Separation` of each pair of neighbouring clusters.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        In working coordinates, in an order of their own (`row_order`).
    labels : ndarray of shape (n,)
    weights : ndarray of shape (p,)
    """
    scaled = weighted_columns(rows, weights)
    half = random_half(rows, np.random.default_rng(0))
    halves = half, ~half
    axes = principal_axes(scaled)
    parts = [Half(axes[half], labels[half], labels.max() + 1) for half in halves]
    size = np.bincount(labels)
    tiny = nearest_of_tiny(scaled, labels)
    pairs = {*map(tuple, neighbouring_clusters(scaled, labels))}
    pairs |= {(min(a, b), max(a, b)) for a, (b, _) in tiny.items()}
    found = []
    for a, b in sorted(pairs):
        one = separation(a, b, axes, labels, halves, parts)
        far = [tiny[x][1] for x, y in ((a, b), (b, a)) if x in tiny and tiny[x][0] == y]
        no_gap = one.valley > PLAIN if one.known else min(far, default=FAR) < FAR
        absorbed = bool(far) and bool(no_gap)
        found.append(one._replace(n_rows=int(min(size[a], size[b])), absorbed=absorbed))
    return found


def nearest_of_tiny(scaled, labels):
    """Return the nearest group of each tiny one, and how far it is; none if hardly any is larger.

    Examples
    --------
    >>> rows = np.array([0.0, 2.0] * 4 + [4.0] + [8.0, 9.0] * 4)[:, None]
    >>> nearest_of_tiny(rows, np.array([0] * 8 + [1] + [2] * 8))
    {1: (0, 3.0)}
    """
    size = np.bincount(labels)
    tiny = size < max(TINY, TINY_SHARE * np.sqrt(len(labels)))
    if (~tiny).sum() < 2:
        return {}
    mean = np.zeros((len(size), scaled.shape[1]))
    np.add.at(mean, labels, scaled)
    mean /= size[:, None]
    radius = np.sqrt(np.bincount(labels, ((scaled - mean[labels]) ** 2).sum(axis=1)) / size)
    groups = np.flatnonzero(tiny)
    distance = cdist(mean[tiny], mean)
    distance[np.arange(len(groups)), groups] = np.inf
    nearest = distance.argmin(axis=1)
    far = distance.min(axis=1) / np.maximum(radius[nearest], np.finfo(float).tiny)
    return dict(zip(groups.tolist(), zip(nearest.tolist(), far.tolist(), strict=True), strict=True))


def joined_groups(k, found, n_clusters=None):
    """Return the cluster of each of k groups, given the separations between them.

    Parameters
    ----------
    k : int
    found : list of Separation
    n_clusters : int, optional
        Join the groups with the shallowest dips until so many clusters are left, or until no
        neighbours are; by default those without a dip worth the name.

    Examples
    --------
    >>> deep, shallow = Separation(0, 1, 0.1, 5.0, True), Separation(1, 2, 0.3, 4.0, True)
    >>> joined_groups(3, [deep, shallow]).tolist()
    [0, 1, 2]
    >>> joined_groups(3, [deep, shallow], n_clusters=2).tolist()
    [0, 1, 1]
    """
    joined = [one for one in found if one.missing]
    if n_clusters is not None:
        joined, cluster = [], np.arange(k)
        for one in sorted(found, key=shallowest):
            if k - len(joined) > n_clusters and cluster[one.a] != cluster[one.b]:
                cluster[cluster == cluster[one.b]] = cluster[one.a]
                joined.append(one)
    if not joined:
        return np.arange(k)
    pairs = np.array([(one.a, one.b) for one in joined], dtype=int)
    graph = coo_matrix((np.ones(len(pairs)), pairs.T), shape=(k, k))
    return connected_components(graph, directed=False)[1]


def shallowest(one):
    """Return by what separations are sorted: tiny groups first, then the shallowest dips."""
    return not one.absorbed, -one.valley, one.strength, one.a, one.b


def weighted_columns(rows, weights):
    """Return the columns that carry weight, scaled so that distances are the weighted ones."""
    effective = 1 / (weights**2).sum()
    number = min(int(np.ceil(HEAVY * effective)), MOST_COLUMNS)
    heavy = np.argsort(-weights, kind="stable")
    if len(weights) > FEW_COLUMNS:
        heavy = heavy[: max(number, 2)]
    heavy = np.sort(heavy[weights[heavy] > 0])
    return rows[:, heavy] * np.sqrt(weights[heavy])


def principal_axes(scaled):
    """Return the rows on their leading principal axes, with mean square length 1."""
    n, p = scaled.shape
    centred = scaled - scaled.mean(axis=0)
    number = min(MOST_AXES, max(2, n // ROWS_PER_AXIS), p)
    # Of the smaller Gram matrix: a singular value decomposition takes many times as long.
    if p <= n:
        squares, axes = np.linalg.eigh(centred.T @ centred)
        scores = centred @ axes[:, ::-1][:, :number]
    else:
        squares, left = np.linalg.eigh(centred @ centred.T)
        lengths = np.sqrt(np.maximum(squares, 0))
        scores = (left * lengths)[:, ::-1][:, :number]
    scores = scores[:, squares[::-1][:number] > 1e-9 * squares[-1]]
    return scores / np.sqrt((scores**2).sum(axis=1).mean())


def neighbouring_clusters(scaled, labels):
    """Return the pairs (a, b), a < b, of clusters that hold near neighbours of each other's rows.

    So are those that are nearest where others hold none: whichever clusters are joined, the rest
    have neighbours.
    """
    k, n = labels.max() + 1, len(labels)
    order = np.argsort(labels, kind="stable")
    sorted_labels = labels[order]
    distance = cdist(scaled[order], scaled[order])
    np.fill_diagonal(distance, np.inf)
    number = min(N_NEIGHBOURS, n - 1)
    nearest = np.argpartition(distance, number - 1, axis=1)[:, :number]
    adjacent = np.zeros((k, k), dtype=bool)
    adjacent[np.repeat(sorted_labels, number), sorted_labels[nearest].ravel()] = True
    first = np.searchsorted(sorted_labels, np.arange(k))
    gap = np.minimum.reduceat(np.minimum.reduceat(distance, first, axis=0), first, axis=1)
    nearest_gaps = minimum_spanning_tree(np.maximum(gap, np.finfo(float).tiny))  # 0: no edge
    adjacent[nearest_gaps.nonzero()] = True
    return np.argwhere(np.triu(adjacent | adjacent.T, 1)).tolist()


class Half:
    """Means and covariances of the clusters in one half of the rows."""

    def __init__(self, rows, labels, k):
        n, p = rows.shape
        self.rows, self.labels = rows, labels
        self.size = np.bincount(labels, minlength=k)
        self.mean = np.zeros((k, p))
        np.add.at(self.mean, labels, rows)
        self.mean /= np.maximum(self.size, 1)[:, None]
        self.away = rows - self.mean[labels]
        pooled = self.away.T @ self.away / max(n - min(k, n // 2), 1)
        self._pooled = pooled + 1e-4 * np.eye(p) / p

    def direction(self, a, b):
        """Return the direction that separates two clusters best, and where their means are on it.

        None if one of them has fewer than two rows here.
        """
        if min(self.size[a], self.size[b]) < 2:
            return None
        both = (self.labels == a) | (self.labels == b)
        away = self.away[both]
        within = (away.T @ away + PRIOR_ROWS * self._pooled) / (len(away) + PRIOR_ROWS)
        direction = np.linalg.solve(within, self.mean[a] - self.mean[b])
        return direction, self.mean[a] @ direction, self.mean[b] @ direction


def separation(a, b, axes, labels, halves, parts):
    """Return the `Separation` of two clusters, each half seen along the direction of the other."""
    places, sides = [], []
    for part, half in zip(parts, halves, strict=True):
        found = part.direction(a, b)
        if found is None:
            continue
        direction, at_a, at_b = found
        held_out = ~half & ((labels == a) | (labels == b))
        places.append((axes[held_out] @ direction - at_b) / max(at_a - at_b, 1e-9))
        sides.append(labels[held_out] == a)
    of_a = np.concatenate(sides) if sides else np.zeros(0, dtype=bool)
    if min(of_a.sum(), (~of_a).sum()) < 2:
        return Separation(a, b, 1.0, 0.0, False)
    return Separation(a, b, *dip(np.concatenate(places), of_a), True)


def dip(place, of_a):
    """Return how deep the density dips between 0 and 1: share of the lower peak, standard errors.

    Parameters
    ----------
    place : ndarray
        Where the rows of two clusters lie, whose means are near 0 and 1.
    of_a : ndarray of bool
        Whether they belong to the cluster near 1.
    """
    spread = np.sqrt((place[of_a].var() + place[~of_a].var()) / 2)
    bandwidth = max(LEAST_BANDWIDTH, 0.6 * spread * len(place) ** -0.2)
    density = np.exp(-(((GRID[:, None] - place) / bandwidth) ** 2) / 2).sum(axis=1)
    density /= bandwidth * np.sqrt(2 * np.pi)
    lowest = density[BETWEEN].min()
    peak = min(density[GRID <= 0.5].max(), density[GRID >= 0.5].max())
    error = np.sqrt((peak + lowest) / (2 * np.sqrt(np.pi) * bandwidth) + 1e-9)
    return min(lowest / max(peak, 1e-9), 1.0), (peak - lowest) / error
