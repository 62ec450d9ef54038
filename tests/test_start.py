"""The start of the weights, the joining of clusters, and what a result tells about its choice."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS, datasets, wbms
from pywbms._engine.fit import fit_rows
from pywbms._engine.settings import Settings
from pywbms._engine.start import marginal_start, weights_of_displacement
from pywbms._selection.agreement import agreement
from pywbms._selection.evidence import (
    Confidence,
    evidence,
    expected_agreement,
    expected_of_one_cluster,
)
from pywbms._selection.starts import starts_for
from pywbms.theory.refit import refit_with_path
from tests import oracle


@pytest.fixture(scope="module")
def buried():
    """Two columns with clusters among sixty without, and the truth."""
    X, truth = datasets.simulation2(60, random_state=1)
    return X.to_numpy(dtype=float), truth.to_numpy()


@pytest.fixture(scope="module")
def example():
    X, _ = datasets.data1(random_state=0)
    return wbms(X)


@pytest.fixture(scope="module")
def arc():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, 300)
    return np.stack([x, x**2 + rng.normal(0, 0.1, 300)], axis=1)


class TestStart:
    def test_numbers_are_taken_as_given(self, buried):
        X, _ = buried
        weights = np.arange(1.0, X.shape[1] + 1)
        model = WBMS(0.1, 0.05, init=weights, warmup=0, record_path=True).fit(X)
        np.testing.assert_array_equal(model.init_, weights)
        np.testing.assert_allclose(model.weights_path_[0], weights / weights.sum(), rtol=1e-14)

    def test_equal_numbers_are_the_uniform_start(self, buried):
        X = buried[0][:40, :6]
        model = WBMS(0.2, 0.1, init="uniform").fit(X)
        again = WBMS(0.2, 0.1, init=np.ones(6)).fit(X)
        np.testing.assert_array_equal(again.modes_, model.modes_)

    def test_marginal_weights_are_those_of_the_oracle(self, buried):
        X, _ = buried
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
        D = oracle.marginal_displacement(Z, np.ones(len(Z)), 0.3, 20)
        expected = weights_of_displacement(D, 0.1)
        np.testing.assert_allclose(marginal_start(X, Settings()), expected, atol=1e-9)

    def test_it_finds_the_columns_that_matter(self, buried):
        X, truth = buried
        found = WBMS(0.02, 0.05, init="marginal").fit(X)
        lost = WBMS(0.02, 0.05, init="uniform").fit(X)
        assert adjusted_rand_score(truth, found.labels_) > 0.95
        assert adjusted_rand_score(truth, lost.labels_) < 0.2
        # At a given pair the start is chosen by how well the clusters predict.
        chosen = WBMS(0.02, 0.05).fit(X)
        assert adjusted_rand_score(truth, chosen.labels_) > 0.95

    def test_constant_columns_have_no_weight(self, buried):
        X = np.column_stack([buried[0], np.full(len(buried[0]), 3.0)])
        start = marginal_start(X, Settings())
        assert start[-1] == 0
        np.testing.assert_allclose(start[:-1], marginal_start(buried[0], Settings()), atol=1e-12)

    def test_columns_that_do_not_move_weigh_the_same(self):
        assert weights_of_displacement(np.zeros(4), 0.1).tolist() == [0.25] * 4
        two_valued = np.random.default_rng(0).integers(2, size=(50, 3)).astype(float)
        assert np.isfinite(marginal_start(two_valued, Settings())).all()

    def test_one_column_has_one_start(self):
        X = np.random.default_rng(0).normal(size=(30, 1))
        assert list(starts_for(X, Settings())) == ["uniform"]

    @pytest.mark.parametrize("form", [WBMS.paper, WBMS.released])
    def test_the_published_forms_start_from_equal_weights(self, form):
        assert form(0.1, 1.0).init == "uniform"

    @pytest.mark.parametrize(
        ("init", "message"),
        [
            ("largest", "init must be one of 'auto', 'uniform', 'marginal'"),
            ([[1.0]], "init must be one of"),
            ([], "init must be one of"),
            ([1.0, -1.0], "init must hold finite numbers >= 0"),
            ([1.0, np.nan], "init must hold finite numbers >= 0"),
            ([0.0, 0.0], "not all of them 0"),
            ([1.0, 1.0, 1.0], "init must hold one number per column: got 3 for 2 columns"),
            ([0.0, 1.0], "positive for at least one column that is not constant"),
        ],
    )
    def test_bad_starts_are_named(self, init, message):
        X = np.column_stack([np.arange(12.0), np.ones(12)])
        with pytest.raises(ValueError, match=message):
            WBMS(0.1, 0.1, init=init).fit(X)

    def test_bad_join_is_named(self):
        with pytest.raises(ValueError, match="join must be True, False or 'auto', got 1"):
            WBMS(0.1, 0.1, join=1).fit(np.arange(12.0)[:, None])


class TestJoin:
    def test_pieces_of_a_curve(self, arc):
        apart = WBMS(0.03, 1.0).fit(arc)
        joined = WBMS(0.03, 1.0, join=True).fit(arc)
        assert apart.n_clusters_ > 1
        assert joined.n_clusters_ == len(joined.cluster_centers_) == 1
        np.testing.assert_array_equal(joined.groups_, apart.labels_)
        np.testing.assert_array_equal(joined.modes_, apart.modes_)
        size = np.bincount(apart.labels_)
        center = size @ apart.cluster_centers_ / size.sum()
        np.testing.assert_allclose(joined.cluster_centers_[0], center)
        np.testing.assert_array_equal(joined.predict(arc), joined.labels_)

    def test_a_refit_has_the_same_labels(self, arc):
        model = WBMS(0.03, 1.0, join=True).fit(arc)
        again = refit_with_path(model)
        np.testing.assert_array_equal(again.labels_, model.labels_)
        assert again.get_params() == {**model.get_params(), "record_path": True}

    def test_a_curved_cloud_is_one_cluster(self, arc):
        assert WBMS().fit(arc).n_clusters_ == 1


class TestConfidence:
    def test_clear_clusters(self, example):
        assert example.confidence == example.choice.confidence
        assert example.confidence.word in ("medium", "high")
        assert 0.45 <= example.confidence.expected <= 1

    def test_it_grows_with_the_evidence(self):
        assert evidence(2.0, 5.0) > 0 > evidence(0.01, 1.0)
        sure = expected_agreement(2.0, 5.0, 0.1, 0.8, wide=False)
        assert sure > expected_agreement(0.3, 3.0, 0.5, 0.3, wide=False)
        assert sure > expected_agreement(2.0, 5.0, 0.1, 0.8, wide=True)
        assert {Confidence.of(x).word for x in (0.0, 0.5, 1.0)} == {"low", "medium", "high"}

    def test_other_partitions_are_results(self, example):
        same = example.at(2)
        assert adjusted_rand_score(same.labels, example.labels) == 1
        for k in sorted(set(example.selection["k"]))[1:4]:
            assert example.at(k).n_clusters == k
        with pytest.raises(ValueError, match="k = 199: no candidate and no level of a tree has so"):
            example.at(199)

    def test_one_cluster_names_the_partition_that_there_would_be(self):
        X, _ = datasets.data1(random_state=0)
        noise = wbms(X[["x11", "x12", "x13", "x14", "x15"]])
        assert noise.n_clusters == 1
        k = noise.selection.query("k > 1")["k"].min()
        assert noise.at(k).n_clusters == k

    def test_one_cluster_is_never_sure_where_there_could_be_more(self):
        rng = np.random.default_rng(0)
        noise = wbms(pd.DataFrame(rng.normal(size=(100, 3))))
        assert noise.n_clusters == 1
        assert 0.5 < noise.confidence.expected <= 0.8
        doubtful = expected_of_one_cluster(-0.1, unsure=False)
        assert doubtful < expected_of_one_cluster(-3.0, unsure=False)
        few = wbms(pd.DataFrame(rng.normal(size=(5, 3))))
        assert few.n_clusters == 1
        assert few.confidence.word == "low"
        alike = wbms(pd.DataFrame(np.ones((20, 3))))
        assert alike.confidence.expected == 1

    def test_given_parameters_leave_nothing_to_be_confident_of(self):
        X, _ = datasets.data1(random_state=0)
        result = wbms(X, h=0.1, lam=0.05)
        assert result.confidence is None
        assert result.alternatives is None
        assert adjusted_rand_score(result.at(2).labels, result.labels) == 1

    def test_agreement_is_the_adjusted_rand_index(self):
        rng = np.random.default_rng(0)
        for _ in range(50):
            a, b = rng.integers(4, size=(2, 20))
            assert agreement(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)
        assert agreement(np.zeros(1, dtype=int), np.zeros(1, dtype=int)) == 1


def test_an_engine_wants_a_start_that_is_resolved():
    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(ValueError, match="marginal_start"):
        fit_rows(X, Settings(h=0.1, lam=0.1, init="marginal"))
