"""Convex hulls for the tests, and a check of their certificates."""

import numpy as np
from hypothesis import strategies as st
from problems import log_uniform, seeds

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def spread(points, vertices):
    """The largest distance from the vertices' mean."""
    both = np.vstack([points, vertices])
    return np.linalg.norm(both - vertices.mean(axis=0), axis=1).max()


def prove(points, vertices, proof, rtol=1e-10):
    """Check a HullDistance from both sides, with nothing but products."""
    tolerance = rtol * max(spread(points, vertices), 1e-4 * np.abs(vertices).max())
    assert (proof.coefficients >= 0).all()
    np.testing.assert_allclose(proof.coefficients.sum(axis=1), 1, rtol=0, atol=1e-12)
    np.testing.assert_allclose(proof.coefficients @ vertices, proof.nearest, rtol=0, atol=tolerance)
    reached = np.linalg.norm(points - proof.nearest, axis=1)
    np.testing.assert_allclose(reached, proof.distance, rtol=0, atol=tolerance)
    outside = proof.distance > 0
    lengths = np.linalg.norm(proof.direction, axis=1)
    np.testing.assert_allclose(lengths[outside], 1, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(proof.direction[~outside], 0)
    origin = vertices.mean(axis=0)
    ahead = np.einsum("ij,ij->i", points - origin, proof.direction)
    margin = ahead - (proof.direction @ (vertices - origin).T).max(axis=1)
    np.testing.assert_allclose(margin[outside], proof.distance[outside], rtol=0, atol=tolerance)


@st.composite
def hulls(draw, max_vertices=12, max_features=8):
    """Points and vertices: full or flat hulls, with repeats, of any proportions."""
    rng = np.random.default_rng(draw(seeds))
    n = draw(st.sampled_from([1, 2, 3]) | st.integers(4, max_vertices))
    p = draw(st.sampled_from([1, 2]) | st.integers(3, max_features))
    vertices = rng.normal(size=(n, p))
    kind = draw(st.sampled_from(["full", "flat", "line", "repeated", "grid", "close", "equal"]))
    if kind == "flat":
        vertices = rng.normal(size=(n, (p + 1) // 2)) @ rng.normal(size=((p + 1) // 2, p))
    elif kind == "line":
        vertices = rng.normal(size=p) + np.outer(rng.normal(size=n), rng.normal(size=p))
    elif kind == "repeated":
        vertices = vertices[rng.integers(n, size=n)]
    elif kind == "grid":
        vertices = rng.integers(0, 3, size=(n, p)).astype(float)
    elif kind == "close":
        vertices = vertices[rng.integers(n, size=n)] + 1e-9 * rng.normal(size=(n, p))
    elif kind == "equal":
        vertices = np.tile(vertices[0], (n, 1))
    inside = rng.dirichlet(np.ones(n), size=4) @ vertices
    around = vertices[rng.integers(n, size=4)] + rng.normal(size=(4, p)) * draw(
        log_uniform(1e-6, 10)
    )
    whole = rng.integers(-1, 4, size=(4, p)).astype(float)
    return np.vstack([inside, around, whole]), vertices
