"""Memberships against plain NumPy, and what they must not depend on."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pywbms import WBMS, datasets, wbms
from pywbms._data.standardize import Standardizer
from pywbms._engine.cluster_density import ClusterDensity
from tests.problems import tables

MODEL = {"h": 0.1, "lam": 0.05, "init": "uniform"}


def kernel(queries, rows, weights, h, mass=None, leave_out=False):
    """Return the logarithm of m_j exp(−‖x_i − x_j‖²_w / h) for all pairs; one row is left out."""
    exponent = -((queries[:, None] - rows) ** 2 @ weights) / h
    mass = np.tile(np.ones(len(rows)) if mass is None else mass, (len(queries), 1))
    if leave_out:
        mass = mass - np.eye(len(rows))
    with np.errstate(divide="ignore"):
        return exponent + np.log(np.maximum(mass, 0))


def shares(log_kernel, labels, k):
    """Return the share of each cluster in the sums of a kernel."""
    relative = np.exp(log_kernel - log_kernel.max(axis=1, keepdims=True))
    sums = relative @ np.eye(k)[labels]
    return sums / sums.sum(axis=1, keepdims=True)


@st.composite
def clustered(draw):
    """Draw rows, labels of which each has two or more rows, weights and h."""
    X = np.ascontiguousarray(draw(tables(max_rows=40)), dtype=np.float64)
    X = np.resize(X, (max(len(X), 4), X.shape[1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    k = draw(st.integers(1, min(4, len(X) // 2)))
    labels = rng.permutation(np.arange(len(X)) % k)
    weights = rng.dirichlet(np.ones(X.shape[1]))
    return X, labels, weights, 10.0 ** draw(st.integers(-4, 2))


def density_of(X, labels, weights, h, **options):
    """Return the densities on z-scores, and these."""
    standardizer = Standardizer.of(X, True)
    points = standardizer.forward(X)
    active = standardizer.active_weights(weights)
    return ClusterDensity(X, labels, weights, standardizer, h, **options), points, active


@given(clustered())
def test_memberships_are_shares_of_the_kernel_sums(problem):
    X, labels, weights, h = problem
    density, points, active = density_of(X, labels, weights, h)
    k = labels.max() + 1
    found = density.membership()
    expected = shares(kernel(points, points, active, h, leave_out=True), labels, k)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    new = X + 0.3 * np.ptp(X, axis=0)
    rows = Standardizer.of(X, True).forward(new)
    expected = shares(kernel(rows, points, active, h), labels, k)
    np.testing.assert_allclose(density.membership(new), expected, atol=1e-9)


@given(clustered())
def test_the_density_is_the_mean_of_the_kernel(problem):
    X, labels, weights, h = problem
    density, points, active = density_of(X, labels, weights, h)
    log_kernel = kernel(points, points, active, h, leave_out=True)
    top = log_kernel.max(axis=1)
    expected = top + np.log(np.exp(log_kernel - top[:, None]).sum(axis=1) / (len(X) - 1))
    np.testing.assert_allclose(density.log_density(), expected, rtol=1e-9, atol=1e-9)


@given(clustered(), st.integers(0, 2**32))
def test_no_bit_depends_on_the_order_of_rows_and_labels_or_on_threads(problem, seed):
    X, labels, weights, h = problem
    _, first, group = np.unique(X, axis=0, return_index=True, return_inverse=True)
    labels = np.unique(labels[first][group.ravel()], return_inverse=True)[1]  # as in any fit
    k = labels.max() + 1
    rng = np.random.default_rng(seed)
    order, renamed = rng.permutation(len(X)), rng.permutation(k)
    units = Standardizer.of(X, True)
    one = ClusterDensity(X, labels, weights, units, h)
    other = ClusterDensity(X[order], renamed[labels[order]], weights, units, h, n_jobs=2)
    np.testing.assert_array_equal(one.membership()[order], other.membership()[:, renamed])
    np.testing.assert_array_equal(one.log_density()[order], other.log_density())
    np.testing.assert_array_equal(one.membership(X)[order], other.membership(X[order])[:, renamed])


def test_threads_share_the_tiles_without_changing_a_bit():
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(1500, 6)), rng.integers(3, size=1500)
    units, weights = Standardizer.of(X, True), np.full(6, 1 / 6)
    one, two = (ClusterDensity(X, labels, weights, units, 0.3, n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.membership(), two.membership())


@given(clustered(), st.integers(0, 2**32))
def test_a_mass_counts_as_repeated_rows(problem, seed):
    X, labels, weights, h = problem
    mass = np.random.default_rng(seed).integers(0, 4, len(X))
    mass[np.unique(labels, return_index=True)[1]] = 2  # no cluster is empty or of one row
    units = Standardizer.of(X, True)
    weighted = ClusterDensity(X, labels, weights, units, h, mass=mass)
    repeated = ClusterDensity(
        np.repeat(X, mass, axis=0), np.repeat(labels, mass), weights, units, h
    )
    first = np.cumsum(mass) - mass
    some = mass > 0
    np.testing.assert_allclose(
        weighted.membership()[some], repeated.membership()[first[some]], atol=1e-9
    )
    np.testing.assert_allclose(
        weighted.log_density()[some], repeated.log_density()[first[some]], rtol=1e-9, atol=1e-9
    )


def test_a_row_alone_in_its_cluster_is_not_left_out():
    X = np.array([[0.0], [0.1], [3.0]])
    density, _, _ = density_of(X, np.array([0, 0, 1]), np.ones(1), 0.01)
    assert density.membership().argmax(axis=1).tolist() == [0, 0, 1]


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("p", [1, 40])
def test_one_or_two_rows(n, p):
    X = np.random.default_rng(0).normal(size=(n, p))
    model = WBMS(**MODEL).fit(X)
    np.testing.assert_allclose(model.membership_.sum(axis=1), 1)
    np.testing.assert_allclose(model.predict_proba(X), np.ones((n, 1)))
    assert np.isfinite(model.outlier_score_).all()


def test_one_cluster_and_constant_columns():
    X = np.column_stack([np.random.default_rng(0).normal(size=30), np.full(30, 7.0)])
    model = WBMS(h=50.0, lam=1.0).fit(X)
    np.testing.assert_array_equal(model.membership_, np.ones((30, 1)))
    constant = WBMS(**MODEL).fit(np.full((5, 2), 3.0))
    np.testing.assert_array_equal(constant.membership_, np.ones((5, 1)))
    np.testing.assert_array_equal(constant.predict_proba([[1.0, 2.0]]), [[1.0]])


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 500))
    X[:10, :3] += 8
    model = WBMS(h=0.1, lam=0.05, init="marginal").fit(X)
    assert model.n_clusters_ == 2
    assert (model.membership_.argmax(axis=1) == model.labels_).all()


@settings(max_examples=20)
@given(st.floats(1e3, 1e300))
def test_rows_however_far_away_have_memberships(value):
    X, _ = datasets.data1(random_state=0)
    model = WBMS(**MODEL).fit(X)
    far = X.iloc[:2].to_numpy().copy()
    far[:, 0] = (-value, value)
    found = model.predict_proba(pd.DataFrame(far, columns=X.columns))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)
    assert (model.outlier_score(pd.DataFrame(far, columns=X.columns)) > 0.999).all()


def test_duplicate_rows_count_for_each_other():
    X = np.repeat(np.array([[0.0], [1.0]]), 5, axis=0)
    density, _, _ = density_of(X, np.repeat([0, 1], 5), np.ones(1), 1e-3)
    np.testing.assert_allclose(density.membership(), np.repeat(np.eye(2), 5, axis=0))


def test_a_result_has_memberships_in_its_own_index():
    df, _ = datasets.data1(random_state=0)
    df.index = [f"row {i}" for i in range(len(df))]
    df.iloc[3, 0] = np.nan
    result = wbms(df, na_action="omit", **MODEL)
    assert result.membership.index.equals(df.index.delete(3))
    assert result.membership.columns.name == "cluster"
    np.testing.assert_array_equal(result.row_confidence, result.membership.max(axis=1))
    expected = result.row_confidence.groupby(result.labels[result.row_confidence.index]).mean()
    np.testing.assert_allclose(result.cluster_confidence, expected, rtol=1e-12)
    new = df.iloc[:6]
    np.testing.assert_array_equal(
        result.predict_proba(new), result.estimator.predict_proba(new.dropna().to_numpy())
    )
    assert result.predict_proba(new).index.equals(new.dropna().index)


def test_memberships_are_calibrated():
    """Of rows whose largest membership is m, a share of about m has the right label."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=1500)
    X = rng.normal(size=(1500, 2))
    X[:, 0] += 3 * truth
    model = WBMS(h=0.15, lam=0.1, init="uniform").fit(X)
    assert model.n_clusters_ == 2
    side = (X[model.labels_ == 0, 0].mean() > 1.5) * 1
    right = model.membership_.argmax(axis=1) == (truth != side)
    unsure = model.row_confidence_ < 0.9
    assert 50 < unsure.sum() < 500
    assert abs(model.row_confidence_[unsure].mean() - right[unsure].mean()) < 0.1
    assert abs(model.row_confidence_.mean() - right.mean()) < 0.03
