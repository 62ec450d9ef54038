"""The first step from given weights: displacement of a feature, effective number of neighbours."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import log_uniform
from scipy.spatial.distance import cdist
from scipy.stats import norm

from pywbms import WBMS
from pywbms.theory import effective_neighbours, first_step_displacement, gaussian_recursion

centers = st.lists(st.floats(-3, 3), min_size=1, max_size=5)


def by_definition(centers, sigma, bandwidth, shares):
    """E(x − T(x))² from the kernel mean itself, all integrals as sums over one fine grid."""
    grid = np.linspace(min(centers) - 9 * sigma, max(centers) + 9 * sigma, 2001)
    density = sum(
        share * norm.pdf(grid, center, sigma)
        for center, share in zip(centers, shares, strict=True)
    )  # fmt: skip
    weights = density * np.exp(-((grid[:, None] - grid) ** 2) / bandwidth)
    moved = weights @ grid / weights.sum(axis=1)
    return density @ (grid - moved) ** 2 / density.sum()


def moments(centers, sigma):
    """Variance, skewness and kurtosis of a mixture of equal shares."""
    away = centers - centers.mean()
    second, third, fourth = ((away**power).mean() for power in (2, 3, 4))
    variance = second + sigma**2
    fourth += 6 * second * sigma**2 + 3 * sigma**4
    return variance, third / variance**1.5, fourth / variance**2


class TestDisplacement:
    @pytest.mark.parametrize(
        ("places", "sigma", "bandwidth", "shares"),
        [
            ([-1.0, 1.0], 0.3, 1.0, [0.5, 0.5]),
            ([-1.0, 0.2, 1.5], 0.2, 0.5, [0.2, 0.5, 0.3]),
            ([0.0, 0.5], 0.6, 5.0, [0.9, 0.1]),
        ],
    )
    def test_it_is_the_integral_of_the_definition(self, places, sigma, bandwidth, shares):
        found = first_step_displacement(places, sigma, bandwidth, shares)
        assert found == pytest.approx(by_definition(places, sigma, bandwidth, shares), rel=1e-9)

    @given(log_uniform(1e-3, 1e3), log_uniform(1e-4, 1e4), st.integers(1, 50))
    def test_one_cluster_is_a_step_of_theorem_4(self, sigma, h, p):
        s = gaussian_recursion(np.full(p, sigma), h, 1.0, 1)["s"].iloc[-1]
        found = first_step_displacement([7.0], sigma, h * p)
        np.testing.assert_allclose(found, (sigma - s) ** 2, rtol=1e-9, atol=1e-12 * sigma**2)

    @given(centers, st.floats(0.01, 1), log_uniform(1e-2, 1e3), st.floats(-5, 5), st.data())
    def test_it_is_invariant(self, places, sigma, bandwidth, shift, data):
        """To shifts and to the order of the clusters; it scales like the variance."""
        places = np.array(places)
        order = data.draw(st.permutations(range(len(places))))
        shares = np.arange(1.0, len(places) + 1)
        found = first_step_displacement(places, sigma, bandwidth, shares)
        other = first_step_displacement(
            3 * (places[order] + shift), 3 * sigma, 9 * bandwidth, 2 * shares[order]
        )
        np.testing.assert_allclose(other, 9 * found, rtol=1e-9)

    @given(centers, st.floats(0.05, 1))
    def test_a_wide_kernel_sees_variance_then_skewness_and_kurtosis(self, places, sigma):
        """D/v = 1 − 2v/b + (kurtosis − ¾ skewness²)(v/b)² + O((v/b)³) for the variance v."""
        variance, skewness, kurtosis = moments(np.array(places), sigma)
        b = 1e4 * variance
        found = first_step_displacement(places, sigma, 2 * b) / variance
        second = (found - 1 + 2e-4) * 1e8
        assert second == pytest.approx(kurtosis - 0.75 * skewness**2, abs=0.01)

    @given(st.floats(0.01, 0.3), st.floats(0.1, 3))
    def test_clusters_far_apart_move_like_single_ones(self, sigma, bandwidth):
        far = 20 * np.sqrt(sigma**2 + bandwidth)
        found = first_step_displacement([-far, 0, far], sigma, bandwidth)
        np.testing.assert_allclose(found, first_step_displacement([0], sigma, bandwidth), rtol=1e-9)

    def test_points_without_spread(self):
        """Two points at distance 2: each moves by 2/(1 + exp(4/h))."""
        expected = (2 / (1 + np.exp(4 / 3))) ** 2
        assert first_step_displacement([-1, 1], 0, 3.0) == pytest.approx(expected, rel=1e-12)

    def test_it_has_the_shape_of_the_bandwidth(self):
        grid = np.array([[0.1, 1.0], [10.0, 100.0]])
        found = first_step_displacement([-1, 1], 0.1, grid)
        assert found.shape == (2, 2)
        assert found[1, 0] == first_step_displacement([-1, 1], 0.1, 10.0)
        assert isinstance(first_step_displacement([-1, 1], 0.1, 10.0), float)

    def test_a_sample_agrees(self):
        rng = np.random.default_rng(0)
        n, p, h = 3000, 6, 0.5
        X = rng.standard_normal((n, p))
        X[:, 0] = 0.3 * X[:, 0] + rng.choice([-1.0, 0.5, 2.0], n, p=[0.5, 0.25, 0.25])
        model = WBMS(
            h, 1.0, init="uniform", warmup=0, stop="fixed", max_iter=1, standardize=False,
            record_path=True,
        ).fit(X)  # fmt: skip
        D = ((model.path_[0] - model.path_[1]) ** 2).mean(axis=0)
        informative = first_step_displacement([-1.0, 0.5, 2.0], 0.3, h * p, [2, 1, 1])
        noise = first_step_displacement([0.0], 1.0, h * p)
        assert D[0] == pytest.approx(informative, rel=0.05)
        assert D[1:].mean() == pytest.approx(noise, rel=0.05)
        assert noise > 1.5 * informative  # far enough apart for the test to mean something


class TestNeighbours:
    @pytest.mark.parametrize("bandwidth", [0.4, 2.0, 30.0])
    def test_it_is_the_integral_of_the_definition(self, bandwidth):
        """For one feature: n − 1 over the mean of E(K² | x)/E(K | x)²."""
        grid = np.linspace(-20, 20, 3001)
        density = norm.pdf(grid) * (grid[1] - grid[0])
        kernel = np.exp(-((grid[:, None] - grid) ** 2) / bandwidth)
        mean = density @ ((kernel**2 @ density) / (kernel @ density) ** 2)
        assert effective_neighbours(101, 1, bandwidth) == pytest.approx(100 / mean, rel=1e-9)

    @given(st.integers(2, 10**6), st.integers(0, 200), log_uniform(1e-3, 1e6))
    def test_features_multiply(self, n, m, bandwidth):
        one, many = (effective_neighbours(n, count, bandwidth) / (n - 1) for count in (1, m))
        np.testing.assert_allclose(many, one**m, rtol=1e-9, atol=1e-300)
        assert 0 <= many <= 1

    @given(st.integers(1, 1000), log_uniform(1e4, 1e150))
    def test_a_wide_kernel(self, m, bandwidth):
        """log((n − 1)/N) ≈ 6 m / bandwidth², also where N itself is n − 1 to the last digit."""
        lost = -np.log(effective_neighbours(2, m, bandwidth))
        np.testing.assert_allclose(lost, 6 * m / bandwidth**2, rtol=1e-3, atol=1e-15)

    def test_both_forms_meet(self):
        """The formula changes form at b = 1."""
        below, above = effective_neighbours(100, 7, [2 * (1 - 1e-12), 2.0])
        assert below == pytest.approx(above, rel=1e-10)
        assert above == pytest.approx(99 * 0.5**3.5, rel=1e-12)

    def test_the_variance_of_a_kernel_mean(self):
        """Noise features are displaced by about 1/N more than in an infinite sample."""
        rng = np.random.default_rng(1)
        n, p, h = 200, 12, 0.7
        b = h * p / 2
        factor = b / (2 + b) + b * (5 + 2 * b) / ((1 + b) * (2 + b) * (3 + b))
        excess = []
        for _ in range(300):
            X = rng.standard_normal((n, p))
            K = np.exp(-cdist(X, X, "sqeuclidean") / (h * p))
            np.fill_diagonal(K, 0)
            moved = K @ X / K.sum(axis=1, keepdims=True)
            in_infinite_sample = X / (1 + b)
            excess.append(((X - moved) ** 2 - (X - in_infinite_sample) ** 2).mean())
        expected = factor / effective_neighbours(n, p, h * p)
        assert np.mean(excess) == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: first_step_displacement([], 1.0, 1.0), "centers must be"),
        (lambda: first_step_displacement([[0.0]], 1.0, 1.0), "centers must be"),
        (lambda: first_step_displacement([np.nan], 1.0, 1.0), "centers must be"),
        (lambda: first_step_displacement([0.0], -1.0, 1.0), "sigma must be"),
        (lambda: first_step_displacement([0.0], np.inf, 1.0), "sigma must be"),
        (lambda: first_step_displacement([0.0], 1.0, 0.0), "bandwidth must be"),
        (lambda: first_step_displacement([0.0], 1.0, [1.0, np.nan]), "bandwidth must be"),
        (lambda: first_step_displacement([0.0, 1.0], 1.0, 1.0, [1.0]), "got 1 for 2 centers"),
        (lambda: first_step_displacement([0.0, 1.0], 1.0, 1.0, [1.0, 0.0]), "shares must be"),
        (lambda: effective_neighbours(1, 3, 1.0), "n must be"),
        (lambda: effective_neighbours(10, -1, 1.0), "n_noise must be"),
        (lambda: effective_neighbours(10, 3, -1.0), "bandwidth must be"),
    ],
)
def test_invalid_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
