"""Robust continuous clustering, compared with its definition."""

import numpy as np
import oracle
import peer_data
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import blobs
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

from pywbms.peers import rcc
from pywbms.peers._scores import scores
from pywbms.peers.rcc import directions, graph, represent, short_lengths

NO_PAIRS = np.empty((0, 2), dtype=int)


def plain_graph(X, k):
    """Return mutual nearest neighbours and the spanning tree, from all distances at once."""
    distances = oracle.squared_distances(X, X)
    np.fill_diagonal(distances, np.inf)
    near = distances.argsort(axis=1)[:, :k]
    mutual = {(i, int(j)) for i in range(len(X)) for j in near[i] if i < j and i in near[j]}
    np.fill_diagonal(distances, 0)
    # In a dense matrix, values below 1e-8 would not count as edges.
    tree = zip(*minimum_spanning_tree(csr_array(distances)).nonzero(), strict=True)
    return sorted(mutual | {(int(min(edge)), int(max(edge))) for edge in tree})


def plain_rcc(X, edges, max_iter=100):
    """Run RCC with dense matrices and loops over the edges."""
    n = len(X)
    degree = np.zeros(n)
    for i, j in edges:
        degree[i] += 1
        degree[j] += 1
    weight = [degree.mean() / np.sqrt(degree[i] * degree[j]) for i, j in edges]

    def gaps(U):
        return np.array([((U[i] - U[j]) ** 2).sum() for i, j in edges])

    def laplacian(trust):
        A = np.zeros((n, n))
        for (i, j), w, l in zip(edges, weight, trust, strict=True):  # noqa: E741
            A[[i, j], [i, j]] += w * l
            A[[i, j], [j, i]] -= w * l
        return A

    shortest = np.sort(np.sqrt(gaps(X)))[: int(np.ceil(len(edges) / 100))].mean()
    mu, U, last, steps = 3 * gaps(X).max(), X, np.inf, 0
    lam = np.linalg.norm(X, 2) / np.linalg.norm(laplacian(np.ones(len(edges))), 2)
    for _ in range(max_iter):
        d2 = gaps(U)
        trust = (mu / (mu + d2)) ** 2
        penalty = trust * d2 + mu * (np.sqrt(trust) - 1) ** 2
        objective = ((X - U) ** 2).sum() / 2 + lam / 2 * np.dot(weight, penalty)
        A = laplacian(trust)
        U = np.linalg.solve(np.eye(n) + lam * A, X)
        steps += 1
        if abs(objective - last) < 0.1 or steps == 4:
            if mu >= shortest:
                mu = mu / 2
            elif steps == 4:
                mu = shortest / 2
            else:
                break
            lam, steps = np.linalg.norm(X, 2) / np.linalg.norm(A, 2), 0
        last = objective
    together = np.sqrt(gaps(U)) < shortest
    return U, [edge for edge, linked in zip(edges, together, strict=True) if linked]


@settings(max_examples=40)
@given(X=blobs(max_rows=60), k=st.integers(1, 10), angles=st.booleans())
def test_the_graph_is_mutual_neighbours_and_a_spanning_tree(X, k, angles):
    rows = directions(X) if angles and X.shape[1] > 1 else X
    assert [tuple(edge) for edge in graph(rows, k).tolist()] == plain_graph(rows, k)


@settings(max_examples=25)
@given(X=blobs(max_rows=40))
def test_rcc_is_its_definition(X):
    X = X - X.mean(axis=0)
    edges = graph(X, 5)
    found = represent(X, edges, 100)
    U, joined = plain_rcc(X, edges.tolist())
    assert np.allclose(found.U, U, atol=1e-6 * np.abs(X).max())
    clusters = found.clusters(NO_PAIRS)
    assert all(clusters[i] == clusters[j] for i, j in joined)
    gaps = np.linalg.norm(found.U[edges[:, 0]] - found.U[edges[:, 1]], axis=1)
    assert (gaps < found.radius).sum() == len(joined)


@settings(max_examples=25)
@given(X=blobs(max_rows=150), max_iter=st.integers(1, 100))
def test_representatives_solve_their_equation(X, max_iter):
    X = X - X.mean(axis=0)
    found = represent(X, graph(X, 10), max_iter)
    residual = found.U + found.lam * (found.A @ found.U) - X
    assert np.abs(residual).max() <= 1e-9 * np.abs(X).max()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_rcc_is_the_same_in_fewer_coordinates(metric):
    X = np.random.default_rng(3).normal(size=(30, 400))
    X[:10, :200] += 2
    X -= X.mean(axis=0)
    narrow = scores(X)
    assert narrow.shape == (30, 30)
    turn = directions if metric == "cosine" else np.asarray
    edges = graph(turn(X), 10)
    assert np.array_equal(graph(turn(narrow), 10), edges)
    wide = represent(X, edges, 100)
    assert np.array_equal(represent(narrow, edges, 100).clusters(NO_PAIRS), wide.clusters(NO_PAIRS))
    assert oracle.same_partition(
        rcc(X, metric=metric, standardize=False).labels, wide.clusters(NO_PAIRS)
    )


def test_equal_rows_share_a_cluster_even_if_all_directions_are_equal():
    X = np.repeat(np.random.default_rng(0).normal(size=(30, 1)), 3, axis=0)
    labels = rcc(X, metric="cosine").labels.to_numpy().reshape(30, 3)
    assert (labels == labels[:, :1]).all()


def test_edges_between_equal_rows_do_not_count_as_short():
    assert short_lengths(np.r_[np.zeros(500), 1.0, 2.0, np.full(98, 9.0)]) == (6.5, 6.5)
    lengths = np.arange(1.0, 100_001.0)
    assert short_lengths(lengths) == (125.5, 500.5)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_it_is_the_method_that_splits_three_plain_clusters(metric):
    X, _ = peer_data.blobs(0, peer_data.THREE_PLAIN, size=80)
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    edges = plain_graph(Z if metric == "euclidean" else directions(Z), 10)
    _, joined = plain_rcc(Z, edges)
    i, j = np.array(joined).T
    plain = connected_components(csr_array((np.ones(len(i)), (i, j)), shape=(240, 240)), False)[1]
    found = rcc(X, metric=metric).labels
    assert peer_data.same_partition(found, plain)
    assert len(set(found)) > 3
