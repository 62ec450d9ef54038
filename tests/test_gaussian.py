"""The recursion of a Gaussian cloud, corrected and as printed, and its limit."""

from decimal import Decimal, localcontext

import numpy as np
import pandas as pd
import pytest
from gaussian_clouds import deviations, wide
from hypothesis import given
from hypothesis import strategies as st
from problems import log_uniform

from pywbms.theory.gaussian import (
    convergence_order,
    follow_sample,
    gaussian_recursion,
    limit_weights,
    printed_recursion,
)

COLUMNS = ["iteration", "feature", "s", "w", "log_s", "log_w"]
RECURSIONS = [gaussian_recursion, printed_recursion]

recursions = st.sampled_from(RECURSIONS)
any_double = st.floats(5e-324, 1.7e308)


def sixty_digits():
    return localcontext(prec=60, Emax=10**17, Emin=-(10**17))


def exact_step(sigma, h, lam, s, w, printed):
    """One step of either recursion, straight from its formula, on lists of Decimal."""
    if printed:
        s = [a / (1 + h * a**2 / (2 * b)) for a, b in zip(s, w, strict=True)]
    else:
        s = [a**3 / (a**2 + h / (2 * b)) for a, b in zip(s, w, strict=True)]
    e = [(-((a - b) ** 2) / lam).exp() for a, b in zip(sigma, s, strict=True)]
    return s, [value / sum(e) for value in e]


def decimals(values):
    return [Decimal(float(value)) for value in values]


def logarithms(values):
    return np.array([float(value.ln()) for value in values])


