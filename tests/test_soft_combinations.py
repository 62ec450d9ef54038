"""Memberships and outliers together with weights of rows, numbers of clusters, and files."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import same_result

import pywbms
from pywbms import WBMS, wbms
from tests.problems import seeds

MODEL = {"h": 0.1, "lam": 0.05, "init": "uniform"}


def clusters_with_outliers(seed=0, n=200, k=2):
    """Return k Gaussian clusters of two columns, and three rows between and beside them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 10 * (np.arange(n) % k)[:, None]
    return np.vstack([X, [[5.0, 5.0], [4.0, -4.0], [-5.0, 9.0]]])


def scores(result):
    """Return everything that results tell of single rows and clusters."""
    return {
        "membership": result.membership, "score": result.outlier_score,
        "confidence": result.row_confidence, "clusters": result.cluster_confidence,
        "weights": result.cluster_weights, "profile": result.profile(),
    }  # fmt: skip


@pytest.fixture
def labelled():
    return wbms(pd.DataFrame(clusters_with_outliers()), outliers="label", **MODEL)


@settings(max_examples=25, deadline=None)
@given(seed=seeds, outliers=st.sampled_from(["keep", "label"]), whole=st.booleans())
def test_whole_weights_equal_repeated_rows(seed, outliers, whole):
    X = clusters_with_outliers(n=40)
    weights = np.random.default_rng(seed).integers(1, 4, size=len(X))
    rows = np.repeat(np.arange(len(X)), weights)
    # Weights with a tiny fraction are not turned into repeated rows, but go through the masses.
    given_weights = weights + (0.0 if whole else 1e-13)
    weighted = wbms(pd.DataFrame(X), weights=given_weights, outliers=outliers, **MODEL)
    repeated = wbms(pd.DataFrame(X[rows]), outliers=outliers, **MODEL)
    assert np.array_equal(weighted.labels.to_numpy()[rows], repeated.labels)
    expected = scores(repeated)
    for name, found in scores(weighted).items():
        per_row = name in ("membership", "score", "confidence")
        found = found.to_numpy()[rows] if per_row else found.to_numpy()
        np.testing.assert_allclose(found, expected[name].to_numpy(), rtol=1e-6, atol=1e-9)
    new = X[::3] + 0.3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # new rows may be far outside
        assert np.array_equal(weighted.predict(new), repeated.predict(new))
    found, expected = (result.predict_proba(new) for result in (weighted, repeated))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
    found, expected = (result.outlier_score_of(new) for result in (weighted, repeated))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("outliers", ["keep", "label"])
def test_rows_of_weight_0_are_new_rows(outliers):
    X = clusters_with_outliers()
    counted = np.arange(len(X)) % 4 > 0
    counted[-1] = False
    weighted = WBMS(outliers=outliers, **MODEL).fit(X, sample_weight=counted)
    alone = WBMS(outliers=outliers, **MODEL).fit(X[counted])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert np.array_equal(weighted.labels_[~counted], alone.predict(X[~counted]))
        assert np.array_equal(weighted.predict(X), weighted.labels_)
    assert np.array_equal(weighted.labels_[counted], alone.labels_)
    assert np.array_equal(weighted.cluster_centers_, alone.cluster_centers_)
    for name in ("membership_", "outlier_score_"):
        assert np.array_equal(getattr(weighted, name)[counted], getattr(alone, name))
    assert np.array_equal(weighted.membership_[~counted], alone.predict_proba(X[~counted]))
    assert np.array_equal(weighted.outlier_score_[~counted], alone.outlier_score(X[~counted]))


def test_a_copy_of_weight_0_has_the_label_of_the_row():
    X = clusters_with_outliers()
    X = np.vstack([X, X[-3:]])
    weights = np.ones(len(X))
    weights[-3:] = 0
    model = WBMS(outliers="label", **MODEL).fit(X, sample_weight=weights)
    assert (model.labels_[-6:-3] == -1).all()
    assert np.array_equal(model.labels_[-3:], model.labels_[-6:-3])


def test_outliers_do_not_count_in_shares(labelled):
    assert (labelled.labels == -1).any()
    table = labelled.summary()
    assert table["share"].sum() == pytest.approx(1)
    assert table["size"].sum() == (labelled.labels >= 0).sum()


def test_a_loaded_result_has_the_same_outliers(labelled, tmp_path):
    labelled.save(tmp_path / "model.wbms")
    found = pywbms.load(tmp_path / "model.wbms")
    same_result(found, labelled)
    expected = scores(labelled)
    for name, values in scores(found).items():
        assert values.equals(expected[name]), name
    new = clusters_with_outliers(seed=1)
    assert found.predict(new).equals(labelled.predict(new))
    assert (found.predict(new) == -1).any()


def test_the_same_file_whatever_was_computed_before(labelled, tmp_path):
    labelled.save(tmp_path / "before.wbms")
    scores(labelled)
    labelled.save(tmp_path / "after.wbms")
    before, after = ((tmp_path / name).read_bytes() for name in ("before.wbms", "after.wbms"))
    assert before == after


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_exactly_k_clusters_remain(k):
    X = clusters_with_outliers(n=150, k=3)
    result = wbms(pd.DataFrame(X), n_clusters=k, outliers="label", **MODEL)
    assert result.n_clusters == k
    assert sorted(set(result.labels) - {-1}) == list(range(k))
    assert result.membership.shape == (len(X), k)
    assert result.predict(X).tolist() == result.labels.tolist()


def test_other_partitions_and_the_path_of_a_result_with_outliers(labelled):
    assert labelled.layers["own"].sum() == 1
    assert labelled.at(2).n_clusters == 2
    again = labelled.with_path()
    assert again.labels.equals(labelled.labels)
    assert again.outlier_score.equals(labelled.outlier_score)
    assert again.estimator.get_params()["outliers"] == "label"
    assert labelled.check_theory()["holds"].all()
