"""Which columns set a cluster apart, against plain NumPy; and the heat map of clusters."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pywbms import WBMS, datasets, wbms
from pywbms._data.standardize import Standardizer
from pywbms._results.cluster_features import ClusterFeatures, cluster_weights
from pywbms.theory import entropy_weights
from tests.plotting import plt
from tests.problems import blobs, dirty_tables

MODEL = {"h": 0.1, "lam": 0.05}


def three_clusters():
    """Return three clusters in two columns of four, and the same as a result."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [50, 40, 30])
    X = rng.normal(size=(120, 4)) * [1, 2, 3, 0.1] + [0, 0, 0, 5]
    X[:, 0] += np.array([0, 9, 18])[truth]
    X[:, 1] += np.array([0, 30, 0])[truth]
    df = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    return df, truth, wbms(df, h=0.05, lam=0.1)


def test_descriptions_are_what_they_are_defined_as():
    df, truth, result = three_clusters()
    assert (result.labels.to_numpy() == truth).all()
    table = result.describe(1)
    inside = truth == 1
    within = np.sqrt(sum(df[truth == c].var(ddof=0) * (truth == c).sum() for c in range(3)) / 117)
    for name, row in table.iterrows():
        x = df[name].to_numpy()
        low, high = np.sort(x[inside])[[1, 37]]  # the 2nd and the 38th of 40
        assert row["mean"] == pytest.approx(x[inside].mean())
        assert row["others"] == pytest.approx(x[~inside].mean())
        assert row["effect"] == pytest.approx((x[inside].mean() - x[~inside].mean()) / within[name])
        assert row["spread"] == pytest.approx(x[inside].std() / x.std())
        assert row["overlap"] == pytest.approx(((x[~inside] >= low) & (x[~inside] <= high)).mean())
        assert row["weight"] == result.weights[name]
    away = ((df[~inside] - df[inside].mean()) ** 2).mean() - df[inside].var(ddof=0)
    shares = (result.weights * np.maximum(away / df.var(), 0)).sort_values(ascending=False)
    np.testing.assert_allclose(table["share"], shares / shares.sum(), rtol=1e-9)
    assert table.index[:2].tolist() == shares.index[:2].tolist()


def test_a_cluster_between_others_is_set_apart_though_the_means_agree():
    _, _, result = three_clusters()
    table = result.describe(1)
    assert abs(table.loc["a", "effect"]) < 4  # 0 and 18 lie on both sides of 9
    assert table.loc["a", "overlap"] < 0.05
    assert set(table.index[:2]) == {"a", "b"}


def test_contrasts_are_antisymmetric():
    _, _, result = three_clusters()
    one, other = result.contrast(0, 2), result.contrast(2, 0)
    assert one.index[0] == "a"
    assert one.index.equals(other.index)
    np.testing.assert_allclose(one["effect"], -other["effect"])
    for name in ("overlap", "share", "mean_0", "spread_2"):
        np.testing.assert_allclose(one[name], other[name])
    assert one["share"].sum() == pytest.approx(1)


@given(dirty_tables(), st.integers(1, 4))
def test_nothing_is_missing_or_out_of_range(X, k):
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(len(X)) % k)
    units, weights = Standardizer.of(X, "robust"), rng.dirichlet(np.ones(X.shape[1]))
    features = ClusterFeatures(X, labels, weights, units, np.ones(len(X)))
    columns = range(X.shape[1])
    profile, order = features.profile()
    assert np.isfinite(profile).all()
    assert sorted(order) == list(columns)
    for cluster in range(k if k > 1 else 0):
        table = features.describe(cluster, columns)
        assert np.isfinite(table.to_numpy()).all()
        assert table["overlap"].between(0, 1).all()
        assert table["share"].between(0, 1).all()
        assert sorted(table.index) == list(columns)
    assert len(features.top(3, columns)) == (k * min(3, X.shape[1]) if k > 1 else 0)