class TestRecursion:
    @pytest.mark.slow
    @given(recursions, deviations(), log_uniform(1e-4, 1e6), log_uniform(1e-3, 1e6))
    def test_each_step_agrees_with_sixty_digits(self, recursion, cloud, h, lam):
        sigma, size = cloud
        h, lam = h * size**2, lam * size**2
        found = recursion(sigma, h, lam, 12)
        log_s, log_w = wide(found, "log_s"), wide(found, "log_w")
        # log s carries the rounding of log σ and of its fall, which (σ − s)²/lam hands on to log w.
        scale = 1 + np.abs(log_s).max(axis=1) + np.abs(np.log(sigma)).max()
        with sixty_digits():
            for t in range(12):
                s, w = ([x.exp() for x in decimals(logs)] for logs in (log_s[t], log_w[t]))
                step = *map(Decimal, (h, lam)), s, w, recursion is printed_recursion
                s, w = map(logarithms, exact_step(decimals(sigma), *step))
                tolerance = 1e-14 * (scale[t + 1] + np.abs(log_w[t]).max())
                assert np.abs(log_s[t + 1] - s).max() <= tolerance
                tolerance *= 1 + (sigma**2).max() / lam
                assert np.abs(log_w[t + 1] - w).max() <= tolerance

    @given(recursions, deviations(), log_uniform(1e-2, 1e6), log_uniform(10.0, 1e6))
    def test_the_whole_way_agrees_with_sixty_digits(self, recursion, cloud, h, lam):
        """With a large lam, for a small one drives alike features apart from any rounding."""
        sigma, size = cloud
        h, lam = h * size**2, lam * (sigma**2).max()
        found = recursion(sigma, h, lam, 20)
        with sixty_digits():
            s, w = decimals(sigma), [1 / Decimal(len(sigma))] * len(sigma)
            for _ in range(20):
                step = *map(Decimal, (h, lam)), s, w, recursion is printed_recursion
                s, w = exact_step(decimals(sigma), *step)
            np.testing.assert_allclose(
                found["log_s"][-len(sigma) :], logarithms(s), rtol=1e-10, atol=1e-10
            )
            np.testing.assert_allclose(
                found["log_w"][-len(sigma) :], logarithms(w), rtol=1e-10, atol=1e-10
            )

    def test_one_step_by_hand(self):
        """w = 1/2, h = 1: h/(2w) = 1, so that s' is 1/(1 + 1) and 8/(4 + 1)."""
        found = gaussian_recursion([1.0, 2.0], h=1.0, lam=1.0, n_iter=1)
        assert found["s"].to_list() == pytest.approx([1.0, 2.0, 0.5, 1.6], rel=1e-15)
        e = np.exp([-0.25, -0.16])
        assert found["w"].to_list() == pytest.approx([0.5, 0.5, *(e / e.sum())], rel=1e-15)
        assert printed_recursion([1.0, 2.0], h=1.0, lam=1.0, n_iter=1)["s"].to_list() == (
            pytest.approx([1.0, 2.0, 0.5, 0.4], rel=1e-15)
        )

    @given(recursions, st.lists(any_double, min_size=1, max_size=4), any_double, any_double,
           st.integers(0, 800))  # fmt: skip
    def test_nothing_is_nan_whatever_the_input(self, recursion, sigma, h, lam, n_iter):
        found = recursion(sigma, h, lam, n_iter)
        assert not found.isna().any(axis=None)
        assert (found["log_s"] < np.inf).all()
        assert found["s"].between(0, max(sigma)).all()
        assert found["w"].between(0, 1).all()
        assert (wide(found, "s")[0] == sigma).all()
        np.testing.assert_allclose(wide(found, "w").sum(axis=1), 1.0, rtol=1e-12)
        log_s = wide(found, "log_s")
        assert (log_s[1:] <= log_s[:-1]).all()

    @given(deviations(), log_uniform(1e-3, 1e3), log_uniform(1e-3, 1e3))
    def test_log_s_falls_strictly_and_s_is_its_exponential(self, cloud, h, lam):
        sigma, size = cloud
        found = gaussian_recursion(sigma, h * size**2, lam * size**2, 30)
        log_s = wide(found, "log_s")
        assert (log_s[1:] < log_s[:-1]).all()
        np.testing.assert_allclose(found["s"], np.exp(found["log_s"]), rtol=1e-11)
        np.testing.assert_allclose(found["w"], np.exp(found["log_w"]), rtol=1e-11)

    @given(deviations(), log_uniform(1e-2, 1e3), log_uniform(1e-2, 1e3), log_uniform(1e-9, 1e9))
    def test_the_corrected_one_does_not_depend_on_the_units(self, cloud, h, lam, unit):
        sigma, size = cloud
        h, lam = h * size**2, lam * size**2
        one = gaussian_recursion(sigma, h, lam, 5)
        other = gaussian_recursion(sigma * unit, h * unit**2, lam * unit**2, 5)
        difference = other["log_s"] - one["log_s"] - np.log(unit)
        assert (difference.abs() <= 1e-9 * (1 + one["log_s"].abs())).all()

    def test_the_printed_one_depends_on_the_units(self):
        one = printed_recursion([1.0, 2.0], 1.0, 1.0, 1)["s"]
        other = printed_recursion([10.0, 20.0], 100.0, 100.0, 1)["s"]
        assert (10 * one / other).iloc[2:].gt(100).all()

    @pytest.mark.parametrize("recursion", RECURSIONS)
    def test_no_iterations_give_the_start(self, recursion):
        found = recursion([3.0, 0.1], 1.0, 1.0, 0)
        assert found.columns.to_list() == COLUMNS
        assert found["iteration"].to_list() == [0, 0]
        assert found["feature"].to_list() == [0, 1]
        assert found["s"].to_list() == [3.0, 0.1]
        assert found["w"].to_list() == [0.5, 0.5]

    @pytest.mark.parametrize("recursion", RECURSIONS)
    def test_a_number_is_one_feature_of_weight_one(self, recursion):
        found = recursion(2.0, 1.0, 1e-9, 50)
        assert len(found) == 51
        assert (found["w"] == 1).all()
        pd.testing.assert_frame_equal(found, recursion([2.0], 1.0, 1e-9, 50))

    def test_a_series_names_the_features(self):
        sigma = pd.Series({"b": 1.0, "a": 2.0})
        found = gaussian_recursion(sigma, 1.0, 1.0, 1)
        assert found["feature"].to_list() == ["b", "a", "b", "a"]
        assert found["s"].to_list()[:2] == [1.0, 2.0]
        assert limit_weights(sigma, 1.0).index.to_list() == ["b", "a"]
        assert convergence_order(gaussian_recursion(sigma, 1.0, 1.0, 9))["feature"].to_list() == (
            ["b", "a"]
        )

    def test_integers_and_read_only_arrays_are_taken_and_left_alone(self):
        sigma = np.array([1.0, 2.0])
        sigma.flags.writeable = False
        found = gaussian_recursion(sigma, 1, 1, np.int64(3))
        pd.testing.assert_frame_equal(found, gaussian_recursion([1, 2], 1.0, 1.0, 3))
        strided = gaussian_recursion(np.array([1.0, 9.0, 2.0])[::2], 1.0, 1.0, 3)
        pd.testing.assert_frame_equal(found, strided)

    def test_a_hundred_thousand_iterations_end_at_zero(self):
        found = gaussian_recursion([1.0, 2.0, 3.0], 0.5, 10.0, 100_000)
        end = found.tail(3)
        assert (end["s"] == 0).all()
        assert (end["log_s"] == -np.inf).all()
        np.testing.assert_allclose(end["w"], limit_weights([1.0, 2.0, 3.0], 10.0), rtol=1e-14)

    def test_the_printed_one_falls_like_the_root_of_the_iteration(self):
        found = printed_recursion(1.0, 2.0, 1.0, 100_000)["s"].to_numpy()
        # 1/s² grows by h/w + O(s²) in each iteration
        assert found[-1] * np.sqrt(2.0 * 100_000) == pytest.approx(1.0, rel=1e-3)

    def test_a_fall_below_the_digits_of_s_still_moves_the_weights(self):
        """One step from s ≫ √h is σ − s = h/(2wσ), here 1e-20 and 5e-21."""
        found = gaussian_recursion([1.0, 2.0], h=1e-20, lam=1e-40, n_iter=1)
        assert found["s"].to_list() == [1.0, 2.0, 1.0, 2.0]
        assert found["w"][3] / found["w"][2] == pytest.approx(np.exp(0.75), rel=1e-9)

    def test_a_weight_that_underflows_keeps_its_logarithm(self):
        found = gaussian_recursion([1.0, 100.0], 1e5, 1.0, 3).tail(1)
        assert found["w"].item() == 0
        assert found["log_w"].item() == pytest.approx(-9999.0, rel=1e-3)


