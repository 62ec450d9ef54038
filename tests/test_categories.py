"""Categories as indicators, missing values filled in."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import log_uniform, seeds
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS, wbms
from pywbms._data.standardize import Standardizer
from pywbms._data.table import Table
from pywbms.select import select

PARAMS = {"h": 0.05, "lam": 0.1}
ENCODED = {**PARAMS, "categories": "indicators"}


def mixed(seed=0, n=90):
    """Three clusters in two columns of numbers and, nearly, in one of categories."""
    rng = np.random.default_rng(seed)
    group = rng.integers(3, size=n)
    kind = np.array(["ant", "bee", "cat"])[np.where(rng.uniform(size=n) < 0.9, group, 0)]
    frame = pd.DataFrame(
        {"x": 4.0 * group + rng.normal(size=n), "y": (group == 1) * 5 + rng.normal(size=n)}
    )
    return frame.assign(kind=kind, junk=rng.choice(["u", "v", "w", "z"], size=n)), group


@pytest.fixture(scope="module")
def example():
    return mixed()


def oracle_indicators(values, levels):
    """Return the working coordinates of categories from their definition, one column per level."""
    block = np.array([[float(value == level) for level in levels] for value in values])
    return (block - block.mean(axis=0)) / np.sqrt(2)


class TestIndicators:
    def test_names_and_values(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED)
        assert list(found.weights.index) == [
            "x", "y", "kind=ant", "kind=bee", "kind=cat", "junk=u", "junk=v", "junk=w", "junk=z",
        ]  # fmt: skip
        np.testing.assert_array_equal(found.data["kind=bee"], frame["kind"] == "bee")
        assert found.estimator.indicators == ((2, 3, 4), (5, 6, 7, 8))

    @pytest.mark.parametrize("standardize", ["robust", True, False])
    def test_working_coordinates(self, example, standardize):
        frame, _ = example
        found = wbms(frame, **ENCODED, standardize=standardize)
        rows = found.estimator._standardizer.forward(found.data.to_numpy())
        np.testing.assert_allclose(
            rows[:, 2:5], oracle_indicators(frame["kind"], ["ant", "bee", "cat"]), atol=1e-15
        )
        for name, columns in (("kind", slice(2, 5)), ("junk", slice(5, 9))):
            apart = np.linalg.norm(rows[:, None, columns] - rows[None, :, columns], axis=2)
            differ = frame[name].to_numpy()[:, None] != frame[name].to_numpy()
            np.testing.assert_allclose(apart, differ, atol=1e-12)

    def test_numbers_are_standardized_as_ever(self, example):
        frame, _ = example
        alone = Standardizer.of(frame[["x", "y"]].to_numpy(), "robust")
        found = wbms(frame, **ENCODED)
        np.testing.assert_allclose(found.scale.iloc[:2], alone.scale, rtol=1e-14)
        np.testing.assert_array_equal(found.scale.iloc[2:], np.sqrt(2))

    @settings(max_examples=30)
    @given(seeds, st.integers(2, 12), log_uniform(1e-3, 1e3))
    def test_a_rare_level_is_not_far(self, seed, n_levels, scale):
        rng = np.random.default_rng(seed)
        rows = np.zeros((100, n_levels + 1))
        rows[:, 0] = rng.normal(size=100) * scale
        level = np.where(np.arange(100) < n_levels, np.arange(100), 0)  # all but one occur once
        rows[np.arange(100), level + 1] = 1
        standardizer = Standardizer.of(rows, "robust", indicators=[range(1, n_levels + 1)])
        assert not standardizer.outliers(rows).any()
        np.testing.assert_array_equal(standardizer.scale[1:], np.sqrt(2))
        back = standardizer.backward(standardizer.working(rows))
        np.testing.assert_allclose(back, rows, rtol=1e-12, atol=1e-12 * max(scale, 1.0))

    def test_a_category_that_says_nothing_loses_its_weight(self, example):
        frame, _ = example
        chosen = wbms(frame, categories="indicators")
        assert chosen.weights.filter(like="junk").sum() < chosen.weights["x"]

    def test_mirrored_levels_are_no_nearly_equal_columns(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame({"x": rng.normal(size=60), "flag": rng.choice(["no", "yes"], 60)})
        assert wbms(frame, **ENCODED).similar_columns == []  # and no warning, which is an error

    def test_one_level_is_a_constant_column(self):
        frame = pd.DataFrame({"x": [0.0, 1.0, 5.0, 6.0], "same": ["a"] * 4})
        found = wbms(frame, **ENCODED)
        assert found.weights.to_dict() == {"x": 1.0, "same=a": 0.0}

    def test_only_categories(self):
        frame = pd.DataFrame({"a": list("uvuvuv") * 3, "b": list("pqpqpq") * 3})
        assert wbms(frame, h=0.01, lam=1.0, categories="indicators").n_clusters == 2

    @pytest.mark.parametrize(
        "column",
        [
            pd.Categorical([3, 1, 2, 3, 1, 2]),
            pd.array(["c", "a", "b", "c", "a", "b"], dtype="string"),
            np.array(["c", "a", "b", "c", "a", "b"], dtype=object),
            pd.Categorical(["c", "a", "b"] * 2, categories=["b", "unused", "c", "a"], ordered=True),
        ],
        ids=["numbers", "string", "object", "ordered"],
    )
    def test_kinds_of_categories(self, column):
        table = Table.of(pd.DataFrame({"k": column}), categories="indicators")
        levels = ["1", "2", "3"] if column[0] == 3 else ["a", "b", "c"]
        assert table.columns.tolist() == [f"k={level}" for level in levels]
        np.testing.assert_array_equal(table.matrix, np.eye(3)[[2, 0, 1, 2, 0, 1]])

    def test_booleans_stay_numbers(self):
        table = Table.of(pd.DataFrame({"flag": [True, False]}), categories="indicators")
        assert (table.columns.tolist(), table.indicators) == (["flag"], ())

    def test_names_of_several_levels(self):
        columns = pd.MultiIndex.from_tuples([("a", "x"), ("a", "kind")])
        frame = pd.DataFrame([[1.0, "u"], [2.0, "v"], [3.0, "u"]], columns=columns)
        frame[("a", "x")] = frame[("a", "x")].astype(float)
        assert wbms(frame, **ENCODED).weights.index.tolist() == [
            ("a", "x"), ("a", "kind=u"), ("a", "kind=v"),
        ]  # fmt: skip


class TestWeights:
    @pytest.mark.parametrize("n_more", [0, 300])  # few columns, and more than twice the rows
    @pytest.mark.parametrize("lam_scale", ["mean", "sum"])
    def test_levels_of_a_category_share_the_weight_of_their_joint_displacement(
        self, example, n_more, lam_scale
    ):
        frame, _ = example
        more = np.random.default_rng(1).normal(size=(len(frame), n_more))
        frame = frame.assign(constant=1.0).join(pd.DataFrame(more, columns=map(str, range(n_more))))
        lam = 0.1 * (len(frame) if lam_scale == "sum" else 1)
        found = wbms(
            frame, h=0.05, lam=lam, lam_scale=lam_scale, categories="indicators", record_path=True,
            warmup=0, init="uniform",
        ).estimator  # fmt: skip
        D = ((found.path_ - found.path_[0]) ** 2).mean(axis=1)
        for group in (slice(2, 5), slice(5, 9)):
            D[:, group] = D[:, group].sum(axis=1, keepdims=True)
        expected = np.exp(-(D - D.min(axis=1, keepdims=True)) / 0.1)
        expected[:, 9] = 0.0  # the constant column
        expected /= expected.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found.weights_path_[1:], expected[1:], rtol=1e-6, atol=1e-12)

    def test_the_tree_goes_on_with_the_same_weights(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED, tree=True)
        assert found.tree.shape == (len(frame) - 1, 4)
        assert np.isfinite(found.tree).all()

    def test_marginal_start(self, example):
        start = wbms(example[0], **ENCODED, init="marginal").estimator.init_
        assert len(set(start[2:5])) == len(set(start[5:9])) == 1


class TestOrder:
    @settings(max_examples=25)
    @given(seeds, st.permutations(["ant", "bee", "cat"]), st.permutations(["u", "v", "w", "z"]))
    def test_of_levels_changes_nothing(self, seed, kinds, junk):
        frame, _ = mixed(seed, 40)
        other = frame.assign(
            kind=pd.Categorical(frame["kind"], [*kinds, "unused"]),
            junk=pd.Categorical(frame["junk"], junk, ordered=True),
        )
        one, two = wbms(frame, **ENCODED), wbms(other, **ENCODED)
        pd.testing.assert_frame_equal(one.modes, two.modes)
        pd.testing.assert_series_equal(one.labels, two.labels)

    @settings(max_examples=25)
    @given(seeds, st.permutations(["x", "y", "kind", "junk"]))
    def test_of_columns_does_not_change_the_partition(self, seed, columns):
        frame, _ = mixed(seed, 40)
        # The search for a start draws random halves of the rows, in an order by their columns.
        how = {**ENCODED, "init": "uniform"}
        one, two = wbms(frame, **how), wbms(frame[columns], **how)
        assert adjusted_rand_score(one.labels, two.labels) == 1.0
        pd.testing.assert_series_equal(one.weights, two.weights[one.weights.index], rtol=1e-6)

    @settings(max_examples=15)
    @given(seeds)
    def test_names_of_levels_do_not_change_the_partition(self, seed):
        frame, _ = mixed(seed, 40)
        other = frame.replace({"ant": "zebra", "bee": "yak", "u": "zz"})
        how = {**ENCODED, "init": "uniform"}
        one, two = wbms(frame, **how), wbms(other, **how)
        assert adjusted_rand_score(one.labels, two.labels) == 1.0

    def test_of_rows_changes_nothing(self, example):
        frame, _ = example
        shuffled = frame.sample(frac=1, random_state=0)
        one, two = wbms(frame, **ENCODED), wbms(shuffled, **ENCODED)
        pd.testing.assert_frame_equal(one.modes.loc[shuffled.index], two.modes)


class TestNewRows:
    def test_training_rows_keep_their_labels(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED)
        pd.testing.assert_series_equal(found.predict(frame), found.labels)
        some = frame.iloc[[4, 2]].assign(kind=pd.Categorical(frame["kind"].iloc[[4, 2]]))
        assert found.predict(some).tolist() == found.labels.iloc[[4, 2]].tolist()
        as_array = frame.to_numpy(dtype=object)
        assert found.predict(as_array).tolist() == found.labels.tolist()
        with pytest.raises(ValueError, match="data must have 4 columns, got 3"):
            found.predict(as_array[:, :3])

    def test_unknown_levels_are_named(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED)
        with pytest.raises(ValueError, match="'kind' has levels that the fit has not seen: 'dog'"):
            found.predict(frame.assign(kind="dog"))
        with pytest.raises(ValueError, match="columns that are not in the data: 'kind'"):
            found.predict(frame.drop(columns="kind"))

    def test_a_level_that_was_declared_but_never_seen_is_unknown(self, example):
        frame, _ = example
        kind = pd.Categorical(frame["kind"], ["ant", "bee", "cat", "dog"])
        found = wbms(frame.assign(kind=kind), **ENCODED)
        assert "kind=dog" not in found.weights
        with pytest.raises(ValueError, match="has not seen: 'dog'"):
            found.predict(frame.assign(kind="dog"))

    def test_fits_again(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED)
        pd.testing.assert_series_equal(found.with_path().predict(frame), found.labels)
        assert found.check_theory().holds.all()
        other = wbms(frame, lam=0.1, categories="indicators")
        again = other.at(other.n_clusters)
        pd.testing.assert_series_equal(again.predict(frame), again.labels)


class TestErrors:
    def test_texts_are_refused_by_default(self, example):
        frame, _ = example
        with pytest.raises(ValueError, match=r"not numeric: 'kind', 'junk'.*categories='indic"):
            wbms(frame)
        with pytest.raises(ValueError, match="categories='indicators'"):
            WBMS().fit(frame)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"categories": "dummies"}, "categories must be one of 'error', 'indicators'"),
            ({"categories": None}, "categories must be one of"),
            ({"numeric_only": "yes"}, "numeric_only must be True or False"),
            ({"na_action": "drop"}, "na_action must be one of 'raise', 'omit', 'impute'"),
            ({"numeric_only": True, "categories": "indicators"}, "give one of them"),
        ],
    )
    def test_arguments(self, example, arguments, message):
        for function in (wbms, select):
            with pytest.raises(ValueError, match=message):
                function(example[0], **arguments)

    def test_dates_are_no_categories(self, example):
        frame = example[0].assign(day=pd.Timestamp("2020-01-01"))
        with pytest.raises(ValueError, match="not numeric: 'day'"):
            wbms(frame, categories="indicators")

    def test_more_levels_than_a_category_has(self):
        frame = pd.DataFrame({"text": [f"text {i}" for i in range(1001)]})
        with pytest.raises(ValueError, match="column 'text' has 1,001 levels"):
            wbms(frame, categories="indicators")

    def test_a_name_that_is_taken(self):
        frame = pd.DataFrame({"a": ["x", "y"], "a=x": [1.0, 2.0]})
        with pytest.raises(ValueError, match="duplicate column names: 'a=x'"):
            wbms(frame, categories="indicators")

    @pytest.mark.parametrize(
        ("indicators", "message"),
        [
            ([5], "column 5, counted from 0, but the data have 2 columns"),
            ([0], "values other than 0 and 1: 0"),
            ([-1], "must hold the positions of columns"),
            (["a"], "must hold the positions of columns"),
            ([[1], [1]], "each position once"),
            ([[]], "must hold the positions of columns"),
            (1, "must hold the positions of columns"),
        ],
    )
    def test_indicators_of_the_estimator(self, indicators, message):
        X = np.array([[1.0, 0.0], [2.0, 1.0], [4.0, 1.0]])
        with pytest.raises(ValueError, match=message):
            WBMS(0.1, 1.0, indicators=indicators).fit(X)
        with pytest.raises(ValueError, match=message):
            wbms(X, h=0.1, lam=1.0, indicators=indicators)

    def test_indicators_twice(self, example):
        for function in (wbms, select):
            with pytest.raises(ValueError, match="give indicators= or categories='indicators'"):
                function(example[0], categories="indicators", indicators=[0])

    def test_the_estimator_takes_what_others_have_encoded(self, example):
        frame, _ = example
        found = wbms(frame, **ENCODED)
        model = WBMS(**PARAMS, indicators=[[4, 3, 2], range(5, 9)]).fit(found.data)
        np.testing.assert_array_equal(model.modes_, found.estimator.modes_)


def holes(frame, seed=0, share=0.05):
    """Return a table with some of its values missing, some of the numbers infinite."""
    rng = np.random.default_rng(seed)
    gaps = rng.uniform(size=frame.shape) < share
    bad = frame.mask(gaps)
    bad.loc[bad.index[0], "x"] = np.inf
    gaps[0, 0] = True
    return bad, gaps


class TestMissingValues:
    def test_medians_and_most_frequent_levels(self, example):
        frame, _ = example
        bad, gaps = holes(frame)
        filled = bad.assign(x=bad["x"].replace(np.inf, np.nan))
        filled["x"] = filled["x"].fillna(np.median(filled["x"].dropna()))
        filled["y"] = filled["y"].fillna(np.median(filled["y"].dropna()))
        for name in ("kind", "junk"):
            filled[name] = filled[name].fillna(filled[name].value_counts().index[0])
        found = wbms(bad, **ENCODED, na_action="impute")
        pd.testing.assert_frame_equal(found.modes, wbms(filled, **ENCODED).modes)
        assert found.imputed.tolist() == gaps.sum(axis=0).tolist()
        assert f"imputed values: {gaps.sum()} (x " in repr(found)
        assert f"imputed values: {gaps.sum()}" in str(found.summary())

    def test_omitted_rows(self, example):
        frame, _ = example
        bad, gaps = holes(frame)
        found = wbms(bad, **ENCODED, na_action="omit")
        assert (found.labels == -1).tolist() == gaps.any(axis=1).tolist()
        complete = wbms(frame[~gaps.any(axis=1)], **ENCODED)
        pd.testing.assert_frame_equal(found.modes, complete.modes)
        assert not found.imputed.any()

    def test_new_rows_get_the_values_of_the_fit(self, example):
        frame, _ = example
        bad, _ = holes(frame)
        found = wbms(bad, **ENCODED, na_action="impute")
        alone = bad.iloc[[0]]
        assert found.predict(alone).tolist() == found.labels.iloc[[0]].tolist()
        pd.testing.assert_series_equal(found.predict(bad), found.labels)

    def test_numbers_alone(self):
        X = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, -np.inf], [4.0, 8.0]])
        found = wbms(X, **PARAMS, na_action="impute")
        np.testing.assert_array_equal(found.data, [[1, 5], [3, 6], [3, 6], [4, 8]])
        assert found.imputed.to_dict() == {0: 1, 1: 1}
        assert wbms(X[[0, 3]], **PARAMS).imputed.tolist() == [0, 0]

    @settings(max_examples=50)
    @given(st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=9))
    def test_a_median_is_finite_and_that_of_numpy(self, values):
        column = np.array(values)
        finite = column[np.isfinite(column)]
        frame = pd.DataFrame({"a": column, "b": 1.0})
        if not len(finite):
            with pytest.raises(ValueError, match="column 'a' has no value at all"):
                Table.of(frame, na_action="impute")
            return
        table = Table.of(frame, na_action="impute")
        assert np.isfinite(table.matrix).all()
        middle = np.median(finite / 4) * 4  # which does not overflow
        np.testing.assert_allclose(
            table.matrix[~np.isfinite(column), 0], middle, rtol=1e-15, atol=1e-300
        )

    def test_a_column_without_a_level(self):
        frame = pd.DataFrame({"a": [1.0, 2.0], "k": pd.Categorical([None, None])})
        with pytest.raises(ValueError, match="column 'k' has no value at all"):
            wbms(frame, categories="indicators", na_action="impute")

    def test_missing_categories_are_named_by_default(self, example):
        frame, _ = example
        bad = frame.assign(kind=frame["kind"].mask(frame.index == 7))
        with pytest.raises(ValueError, match=r"missing values in column 'kind' \(first in row 7"):
            wbms(bad, categories="indicators")

    def test_choosing_h(self, example):
        frame, _ = example
        bad, gaps = holes(frame)
        options = {"h": [0.05, 0.1], "lam": 0.1, "categories": "indicators"}
        omitted = select(bad, **options, na_action="omit")
        assert omitted.n_rows == (~gaps.any(axis=1)).sum()
        assert select(bad, **options, na_action="impute").n_rows == len(frame)
