"""The simulations: shapes, clusters, spreads and seeds."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import pdist, squareform

from pywbms import datasets

SIMULATIONS = [
    pytest.param(datasets.data1, (200, 32), 2, id="data1"),
    pytest.param(datasets.simulation1, (100, 20), 5, id="simulation1"),
    pytest.param(datasets.simulation2, (100, 20), 4, id="simulation2"),
    pytest.param(datasets.simulation3, (100, 10), 4, id="simulation3"),
    pytest.param(datasets.two_moons, (200, 32), 2, id="two_moons"),
    pytest.param(datasets.varied_densities, (300, 32), 3, id="varied_densities"),
]
simulations = pytest.mark.parametrize(("simulate", "shape", "k"), SIMULATIONS)


def explained(X, truth):
    """Share of each feature's variance that lies between the clusters."""
    within = (X - X.groupby(truth).transform("mean")).pow(2).mean()
    return 1 - within / X.var(ddof=0)


def nearest_other_mean(X, truth):
    """Distance of the two closest cluster means."""
    return pdist(X.groupby(truth).mean()).min()


def groups_closer_than(radius, X):
    """Labels of the connected components of rows closer than radius."""
    return connected_components(squareform(pdist(X)) < radius)[1]


def same_partition(a, b):
    """Whether two labellings group the rows alike."""
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


# What every simulation promises


@simulations
def test_default_shape_and_number_of_clusters(simulate, shape, k):
    X, truth = simulate()
    assert X.shape == shape
    assert sorted(truth.unique()) == list(range(k))


@simulations
def test_pair_has_the_promised_form(simulate, shape, k):
    X, truth = simulate()
    assert list(X.columns) == [f"x{feature}" for feature in range(1, shape[1] + 1)]
    assert set(X.dtypes) == {np.dtype("float64")}
    assert truth.dtype == np.dtype("int64")
    assert truth.name == "truth"
    pd.testing.assert_index_equal(X.index, pd.RangeIndex(shape[0]), exact=True)
    pd.testing.assert_index_equal(truth.index, X.index, exact=True)


@simulations
def test_seed_decides_the_data(simulate, shape, k):
    X, truth = simulate(random_state=7)
    X_again, truth_again = simulate(random_state=7)
    pd.testing.assert_frame_equal(X, X_again)
    pd.testing.assert_series_equal(truth, truth_again)


@simulations
def test_default_seed_is_zero(simulate, shape, k):
    pd.testing.assert_frame_equal(simulate()[0], simulate(random_state=0)[0])


@simulations
def test_other_seeds_give_other_data(simulate, shape, k):
    assert not np.isclose(simulate(random_state=1)[0], simulate(random_state=2)[0]).any()


@simulations
def test_none_draws_differently_each_time(simulate, shape, k):
    assert not simulate(random_state=None)[0].equals(simulate(random_state=None)[0])


@simulations
def test_generator_is_used_and_moves_on(simulate, shape, k):
    rng = np.random.default_rng(3)
    first, second = simulate(random_state=rng)[0], simulate(random_state=rng)[0]
    pd.testing.assert_frame_equal(first, simulate(random_state=3)[0])
    assert not first.equals(second)


@simulations
def test_global_random_state_is_left_alone(simulate, shape, k):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    simulate()
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@pytest.mark.parametrize(
    ("simulate", "n_informative"),
    [
        (datasets.data1, 2),
        (datasets.simulation1, 5),
        (datasets.simulation2, 2),
        (datasets.simulation3, 2),
        (datasets.two_moons, 2),
        (datasets.varied_densities, 2),
    ],
)
def test_only_the_first_features_carry_the_clusters(simulate, n_informative):
    share = sum(explained(*simulate(random_state=seed)) for seed in range(5)) / 5
    assert (share.iloc[:n_informative] > 0.2).all()
    assert (share.iloc[n_informative:] < 0.1).all()


@simulations
def test_other_features_are_standard_normal(simulate, shape, k):
    X, _ = simulate(random_state=5)
    noise = X.iloc[:, 5:].to_numpy()
    # Both tolerances are five standard errors.
    assert abs(noise.mean()) < 5 / np.sqrt(noise.size)
    assert abs(noise.var() - 1) < 5 * np.sqrt(2 / noise.size)


# The motivating example


