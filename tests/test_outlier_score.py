"""Outlier scores, and outliers that are labelled instead of kept."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from pywbms import WBMS, datasets, wbms
from pywbms._engine.outlier_score import LEVEL, Tails
from tests.problems import dirty_tables

MODEL = {"h": 0.1, "lam": 0.05, "init": "uniform"}


def gaussian(n=600, seed=0):
    """Return two Gaussian clusters of two columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X[: n // 2] += 10
    return X


def expected_score(log_density, labels, row):
    """Return the score of a row by its definition, for clusters of at least ten rows."""
    s = np.sort(-log_density[labels == labels[row]])
    n = len(s)
    m, q = s[int(np.ceil(0.5 * n)) - 1], s[int(np.ceil(0.9 * n)) - 1]
    b = max((q - m) / np.log(5), 0.1)
    away = (-log_density[row] - m) / b
    return 1 - np.exp(-away) / 2 if away >= 0 else np.exp(away) / 2


def test_scores_are_the_documented_tail_probabilities():
    model = WBMS(**MODEL).fit(gaussian())
    for row in range(0, 600, 37):
        expected = expected_score(model._log_density(), model.labels_, row)
        assert model.outlier_score_[row] == pytest.approx(expected, abs=1e-12)


def test_rows_of_a_gaussian_cluster_are_rarely_beyond_a_level():
    scores = np.concatenate(
        [WBMS(**MODEL).fit(gaussian(seed=seed)).outlier_score_ for seed in range(5)]
    )
    assert 0.3 < (scores > 0.5).mean() < 0.6
    assert 0.005 < (scores > 0.99).mean() < 0.02
    assert (scores > LEVEL).mean() < 0.004


def test_small_clusters_are_compared_with_all_rows():
    log_density = -np.concatenate([np.linspace(0, 3, 30), [9.0, 9.0]])
    labels = np.repeat([0, 1], [30, 2])
    tails = Tails.of(log_density, labels)
    assert tails.location[0] == tails.location[1]
    assert (tails.score(log_density, labels)[30:] > 0.98).all()


def test_integer_masses_count_as_repeated_rows():
    rng = np.random.default_rng(0)
    log_density, labels = rng.normal(size=60), np.arange(60) % 2
    mass = rng.integers(0, 4, 60)
    weighted = Tails.of(log_density, labels, mass.astype(float))
    repeated = Tails.of(np.repeat(log_density, mass), np.repeat(labels, mass))
    np.testing.assert_array_equal(weighted.location, repeated.location)
    np.testing.assert_array_equal(weighted.scale, repeated.scale)


@given(dirty_tables(), st.integers(0, 2**32 - 1))
def test_scores_do_not_depend_on_the_order_of_rows(X, seed):
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = quiet_fit(X), quiet_fit(X[order])
    np.testing.assert_array_equal(one.outlier_score_[order], other.outlier_score_)
    assert np.isfinite(one.outlier_score_).all()
    assert (one.outlier_score_ >= 0).all()
    assert (one.outlier_score_ <= 1).all()


@given(dirty_tables())
def test_labelled_outliers_are_minus_one_and_a_row_keeps_its_label(X):
    kept, labelled = quiet_fit(X), quiet_fit(X, outliers="label")
    beyond = (kept.outlier_score_ > LEVEL) | kept.outliers_
    np.testing.assert_array_equal(labelled.labels_ < 0, beyond & ~beyond.all())
    inside = labelled.labels_[labelled.labels_ >= 0]
    assert np.array_equal(np.unique(inside), np.arange(labelled.n_clusters_))
    assert (np.diff(np.bincount(inside)) <= 0).all()  # the largest first
    assert len(labelled.cluster_centers_) == labelled.n_clusters_
    assert labelled.membership_.shape == (len(X), labelled.n_clusters_)
    np.testing.assert_array_equal(labelled.outlier_score_, kept.outlier_score_)
    np.testing.assert_array_equal(labelled.predict(X), labelled.labels_)


def quiet_fit(X, **params):
    """Return a fit without warnings about nearly equal columns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return WBMS(**MODEL, **params).fit(X)


def test_a_far_row_is_not_a_member_of_a_cluster_without_a_word():
    X = gaussian()
    far = np.array([[1e6, 0.0], [0.0, 0.0]])
    with pytest.warns(UserWarning, match=r"far outside everything that was clustered: 1 of 2"):
        assert (WBMS(**MODEL).fit(X).predict(far) >= 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = WBMS(**MODEL, outliers="label").fit(X).predict(far)
        WBMS(**MODEL).fit(X).predict(X + 0.5)  # not far
    assert labels[0] == -1
    assert labels[1] >= 0


def test_a_far_row_is_seen_where_far_values_are_squashed():
    X = gaussian()
    X[0, 0] = 1e4  # from now on the column is squashed
    model = WBMS(**MODEL).fit(X)
    with pytest.warns(UserWarning, match="1 of 1"):
        model.predict([[1e7, 0.0]])
    assert WBMS(**MODEL, outliers="label").fit(X).predict([[1e7, 0.0]]) == [-1]


def test_a_cluster_of_outliers_alone_vanishes():
    X = np.vstack([gaussian(), [[40.0, -20.0]]])
    alone = {**MODEL, "standardize": True, "exclude_self": False}
    kept = WBMS(**alone).fit(X)
    assert kept.n_clusters_ == 3
    assert kept.labels_[-1] == 2
    model = WBMS(**alone, outliers="label").fit(X)
    assert model.n_clusters_ == 2
    assert model.labels_[-1] == -1
    assert model.predict([[40.1, -20.0]]) == [-1]
    assert model.groups_[-1] == 2


def test_results_with_labelled_outliers_can_be_used_as_others():
    df = pd.DataFrame(gaussian(), columns=["a", "b"])
    df.loc[0, "b"] = 1e5
    df.loc[5, "a"] = np.nan
    result = wbms(df, na_action="omit", outliers="label", tree=True, **MODEL)
    assert result.labels[0] == -1
    assert result.labels[5] == -1
    assert 5 not in result.outlier_score.index
    assert result.outlier_score[0] > LEVEL
    assert result.summary()["size"].sum() == (result.labels >= 0).sum()
    assert "labelled as outliers" in repr(result)
    assert result.predict(df).equals(result.labels)
    assert result.check_theory()["holds"].all()
    np.testing.assert_array_equal(
        result.outlier_score_of(df.iloc[:3]), result.estimator.outlier_score(df.iloc[:3].to_numpy())
    )


def test_the_parameter_is_checked_and_cloned():
    with pytest.raises(ValueError, match="outliers must be one of 'keep', 'label', got 'drop'"):
        WBMS(**MODEL, outliers="drop").fit(gaussian())
    assert clone(WBMS(outliers="label")).outliers == "label"


@pytest.mark.parametrize("name", ["membership_", "outlier_score_", "row_confidence_"])
def test_without_a_fit_there_are_no_scores(name):
    with pytest.raises(NotFittedError, match="not fitted yet"):
        getattr(WBMS(), name)
    assert not hasattr(WBMS(), name)


def test_a_new_fit_forgets_the_scores_of_the_last():
    model = WBMS(**MODEL).fit(gaussian())
    before = model.outlier_score_
    X, _ = datasets.data1(random_state=0)
    model.fit(X)
    assert len(model.outlier_score_) == len(X) != len(before)
