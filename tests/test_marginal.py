"""The displacement of each feature under blurring by itself, against the oracle."""

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import log_uniform, seeds

from pywbms._core.line import translations
from pywbms._core.marginal import marginal_displacement

SAMPLERS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "clusters": lambda rng, shape: rng.normal(size=shape) + 6 * rng.integers(3, size=shape),
    "t": lambda rng, shape: rng.standard_t(2, size=shape),
    "cauchy": lambda rng, shape: rng.standard_cauchy(size=shape),
    "ties": lambda rng, shape: np.round(rng.normal(size=shape), 1),
    "counts": lambda rng, shape: rng.poisson(1.0, size=shape).astype(float),
    "two values": lambda rng, shape: rng.integers(2, size=shape).astype(float),
    "constant": lambda rng, shape: np.full(shape, rng.normal()),
}


def displaced(rows, mass=None, h=0.3, n_iter=20, n_threads=1):
    mass = np.ones(len(rows)) if mass is None else mass
    out = np.full(rows.shape[1], -7.0)
    marginal_displacement(np.ascontiguousarray(rows), mass, h, n_iter, n_threads, out)
    return out


def z_scored(Z):
    Z = Z - Z.mean(axis=0)
    scale = Z.std(axis=0)
    return Z / np.where(scale > 1e-12, scale, np.inf)


@st.composite
def samples(draw, sizes):
    """Columns of z-scores, one of each kind, and masses of the rows."""
    rng = np.random.default_rng(draw(seeds))
    n = draw(sizes)
    Z = np.column_stack([sampler(rng, n) for sampler in SAMPLERS.values()])
    mass = rng.integers(1, draw(st.sampled_from([2, 2, 5])), size=n).astype(float)
    return z_scored(Z), mass


small = st.sampled_from([1, 2, 3]) | st.integers(4, 64)
large = st.integers(65, 400)


class TestAgainstTheOracle:
    @given(samples(small), log_uniform(1e-2, 1e2), st.integers(0, 25))
    def test_few_points(self, sample, h, n_iter):
        self.check(*sample, h, n_iter)

    @settings(max_examples=15)
    @given(samples(large), log_uniform(1e-2, 1e2), st.integers(1, 12))
    def test_points_in_boxes(self, sample, h, n_iter):
        self.check(*sample, h, n_iter)

    @staticmethod
    def check(Z, mass, h, n_iter):
        expected = oracle.marginal_displacement(Z, mass, h, n_iter)
        # Where two modes pull alike, rounding decides; there the oracle contradicts itself, too.
        nudged = Z * (1 + 1e-14 * np.random.default_rng(0).choice([-1, 1], size=Z.shape))
        doubt = np.abs(oracle.marginal_displacement(nudged, mass, h, n_iter) - expected)
        assert (np.abs(displaced(Z, mass, h, n_iter) - expected) <= 1e-9 + 10 * doubt).all()

    @pytest.mark.parametrize("h", [0.003, 0.3, 30.0])
    def test_many_points(self, h):
        Z = z_scored(np.random.default_rng(0).standard_t(4, size=(1500, 1)))
        expected = oracle.marginal_displacement(Z, np.ones(1500), h, 3)
        np.testing.assert_allclose(displaced(Z, h=h, n_iter=3), expected, rtol=0, atol=1e-11)

    def test_a_point_of_larger_mass_is_as_many_rows(self):
        rng = np.random.default_rng(1)
        Z, mass = rng.normal(size=(90, 4)), rng.integers(1, 6, size=90)
        repeated = np.repeat(Z, mass, axis=0)
        np.testing.assert_allclose(
            displaced(Z, mass.astype(float)), displaced(repeated), rtol=1e-12
        )


