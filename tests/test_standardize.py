"""Working coordinates: what is far, the squash, donors, repeated columns."""

import warnings

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import dirty_tables, log_uniform, seeds

from benchmarks import robustness
from pywbms import WBMS, datasets, wbms
from pywbms._data.repeats import probe, repeated_columns
from pywbms._data.similar import similar_columns
from pywbms._data.squash import Bounds, bounds_of
from pywbms._data.standardize import Standardizer


def dirty_column(n=100, seed=0):
    x = np.random.default_rng(seed).normal(size=n)
    x[7] = 1000.0
    return x[:, None]


class TestSquash:
    @given(log_uniform(1e-3, 1e3), log_uniform(1e-3, 1e3), seeds)
    def test_it_is_increasing_and_can_be_undone(self, tau, high, seed):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.normal(size=50) * 10 ** rng.uniform(-3, 8, size=50))[:, None]
        bounds = Bounds(np.array([-high]), np.array([high]), np.array([tau]))
        y = bounds.squash(x)
        assert (np.diff(y, axis=0)[np.diff(x, axis=0) > 1e-9 * np.abs(x[1:])] > 0).all()
        inside = np.abs(x) <= high
        np.testing.assert_array_equal(y[inside], x[inside])
        np.testing.assert_allclose(bounds.stretch(y), x, rtol=1e-9)
        np.testing.assert_allclose(
            y.ravel(), oracle.squash(x.ravel(), -high, high, tau), rtol=1e-12
        )

    def test_it_is_smooth_at_the_bounds(self):
        bounds = Bounds(*np.array([[-2.0], [2.0], [0.5]]))
        step = np.diff(bounds.squash(2 + 1e-6 * np.array([[-1.0], [0.0], [1.0]])), axis=0)
        np.testing.assert_allclose(step, 1e-6, rtol=1e-5)

    def test_extreme_values_stay_finite(self):
        X = np.column_stack([dirty_column(seed=seed) for seed in range(3)])
        X[3, 1], X[4, 2] = 1e250, -1e290
        standardizer = Standardizer.of(X, "robust")
        Z = standardizer.forward(X)
        assert np.isfinite(Z).all()
        np.testing.assert_allclose(standardizer.backward(Z), X, rtol=1e-9)


class TestBounds:
    @given(seeds, log_uniform(1e-6, 1e6), st.floats(-1e3, 1e3))
    def test_they_follow_the_unit_and_the_origin(self, seed, scale, shift):
        x = dirty_column(seed=seed)
        (low, high, tau), s = bounds_of(x)
        (low_, high_, tau_), s_ = bounds_of(scale * x + shift)
        np.testing.assert_allclose(
            [low_, high_, tau_, s_],
            [scale * low + shift, scale * high + shift, scale * tau, scale * s],
            rtol=1e-6, atol=1e-6 * scale,
        )  # fmt: skip

    @pytest.mark.parametrize("n", [20, 100, 1000])
    @pytest.mark.parametrize("draw", ["normal", "uniform"])
    def test_clean_columns_have_none(self, n, draw):
        for seed in range(20):
            x = getattr(np.random.default_rng(seed), draw)(size=(n, 3))
            np.testing.assert_array_equal(
                Standardizer.of(x, "robust").forward(x), Standardizer.of(x, True).forward(x)
            )

    @pytest.mark.parametrize("draw", ["exponential", "lognormal", "standard_cauchy"])
    def test_tails_have_few_far_values(self, draw):
        rng = np.random.default_rng(0)
        x = getattr(rng, draw)(size=(1000, 40))
        share = bounds_of(x)[0].far(x).mean()
        assert share < {"exponential": 0.0005, "lognormal": 0.005, "standard_cauchy": 0.02}[draw]

    @pytest.mark.parametrize("share", [0.01, 0.03, 0.5])
    def test_two_valued_columns_have_none(self, share):
        x = (np.arange(200) < 200 * share).astype(float)[:, None]
        assert not bounds_of(x)[0].squashing.any()

    def test_a_small_cluster_far_away_is_kept(self):
        x = np.concatenate([np.random.default_rng(0).normal(size=195), [10, 10.3, 11, 9.8, 10.9]])
        assert not bounds_of(x[:, None])[0].squashing.any()
        x[-4:] = 0
        assert bounds_of(x[:, None])[0].far(x[:, None]).ravel().tolist() == [False] * 195 + [
            True, *[False] * 4,
        ]  # fmt: skip

    def test_rare_values_set_the_scale_where_most_are_equal(self):
        x = np.zeros((200, 1))
        x[:5, 0] = [1, 2, 1, 3, 1e6]
        bounds, s = bounds_of(x)
        assert s.tolist() == [2.0]
        assert bounds.far(x).ravel().nonzero()[0].tolist() == [4]


