"""The order with which a sequence converges, estimated from the sequence."""

import numpy as np
import pandas as pd
import pytest
from gaussian_clouds import deviations, wide
from hypothesis import given
from hypothesis import strategies as st
from problems import log_uniform, seeds

from pywbms.theory.gaussian import (
    convergence_order,
    gaussian_recursion,
    limit_weights,
    printed_recursion,
)


class TestConvergenceOrder:
    @given(deviations(spread=3.0), log_uniform(0.5, 1e6), log_uniform(0.1, 1e6))
    def test_the_corrected_recursion_is_cubic_with_rate_two_w_over_h(self, cloud, h, lam):
        sigma, size = cloud
        h, lam = h * size**2, lam * size**2
        found = convergence_order(gaussian_recursion(sigma, h, lam, 800))
        assert found["feature"].to_list() == list(range(len(sigma)))
        np.testing.assert_allclose(found["order"], 3.0, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found["constant"], 2 * limit_weights(sigma, lam) / h, rtol=1e-4)

    @given(log_uniform(1e-100, 1e100), log_uniform(1e-4, 1e100))
    def test_one_feature_of_any_size(self, sigma, h):
        """From s ≫ √h, s² decreases by h per iteration until the cubic phase begins."""
        found = convergence_order(gaussian_recursion(sigma, h * sigma**2, 1.0, 11_000)).loc[0]
        assert found["order"] == pytest.approx(3.0, abs=1e-9)
        log_rate = np.log(2) - np.log(h) - 2 * np.log(sigma)
        assert found["log_constant"] == pytest.approx(log_rate, abs=1e-9)

    def test_features_that_collapse_long_before_others_show_the_weight_of_their_time(self):
        h = 0.001
        cloud = gaussian_recursion([1.0, 2.0, 3.0], h, 1.0, 10_000)
        found = convergence_order(cloud)
        w = wide(cloud, "w")[found["iteration"], found["feature"]]
        np.testing.assert_allclose(found["order"], 3.0, rtol=0, atol=1e-3)
        np.testing.assert_allclose(found["constant"], 2 * w / h, rtol=1e-2)
        assert found["constant"][0] < limit_weights([1.0, 2.0, 3.0], 1.0)[0] / h

    @pytest.mark.parametrize("h", [0.1, 1.0, 10.0])
    def test_the_printed_recursion_is_slower_than_linear(self, h):
        found = convergence_order(printed_recursion([1.0, 1.5], h, 4.0, 20_000))
        np.testing.assert_allclose(found["order"], 1.0, rtol=0, atol=1e-3)
        np.testing.assert_allclose(found["constant"], 1.0, rtol=0, atol=1e-3)

    def test_the_printed_recursion_on_small_data(self):
        found = convergence_order(printed_recursion(1e-6, 1e14, 1.0, 500)).loc[0]
        assert found["order"] == pytest.approx(1.0, abs=5e-3)
        assert found["constant"] == pytest.approx(1.0, abs=5e-3)

    def test_a_constant_beyond_the_doubles_keeps_its_logarithm(self):
        found = convergence_order(gaussian_recursion(1e-162, 1e-323, 1.0, 20)).loc[0]
        assert found["constant"] == np.inf
        assert found["log_constant"] == pytest.approx(np.log(2) - np.log(1e-323), abs=1e-9)

    def test_steps_as_small_as_rounding(self):
        assert convergence_order(1e-3 * np.exp(-1e-14 * np.arange(2000))).order == (
            pytest.approx(1.0, abs=1e-3)
        )

    @given(st.floats(1e-3, 0.999), log_uniform(1e-3, 1e3), st.integers(10, 400))
    def test_geometric_sequences_are_linear(self, q, scale, length):
        found = convergence_order(scale * q ** np.arange(min(length, int(-600 / np.log(q)))))
        assert found.order == pytest.approx(1.0, abs=1e-3)
        assert found.constant == pytest.approx(q, rel=1e-3)

    @given(st.floats(1.0, 100.0))
    def test_newtons_iteration_is_quadratic(self, a):
        """Towards √a the errors are e' = e²/(2(√a + e))."""
        e = [0.5 * np.sqrt(a)]
        while e[-1] > 1e-150:
            e.append(e[-1] ** 2 / (2 * (np.sqrt(a) + e[-1])))
        found = convergence_order(e)
        assert found.order == pytest.approx(2.0, abs=1e-3)
        assert found.constant == pytest.approx(1 / (2 * np.sqrt(a)), rel=1e-3)

    @given(st.floats(1.2, 5.0), st.floats(-3.0, 3.0))
    def test_any_order_above_one(self, m, log_r):
        x = [-5.0 - abs(log_r) / (m - 1)]
        while x[-1] * m + log_r > -700:
            x.append(x[-1] * m + log_r)
        if len(x) >= 3:
            found = convergence_order(np.exp(x))
            assert found.order == pytest.approx(m, abs=1e-3 if abs(m - round(m)) > 0.01 else 0.01)
            if abs(m - round(m)) > 0.02:
                assert found.log_constant == pytest.approx(log_r, abs=1e-6)

    @given(seeds)
    def test_neither_the_order_of_rows_nor_zeros_at_the_end_matter(self, seed):
        cloud = gaussian_recursion([1.0, 2.0], 3.0, 5.0, 900)
        mixed = convergence_order(cloud.sample(frac=1, random_state=seed))
        expected = convergence_order(cloud[cloud["log_s"] > -1e200])
        pd.testing.assert_frame_equal(
            mixed.sort_values("feature", ignore_index=True), expected, rtol=1e-12
        )
        s = cloud.loc[cloud["feature"] == 0, "s"]
        assert s.iloc[-1] == 0
        assert convergence_order(s) == convergence_order(s[s > 0].to_list())
        assert convergence_order(s).constant == pytest.approx(expected["constant"][0], rel=1e-6)

    def test_a_limit_above_zero_shows_as_an_order_below_one(self):
        assert convergence_order(1 + 0.5 ** np.arange(30)).order == pytest.approx(0.5, abs=1e-3)

    @pytest.mark.parametrize("s", [[], 1.0, [1.0, 0.5], [1.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    def test_too_short(self, s):
        with pytest.raises(ValueError, match="s needs at least 3 positive terms"):
            convergence_order(s)

    @pytest.mark.parametrize(
        "s",
        [
            [1.0, 1.0, 1.0],
            [1.0, 2.0, 3.0],
            [1.0, 0.1, 0.01, 0.0, 0.001],
            [1.0, 0.0, 0.0, 0.1, 0.01],
            [3.0, 2.0, 2.0],
        ],
    )
    def test_not_falling(self, s):
        with pytest.raises(ValueError, match="s must decrease from each term to the next"):
            convergence_order(s)

    @pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
    def test_no_sequence_of_positive_numbers(self, bad):
        with pytest.raises(ValueError, match="s must be finite and at least 0"):
            convergence_order([bad, 0.5, 0.25, 0.125])

    def test_a_frame_names_the_feature_or_the_column(self):
        cloud = gaussian_recursion(pd.Series({"wide": 1.0}), 1.0, 1.0, 1)
        with pytest.raises(ValueError, match="feature 'wide' needs at least 3"):
            convergence_order(cloud)
        with pytest.raises(ValueError, match="columns 'log_s'"):
            convergence_order(cloud.drop(columns="log_s"))
        with pytest.raises(ValueError, match="no rows"):
            convergence_order(cloud.iloc[:0])
