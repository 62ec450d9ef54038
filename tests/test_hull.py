"""Distances to convex hulls: against another solver, geometry, and their own certificates."""

import numpy as np
import pytest
from hulls import SQUARE, hulls, prove, spread
from hypothesis import given
from hypothesis import strategies as st
from problems import seeds
from scipy.optimize import nnls

from pywbms.theory.hull import HullDistance, hull_distance


def distances_by_nnls(points, vertices):
    """u ≥ 0 that minimises ‖Σ u_v (v − x)‖² + (Σ u_v − 1)² is a multiple of the coefficients."""
    scale = spread(points, vertices) or 1.0
    found = np.empty(len(points))
    for i, x in enumerate(points):
        differences = (vertices - x).T / scale
        target = np.append(np.zeros(len(x)), 1.0)
        u, _ = nnls(np.vstack([differences, np.ones(len(vertices))]), target)
        found[i] = np.linalg.norm(differences @ u) / u.sum() * scale
    return found


def rotation(rng, p):
    return np.linalg.qr(rng.normal(size=(p, p)))[0]


class TestDistances:
    @given(hulls())
    def test_agree_with_another_solver(self, problem):
        points, vertices = problem
        found = hull_distance(points, vertices)
        tolerance = 1e-8 * spread(points, vertices)
        np.testing.assert_allclose(
            found, distances_by_nnls(points, vertices), rtol=0, atol=tolerance
        )

    @pytest.mark.parametrize(("n", "p"), [(40, 3), (60, 20), (15, 40)])
    def test_agree_with_another_solver_on_larger_hulls(self, n, p):
        rng = np.random.default_rng(n)
        vertices, points = rng.normal(size=(n, p)), rng.normal(size=(30, p))
        np.testing.assert_allclose(
            hull_distance(points, vertices),
            distances_by_nnls(points, vertices),
            rtol=0,
            atol=1e-12,
        )

    @given(hulls(), seeds)
    def test_of_convex_combinations_are_zero(self, problem, seed):
        _, vertices = problem
        rng = np.random.default_rng(seed)
        shares = rng.dirichlet(np.full(len(vertices), rng.choice([0.05, 1, 20])), size=10)
        np.testing.assert_array_equal(hull_distance(shares @ vertices, vertices), 0)

    @given(hulls())
    def test_of_the_vertices_are_zero(self, problem):
        _, vertices = problem
        np.testing.assert_array_equal(hull_distance(vertices, vertices), 0)

    @given(hulls(), seeds)
    def test_follow_the_scale_of_the_data(self, problem, seed):
        """Powers of two change no digit."""
        points, vertices = problem
        expected = hull_distance(points, vertices)
        exponent = int(np.random.default_rng(seed).integers(-500, 500))
        found = hull_distance(np.ldexp(points, exponent), np.ldexp(vertices, exponent))
        np.testing.assert_array_equal(found, np.ldexp(expected, exponent))

    @given(hulls(), st.sampled_from([1.0, 1e3, 1e6]), seeds)
    def test_do_not_change_when_all_is_moved_and_turned(self, problem, shift, seed):
        points, vertices = problem
        rng = np.random.default_rng(seed)
        turn, offset = rotation(rng, points.shape[1]), shift * rng.normal(size=points.shape[1])
        found = hull_distance(points @ turn + offset, vertices @ turn + offset)
        tolerance = 1e-11 * spread(points, vertices) + 1e-13 * shift
        np.testing.assert_allclose(found, hull_distance(points, vertices), rtol=0, atol=tolerance)

    @given(hulls(), seeds)
    def test_do_not_depend_on_the_order_of_vertices_or_points(self, problem, seed):
        points, vertices = problem
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(points))
        found = hull_distance(points[order], rng.permutation(vertices))
        tolerance = 1e-11 * spread(points, vertices)
        expected = hull_distance(points, vertices)[order]
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)

    @given(hulls(), seeds)
    def test_never_grow_with_more_vertices(self, problem, seed):
        points, vertices = problem
        more = np.random.default_rng(seed).normal(size=(3, points.shape[1]))
        before = hull_distance(points, vertices)
        after = hull_distance(points, np.vstack([vertices, more]))
        assert (after <= before + 1e-11 * spread(points, np.vstack([vertices, more]))).all()

    @given(hulls())
    def test_do_not_change_with_points_of_the_hull_as_vertices(self, problem):
        points, vertices = problem
        middles = (vertices + vertices[::-1]) / 2
        found = hull_distance(points, np.vstack([vertices, middles]))
        tolerance = 1e-11 * spread(points, vertices)
        expected = hull_distance(points, vertices)
        np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)

    def test_are_the_same_to_the_bit_each_time_and_in_any_company(self):
        rng = np.random.default_rng(3)
        vertices, points = rng.normal(size=(80, 10)), rng.normal(size=(600, 10))
        found = hull_distance(points, vertices)
        np.testing.assert_array_equal(hull_distance(points, vertices), found)
        np.testing.assert_array_equal(hull_distance(points[500:], vertices), found[500:])