class TestTranslations:
    """A point in doubt is summed directly, so a wrong matrix would only make the core slow."""

    @pytest.mark.parametrize("apart", [0, 1, -1, 4, -11])
    def test_moments_of_a_box_give_the_kernel_sums_in_another(self, apart):
        rng = np.random.default_rng(0)
        source, target = rng.uniform(-1, 1, size=(2, 20))
        terms = np.cos(np.arange(16)[:, None, None] * np.arccos([source, target]))
        moments = terms[:, 0].mean(axis=1)
        found = moments @ translations()[11 + apart] @ terms[:, 1]
        between = 2 / 3 * (apart + (target[:, None] - source) / 2)
        expected = np.exp(-(between**2)).mean(axis=1)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


class TestInvariants:
    @settings(max_examples=30)
    @given(samples(small | large), log_uniform(1e-2, 1e2), st.data())
    def test_rows_columns_and_threads_may_come_in_any_order(self, sample, h, data):
        Z, mass = sample
        rng = np.random.default_rng(data.draw(seeds))
        rows, columns = rng.permutation(len(Z)), rng.permutation(Z.shape[1])
        expected = displaced(Z, mass, h)
        np.testing.assert_array_equal(displaced(Z, mass, h, n_threads=3), expected)
        np.testing.assert_array_equal(displaced(Z[:, columns], mass, h), expected[columns])
        found = displaced(Z[rows], mass[rows], h)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)

    @given(samples(small | large), log_uniform(1e-2, 1e2), st.integers(-400, 400))
    def test_a_power_of_two_as_unit_changes_nothing(self, sample, h, exponent):
        Z, mass = sample
        unit = 2.0**exponent
        found = displaced(Z * unit, mass, h * unit**2)
        np.testing.assert_allclose(found / unit**2, displaced(Z, mass, h), rtol=1e-14)

    def test_nor_does_any_other_unit(self):
        Z = np.random.default_rng(2).normal(size=(300, 5))
        found = displaced(Z * 1.7e3, h=0.3 * 1.7e3**2)
        np.testing.assert_allclose(found / 1.7e3**2, displaced(Z), rtol=1e-10)

    @given(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=100),
        st.floats(min_value=5e-324, allow_infinity=False),
        st.integers(0, 5),
    )
    def test_no_nan_comes_of_finite_numbers(self, values, h, n_iter):
        (found,) = displaced(np.array(values)[:, None], h=h, n_iter=n_iter)
        assert found >= 0

    @given(seeds, st.sampled_from([3, 200]))
    def test_columns_that_are_not_finite_are_nan_and_leave_the_others_alone(self, seed, n):
        rng = np.random.default_rng(seed)
        Z = rng.normal(size=(n, 5))
        expected = displaced(Z)
        Z[rng.integers(n), [1, 3]] = rng.choice([np.nan, np.inf, -np.inf], size=2)
        expected[[1, 3]] = np.nan
        np.testing.assert_array_equal(displaced(Z), expected)


class TestFarPoints:
    def test_a_point_too_far_for_any_kernel_value_goes_to_its_nearest(self):
        x = np.array([0.0, 1.0, 1e6, 2.5e6])
        went = np.array([1.0, 0.0, 1.0, 1e6])
        found = displaced(x[:, None], h=1e-6, n_iter=1)
        np.testing.assert_allclose(found, ((x - went) ** 2).mean())

    def test_so_do_many_points_on_a_very_long_line(self):
        x = 10.0 ** np.arange(150)
        went = np.concatenate([x[1:2], x[:-1]])
        found = displaced(x[:, None], h=1e-300, n_iter=1)
        np.testing.assert_allclose(found, ((x - went) ** 2).mean())

    def test_two_rows_change_places(self):
        Z = np.array([[0.0], [2.0]])
        assert displaced(Z, n_iter=19) == pytest.approx(4.0)
        assert displaced(Z, n_iter=20) == pytest.approx(0.0, abs=1e-20)

    def test_a_single_row_stays(self):
        assert displaced(np.array([[3.0, -1.0]])).tolist() == [0.0, 0.0]

    def test_without_rows_nothing_is_written(self):
        assert displaced(np.empty((0, 2))).tolist() == [-7.0, -7.0]
