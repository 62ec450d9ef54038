"""NaN and infinity are refused long before the core; there they write nothing out of bounds."""

import numpy as np
import oracle
import pytest

from pywbms._core import wide
from pywbms._core.components import components
from pywbms._core.far import shift_far
from pywbms._core.hull import project
from pywbms._core.marginal import marginal_displacement
from pywbms._core.nearest import nearest
from pywbms._core.order import halve
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_far_point_at_no_distance_spoils_no_other(bad):
    """Its row of the tile was cleared at the place of a diagonal that lies in another tile."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 3))
    points[200] = bad
    weights, mass, far = np.full(3, 1 / 3), np.ones(300), np.array([200, 201, 202])
    out, found = np.full_like(points, np.nan), np.full(300, -7, dtype=np.intp)
    shift_far(points, mass, weights, 1e-3, True, far, 1, out, found)
    finite = np.delete(np.arange(300), 200)
    distances = oracle.squared_distances(points[[201, 202]], points[finite], weights)
    distances[distances == 0] = np.inf
    np.testing.assert_array_equal(found[[201, 202]], finite[distances.argmin(axis=1)])
    assert found[200] == -1
    untouched = np.delete(np.arange(300), far)
    assert (found[untouched] == -7).all()
    assert np.isnan(out[untouched]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
@pytest.mark.parametrize(("n", "p"), [(3, 2), (300, 5), (1200, 12), (40, 300)])
def test_every_function_comes_back(n, p, bad):
    rng = np.random.default_rng(0)
    points, weights, mass = rng.normal(size=(n, p)), np.full(p, 1 / p), np.ones(n)
    points[rng.random((n, p)) < 0.05] = bad
    points[-1] = bad
    out, found = np.empty((n, p)), np.empty(n, dtype=np.intp)
    with np.errstate(all="ignore"):
        for order in (None, np.arange(n)):
            for exclude in (True, False):
                shift(points, mass, weights, 0.1, exclude, 2, out, found, order)
                assert ((found >= -1) & (found < n)).all()
                shift_far(points, mass, weights, 0.1, exclude, np.arange(n), 2, out, found)
                assert ((found >= -1) & (found < n)).all()
            diameter(points, 2, order)
        order = np.arange(n)
        halve(points, order)
        np.testing.assert_array_equal(np.sort(order), np.arange(n))
        assert 1 <= components(points, 0.1, found) <= n
        nearest(points, points, weights, np.arange(p), 2, found)
        assert ((found >= 0) & (found < n)).all()
        moves(points, out, 2, np.empty(n))
        displacement(points, out, mass, np.zeros(p), 2, np.empty(p))
        m = min(n, 40)
        project(
            points[:m], points[:m], np.full(m, 1e-9), np.empty(m), np.empty(m),
            np.empty((m, m)), np.empty((m, p)),
        )  # fmt: skip


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e308])
@pytest.mark.parametrize("n", [3, 1200])
def test_masses_weights_and_bandwidths(n, bad):
    rng = np.random.default_rng(0)
    points, out = rng.normal(size=(n, 5)), np.empty((n, 5))
    found, D = np.empty(n, dtype=np.intp), np.empty(5)
    good = {"mass": np.ones(n), "weights": np.full(5, 0.2), "h": 0.1}
    for name in good:
        spoilt = dict(good, h=bad) if name == "h" else {**good, name: good[name].copy()}
        if name != "h":
            spoilt[name][1::2] = bad
        mass, weights, h = spoilt.values()
        with np.errstate(all="ignore"):
            for exclude in (True, False):
                shift(points, mass, weights, h, exclude, 2, out, found)
                assert ((found >= -1) & (found < n)).all()
                shift_far(points, mass, weights, h, exclude, np.arange(n), 2, out, found)
                assert ((found >= -1) & (found < n)).all()
            marginal_displacement(points, mass, h, 5, 2, D)
        if name == "mass" and not np.isfinite(bad):
            assert np.isnan(D).all()
    points[1] = bad
    marginal_displacement(points, np.ones(n), 0.1, 5, 2, D)
    assert np.isfinite(bad) or np.isnan(D).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_wide_step_comes_back(bad):
    points, weights, mass = np.ones((40, 300)), np.full(300, 1 / 300), np.ones(40)
    points[3, 5] = points[-1] = bad
    work, found = wide.workspace(40), np.empty(40, dtype=np.intp)
    gram, kernel = wide.gram_in(work, 40), wide.square(40)
    with np.errstate(all="ignore"):
        for exact in (True, False):
            wide.gram(points, weights, exact, 2, work, gram)
            wide.kernel(gram, exact, mass, 0.1, True, 2, kernel, found)
            assert ((found >= 0) & (found < 40)).all()
            wide.advance(
                points, points, mass, np.zeros(300), kernel, 1.0, 2, work,
                np.empty((40, 300)), np.empty(300), np.empty(40), gram,
            )  # fmt: skip