def test_data1_has_two_clusters_of_100_rows():
    _, truth = datasets.data1()
    assert truth.value_counts().tolist() == [100, 100]


def test_data1_centres():
    X, truth = datasets.data1()
    centres = X[["x1", "x2"]].groupby(truth).mean()
    np.testing.assert_allclose(centres, [[-1, -1], [1, 1]], atol=0.15)


def test_data1_spread():
    X, truth = datasets.data1()
    np.testing.assert_allclose(X[["x1", "x2"]].groupby(truth).std(), 0.35, atol=0.1)


# Simulation 1


@pytest.mark.parametrize("k", [1, 2, 50])
def test_simulation1_has_20_rows_per_cluster(k):
    X, truth = datasets.simulation1(k)
    assert X.shape == (20 * k, 20)
    assert truth.between(0, k - 1).all()


def test_simulation1_draws_its_labels():
    _, truth = datasets.simulation1(k=5)
    assert truth.value_counts().nunique() > 1
    assert not truth.is_monotonic_increasing


def test_simulation1_keeps_the_labels_as_drawn_when_a_cluster_is_empty():
    class EmptyCluster(np.random.Generator):
        def integers(self, high, size):
            return np.full(size, high - 1)

    _, truth = datasets.simulation1(3, EmptyCluster(np.random.PCG64(0)))
    assert truth.unique().tolist() == [2]


def test_simulation1_means_fill_the_unit_cube():
    X, truth = datasets.simulation1(k=50)
    theta = X.iloc[:, :5].groupby(truth).mean().to_numpy()
    assert -0.05 < theta.min() < 0.1
    assert 0.9 < theta.max() < 1.05
    assert abs(theta.mean() - 0.5) < 5 * np.sqrt(1 / 12 / theta.size)


def test_simulation1_spread():
    X, truth = datasets.simulation1(k=20)
    within = X.iloc[:, :5] - X.iloc[:, :5].groupby(truth).transform("mean")
    assert within.to_numpy().std() == pytest.approx(0.02, rel=0.1)


# Simulations 2 and 3


@pytest.mark.parametrize(
    ("p", "n_informative"), [(2, 2), (10, 2), (20, 2), (40, 2), (60, 3), (100, 5), (200, 10)]
)
def test_simulation2_informative_features_are_five_percent_and_at_least_two(p, n_informative):
    X, truth = datasets.simulation2(p)
    tight = X.groupby(truth).std().max() < 0.1
    assert tight.tolist() == [True] * n_informative + [False] * (p - n_informative)


@pytest.mark.parametrize("simulate", [datasets.simulation2, datasets.simulation3])
def test_four_clusters_are_balanced(simulate):
    _, truth = simulate()
    assert truth.value_counts().tolist() == [25, 25, 25, 25]


@pytest.mark.parametrize("simulate", [datasets.simulation2, datasets.simulation3])
@pytest.mark.parametrize("seed", range(20))
def test_four_clusters_do_not_overlap(simulate, seed):
    X, truth = simulate(random_state=seed)
    X = X[["x1", "x2"]]
    centres = X.groupby(truth).mean()
    to_centres = [((X - centres.loc[label]) ** 2).sum(axis=1) for label in range(4)]
    assert (np.argmin(to_centres, axis=0) == truth).mean() >= 0.98
    # 6 sd between the true means; the observed ones are off by sd/5 per feature
    assert nearest_other_mean(X, truth) > 4.8 * 0.03


@pytest.mark.parametrize("simulate", [datasets.simulation2, datasets.simulation3])
def test_four_clusters_have_the_asked_spread(simulate):
    X, truth = simulate(sd=0.01)
    within = X[["x1", "x2"]] - X[["x1", "x2"]].groupby(truth).transform("mean")
    assert within.to_numpy().std() == pytest.approx(0.01, rel=0.15)


@pytest.mark.parametrize("simulate", [datasets.simulation2, datasets.simulation3])
def test_printed_variance(simulate):
    draws = [simulate(random_state=seed, sd=np.sqrt(0.3)) for seed in range(10)]
    within = [X[["x1", "x2"]].groupby(truth).var() for X, truth in draws]
    assert np.mean(within) == pytest.approx(0.3, rel=0.1)


def test_printed_variance_overlaps():
    X, truth = datasets.simulation2(sd=np.sqrt(0.3))
    assert nearest_other_mean(X[["x1", "x2"]], truth) < np.sqrt(0.3)