class TestRobustCoordinates:
    @given(dirty_tables())
    def test_rows_come_back_in_their_units(self, X):
        standardizer = Standardizer.of(X, "robust")
        back = standardizer.backward(standardizer.forward(X))
        size = np.abs(X).max(axis=0)
        assert (np.abs(back - X) <= 1e-7 * size).all()

    @given(dirty_tables(), seeds)
    def test_units_and_origins_do_not_matter(self, X, seed):
        rng = np.random.default_rng(seed)
        scale = 2.0 ** rng.integers(-20, 20, size=X.shape[1]) * rng.choice([-1, 1], size=X.shape[1])
        of, other = Standardizer.of(X, "robust"), Standardizer.of(X * scale, "robust")
        np.testing.assert_array_equal(of.active, other.active)
        np.testing.assert_array_equal(of.outliers(X), other.outliers(X * scale))
        signs = np.sign(scale)[of.active]
        np.testing.assert_allclose(other.working(X * scale), signs * of.working(X), atol=1e-9)

    def test_far_values_do_not_count_in_mean_and_deviation(self):
        x = dirty_column()
        y = np.delete(x, 7, axis=0)
        found = Standardizer.of(np.column_stack([x, x[::-1]]), "robust")
        np.testing.assert_allclose(found.scale[0], y.std(ddof=1), rtol=1e-12)

    def test_a_far_value_is_taken_from_the_nearest_row(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(50, 3))
        X[20, 1:] = X[30, 1:]
        X[20, 0] = 1e4
        working = Standardizer.of(X, "robust").working(X)
        assert working[20, 0] == working[30, 0]
        assert (np.delete(working, 20, axis=0) == np.delete(
            Standardizer.of(X, "robust").forward(X), 20, axis=0
        )).all()  # fmt: skip

    def test_an_outlier_follows_its_nearest_row_and_counts_for_nothing(self):
        X, _ = datasets.data1(random_state=0)
        clean = WBMS(0.1, 0.05, init="uniform").fit(X)
        dirty = np.vstack([X, np.full(X.shape[1], 1e5)])
        model = WBMS(0.1, 0.05, init="uniform").fit(dirty)
        assert np.flatnonzero(model.outliers_).tolist() == [200]
        np.testing.assert_allclose(model.feature_weights_, clean.feature_weights_, atol=1e-12)
        assert oracle.same_partition(model.labels_[:200], clean.labels_)
        np.testing.assert_allclose(model.modes_[:200], clean.modes_, atol=1e-9)
        assert (model.modes_[200] == model.modes_[:200]).all(axis=1).any()
        np.testing.assert_array_equal(model.predict(dirty), model.labels_)

    def test_a_tree_has_all_rows(self):
        X, _ = datasets.data1(random_state=0)
        dirty = np.vstack([X, np.full(X.shape[1], 1e5)])
        model = WBMS(0.1, 0.05, tree=True).fit(dirty)
        assert model.tree_.shape == (200, 4)

    def test_the_presets_do_not_know_of_it(self):
        X = np.random.default_rng(0).normal(size=(40, 3))
        X[3] = 1e4
        for preset in (WBMS.paper, WBMS.released):
            model = preset(0.5, 1.0)
            assert model.standardize is True
        model = WBMS(0.5, 1.0, standardize=True).fit(X)
        assert not model.outliers_.any()
        assert model.similar_columns_ == []
        np.testing.assert_allclose(model._standardizer.scale, X.std(axis=0, ddof=1))


class TestRepeatedColumns:
    def test_they_share_one_weight_and_nothing_else_changes(self):
        X, _ = datasets.data1(random_state=0)
        expected = WBMS(0.1, 0.05, init="uniform", record_path=True).fit(X)
        X["inches"] = 10 - X["x1"] / 2.54
        with pytest.warns(UserWarning, match="'x1', 'inches'"):
            model = WBMS(0.1, 0.05, init="uniform", record_path=True).fit(X)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        weights = model.feature_weights_
        assert weights[0] == weights[-1]
        np.testing.assert_allclose(weights[1:-1], expected.feature_weights_[1:], atol=1e-9)
        np.testing.assert_allclose(
            weights[0] + weights[-1], expected.feature_weights_[0], atol=1e-9
        )
        np.testing.assert_allclose(model.modes_[:, -1], 10 - model.modes_[:, 0] / 2.54, atol=1e-9)
        np.testing.assert_allclose(model.path_[..., -1], -model.path_[..., 0], atol=1e-9)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_allclose(
            model.transform(X), expected.transform(X.drop(columns="inches")), atol=1e-9
        )

    def test_given_weights_add_up(self):
        X, _ = datasets.data1(random_state=0)
        X = X.iloc[:, :4]
        expected = WBMS(0.1, 0.05, init=[0.5, 0.2, 0.2, 0.1]).fit(X)
        X = X.assign(again=X["x1"])
        with pytest.warns(UserWarning, match="nearly equal"):
            model = WBMS(0.1, 0.05, init=[0.3, 0.2, 0.2, 0.1, 0.2]).fit(X)
        np.testing.assert_allclose(model.feature_weights_[1:4], expected.feature_weights_[1:])

    def test_few_values_are_equal_by_chance(self):
        x = np.arange(40) % 3
        first, _ = repeated_columns(probe(np.column_stack([x, x]).astype(float)))
        assert first.tolist() == [0, 1]

    def test_many_columns_take_no_square(self):
        rng = np.random.default_rng(0)
        scores = rng.normal(size=(30, 20_000))
        scores[:, 15_000] = -scores[:, 12]
        first, sign = repeated_columns(probe(scores))
        assert np.flatnonzero(first != np.arange(20_000)).tolist() == [15_000]
        assert (first[15_000], sign[15_000]) == (12, -1.0)