class TestProofs:
    @given(hulls())
    def test_hold_from_both_sides(self, problem):
        points, vertices = problem
        proof = hull_distance(points, vertices, certificate=True)
        prove(points, vertices, proof)
        np.testing.assert_array_equal(hull_distance(points, vertices), proof.distance)

    @pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-9])
    @pytest.mark.parametrize(("n", "p"), [(50, 4), (10, 30)])
    def test_hold_for_points_that_almost_touch_the_hull(self, n, p, share):
        """The direction is right even where x − y itself has few digits left."""
        rng = np.random.default_rng(p)
        vertices = rng.normal(size=(n, p))
        points = vertices + share * rng.normal(size=(n, p))
        proof = hull_distance(points, vertices, certificate=True)
        assert (proof.distance > 0).sum() > n / 4
        prove(points, vertices, proof, rtol=1e-12)

    @pytest.mark.parametrize("offset", [1e3, 1e7])
    def test_hold_far_from_the_origin(self, offset):
        rng = np.random.default_rng(5)
        vertices, points = offset + rng.normal(size=(30, 4)), offset + rng.normal(size=(90, 4))
        proof = hull_distance(points, vertices, certificate=True)
        assert (proof.distance == 0).any()
        assert (proof.distance > 0.1).any()
        prove(points, vertices, proof)
        combinations = rng.dirichlet(np.ones(30), size=50) @ vertices
        np.testing.assert_array_equal(hull_distance(combinations, vertices), 0)

    def test_hold_for_badly_conditioned_hulls(self):
        """On the moment curve any vertices are independent, but only just."""
        t = np.linspace(0, 1, 300)[:, None]
        vertices = t ** np.arange(1, 13)
        points = (vertices[1:] + vertices[:-1]) / 2 + 1e-6
        prove(points, vertices, hull_distance(points, vertices, certificate=True), rtol=1e-11)

    def test_hold_for_features_of_very_different_sizes(self):
        rng = np.random.default_rng(6)
        sizes = 10.0 ** -np.arange(12)
        vertices, points = rng.normal(size=(200, 12)) * sizes, rng.normal(size=(99, 12)) * sizes
        prove(points, vertices, hull_distance(points, vertices, certificate=True))

    def test_cover_the_corners_of_a_cube(self):
        """Each face has far more vertices than it needs."""
        corners = np.array(np.meshgrid(*[[0.0, 1.0]] * 8)).reshape(8, -1).T
        points = np.random.default_rng(7).integers(-2, 7, size=(200, 8)) / 4
        proof = hull_distance(points, corners, certificate=True)
        nearest = np.clip(points, 0, 1)
        np.testing.assert_allclose(proof.nearest, nearest, rtol=0, atol=1e-12)
        expected = np.linalg.norm(points - nearest, axis=1)
        np.testing.assert_allclose(proof.distance, expected, rtol=0, atol=1e-12)
        prove(points, corners, proof)

    @pytest.mark.parametrize("n", [1, 40])
    def test_hold_in_ten_thousand_dimensions(self, n):
        rng = np.random.default_rng(8)
        vertices = rng.normal(size=(n, 10_000))
        inside = rng.dirichlet(np.ones(n), size=5) @ vertices
        points = np.vstack([inside, inside + 1e-6, rng.normal(size=(5, 10_000))])
        proof = hull_distance(points, vertices, certificate=True)
        np.testing.assert_array_equal(proof.distance[:5], 0)
        assert (proof.distance[5:] > 0).all()
        prove(points, vertices, proof)

    def test_the_fields_cannot_be_replaced(self):
        proof = hull_distance([[2.0, 2.0]], SQUARE, certificate=True)
        assert isinstance(proof, HullDistance)
        with pytest.raises(AttributeError):
            proof.distance = 0


