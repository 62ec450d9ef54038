"""Distances to convex hulls: against another solver, against geometry, and by their own proof."""

import io
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import log_uniform, seeds
from scipy.optimize import nnls

import pywbms.theory.hull
from pywbms.theory.hull import HullDistance, hull_distance

SQUARE = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])


def spread(points, vertices):
    """The largest distance from the vertices' mean."""
    both = np.vstack([points, vertices])
    return np.linalg.norm(both - vertices.mean(axis=0), axis=1).max()


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


class TestTolerance:
    def test_smaller_distances_are_zero(self):
        points = [[0.5, 1 + 1e-5], [0.5, 1.1]]
        np.testing.assert_allclose(hull_distance(points, SQUARE), [1e-5, 0.1], rtol=1e-9)
        found = hull_distance(points, SQUARE, tol=1e-4)
        np.testing.assert_allclose(found, [0, 0.1], atol=1e-4)
        assert found[0] == 0

    @pytest.mark.parametrize("tol", [1e-16, 5e-324])
    def test_more_than_rounding_allows_ends_all_the_same(self, tol):
        rng = np.random.default_rng(9)
        vertices, points = rng.normal(size=(60, 6)), rng.normal(size=(60, 6))
        prove(points, vertices, hull_distance(points, vertices, tol=tol, certificate=True))

    @pytest.mark.parametrize("tol", [0, -1e-9, np.nan, np.inf, "1e-9", True])
    def test_must_be_positive(self, tol):
        with pytest.raises(ValueError, match="tol"):
            hull_distance(SQUARE, SQUARE, tol=tol)

    def test_a_distance_that_is_not_known_well_is_no_secret(self, monkeypatch):
        project = pywbms.theory.hull.project

        def give_up(points, vertices, limit, distance, gap, coefficients, direction):
            project(points, vertices, limit, distance, gap, coefficients, direction)
            gap[:] = 1e-3

        monkeypatch.setattr(pywbms.theory.hull, "project", give_up)
        with pytest.warns(RuntimeWarning, match="upper bounds") as caught:
            hull_distance([[2.0, 2.0]], SQUARE)
        assert caught[0].filename == __file__


class TestInput:
    @pytest.mark.parametrize("name", ["points", "vertices"])
    @pytest.mark.parametrize(
        "bad",
        [
            [[0.0, np.nan]],
            [[np.inf, 0.0]],
            [0.0, 1.0],
            3.0,
            np.zeros((2, 2, 2)),
            np.empty((0, 2)),
            np.empty((2, 0)),
            [["a", "b"]],
            [[1j, 0]],
            [[0.0], [0.0, 1.0]],
            None,
            pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [1, 2]}),
        ],
    )
    def test_that_makes_no_sense_is_refused_by_name(self, name, bad):
        with pytest.raises(ValueError, match=f"^{name} must"):
            hull_distance(**{"points": SQUARE, "vertices": SQUARE, name: bad})

    def test_of_different_widths_is_refused(self):
        with pytest.raises(ValueError, match="3 in points and 2 in vertices"):
            hull_distance(np.zeros((1, 3)), SQUARE)

    def test_is_never_written(self):
        rng = np.random.default_rng(10)
        points, vertices = rng.normal(size=(9, 3)), rng.normal(size=(9, 3))
        copies = points.copy(), vertices.copy()
        points.flags.writeable = vertices.flags.writeable = False
        prove(points, vertices, hull_distance(points, vertices, certificate=True))
        np.testing.assert_array_equal(points, copies[0])
        np.testing.assert_array_equal(vertices, copies[1])

    @pytest.mark.parametrize(
        "form",
        [
            pd.DataFrame,
            np.asfortranarray,
            np.ndarray.tolist,
            lambda X: np.repeat(X, 2, axis=1)[:, ::2],
            lambda X: X.astype(np.int8),
        ],
    )
    def test_comes_in_any_form(self, form):
        points = np.array([[4.0, 5.0], [1.0, 0.0], [3.0, 1.0]])
        np.testing.assert_array_equal(
            hull_distance(form(points), form(SQUARE)), hull_distance(points, SQUARE)
        )


class Terminal(io.StringIO):
    def isatty(self):
        return True


class TestProgress:
    def test_is_one_line_that_is_gone_in_the_end(self, monkeypatch):
        stderr = Terminal()
        monkeypatch.setattr("sys.stderr", stderr)
        hull_distance(np.zeros((600, 2)), SQUARE, progress=True)
        texts = stderr.getvalue().split("\r")
        assert "hull distance: 512 of 600 points" in texts
        assert "\n" not in stderr.getvalue()
        assert texts[-1] == ""

    @pytest.mark.parametrize(("stream", "progress"), [(io.StringIO, True), (Terminal, False)])
    def test_only_for_who_asks_at_a_terminal(self, monkeypatch, stream, progress):
        stderr = stream()
        monkeypatch.setattr("sys.stderr", stderr)
        hull_distance(SQUARE, SQUARE, progress=progress)
        assert stderr.getvalue() == ""

    def test_an_interrupt_ends_the_search(self):
        rng = np.random.default_rng(11)
        vertices = rng.normal(size=(500, 300))
        points = rng.dirichlet(np.ones(500), size=3000) @ vertices
        main = threading.main_thread().ident
        timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            hull_distance(points, vertices)
        assert time.monotonic() - begin < 3
        timer.join()