class TestSimilarColumns:
    def test_clusters_alone_do_not_make_columns_similar(self):
        rng = np.random.default_rng(0)
        labels = np.repeat([0, 1], 50)
        rows = 100.0 * labels[:, None] + rng.normal(size=(100, 3))
        assert similar_columns(rows, labels) == []
        assert similar_columns(rows, np.zeros(100, dtype=int)) == [(0, 1, 2)]

    def test_opposite_columns_are_similar(self):
        rng = np.random.default_rng(0)
        rows = rng.normal(size=(60, 40))
        rows[:, 31] = 0.05 * rows[:, 2] - rows[:, 4]
        assert similar_columns(rows, np.zeros(60, dtype=int)) == [(4, 31)]

    def test_they_are_named_once_and_in_the_summary(self):
        X, _ = datasets.data1(random_state=0)
        X = X.iloc[:, :8]
        X["nearly"] = X["x3"] + 0.01 * X["x4"]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = wbms(X, h=0.1, lam=0.05)
        assert ["'x3', 'nearly'" in str(warning.message) for warning in caught] == [True]
        assert result.similar_columns == [("x3", "nearly")]
        assert "nearly equal columns: x3 = nearly" in str(result.summary())
        assert "nearly equal columns: x3 = nearly" in repr(result)


class TestBenchmark:
    @pytest.mark.parametrize("kind", ["none", "row"])
    def test_the_table_is_computed_as_it_says(self, kind):
        draw, contaminate = robustness.DATA["motivating"], robustness.CONTAMINATIONS[kind]
        assert list(robustness.scores(draw, contaminate, 1, "robust")) == [(1.0, 2)]

    @pytest.mark.parametrize("name", robustness.DATA)
    def test_contaminations_do_what_they_are_called(self, name):
        X, truth, columns = robustness.DATA[name](0)
        changed = {}
        for kind, contaminate in robustness.CONTAMINATIONS.items():
            spoilt, labels = contaminate(X, truth, columns, np.random.default_rng(0))
            assert len(spoilt) == len(labels)
            if spoilt.shape == X.shape:
                changed[kind] = (spoilt != X).sum(), (labels != truth).sum()
            else:
                changed[kind] = np.subtract(spoilt.shape, X.shape).tolist()
        rows = round(len(X) / 100)
        assert changed == {
            "none": (0, 0),
            "cell, informative": (1, 0),
            "cell, noise": (1, 0),
            "row": [1, 0],
            "1 % of rows": (rows * X.shape[1], rows),
            "repeated informative": [0, 1],
            "repeated noise": [0, 1],
        }


class TestOutlierMarks:
    def test_they_have_the_index_of_the_data(self):
        X, _ = datasets.data1(random_state=0)
        X.index = X.index + 1000
        X.iloc[5] = 1e4
        X.iloc[9, 3] = np.nan
        result = wbms(X, h=0.1, lam=0.05, na_action="omit")
        assert result.outliers.name == "outlier"
        assert result.outliers.index[result.outliers].tolist() == [1005]
        assert "outliers: 1 row" in str(result.summary())
        assert "outliers: 1 row" in repr(result)

    def test_a_far_value_in_the_heaviest_columns_is_enough(self):
        X, _ = datasets.data1(random_state=0)
        X.iloc[5, :2] = 1e4
        assert wbms(X, h=0.1, lam=0.05).outliers.to_numpy().nonzero()[0].tolist() == [5]
        X, _ = datasets.data1(random_state=0)
        X.iloc[5, 20:22] = 1e4
        assert not wbms(X, h=0.1, lam=0.05).outliers.any()

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [20.0, 60.0, 1e3])
    @pytest.mark.parametrize("seed", [0, 1, 2])
    def test_one_cell_or_row_does_no_harm(self, seed, value):
        """Each of these gave one cluster, or weight 0 for the column, with plain z-scores."""
        X, truth = datasets.data1(random_state=seed)
        X = X.iloc[:, :8]
        X.iloc[11, 0] = value
        X.loc[len(X)] = value
        result = wbms(X)
        assert result.n_clusters == 2
        assert result.weights["x1"] > 0.3
        agree = (result.labels[:200].to_numpy() == truth.to_numpy()).mean()
        assert max(agree, 1 - agree) > 0.98