def test_masses_count_as_repeated_rows():
    df, truth, _ = three_clusters()
    X, mass = df.to_numpy(), np.random.default_rng(0).integers(1, 4, 120)
    units, weights = Standardizer.of(X, True), np.full(4, 0.25)
    one = ClusterFeatures(X, truth, weights, units, mass.astype(float)).describe(0, df.columns)
    rows = np.repeat(X, mass, axis=0), np.repeat(truth, mass)
    other = ClusterFeatures(*rows, weights, units, np.ones(mass.sum())).describe(0, df.columns)
    pd.testing.assert_frame_equal(one, other)


@given(blobs())
def test_the_weights_of_the_fit_are_those_of_all_rows_as_one_cluster(X):
    model = WBMS(h=0.3, lam=0.2, init="uniform", standardize=True).fit(X)
    one = np.zeros(len(X), dtype=int)
    found = cluster_weights(X, model.modes_, one, model._standardizer, model.lam_, np.ones(len(X)))
    np.testing.assert_allclose(found[0], model.feature_weights_, atol=1e-9)


def test_cluster_weights_are_entropy_weights_of_the_cluster():
    df, truth, result = three_clusters()
    units = result.estimator._standardizer
    moved = (units.forward(df.to_numpy()) - units.forward(result.modes.to_numpy())) ** 2
    assert result.cluster_weights.shape == (3, 4)
    for cluster in range(3):
        expected = entropy_weights(moved[truth == cluster].mean(axis=0), result.lam)
        np.testing.assert_allclose(result.cluster_weights.loc[cluster], expected, atol=1e-9)
    summed = wbms(df, h=0.05, lam=0.1 * 120, lam_scale="sum")
    np.testing.assert_allclose(summed.cluster_weights, result.cluster_weights, atol=1e-9)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda r: r.describe(3), "cluster must be one of the clusters 0 … 2, got 3"),
        (lambda r: r.describe(-1), "cluster must be an integer of at least 0, got -1"),
        (lambda r: r.contrast(0, "b"), "b must be an integer of at least 0, got 'b'"),
        (lambda r: r.contrast(1, 1), "a and b must be different clusters, got 1 twice"),
        (lambda r: r.describe(0, top=0), "top must be an integer of at least 1, got 0"),
        (lambda r: r.plot("profile", top=0), "top must be an integer of at least 1, got 0"),
    ],
)
def test_errors_name_the_argument(ask, message):
    _, _, result = three_clusters()
    with pytest.raises(ValueError, match=message):
        ask(result)


def test_one_cluster_has_nothing_to_be_compared_with():
    df, _ = datasets.data1(random_state=0)
    result = wbms(df, h=50.0, lam=0.05)
    with pytest.raises(ValueError, match="all rows are one cluster"):
        result.describe(0)
    assert (result.profile() == 0).all(axis=None) or abs(result.profile()).max(axis=None) < 1e-9
    assert "one cluster" in result.plot("profile").get_title("left")
    plt.close("all")


def test_the_profile_shows_clusters_and_the_columns_that_matter():
    df, truth, result = three_clusters()
    ax = result.plot("profile", top=3)
    assert [label.get_text() for label in ax.get_xticklabels()][:2] == list(
        result.profile(2).columns
    )
    assert set(result.profile(2).columns) == {"a", "b"}
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "0 (50 rows)", "1 (40 rows)", "2 (30 rows)",
    ]  # fmt: skip
    z = (df - df.mean()) / df.std(ddof=0)
    np.testing.assert_allclose(result.profile()[df.columns], z.groupby(truth).mean(), atol=1e-9)
    plt.close("all")


def test_a_profile_of_very_many_clusters_shows_the_largest():
    rng = np.random.default_rng(0)
    X = np.repeat(np.arange(100.0), 3)[:, None] * [1, -1] + 1e-3 * rng.normal(size=(300, 2))
    result = wbms(X, h=1e-4, lam=1, init="uniform", standardize=True)
    assert result.n_clusters == 100
    ax = result.plot("profile")
    assert len(ax.get_yticklabels()) == 80
    assert "the 80 largest of 100 clusters" in ax.get_title("left")
    plt.close("all")
