"""What pandas users touch."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from pywbms import WBMS, WBMSResult, datasets, wbms


@pytest.fixture(scope="module")
def frame():
    """Two clusters in two columns, a third of noise, with units, an index and a label column."""
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], [40, 60])
    return pd.DataFrame(
        {
            "height": 150 + 30 * group + rng.normal(size=100),
            "weight": 50_000 + 30_000 * group + 1000 * rng.normal(size=100),
            "noise": rng.normal(size=100),
            "name": [f"person {i}" for i in range(100)],
        },
        index=pd.Index([f"id{i}" for i in range(100)], name="id"),
    )


NUMBERS = ["height", "weight", "noise"]


@pytest.fixture(scope="module")
def result(frame):
    return wbms(frame, NUMBERS, h=0.1, lam=0.1)


class TestResult:
    def test_labels_carry_the_index(self, frame, result):
        assert result.labels.index.equals(frame.index)
        assert result.labels.name == "cluster"
        assert result.labels.tolist() == [1] * 40 + [0] * 60

    def test_weights_carry_the_columns(self, result):
        assert result.weights.index.tolist() == NUMBERS
        assert result.weights.sum() == pytest.approx(1.0)
        assert result.weights["noise"] < 0.1

    def test_centers_are_in_the_units_of_the_data(self, frame, result):
        assert result.centers.index.tolist() == [0, 1]
        assert result.centers.columns.tolist() == NUMBERS
        means = frame[NUMBERS].groupby(result.labels).mean()
        np.testing.assert_allclose(result.centers["height"], means["height"], atol=1)
        np.testing.assert_allclose(result.centers["weight"], means["weight"], atol=1000)

    def test_modes_look_like_the_data(self, frame, result):
        assert result.modes.index.equals(frame.index)
        assert result.modes.columns.tolist() == NUMBERS
        expected = result.centers.loc[result.labels].to_numpy()
        np.testing.assert_allclose(result.modes, expected, rtol=1e-4, atol=1e-4)

    def test_is_the_estimator_in_another_dress(self, frame, result):
        model = WBMS(0.1, 0.1).fit(frame[NUMBERS])
        np.testing.assert_array_equal(result.labels, model.labels_)
        np.testing.assert_array_equal(result.modes, model.modes_)
        assert (result.n_clusters, result.n_iter, result.converged) == (
            model.n_clusters_, model.n_iter_, model.converged_,
        )  # fmt: skip
        assert (result.h, result.lam, result.selection) == (0.1, 0.1, None)
        assert result.history.equals(model.history_)

    def test_data_and_scale(self, frame, result):
        pd.testing.assert_frame_equal(result.data, frame[NUMBERS])
        np.testing.assert_allclose(result.scale, frame[NUMBERS].std())

    def test_the_scale_of_a_constant_column_is_one(self, frame):
        found = wbms(frame[NUMBERS].assign(c=1000.0), h=0.1, lam=0.1)
        assert found.scale["c"] == 1.0

    def test_summary_has_a_row_a_cluster(self, result):
        summary = result.summary(top=2)
        assert summary["size"].tolist() == [60, 40]
        assert summary["share"].tolist() == [0.6, 0.4]
        assert set(summary.columns[2:]) == {"height", "weight"}

    def test_summary_of_a_column_called_size(self):
        frame = pd.DataFrame({"size": [0.0, 0.1, 5.0, 5.1], "b": [1.0, 2.0, 1.0, 2.0]})
        assert wbms(frame, h=0.1, lam=1.0).summary().shape[1] == 4

    def test_prints_what_matters(self, result):
        text = repr(result)
        assert "2 clusters in 100 rows × 3 columns" in text
        assert "60, 40" in text
        assert "h = 0.1" in text

    def test_print_of_many_clusters_and_columns_stays_short(self):
        X, _ = datasets.simulation1(50, random_state=0)
        assert max(map(len, repr(wbms(X, h=0.01, lam=0.1)).splitlines())) < 130

    def test_notebooks_get_html_with_names_escaped(self, frame):
        odd = frame[NUMBERS].rename(columns={"height": "<b>height</b>"})
        page = wbms(odd, h=0.1, lam=0.1)._repr_html_()
        assert "<table" in page
        assert "<b>height" not in page
        assert "&lt;b&gt;height" in page

    def test_pickles(self, frame, result):
        again = pickle.loads(pickle.dumps(result))
        pd.testing.assert_series_equal(again.labels, result.labels)
        pd.testing.assert_series_equal(again.predict(frame), result.labels)

    def test_writing_into_an_output_does_not_change_the_result(self, frame, result):
        for part in (result.labels, result.weights):
            part.iloc[:] = 7
        for part in (result.data, result.modes, result.centers, result.history):
            part.iloc[:, -1] = 7
        assert result.labels.max() == 1
        assert result.weights.sum() == pytest.approx(1.0)
        assert (result.modes["noise"] != 7).all()
        assert (result.history["n_points"] != 7).any()
        pd.testing.assert_frame_equal(result.data, frame[NUMBERS])


class TestMethods:
    def test_augment_adds_the_labels(self, frame, result):
        augmented = result.augment(frame)
        pd.testing.assert_series_equal(augmented["cluster"], result.labels)
        assert "cluster" not in frame
        assert result.augment(frame, name="group")["group"].tolist() == result.labels.tolist()

    def test_augment_refuses_other_rows_and_taken_names(self, frame, result):
        with pytest.raises(ValueError, match="index differs"):
            result.augment(frame.iloc[1:])
        with pytest.raises(ValueError, match="already has a column 'cluster'"):
            result.augment(result.augment(frame))

    def test_augment_with_repeated_index_values(self):
        frame = pd.DataFrame({"a": [0.0, 0.1, 5.0, 5.1]}, index=[0, 0, 1, 1])
        found = wbms(frame, h=0.1, lam=1.0)
        assert found.augment(frame)["cluster"].tolist() == [0, 0, 1, 1]

    def test_predict_finds_the_columns_by_name(self, frame, result):
        shuffled = frame.sample(frac=1, random_state=0)[["noise", "name", "weight", "height"]]
        predicted = result.predict(shuffled)
        assert predicted.index.equals(shuffled.index)
        pd.testing.assert_series_equal(predicted.loc[frame.index], result.labels)

    def test_predict_names_what_is_missing(self, frame, result):
        with pytest.raises(ValueError, match="not in the data: 'weight'"):
            result.predict(frame[["height", "noise"]])

    def test_predict_takes_arrays(self, frame, result):
        assert result.predict(frame[NUMBERS].to_numpy()).tolist() == result.labels.tolist()
        with pytest.raises(ValueError, match="must have 3 columns, got 2"):
            result.predict(np.zeros((4, 2)))

    def test_with_path_is_the_same_fit(self, frame, result):
        traced = result.with_path()
        assert result.path is None
        pd.testing.assert_series_equal(traced.labels, result.labels)
        assert traced.path.shape == (result.n_iter + 1, 100, 3)
        np.testing.assert_allclose(traced.path[0], frame[NUMBERS], rtol=1e-12)
        np.testing.assert_allclose(traced.path[-1], result.modes, rtol=1e-12)
        assert traced.with_path() is traced

    def test_with_path_needs_no_copy_of_the_callback(self, frame):
        class Watcher:
            def __deepcopy__(self, memo):
                raise TypeError("cannot be copied")

            def __call__(self, state):
                self.last = state

        watched = wbms(frame, NUMBERS, h=0.1, lam=0.1, callback=Watcher())
        assert watched.with_path().path is not None

    @pytest.mark.slow
    def test_with_path_keeps_the_choice(self, frame):
        chosen = wbms(frame, NUMBERS)
        traced = chosen.with_path()
        assert traced.h == chosen.h
        assert traced.selection.equals(chosen.selection)


class TestInput:
    def test_the_accessor_is_the_function(self, frame, result):
        found = frame.wbms.cluster(NUMBERS, h=0.1, lam=0.1)
        assert isinstance(found, WBMSResult)
        pd.testing.assert_series_equal(found.labels, result.labels)

    def test_one_column_by_its_name(self, frame):
        found = wbms(frame, "height", h=0.1, lam=1.0)
        assert found.weights.to_dict() == {"height": 1.0}
        assert found.n_clusters == 2

    def test_arrays_get_column_numbers(self):
        found = wbms(np.random.default_rng(0).normal(size=(20, 3)), h=0.5, lam=1.0)
        assert found.weights.index.tolist() == [0, 1, 2]

    def test_columns_of_any_name(self, frame):
        odd = frame[NUMBERS].set_axis([("a", 1), 7, pd.Timestamp("2020")], axis=1)
        assert wbms(odd, h=0.1, lam=0.1).n_clusters == 2

    def test_several_levels_of_columns_and_rows(self, frame, result):
        deep = frame[NUMBERS].set_axis(
            pd.MultiIndex.from_tuples([("body", "h"), ("body", "w"), ("x", "n")]), axis=1
        )
        deep.index = pd.MultiIndex.from_product([range(10), range(10)])
        found = wbms(deep, h=0.1, lam=0.1)
        assert found.labels.tolist() == result.labels.tolist()
        assert found.predict(deep).tolist() == result.labels.tolist()
        assert ("body", "h") in found.weights.index

    def test_parameters_reach_the_estimator(self, frame):
        found = wbms(frame, NUMBERS, h=0.1, lam=20.0, lam_scale="sum", stop="fixed", max_iter=9)
        assert found.n_iter == 9
        assert found.estimator.lam_scale == "sum"

    def test_the_frame_is_not_written_to(self, frame):
        before = frame.copy(deep=True)
        wbms(frame, NUMBERS, h=0.1, lam=0.1).predict(frame)
        pd.testing.assert_frame_equal(frame, before)


class TestMissingValues:
    @pytest.fixture
    def holes(self, frame):
        holes = frame.copy()
        holes.loc["id3", "height"] = np.nan
        holes.loc["id50", "noise"] = np.nan
        return holes

    def test_are_named_by_default(self, holes):
        with pytest.raises(ValueError, match="NaN in column 'height', 'noise'"):
            wbms(holes, NUMBERS, h=0.1, lam=0.1)

    def test_omitted_rows_get_minus_one(self, holes):
        found = wbms(holes, NUMBERS, h=0.1, lam=0.1, na_action="omit")
        assert found.labels.index.equals(holes.index)
        assert found.labels[found.labels == -1].index.tolist() == ["id3", "id50"]
        complete = wbms(holes.dropna(), NUMBERS, h=0.1, lam=0.1)
        pd.testing.assert_series_equal(found.labels[found.labels >= 0], complete.labels)
        pd.testing.assert_frame_equal(found.modes, complete.modes)
        assert "omitted rows (missing values): 2" in repr(found)

    def test_prediction_treats_them_as_the_fit_did(self, holes, frame):
        omitting = wbms(holes, NUMBERS, h=0.1, lam=0.1, na_action="omit")
        assert (omitting.predict(holes) == -1).sum() == 2
        strict = wbms(frame, NUMBERS, h=0.1, lam=0.1)
        with pytest.raises(ValueError, match="NaN in column"):
            strict.predict(holes)

    def test_infinite_values_are_missing_if_rows_are_omitted(self, holes):
        bad = holes.copy()
        bad.loc["id3", "height"] = np.inf
        with pytest.raises(ValueError, match="infinite values in column 'height'"):
            wbms(bad.fillna(0.0), NUMBERS)
        found = wbms(bad, NUMBERS, h=0.1, lam=0.1, na_action="omit").labels
        expected = wbms(holes, NUMBERS, h=0.1, lam=0.1, na_action="omit").labels
        pd.testing.assert_series_equal(found, expected)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_no_complete_row(self, frame, value):
        with pytest.raises(ValueError, match="every row has a missing or infinite value"):
            wbms(frame.assign(height=value), NUMBERS, na_action="omit")


BAD_CALLS = [
    ({"columns": ["height", "age"]}, "not in the data: 'age'"),
    ({"columns": "age"}, "not in the data: 'age'"),
    ({"columns": []}, "no columns"),
    ({"columns": ["height", "height"]}, "duplicate column names: 'height'"),
    ({}, "not numeric: 'name'"),
    ({"columns": NUMBERS, "h": -1}, "h must be a positive"),
    ({"columns": NUMBERS, "lam": 0}, "lam must be a positive"),
    ({"columns": NUMBERS, "na_action": "drop"}, "na_action must be one of 'raise', 'omit'"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_CALLS, ids=[m for _, m in BAD_CALLS])
def test_bad_calls_are_named(frame, arguments, message):
    with pytest.raises(ValueError, match=message):
        wbms(frame, **arguments)


def test_other_bad_data(frame):
    with pytest.raises(ValueError, match="no rows"):
        wbms(frame.iloc[:0], NUMBERS)
    with pytest.raises(ValueError, match="to_frame"):
        wbms(frame["height"])
    with pytest.raises(ValueError, match="two-dimensional"):
        wbms([1.0, 2.0])
    with pytest.raises(TypeError, match="bandwidth"):
        wbms(frame, NUMBERS, bandwidth=3)


def test_odd_data_get_clear_messages(frame):
    with pytest.raises(ValueError, match="a dict must have one sequence of values per column"):
        wbms({"a": 1.0})
    with pytest.raises(ValueError, match="two-dimensional array, got generator"):
        wbms(x for x in range(3))
    with pytest.raises(ValueError, match="column 'big' has numbers beyond"):
        wbms(pd.DataFrame({"big": [10**400, 1, 2]}, dtype=object))
    with pytest.raises(ValueError, match="column 'height' has values beyond"):
        wbms(frame.assign(height=1e200), NUMBERS, standardize=False, h=1.0, lam=1.0)
    with pytest.raises(ValueError, match=r"infinite values in column 20 \(first in row 2"):
        wbms(pd.DataFrame({20: [0, 1, np.inf, 2]}))


class TestSameFitAgain:
    def test_with_path_ends_where_a_callback_ended(self, frame):
        calls = []

        def third(state):
            calls.append(state)
            return np.bool_(state.phase == "main" and state.iteration == 3)

        ended = wbms(frame, NUMBERS, h=0.05, lam=0.1, callback=third)
        n_calls = len(calls)
        traced = ended.with_path()
        assert len(calls) == n_calls
        assert traced.n_iter == ended.n_iter == 3
        pd.testing.assert_frame_equal(traced.modes, ended.modes)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_with_path_warns_no_second_time(self, frame):
        ended = wbms(frame, NUMBERS, h=0.05, lam=0.1, max_iter=2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            traced = ended.with_path()
        pd.testing.assert_frame_equal(traced.modes, ended.modes)
        assert not traced.converged


class TestSeveralLevels:
    @pytest.fixture
    def deep(self, frame):
        names = pd.MultiIndex.from_tuples([("body", "h"), ("body", "w"), ("x", "n")])
        return frame[NUMBERS].set_axis(names, axis=1)

    def test_summary_augment_and_one_column(self, deep):
        found = wbms(deep, h=0.1, lam=0.1)
        assert found.summary().columns[:2].tolist() == ["size", "share"]
        assert found.augment(deep)[("cluster", "")].tolist() == found.labels.tolist()
        assert "<table" in found._repr_html_()
        assert wbms(deep, ("body", "h"), h=0.1, lam=0.1).weights.tolist() == [1.0]


def test_transform_is_the_weighted_distance_to_the_centres():
    rng = np.random.default_rng(0)
    df = pd.DataFrame(
        rng.normal(size=(30, 3)) + 6 * rng.integers(2, size=(30, 1)), columns=list("abc")
    )
    df.iloc[4, 1] = np.nan
    result = wbms(df, h=0.1, lam=0.5, na_action="omit", standardize=True)
    found = result.transform(df[["c", "a", "b"]].assign(d="text"))
    assert found.index.tolist() == [row for row in range(30) if row != 4]
    assert found.columns.tolist() == list(range(result.n_clusters))
    z = result.data / result.scale
    for cluster, centre in (result.centers / result.scale).iterrows():
        expected = np.sqrt(((z - centre) ** 2 * result.weights).sum(axis=1))
        np.testing.assert_allclose(found[cluster], expected, atol=1e-12)
    with pytest.raises(ValueError, match="'b'"):
        result.transform(df[["a", "c"]])
