"""WBMS as a scikit-learn estimator: conventions, outputs, invariances."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import log_uniform, seeds, tables
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from pywbms import WBMS, datasets
from pywbms._machine import threads

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    # Some of scikit-learn's checks are about sparse data.
    pytest.mark.filterwarnings("ignore:data are sparse:UserWarning"),
]


def not_for_clusterers(estimator):
    """Return the checks that cannot pass, with the reason."""
    reason = "scikit-learn takes what has predict_proba and accepts sparse data for a classifier"
    return dict.fromkeys(("check_estimator_sparse_array", "check_estimator_sparse_matrix"), reason)


# At this h there are three clusters in the data of the checks that ask for three, and none of equal
# size where the numbers of clusters are compared: those go by their first row, here or there.
@parametrize_with_checks([WBMS(h=0.4, lam=1.0)], expected_failed_checks=not_for_clusterers)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [WBMS(h=0.1, lam=1.0), WBMS(n_clusters=3), WBMS()], ids=repr)
def test_weights_equal_shuffled_repeated_rows_up_to_the_numbering(model):
    rng = np.random.default_rng(42)
    X, weights = rng.random((15, 30)), rng.integers(0, 5, size=15)
    X += 2 * (np.arange(15) % 3)[:, None]
    order = rng.permutation(15)
    weighted = clone(model).fit(X[order], sample_weight=weights[order])
    repeated = clone(model).fit(X.repeat(weights, axis=0))
    number = np.full(repeated.n_clusters_, -1)
    number[repeated.predict(X)] = weighted.predict(X)
    assert weighted.n_clusters_ == repeated.n_clusters_ > 1
    assert np.array_equal(number[repeated.predict(X)], weighted.predict(X))
    for method in ("predict_proba", "transform"):
        found, expected = (getattr(model, method)(X) for model in (weighted, repeated))
        np.testing.assert_allclose(found[:, number], expected, rtol=1e-9, atol=1e-12)


def not_for_the_defaults(estimator):
    """Return the checks that cannot pass where h and lam are chosen, with the reason."""
    reason = "clusters of equal size are numbered by their first row; this check shuffles the rows"
    name = "check_sample_weight_equivalence_on_{}_data"
    shuffling = dict.fromkeys((name.format("dense"), name.format("sparse")), reason)
    return {**not_for_clusterers(estimator), **shuffling}


# What those checks ask for is tested up to the numbering of clusters, just above.
@pytest.mark.slow
@parametrize_with_checks([WBMS()], expected_failed_checks=not_for_the_defaults)
def test_scikit_learn_checks_of_the_defaults(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def example():
    X, truth = datasets.data1(0)
    return X, truth, WBMS(0.1, 0.05).fit(X)


class TestOutputs:
    @settings(max_examples=60)
    @given(tables(), log_uniform(0.01, 2), log_uniform(0.01, 10))
    def test_every_output_is_in_order(self, X, h, lam):
        model = WBMS(h, lam, max_iter=40, record_path=True).fit(X)
        n, p = X.shape
        sizes = np.bincount(model.labels_)
        assert (np.diff(sizes) <= 0).all()
        assert (sizes > 0).all()
        first = [np.flatnonzero(model.labels_ == k)[0] for k in range(len(sizes))]
        ties = np.diff(sizes) == 0
        assert (np.diff(first)[ties] > 0).all()
        assert (model.feature_weights_ >= 0).all()
        assert model.feature_weights_.sum() == pytest.approx(1.0, abs=1e-12)
        constant = (X == X[0]).all(axis=0)
        if not constant.all():
            assert (model.feature_weights_[constant] == 0).all()
        assert model.modes_.shape == (n, p)
        assert model.cluster_centers_.shape == (len(sizes), p) == (model.n_clusters_, p)
        for output in (model.modes_, model.cluster_centers_, model.path_, model.weights_path_):
            assert np.isfinite(output).all()
        np.testing.assert_array_equal(model.modes_[:, constant], X[:, constant])

    @settings(max_examples=60)
    @given(tables(), log_uniform(0.01, 2), log_uniform(0.01, 10))
    def test_training_rows_are_predicted_as_labelled(self, X, h, lam):
        model = WBMS(h, lam, max_iter=40).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)

    def test_modes_and_centers_are_in_the_units_of_the_data(self, example):
        X, truth, _ = example
        model = WBMS(0.1, 0.05).fit(X * 1000 + 5)
        means = (X * 1000 + 5).groupby(truth).mean().sort_values("x1")[["x1", "x2"]]
        centers = np.sort(model.cluster_centers_[:, :2], axis=0)
        np.testing.assert_allclose(centers, means, atol=150)
        np.testing.assert_allclose(
            model.modes_, model.cluster_centers_[model.labels_], rtol=0, atol=1e-2
        )

    def test_new_rows_go_to_the_cluster_they_lie_in(self, example):
        X, truth, model = example
        fresh, fresh_truth = datasets.data1(99)
        assert adjusted_rand_score(fresh_truth, model.predict(fresh)) == 1.0
        assert adjusted_rand_score(truth, model.predict(X + 0.01)) == 1.0

    def test_transform_gives_weighted_distances_to_the_centers(self, example):
        X, _, model = example
        distances = model.transform(X)
        z = (X - X.mean()) / X.std()
        c = (model.cluster_centers_ - X.mean().to_numpy()) / X.std().to_numpy()
        for k in range(2):
            expected = np.sqrt(((z - c[k]) ** 2 * model.feature_weights_).sum(axis=1))
            np.testing.assert_allclose(distances[:, k], expected, atol=1e-12)
        np.testing.assert_array_equal(distances.argmin(axis=1), model.labels_)

    def test_the_last_of_the_path_is_the_outcome(self, example):
        X, _, _ = example
        model = WBMS(0.1, 0.05, record_path=True).fit(X)
        assert model.path_.shape == (model.n_iter_ + 1, 200, 32)
        z = (X - X.mean()) / X.std()
        np.testing.assert_allclose(model.path_[0], z, atol=1e-12)
        modes = model.path_[-1] * X.std().to_numpy() + X.mean().to_numpy()
        np.testing.assert_allclose(modes, model.modes_, atol=1e-12)
        np.testing.assert_array_equal(model.weights_path_[-1], model.feature_weights_)

    def test_the_path_of_data_that_do_not_vary(self):
        model = WBMS(0.1, 0.05, record_path=True).fit(np.ones((3, 2)))
        assert model.path_.shape == (1, 3, 2)
        np.testing.assert_array_equal(model.weights_path_, [model.feature_weights_])

    def test_no_path_unless_asked_for(self, example):
        assert not hasattr(example[2], "path_")


class TestInvariances:
    @pytest.mark.slow
    @settings(max_examples=60)
    @given(tables(), seeds, log_uniform(0.01, 2), log_uniform(0.01, 10))
    def test_the_order_of_the_rows_does_not_matter_to_the_bit(self, X, seed, h, lam):
        order = np.random.default_rng(seed).permutation(len(X))
        model = WBMS(h, lam, max_iter=40).fit(X)
        permuted = WBMS(h, lam, max_iter=40).fit(X[order])
        np.testing.assert_array_equal(permuted.modes_, model.modes_[order])
        np.testing.assert_array_equal(permuted.feature_weights_, model.feature_weights_)
        assert adjusted_rand_score(permuted.labels_, model.labels_[order]) == 1.0
        assert permuted.n_iter_ == model.n_iter_

    @pytest.mark.parametrize("h", [0.05, 0.1, 0.3])
    def test_the_order_of_the_columns_does_not_matter(self, h):
        X, _ = datasets.simulation1(6, random_state=2)
        order = np.random.default_rng(0).permutation(20)
        model, permuted = WBMS(h, 0.05).fit(X), WBMS(h, 0.05).fit(X.iloc[:, order])
        np.testing.assert_array_equal(permuted.labels_, model.labels_)
        np.testing.assert_allclose(
            permuted.feature_weights_, model.feature_weights_[order], rtol=0, atol=1e-9
        )

    @pytest.mark.parametrize("h", [0.05, 0.1, 0.3])
    def test_shift_and_scale_of_a_column_do_not_matter(self, h):
        X, _ = datasets.simulation1(6, random_state=2)
        rng = np.random.default_rng(0)
        moved = X * rng.uniform(1e-3, 1e3, size=20) + rng.normal(size=20) * 100
        model, again = WBMS(h, 0.05).fit(X), WBMS(h, 0.05).fit(moved)
        np.testing.assert_array_equal(again.labels_, model.labels_)
        np.testing.assert_allclose(
            again.feature_weights_, model.feature_weights_, rtol=0, atol=1e-9
        )

    def test_powers_of_two_change_nothing_to_the_bit(self, example):
        X, _, model = example
        again = WBMS(0.1, 0.05).fit(X * 2.0**900)
        np.testing.assert_array_equal(again.feature_weights_, model.feature_weights_)
        np.testing.assert_array_equal(again.modes_, model.modes_ * 2.0**900)

    def test_the_number_of_threads_does_not_matter_to_the_bit(self):
        X, _ = datasets.simulation1(30, random_state=0)
        assert len(X) ** 2 * X.shape[1] > threads.WORTH_THREADS
        one, two, every = (WBMS(0.03, 0.05, n_jobs=n).fit(X) for n in (None, 2, -1))
        for other in (two, every):
            np.testing.assert_array_equal(other.modes_, one.modes_)
            np.testing.assert_array_equal(other.labels_, one.labels_)

    @pytest.mark.slow
    def test_centers_and_automatic_units_do_not_depend_on_the_order_of_rows(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        for params in ({"h": 1.0, "lam": 0.1}, {"standardize": False}):
            model, turned = WBMS(**params).fit(X), WBMS(**params).fit(X[::-1])
            np.testing.assert_array_equal(turned.cluster_centers_, model.cluster_centers_)
            assert (turned.h_, turned.lam_) == (model.h_, model.lam_)

    def test_repeated_rows_share_a_label(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(15, 3))[rng.integers(15, size=60)]
        for merge in (True, False):
            labels = pd.Series(WBMS(0.05, 0.5, merge=merge).fit(X).labels_)
            assert (labels.groupby(X[:, 0]).nunique() == 1).all()


class TestConventions:
    def test_pickles(self, example):
        X, _, model = example
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict(X), model.labels_)

    def test_clones(self):
        model = WBMS(0.2, 3.0, stop="movement", merge=False)
        assert clone(model).get_params() == model.get_params()

    def test_a_refit_without_a_path_has_none(self, example):
        model = WBMS(0.1, 0.05, record_path=True).fit(example[0])
        model.set_params(record_path=False).fit(example[0])
        assert not hasattr(model, "path_")
        assert not hasattr(model, "weights_path_")

    def test_works_at_the_end_of_a_pipeline(self, example):
        X, truth, _ = example
        pipeline = make_pipeline(StandardScaler().set_output(transform="pandas"), WBMS(0.1, 0.05))
        assert adjusted_rand_score(truth, pipeline.fit_predict(X)) == 1.0
        assert pipeline[-1].feature_names_in_.tolist() == list(X)

    def test_set_output_gives_frames(self, example):
        X, _, _ = example
        model = WBMS(0.1, 0.05).set_output(transform="pandas")
        distances = model.fit_transform(X)
        assert distances.columns.tolist() == ["wbms0", "wbms1"]
        assert distances.index.equals(X.index)

    def test_presets(self):
        paper = WBMS.paper(0.1, 10).get_params()
        assert (paper["exclude_self"], paper["warmup"], paper["stop"], paper["lam_scale"]) == (
            False, 0, "diameter", "mean",
        )  # fmt: skip
        released = WBMS.released(0.1, 10).get_params()
        assert (released["warmup"], released["max_iter"], released["lam_scale"]) == (20, 30, "sum")
        assert WBMS.released(0.1, 10, n_jobs=2).n_jobs == 2

    def test_not_fitted(self):
        with pytest.raises(NotFittedError):
            WBMS().predict([[1.0]])


class TestAuto:
    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(5))
    def test_the_motivating_example(self, seed):
        X, truth = datasets.data1(seed)
        model = WBMS().fit(X)
        assert adjusted_rand_score(truth, model.labels_) == 1.0
        assert model.feature_weights_[:2].sum() > 0.99

    @pytest.mark.slow
    def test_the_choice_can_be_looked_up(self):
        X, _ = datasets.data1(0)
        model = WBMS().fit(X)
        table = model.selection_
        assert table.loc[table.chosen, ["h", "lam"]].to_numpy().tolist() == [[model.h_, model.lam_]]
        assert model.choice_.n_clusters == model.n_clusters_
        given = WBMS(0.1, 0.1).fit(X)
        assert given.selection_ is None
        assert given.choice_ is None

    @pytest.mark.slow
    def test_the_choice_is_an_ordinary_fit(self):
        X, _ = datasets.simulation1(5, random_state=0)
        auto = WBMS().fit(X)
        again = WBMS(auto.h_, auto.lam_, init=auto.init_, join=auto.choice_.join).fit(X)
        np.testing.assert_array_equal(again.modes_, auto.modes_)
        np.testing.assert_array_equal(again.labels_, auto.labels_)

    @pytest.mark.slow
    @pytest.mark.parametrize("p", [2, 5, 20])
    @pytest.mark.parametrize("seed", range(3))
    def test_noise_is_one_cluster(self, p, seed):
        X = np.random.default_rng(seed).normal(size=(150, p))
        assert WBMS().fit(X).n_clusters_ == 1

    @pytest.mark.slow
    def test_lam_on_the_sum_scale_is_the_same_choice(self):
        X, _ = datasets.data1(0)
        mean, total = WBMS().fit(X), WBMS(lam_scale="sum").fit(X)
        assert total.lam_ == pytest.approx(mean.lam_ * 200)
        np.testing.assert_array_equal(total.labels_, mean.labels_)

    @pytest.mark.slow
    def test_unscaled_data_get_a_grid_in_their_units(self):
        X, _ = datasets.varied_densities(random_state=0, n_noise_features=0)
        metres, millimetres = (
            WBMS(standardize=False, eps=1e-5 * unit).fit(X * unit) for unit in (1, 1000)
        )
        assert millimetres.h_ == pytest.approx(metres.h_ * 1e6)


@given(st.sampled_from([2, 3, 5]), seeds)
@settings(max_examples=20)
def test_duplicated_data_have_the_same_weights(times, seed):
    """Kept in its own mean, a row that is there m times is a row of mass m."""
    X = np.random.default_rng(seed).normal(size=(12, 3))
    repeated = np.tile(X, (times, 1))
    model = WBMS(0.3, 0.5, exclude_self=False, standardize=False, max_iter=15, init="uniform")
    once, often = clone(model).fit(X), clone(model).fit(repeated)
    np.testing.assert_allclose(often.feature_weights_, once.feature_weights_, atol=1e-9)
