"""Robust continuous clustering: representatives of the rows that attract each other."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, diags_array, eye_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh, splu
from scipy.spatial.distance import cdist

from pywbms._data.checks import require_integer
from pywbms._terminal.wording import quoted
from pywbms.peers._scores import scores
from pywbms.peers._table import clustered, in_row_order

METRICS = ("cosine", "euclidean")

# The annealing, as in the paper: mu is halved after INNER iterations, or when the objective
# changes by less than STEADY.
INNER = 4
STEADY = 0.1

# Number of rows up to which computing all eigenvalues is as fast as computing the largest.
SMALL = 100
# Relative to the longest edge: rows closer than this are equal up to rounding.
EQUAL = 1e-12
# Bounds on the data's norm: below the first, squared edge lengths underflow; above the second, I is
# negligible compared with lam · A.
SMALLEST, LARGEST = 1e-100, 1e12
# Number of distances held in memory at a time, rather than n².
BLOCK = 2**20


def rcc(X, *, metric="cosine", n_neighbors=10, max_iter=100, standardize=True):
    """Cluster a table with robust continuous clustering (Shah and Koltun, 2017).

    Each row x_i has a representative u_i; these minimise
    ½ Σ_i ‖x_i − u_i‖² + (λ/2) Σ w_pq ρ(‖u_p − u_q‖) over the edges pq of a graph, where
    ρ(d) = μ d² / (μ + d²) (Geman and McClure) limits the influence of edges between different
    clusters. The graph connects mutual nearest neighbours and the edges of a minimum spanning tree;
    w_pq = mean(N) / √(N_p N_q), where N are the degrees of the rows. In each iteration an edge has
    the weight l_pq = (μ / (μ + ‖u_p − u_q‖²))² and U solves (I + λ A) U = X, where A is the
    Laplacian of the weights w_pq l_pq.

    μ starts at three times the square of the longest edge, where the objective is nearly convex,
    and is halved every four iterations, or when the objective changes by less than 0.1, down to
    δ / 2, where δ is the mean length of the shortest 1 % of the edges (at most 250; edges between
    equal rows do not count). Each time λ = ‖X‖₂ / ‖A‖₂ is updated. Clusters are the components
    connected by edges whose representatives are closer than the mean length of the shortest 1 %.

    Equal rows are always in the same cluster. The method is deterministic, and the order of the
    rows does not matter.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Numeric columns of any dtype.
    metric : {"cosine", "euclidean"}, default "cosine"
        Distance in which neighbours are found; the paper uses "cosine". A row at the mean of all
        columns has no direction: its distance to all others is the same.
    n_neighbors : int, default 10
        Number of nearest neighbours; at most n − 1 are used.
    max_iter : int, default 100
        Maximum number of iterations.
    standardize : bool, default True
        Work on z-scores.

    Returns
    -------
    PeerResult

    Notes
    -----
    The method was made for many rows with many features, such as images. In few dimensions it
    splits plain clusters: the shortest 1 % of the edges are then far shorter than the others, and
    so is the radius within which representatives have to meet. For three normal clusters of 80
    rows in four dimensions, 18 or more standard deviations apart, it finds 12 to 57 clusters (ARI
    0.2 to 0.7). This is the method: an implementation with dense matrices and loops gives the same
    clusters, and one that follows the details of the authors' code (a spanning tree of the graph
    of nearest neighbours only, edges shorter than 0.01 √p left out) similar ones.

    References
    ----------
    S. A. Shah and V. Koltun (2017). Robust continuous clustering. Proceedings of the National
    Academy of Sciences 114(37), 9814-9819.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.3], [9.0], [9.1], [9.4]]
    >>> rcc(X, metric="euclidean", n_neighbors=2).labels.tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if not isinstance(metric, str) or metric not in METRICS:
        raise ValueError(f"metric must be one of {quoted(METRICS)}, got {metric!r}")
    n_neighbors = require_integer("n_neighbors", n_neighbors, least=1)
    max_iter = require_integer("max_iter", max_iter, least=1)

    @in_row_order
    def cluster(Z):
        rows = scores(Z)
        edges = graph(rows if metric == "euclidean" else directions(rows), n_neighbors)
        # Equal rows are adjacent, but may have different neighbours, as ties have to be broken.
        equal = np.flatnonzero((Z[1:] == Z[:-1]).all(axis=1))
        together = np.stack([equal, equal + 1], axis=1)
        return represent(rows, edges, max_iter).clusters(together), None, {}

    params = {"metric": metric, "n_neighbors": n_neighbors, "max_iter": max_iter}
    return clustered("rcc", X, cluster, params, standardize=standardize)


def directions(X):
    """Return the rows scaled to norm 1: nearest in distance is then nearest in angle."""
    norm = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norm > 0, norm, 1.0)


