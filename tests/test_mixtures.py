"""Few points with many features as mixtures of rows: the answers of the points themselves."""

import numpy as np
import oracle
import pytest

from pywbms import WBMS
from pywbms._core import mixtures, wide
from pywbms._data.ordering import row_order
from pywbms._engine import mixture_points
from pywbms._engine.fixed_rows import FixedRows
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.mixture_points import MixturePoints
from pywbms._engine.settings import Settings
from pywbms._machine import threads


@pytest.fixture(autouse=True, scope="module")
def mixtures_and_threads_however_little_there_is_to_do():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(threads, "WORTH_THREADS", 0)
        patch.setattr(mixture_points, "LEAST_WORK", 0)
        yield


def clusters(n, p, k=3, seed=0, away=1.5):
    """Return z-scores of n rows around k centres, in the order of a fit."""
    rng = np.random.default_rng(seed)
    X = away * rng.normal(size=(k, p))[rng.integers(k, size=n)] + rng.normal(size=(n, p))
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    return Z[row_order(Z)]


def local(rows, mass=None, h=0.3, lam=0.2, **given):
    return LocalPoints.at_start(rows, Settings(h, lam, **given), mass=mass)


def started(rows, mass=None, h=0.3, lam=0.2, **given):
    points = MixturePoints.start(local(rows, mass, h, lam, **given))
    assert isinstance(points, MixturePoints)
    return points


def uniform(points):
    return np.full(points.shape[1], 1 / points.shape[1])


def same_everywhere(a, b, rtol=1e-9):
    """Assert that two sets of points agree after a step, in all that the loop asks for."""
    np.testing.assert_array_equal(a.member, b.member)
    np.testing.assert_allclose(a.mass, b.mass, rtol=1e-14)
    np.testing.assert_allclose(a.points, b.points, rtol=0, atol=rtol)
    np.testing.assert_allclose(a.points_before(), b.points_before(), rtol=0, atol=rtol)
    np.testing.assert_allclose(a.displacement(), b.displacement(), rtol=rtol)
    np.testing.assert_allclose(a.diameter(), b.diameter(), rtol=rtol, atol=1e-12)
    for radius in (1e-5, 1e-3, 1.0, a.diameter() / 2):
        np.testing.assert_array_equal(a.components(radius), b.components(radius))
    assert a.swapped_pairs() == b.swapped_pairs()
    np.testing.assert_array_equal(a.alone, b.alone)


@pytest.mark.parametrize("exclude", [True, False])
@pytest.mark.parametrize("kind", ["one", "whole", "fractions"])
@pytest.mark.parametrize(("n", "p"), [(8, 256), (33, 300), (130, 1570)])
def test_steps_agree_with_the_oracle(n, p, kind, exclude):
    rng = np.random.default_rng(n)
    rows = clusters(n, p)
    mass = {"one": None, "whole": rng.integers(1, 4, size=n) * 1.0,
            "fractions": rng.uniform(0.2, 2.5, size=n)}[kind]  # fmt: skip
    points = started(rows, mass, exclude_self=exclude, merge=False, n_jobs=2)
    mass = np.ones(n) if mass is None else mass
    weights = rng.dirichlet(np.ones(p))
    for _ in range(5):
        before = points.points
        lengths = points.shift(weights)
        expected = oracle.shift(before, weights, 0.3, exclude, mass)
        np.testing.assert_allclose(points.points, expected, rtol=0, atol=1e-9)
        moved = np.linalg.norm(expected - before, axis=1)
        np.testing.assert_allclose(lengths, moved, rtol=1e-9, atol=1e-9)
        D = oracle.displacement(rows, expected, "sum", mass)
        np.testing.assert_allclose(points.displacement(), D, rtol=1e-9)
        weights = points.entropy_weights()
        expected = oracle.entropy_weights(D, 0.2 * mass.sum())
        np.testing.assert_allclose(weights, expected, rtol=1e-9)


@pytest.mark.parametrize("h", [0.1, 0.3, 3.0])
def test_all_that_the_loop_asks_for_is_that_of_the_points_themselves(h):
    rows = clusters(60, 900, k=5)
    one, other = started(rows, h=h), local(rows, h=h)
    weights = uniform(one)
    for _ in range(8):
        one, other = one.merge(1e-11), other.merge(1e-11)
        lengths, others = one.shift(weights), other.shift(weights)
        np.testing.assert_allclose(lengths, others, rtol=1e-9, atol=1e-12)
        same_everywhere(one, other)
        group = one.components(1.0)
        np.testing.assert_allclose(one.means(group), other.means(group), rtol=0, atol=1e-9)
        weights = one.entropy_weights()
        np.testing.assert_allclose(weights, other.entropy_weights(), rtol=1e-9)