def test_means_that_cannot_be_separated_are_those_first_drawn():
    sd = np.sqrt(0.3)
    theta = np.random.default_rng(4).uniform(size=(4, 2))
    X, truth = datasets.simulation2(random_state=4, sd=sd)
    observed = X[["x1", "x2"]].groupby(truth).mean()
    assert np.abs(observed - theta).to_numpy().max() < 4 * sd / 5


# The classics


def test_two_moons_without_noise_lie_on_two_half_circles():
    X, truth = datasets.two_moons(noise=0, n_noise_features=0)
    upper, lower = X[truth == 0], X[truth == 1]
    np.testing.assert_allclose(np.hypot(upper["x1"], upper["x2"]), 1)
    np.testing.assert_allclose(np.hypot(lower["x1"] - 1, lower["x2"] - 0.5), 1)
    assert upper["x2"].min() > -1e-12
    assert lower["x2"].max() < 0.5 + 1e-12


def test_two_moons_noise_is_the_spread_around_the_half_circles():
    X, truth = datasets.two_moons(n=2000, noise=0.1)
    upper = X[truth == 0]
    radius = np.hypot(upper["x1"], upper["x2"])
    assert radius.std() == pytest.approx(0.1, rel=0.1)


def test_two_moons_are_connected_and_apart():
    X, truth = datasets.two_moons()
    assert same_partition(groups_closer_than(0.25, X[["x1", "x2"]]), truth)


def test_two_moons_halve_an_odd_number_of_rows():
    _, truth = datasets.two_moons(n=5)
    assert truth.tolist() == [0, 0, 0, 1, 1]


def test_varied_densities_have_the_promised_spreads():
    X, truth = datasets.varied_densities(n=3000)
    spread = X[["x1", "x2"]].groupby(truth).std()
    np.testing.assert_allclose(spread, [[1, 1], [2.5, 2.5], [0.5, 0.5]], rtol=0.1)


@pytest.mark.parametrize("seed", range(10))
def test_varied_densities_do_not_overlap(seed):
    X, truth = datasets.varied_densities(random_state=seed)
    X = X[["x1", "x2"]]
    centres = X.groupby(truth).mean().to_numpy()
    for a, b in [(0, 1), (0, 2), (1, 2)]:
        along = X @ (centres[b] - centres[a])
        assert along[truth == a].max() < along[truth == b].min()


@pytest.mark.parametrize("n", [3, 4, 301])
def test_varied_densities_split_any_number_of_rows(n):
    _, truth = datasets.varied_densities(n=n)
    sizes = truth.value_counts()
    assert len(truth) == n
    assert len(sizes) == 3
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize("simulate", [datasets.two_moons, datasets.varied_densities])
@pytest.mark.parametrize("n_noise_features", [0, 1, 50])
def test_number_of_noise_features(simulate, n_noise_features):
    assert simulate(n_noise_features=n_noise_features)[0].shape[1] == 2 + n_noise_features


# Bad arguments


@pytest.mark.parametrize(
    ("simulate", "argument", "value"),
    [
        (datasets.simulation1, "k", 0),
        (datasets.simulation1, "k", -3),
        (datasets.simulation1, "k", 2.5),
        (datasets.simulation1, "k", "five"),
        (datasets.simulation1, "k", True),
        (datasets.simulation2, "p", 1),
        (datasets.simulation2, "p", 20.0),
        (datasets.simulation2, "sd", 0),
        (datasets.simulation2, "sd", -0.03),
        (datasets.simulation2, "sd", "wide"),
        (datasets.simulation3, "sd", float("nan")),
        (datasets.simulation3, "sd", float("inf")),
        (datasets.two_moons, "n", 1),
        (datasets.two_moons, "noise", -0.1),
        (datasets.two_moons, "n_noise_features", -1),
        (datasets.varied_densities, "n", 2),
        (datasets.varied_densities, "n_noise_features", 1.5),
    ],
)
def test_bad_argument_is_named_with_its_value(simulate, argument, value):
    with pytest.raises(ValueError, match=rf"^{argument} must be .*, got {value!r}$"):
        simulate(**{argument: value})


def test_small_numpy_integers_do_not_overflow():
    assert datasets.simulation1(np.uint8(50))[0].shape == (1000, 20)