class TestLimitWeights:
    @given(deviations(), log_uniform(1e-2, 1e4))
    def test_they_are_where_the_recursion_ends(self, cloud, lam):
        sigma, size = cloud
        weights = limit_weights(sigma, lam * size**2)
        assert weights.sum() == pytest.approx(1.0, rel=1e-12)
        expected = np.exp(-(sigma**2 - sigma.min() ** 2) / (lam * size**2))
        np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-9, atol=1e-300)
        end = gaussian_recursion(sigma, 10 * size**2, lam * size**2, 300).tail(len(sigma))
        np.testing.assert_allclose(end["w"], weights, rtol=1e-9, atol=1e-300)

    @given(st.lists(any_double, min_size=1, max_size=4), any_double)
    def test_they_are_on_the_simplex_whatever_the_input(self, sigma, lam):
        weights = limit_weights(sigma, lam)
        assert weights.between(0, 1).all()
        assert weights.sum() == pytest.approx(1.0, rel=1e-12)
        assert weights.to_numpy().argmax() == np.argmin(sigma) or weights.max() < 0.51


GOOD = {"sigma": [1.0, 2.0], "h": 1.0, "lam": 1.0, "n_iter": 3}
BAD = [
    *[("sigma", bad) for bad in (0.0, -1.0, np.nan, np.inf, [1.0, 0.0], [1.0, np.nan], [],
                                 [[1.0], [2.0]], "wide", None, [1j], [1.0, [2.0]])],
    ("sigma", pd.Series([1.0, 2.0], index=["a", "a"])),
    ("sigma", pd.Series([1, None], dtype="Int64")),
    *[(name, bad) for name in ("h", "lam") for bad in (0, -1.0, np.nan, np.inf, "auto", None)],
    *[("n_iter", bad) for bad in (-1, 2.0, np.nan, None, True)],
]  # fmt: skip


class TestBadInput:
    @pytest.mark.parametrize(("name", "bad"), BAD)
    @pytest.mark.parametrize("recursion", RECURSIONS)
    def test_the_recursions_name_the_argument(self, recursion, name, bad):
        with pytest.raises(ValueError, match=rf"^{name} "):
            recursion(**{**GOOD, name: bad})

    @pytest.mark.parametrize(("name", "bad"), [*BAD, ("n", 1), ("n", 10.0), ("n", None)])
    def test_the_sample_names_the_argument(self, name, bad):
        with pytest.raises(ValueError, match=rf"^{name} "):
            follow_sample(**{"n": 10, **GOOD, name: bad})

    @pytest.mark.parametrize(("name", "bad"), [case for case in BAD if case[0] in ("sigma", "lam")])
    def test_the_limit_weights_name_the_argument(self, name, bad):
        with pytest.raises(ValueError, match=rf"^{name} "):
            limit_weights(**{"sigma": 1.0, "lam": 1.0, name: bad})