def test_merged_points_go_on_as_mixtures_and_few_of_them_as_points():
    rows = clusters(60, 900, k=60)
    mixed, plain = started(rows), local(rows)
    for labels, kind in ((np.arange(60) // 20 * 20, LocalPoints), (np.arange(60), MixturePoints)):
        labels = labels.copy()
        labels[[3, 5]] = labels[[1, 2]]
        labels = np.unique(labels, return_inverse=True)[1]
        one, other = mixed.copy(), plain.copy()
        weights = uniform(one)
        for points in (one, other):
            points.shift(weights)
        one._merge_into(labels)
        other.merge_into(labels)
        one = one.merge(1e-11)
        assert type(one) is kind
        for _ in range(2):
            for points in (one, other):
                points.shift(weights)
            same_everywhere(one, other)
            weights = one.entropy_weights()
            np.testing.assert_allclose(weights, other.entropy_weights(), rtol=1e-9)


def test_a_copy_goes_its_own_way():
    rows = clusters(20, 300)
    points = started(rows)
    other, weights = points.copy(), uniform(points)
    for _ in range(3):
        other.shift(weights)
        weights = other.entropy_weights()
    np.testing.assert_array_equal(points.points, rows)
    again = points.copy()
    weights = uniform(points)
    for _ in range(3):
        again.shift(weights)
        weights = again.entropy_weights()
    np.testing.assert_array_equal(again.points, other.points)


def test_pairs_are_put_at_their_midpoint():
    rows = clusters(20, 300)
    mass = np.arange(1.0, 21)
    one, other = started(rows, mass), local(rows, mass)
    for points in (one, other):
        points.shift(uniform(points))
        points.put_at_midpoint([(2, 7), (0, 19)])
    np.testing.assert_allclose(one.points, other.points, rtol=0, atol=1e-12)
    np.testing.assert_allclose(one.entropy_weights(), other.entropy_weights(), rtol=1e-9)
    for points in (one, other):
        points.shift(uniform(points))
    same_everywhere(one, other)


def test_saved_points_are_restored_as_they_were():
    rows = clusters(20, 300)
    points = started(rows)
    points.shift(uniform(points))
    weights = points.entropy_weights()
    restored = MixturePoints.restore(points.save(), points.settings)
    for _ in range(3):
        for some in (points, restored):
            some.shift(weights)
        weights = points.entropy_weights()
        np.testing.assert_array_equal(restored.entropy_weights(), weights)
        np.testing.assert_array_equal(restored.points, points.points)


@pytest.mark.parametrize(("n", "p"), [(20, 300), (60, 1000), (130, 1600)])
def test_is_the_same_to_the_bit_for_any_number_of_threads(n, p):
    rows, found = clusters(n, p), []
    for n_threads in (1, 2, 5):
        points = started(rows, n_jobs=1)
        points.settings = Settings(0.3, 0.2, n_jobs=n_threads)
        weights = uniform(points)
        for _ in range(3):
            points.shift(weights)
            weights = points.entropy_weights()
        found.append((weights, points.points))
    for other in found[1:]:
        np.testing.assert_array_equal(found[0][0], other[0])
        np.testing.assert_array_equal(found[0][1], other[1])


@pytest.mark.parametrize("params", [{}, {"merge": False}, {"tree": True}, {"record_path": True}])
def test_whole_fits_depend_on_no_order_of_rows(params):
    X = clusters(50, 600, seed=1)
    order = np.random.default_rng(0).permutation(50)
    one = WBMS(0.3, 0.2, init="uniform", **params).fit(X)
    other = WBMS(0.3, 0.2, init="uniform", **params).fit(X[order])
    np.testing.assert_array_equal(one.feature_weights_, other.feature_weights_)
    np.testing.assert_array_equal(one.modes_[order], other.modes_)


def test_fits_agree_with_those_of_the_points_themselves(monkeypatch):
    def fits():
        for seed, h in ((0, 0.05), (1, 0.3), (2, 1.0)):
            X = clusters(45, 700, k=6, seed=seed, away=0.7)
            codes = np.random.default_rng(seed).integers(3, size=45)[:, None] == np.arange(3)
            X = np.column_stack([X, codes])
            for weights in (None, np.random.default_rng(seed).uniform(0.1, 3, size=45)):
                model = WBMS(h, 0.2, standardize=True, tree=True)
                yield model.fit(X, sample_weight=weights)

    with_mixtures = list(fits())
    monkeypatch.setattr(MixturePoints, "rows_of", staticmethod(lambda local, diameter=True: None))
    for one, other in zip(with_mixtures, fits(), strict=True):
        np.testing.assert_array_equal(one.labels_, other.labels_)
        assert one.n_iter_ == other.n_iter_
        np.testing.assert_allclose(one.feature_weights_, other.feature_weights_, atol=1e-9)
        np.testing.assert_allclose(one.modes_, other.modes_, rtol=0, atol=1e-9)
        for name in ("diameter", "movement"):
            np.testing.assert_allclose(one.history_[name], other.history_[name], atol=1e-9)


@pytest.mark.parametrize(("n", "p"), [(9, 300), (60, 400), (90, 1500)])
def test_whole_fits_agree_with_the_oracle(n, p):
    rng = np.random.default_rng(n)
    X = 1.5 * rng.normal(size=(3, p))[rng.integers(3, size=n)] + rng.normal(size=(n, p))
    X[n // 2] = X[0]
    Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    model = WBMS(0.3, 0.2, standardize=True, record_path=True, init="uniform").fit(X)
    expected = oracle.fit(Z, 0.3, 0.2)
    np.testing.assert_array_equal(model.labels_, expected["labels"])
    np.testing.assert_allclose(model.path_[-1], expected["modes"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(model.feature_weights_, expected["weights"], rtol=0, atol=1e-9)


def test_indicators_of_a_category_share_their_displacement():
    rows = clusters(20, 300)
    indicators = ((3, 4, 5), (10, 11))
    one, other = (make(rows, indicators=indicators) for make in (started, local))
    weights = uniform(one)
    for _ in range(3):
        for points in (one, other):
            points.shift(weights)
        same_everywhere(one, other)
        weights = one.entropy_weights()
        np.testing.assert_allclose(weights, other.entropy_weights(), rtol=1e-9)


class TestWhereMixturesDoNotSuit:
    def test_few_points_many_points_few_features(self):
        for n, p in ((7, 300), (60, 290), (8, 255)):
            rows = np.random.default_rng(0).normal(size=(n, p))
            assert type(MixturePoints.start(local(rows))) is LocalPoints

    def test_little_work(self, monkeypatch):
        rows = clusters(20, 300)
        monkeypatch.setattr(mixture_points, "LEAST_WORK", 20 * 20 * 300 + 1)
        assert type(MixturePoints.start(local(rows))) is LocalPoints

    def test_small_lam(self):
        rows = clusters(20, 300)
        assert type(MixturePoints.start(local(rows, lam=1e-5))) is LocalPoints

    def test_far_from_the_origin(self):
        rows = 1e5 + clusters(20, 300)
        assert type(MixturePoints.start(local(rows))) is LocalPoints

    def test_values_that_cannot_be_squared(self):
        rows = clusters(20, 300) * 1e160
        assert type(MixturePoints.start(local(rows))) is LocalPoints

    @pytest.mark.parametrize("noise", [0, 1e-9, 1e-4])
    def test_rows_that_are_nearly_dependent(self, noise):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(20, 4)) @ rng.normal(size=(4, 300))
        rows += noise * rng.normal(size=rows.shape)
        assert type(MixturePoints.start(local(rows))) is LocalPoints

    def test_small_h_takes_exact_differences_and_then_the_points(self):
        rows = clusters(30, 400)
        points, h, weights = started(rows, h=1e-5), 1e-5, np.full(400, 1 / 400)
        points.shift(weights)
        expected = oracle.shift(rows, weights, h)
        np.testing.assert_allclose(points.points, expected, rtol=0, atol=1e-9)
        assert type(points.merge(1e-11)) is LocalPoints


class TestSlightFeatures:
    def test_are_left_out_where_no_kernel_value_changes(self):
        n, p, h, lam = 40, 500, 0.2, 0.02 * 40
        rows = clusters(n, p)
        rng = np.random.default_rng(0)
        fixed = FixedRows.of(rows, np.ones(n))
        shares = rng.dirichlet(np.ones(n), size=n)
        rows[:, 30:] *= 40 / 12  # of large displacement
        fixed = FixedRows.of(rows, np.ones(n))
        away = np.eye(n) - shares
        kernels, grams = [], []
        for slight in (np.zeros(p), 2.0**-53 * h / p / fixed.spread):
            D, gram, kernel = np.empty(p), wide.square(n), np.empty((n, n))
            mixtures.summarize(
                fixed.columns, mixtures.triangle(away.T @ away), np.zeros(p), slight, lam, 2,
                mixtures.workspace(n), D, gram,
            )  # fmt: skip
            nearest = np.empty(n, dtype=np.intp)
            wide.kernel(gram, False, np.ones(n), h, True, 1, kernel, nearest)
            kernels.append(kernel)
            grams.append(np.tril(gram[:, :n]))
        weights = oracle.entropy_weights(D, lam)
        assert (weights < 1e-18).sum() > p / 2  # there are such features
        np.testing.assert_allclose(grams[1], grams[0], rtol=0, atol=2.0**-52)
        np.testing.assert_allclose(kernels[1], kernels[0], rtol=1e-12)
        expected = (rows * weights) @ rows.T
        np.testing.assert_allclose(grams[1], np.tril(expected), rtol=0, atol=1e-12)

    def test_a_lane_without_any_others_counts_nothing(self):
        n, p = 20, 2000
        rows = clusters(n, p)
        away, D, gram = np.eye(n), np.empty(p), wide.square(n)
        within = np.zeros(p)
        within[:1700] = 1e6  # whole lanes of no weight
        mixtures.summarize(
            mixtures.transposed(rows), mixtures.triangle(away), within, np.full(p, 1e-30), 1.0, 2,
            mixtures.workspace(n), D, gram,
        )  # fmt: skip
        np.testing.assert_allclose(D, (rows**2).sum(axis=0) + within, rtol=1e-12)
        expected = (rows * oracle.entropy_weights(D, 1.0)) @ rows.T
        np.testing.assert_allclose(np.tril(gram[:, :n]), np.tril(expected), rtol=0, atol=1e-12)
