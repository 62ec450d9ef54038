"""Gaussian samples follow the corrected recursion."""

import numpy as np
import oracle
import pandas as pd
import pytest
from gaussian_clouds import deviations
from hypothesis import given
from hypothesis import strategies as st
from problems import log_uniform, seeds

from pywbms.theory.gaussian import follow_sample

SETTING = {"sigma": [2.0, 2.5], "h": 2.0, "lam": 20.0, "n_iter": 3}


@pytest.fixture(scope="module")
def errors():
    """Mean size of the errors, by n and iteration."""
    found = pd.concat(
        [
            follow_sample(n, **SETTING, random_state=seed).assign(n=n)
            for n, n_seeds in ((500, 24), (2000, 16), (8000, 4))
            for seed in range(n_seeds)
        ]
    )
    sizes = found.assign(error=found["error"].abs(), printed=found["error_printed"].abs())
    return sizes.groupby(["n", "iteration"])[["error", "printed"]].mean()


class TestSample:
    @pytest.mark.slow
    @pytest.mark.parametrize("iteration", [1, 2, 3])
    def test_the_more_rows_the_closer_to_the_corrected_recursion(self, errors, iteration):
        small, medium, large = errors["error"].xs(iteration, level="iteration")
        assert small > 1.4 * medium
        assert medium > 1.4 * large

    @pytest.mark.slow
    def test_eight_thousand_rows_follow_the_corrected_recursion_only(self, errors):
        assert (errors.loc[8000].loc[1:2, "error"] < 0.03).all()
        assert (errors.loc[8000].loc[1:2, "printed"] > 2).all()

    def test_the_weights_follow_too(self):
        found = follow_sample(4000, [1.0, 2.0], h=8.0, lam=4.0, n_iter=3)
        np.testing.assert_allclose(found["w_sample"], found["w"], rtol=0, atol=0.01)
        assert found["w"].max() > 0.55  # they have moved

    def test_the_start_is_the_sample_itself(self):
        found = follow_sample(50, pd.Series({"a": 3.0, "b": 0.2}), 1.0, 1.0, 0, random_state=7)
        rows = np.random.default_rng(7).standard_normal((50, 2)) * [3.0, 0.2]
        assert found["feature"].to_list() == ["a", "b"]
        np.testing.assert_allclose(found["s_sample"], rows.std(axis=0, ddof=1), rtol=1e-14)
        np.testing.assert_allclose(found["error"], found["s_sample"] / [3.0, 0.2] - 1, rtol=1e-12)

    def test_the_steps_are_those_of_the_oracle_with_every_row_in_its_own_mean(self):
        found = follow_sample(20, [1.0, 2.0], h=1.0, lam=3.0, n_iter=3, random_state=1)
        start = rows = np.random.default_rng(1).standard_normal((20, 2)) * [1.0, 2.0]
        w = np.array([0.5, 0.5])
        for t in range(1, 4):
            rows = oracle.shift(rows, w, 1.0, exclude_self=False)
            w = oracle.entropy_weights(oracle.displacement(start, rows), 3.0)
            now = found[found["iteration"] == t]
            np.testing.assert_allclose(now["s_sample"], rows.std(axis=0, ddof=1), rtol=1e-9)
            np.testing.assert_allclose(now["w_sample"], w, rtol=1e-9)

    def test_a_seed_repeats_the_sample(self):
        one, again = (follow_sample(30, 1.0, 1.0, 1.0, 2, random_state=3) for _ in range(2))
        pd.testing.assert_frame_equal(one, again)
        other = follow_sample(30, 1.0, 1.0, 1.0, 2, random_state=4)
        assert (one["s_sample"] != other["s_sample"]).all()

    @pytest.mark.slow
    @given(st.integers(2, 20), deviations(), log_uniform(1e-3, 1e3), st.integers(0, 12), seeds)
    def test_nothing_is_nan_when_theory_has_reached_zero(self, n, cloud, h, n_iter, seed):
        sigma, size = cloud
        found = follow_sample(n, sigma, h * size**2, size**2, n_iter, random_state=seed)
        assert not found.isna().any(axis=None)
        assert len(found) == (n_iter + 1) * len(sigma)
        assert (found["error"] >= -1).all()