class TestKnownAnswers:
    def test_square(self):
        points = [[0.5, 0.5], [1.0, 0.3], [2.0, 0.5], [-3.0, -4.0], [0.5, 1 + 1e-9]]
        found = hull_distance(points, SQUARE)
        np.testing.assert_allclose(found, [0, 0, 1, 5, 1e-9], rtol=1e-6)
        np.testing.assert_array_equal(found[:2], 0)

    @pytest.mark.parametrize("p", [2, 3, 10, 100])
    def test_simplex_of_unit_vectors(self, p):
        """The origin sees its middle, and each point beyond a vertex sees that vertex."""
        proof = hull_distance(
            np.vstack([np.zeros(p), 3 * np.eye(p)[0]]), np.eye(p), certificate=True
        )
        np.testing.assert_allclose(proof.distance, [1 / np.sqrt(p), 2], rtol=1e-13)
        np.testing.assert_allclose(proof.coefficients[0], 1 / p, rtol=1e-10)
        np.testing.assert_allclose(proof.coefficients[1], np.eye(p)[0], atol=1e-13)

    def test_segment(self):
        segment = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
        points = [[1.0, 3.0, 4.0], [5.0, 4.0, 0.0], [-1.0, 0.0, 0.0], [1.5, 0.0, 0.0]]
        proof = hull_distance(points, segment, certificate=True)
        np.testing.assert_allclose(proof.distance, [5, 5, 1, 0], rtol=1e-14)
        np.testing.assert_allclose(
            proof.coefficients, [[0.5, 0.5], [0, 1], [1, 0], [0.25, 0.75]], atol=1e-14
        )

    @pytest.mark.parametrize("copies", [1, 2, 7])
    def test_a_single_vertex(self, copies):
        vertex = np.array([0.1, 0.2, 0.3])
        points = np.array([[0.1, 0.2, 0.3], [3.1, 4.2, 0.3]])
        proof = hull_distance(points, np.tile(vertex, (copies, 1)), certificate=True)
        np.testing.assert_allclose(proof.distance, [0, 5], rtol=1e-15)
        assert proof.distance[0] == 0
        np.testing.assert_array_equal(proof.nearest, [vertex, vertex])

    def test_an_interval(self):
        found = hull_distance([[-2.0], [0.0], [0.7], [1.0], [4.0]], [[1.0], [0.3], [0.0]])
        np.testing.assert_allclose(found, [2, 0, 0, 0, 3], rtol=1e-14)

    def test_a_regular_polygon_seen_from_its_circle(self):
        angle = 2 * np.pi * np.arange(1000) / 1000
        vertices = np.column_stack([np.cos(angle), np.sin(angle)])
        half = np.pi / 1000
        between = np.column_stack([np.cos(angle + half), np.sin(angle + half)])
        found = hull_distance(between, vertices)
        np.testing.assert_allclose(found, 1 - np.cos(half), rtol=0, atol=1e-14)

    @pytest.mark.parametrize("far", [1e5, 1e12, 1e17, 1e19, 1e100, 1e300])
    def test_a_far_point_does_not_disturb_the_others(self, far):
        points = np.array([[0.5, 1.25], [far, 0.5], [0.5, 0.5]])
        proof = hull_distance(points, SQUARE, certificate=True)
        np.testing.assert_allclose(proof.distance, [0.25, far - 1, 0], rtol=1e-15)
        np.testing.assert_allclose(proof.direction, [[0, 1], [1, 0], [0, 0]], atol=1e-12)
        assert proof.nearest[1, 0] == pytest.approx(1, rel=1e-14)

    @pytest.mark.parametrize("size", [1e-310, 1e-300, 1e-150, 1e150, 1e300])
    def test_any_unit(self, size):
        points = np.array([[0.5, 0.5], [4.0, 5.0]])
        proof = hull_distance(points * size, SQUARE * size, certificate=True)
        np.testing.assert_allclose(proof.distance, [0, 5 * size], rtol=1e-13)
        np.testing.assert_allclose(proof.nearest[1], [size, size], rtol=1e-13)
        np.testing.assert_allclose(proof.direction[1], [0.6, 0.8], rtol=1e-12)

    def test_vertices_at_zero(self):
        found = hull_distance([[0.0, 0.0], [3e-200, 4e-200]], np.zeros((2, 2)))
        np.testing.assert_allclose(found, [0, 5e-200], rtol=1e-15)

    def test_beyond_the_largest_number(self):
        found = hull_distance([[-1.7e308], [1.7e308]], [[1.7e308], [1.6e308]])
        np.testing.assert_array_equal(found, [np.inf, 0])
