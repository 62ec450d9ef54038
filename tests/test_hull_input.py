"""Distances to convex hulls: tolerance, input, progress and interrupts."""

import io
import signal
import threading

import numpy as np
import pandas as pd
import pytest
from hulls import SQUARE, prove

import pywbms.theory.hull
from pywbms.theory.hull import hull_distance


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

    @pytest.mark.slow
    def test_an_interrupt_ends_the_search(self, monkeypatch):
        rng = np.random.default_rng(11)
        vertices = rng.normal(size=(500, 300))
        points = rng.dirichlet(np.ones(500), size=3000) @ vertices
        project, main = pywbms.theory.hull.project, threading.main_thread().ident
        distances = []

        def interrupted(points, vertices, limit, distance, *outputs):
            distance[:] = np.nan
            distances.append(distance)
            threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT)).start()
            project(points, vertices, limit, distance, *outputs)

        monkeypatch.setattr(pywbms.theory.hull, "BATCH", len(points))
        monkeypatch.setattr(pywbms.theory.hull, "project", interrupted)
        with pytest.raises(KeyboardInterrupt):
            hull_distance(points, vertices)
        assert np.isnan(distances[0]).any()  # points that were left