def graph(X, n_neighbors):
    """Return the edges (i, j), i < j, of mutual nearest neighbours and a minimum spanning tree.

    Examples
    --------
    >>> graph(np.array([[0.0], [1.0], [3.0], [4.5]]), n_neighbors=1).tolist()
    [[0, 1], [1, 2], [2, 3]]
    """
    n = len(X)
    i, j = neighbors(X, min(n_neighbors, n - 1))
    near = coo_array((np.ones(len(i), dtype=np.int8), (i, j)), shape=(n, n)).tocsr()
    mutual = near.multiply(near.T).tocoo()
    pairs = np.concatenate([np.stack(mutual.coords, axis=1), spanning_tree(X)])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def neighbors(X, k):
    """Return each row k times, and its k nearest neighbours, ties broken by index."""
    n = len(X)
    found = np.empty((n, k), dtype=np.intp)
    rows_at_a_time = max(1, BLOCK // n)
    for first in range(0, n, rows_at_a_time):
        rows = np.arange(first, min(n, first + rows_at_a_time))
        distance = cdist(X[rows], X, "sqeuclidean")
        distance[rows - first, rows] = np.inf
        found[rows] = distance.argsort(axis=1, kind="stable")[:, :k]
    return np.repeat(np.arange(n), k), found.ravel()


def spanning_tree(X):
    """Return the n − 1 edges of a minimum spanning tree of the rows (Prim's algorithm).

    Examples
    --------
    >>> spanning_tree(np.array([[0.0], [5.0], [2.0]])).tolist()
    [[0, 2], [2, 1]]
    """
    outside = np.arange(1, len(X))
    best, via = np.full(len(X), np.inf), np.zeros(len(X), dtype=np.intp)
    edges, last = [], 0
    while len(outside):
        distance = cdist(X[outside], X[None, last], "sqeuclidean")[:, 0]
        closer = outside[distance < best[outside]]
        best[closer], via[closer] = distance[distance < best[outside]], last
        place = best[outside].argmin()
        last = outside[place]
        outside = np.delete(outside, place)
        edges.append((via[last], last))
    return np.array(edges, dtype=np.intp)


@dataclass(frozen=True)
class Representation:
    """Representatives U of the rows, and the problem (I + lam · A) U = X they solve.

    Attributes
    ----------
    edges : ndarray of shape (m, 2)
    U : ndarray of shape (n, p)
    lam : float
    A : sparse array of shape (n, n)
    radius : float
        Distance below which the ends of an edge belong to the same cluster.
    """

    edges: np.ndarray
    U: np.ndarray
    lam: float
    A: object
    radius: float

    def clusters(self, together):
        """Return the cluster of each row; pairs of rows given in `together` share theirs."""
        linked = self.edges[squared_lengths(self.U, self.edges) < self.radius**2]
        i, j = np.concatenate([linked, together]).T
        n = len(self.U)
        return connected_components(coo_array((np.ones(len(i)), (i, j)), shape=(n, n)), False)[1]


def represent(X, edges, max_iter):
    """Find representatives of the rows of an array; return a `Representation`."""
    n, size = len(X), np.linalg.norm(X, 2)
    if not SMALLEST <= size <= LARGEST:
        raise ValueError(f"rcc cannot handle values of size {size:.1g}; use standardize=True")
    degree = np.bincount(edges.ravel(), minlength=n)
    weights = degree.mean() / np.sqrt(degree[edges].prod(axis=1))
    squares = squared_lengths(X, edges)
    delta, radius = short_lengths(np.sqrt(squares))

    U, mu = X, 3 * squares.max()
    A = laplacian(weights, edges, n)
    lam = size / largest_eigenvalue(A)
    before, inner = np.inf, 0
    for _ in range(max_iter):
        trust = (mu / (mu + squares)) ** 2
        A = laplacian(weights * trust, edges, n)
        penalty = weights @ (mu * squares / (mu + squares))
        objective = ((X - U) ** 2).sum() / 2 + lam / 2 * penalty
        used, U = lam, solve(lam, A, X)
        squares = squared_lengths(U, edges)
        inner += 1
        steady = abs(objective - before) < STEADY
        before = objective
        if steady or inner == INNER:
            if mu >= delta:
                mu /= 2
            elif inner == INNER:
                mu = delta / 2
            else:
                break
            lam = size / largest_eigenvalue(A)
            inner = 0
    return Representation(edges, U, used, A, radius)


def squared_lengths(U, edges):
    """Return the squared lengths of the edges between rows of U."""
    i, j = edges.T
    return ((U[i] - U[j]) ** 2).sum(axis=1)


def short_lengths(lengths):
    """Return the mean of the shortest 1 % of the lengths, first of at most 250, then of all.

    Edges between equal rows are ignored, as they say nothing about the distance of neighbours.

    Examples
    --------
    >>> short_lengths(np.array([0.0, 3.0, 2.0]))
    (2.0, 2.0)
    """
    different = np.sort(lengths[lengths > EQUAL * lengths.max()])
    count = -(-len(lengths) // 100)
    return float(different[: min(count, 250)].mean()), float(different[:count].mean())


def laplacian(weights, edges, n):
    """Return D − R, where R is the symmetric matrix of edge weights and D its row sums."""
    i, j = edges.T
    R = coo_array((weights, (i, j)), shape=(n, n)).tocsr()
    R = R + R.T
    return (diags_array(R.sum(axis=1)) - R).tocsc()


def largest_eigenvalue(A):
    """Return the largest eigenvalue of a symmetric positive semi-definite sparse array."""
    n = A.shape[0]
    if n <= SMALL:
        return float(np.linalg.eigvalsh(A.toarray())[-1])
    start = np.random.default_rng(0).normal(size=n)
    return float(eigsh(A, k=1, which="LA", v0=start, return_eigenvectors=False)[0])


def solve(lam, A, X):
    """Return U with (I + lam · A) U = X, with one factorization for all columns."""
    M = (eye_array(A.shape[0]) + lam * A).tocsc()
    # Positive definite: no pivoting is needed, and the factor stays as sparse as its order allows.
    options = {"SymmetricMode": True}
    return splu(M, "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options).solve(X)
