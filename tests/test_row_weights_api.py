"""Weights of rows as users hand them in: the estimator, wbms, select, the command."""

import pickle

import commands
import numpy as np
import pandas as pd
import pytest
import sklearn
from commands import fails_with, read_json
from optional import optional
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

import pywbms  # noqa: F401 (the accessor)
from pywbms import WBMS, wbms
from pywbms._data import masses
from pywbms._data.row_weights import checked_weights
from pywbms.cli import main
from pywbms.select import select

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own

GIVEN = {"h": 0.1, "lam": 0.05}


@pytest.fixture
def frame():
    """Two clusters of 24 and 16 rows; the smaller one has the larger weights."""
    table = commands.two_clusters()
    return table.assign(count=np.where(table["a"] < 0, 1, 5))


@pytest.fixture
def repeated(frame):
    return frame.loc[frame.index.repeat(frame["count"]), ["a", "b", "c"]].reset_index(drop=True)


class TestWbms:
    def test_a_column_a_series_or_an_array(self, frame, repeated):
        expected = wbms(repeated, **GIVEN)
        features = frame[["a", "b", "c"]]
        for result in (
            wbms(frame, weights="count", **GIVEN),
            wbms(frame, ["a", "b", "c"], weights="count", **GIVEN),
            wbms(features, weights=frame["count"], **GIVEN),
            wbms(features, weights=frame["count"].to_list(), **GIVEN),
            wbms(features.to_numpy(), weights=frame["count"].to_numpy(), **GIVEN),
            frame.wbms.cluster(weights="count", **GIVEN),
        ):
            np.testing.assert_array_equal(result.weights, expected.weights)
            np.testing.assert_array_equal(result.centers, expected.centers)
            np.testing.assert_array_equal(np.repeat(result.labels, frame["count"]), expected.labels)
            np.testing.assert_array_equal(result.row_weights, frame["count"])
        assert wbms(features, **GIVEN).row_weights is None

    def test_the_result(self, frame):
        result = wbms(frame, weights="count", **GIVEN)
        assert result.row_weights.index.equals(frame.index)
        assert list(result.weights.index) == ["a", "b", "c"]
        summary = result.summary()
        assert summary["size"].to_list() == [16, 24]  # the heaviest cluster comes first
        assert summary["share"].to_list() == pytest.approx([80 / 104, 24 / 104])
        assert "weights of rows: sum 104" in repr(result)
        weights = result.row_weights
        weights.iloc[0] = 7
        assert result.row_weights.iloc[0] == 1
        assert result.check_theory().holds.all()
        again = result.with_path()
        np.testing.assert_array_equal(again.path[-1], result.modes)
        np.testing.assert_array_equal(again.row_weights, result.row_weights)
        restored = pickle.loads(pickle.dumps(result))
        np.testing.assert_array_equal(restored.predict(frame), result.labels)

    @pytest.mark.parametrize("scale", ["mean", "sum"])
    def test_theorem_1_holds_for_the_weighted_mean(self, frame, scale):
        lam = 0.05 if scale == "mean" else 0.05 * 104
        weights = frame["count"] * 1.5
        result = wbms(frame[["a", "b", "c"]], weights=weights, h=0.1, lam=lam, lam_scale=scale)
        checks = result.check_theory()
        assert checks[checks["theorem"] == "1"].holds.all()

    def test_at_keeps_the_weights(self, frame):
        result = wbms(frame, weights="count", h=0.1)
        other = result.at(result.n_clusters)
        np.testing.assert_array_equal(other.row_weights, result.row_weights)
        np.testing.assert_array_equal(other.labels, result.labels)

    def test_missing_weights_are_missing_values(self, frame):
        table = frame.astype({"count": float})
        table.loc[3, "count"] = np.nan
        table.loc[5, "a"] = np.nan
        with pytest.raises(ValueError, match=r"weights \(column 'count'\) .* row 3 has NaN"):
            wbms(table.drop(index=5), weights="count", **GIVEN)
        result = wbms(table, weights="count", na_action="omit", **GIVEN)
        assert result.labels[[3, 5]].to_list() == [-1, -1]
        kept = table.drop(index=[3, 5])
        expected = wbms(kept, weights="count", **GIVEN)
        pd.testing.assert_series_equal(result.labels.drop([3, 5]), expected.labels)
        pd.testing.assert_series_equal(result.row_weights, expected.row_weights)
        assert result.row_weights.notna().all()

    def test_bad_weights(self, frame):
        features = frame[["a", "b", "c"]]
        with pytest.raises(ValueError, match="weights: there is no column 'n' in the data"):
            wbms(frame, weights="n", **GIVEN)
        with pytest.raises(ValueError, match="weights must have the index of the data"):
            wbms(features, weights=frame["count"].iloc[::-1], **GIVEN)
        with pytest.raises(ValueError, match="weights must hold one number per row: got 2 for 40"):
            wbms(features, weights=[1, 2], **GIVEN)
        with pytest.raises(ValueError, match=r"weights \(column 'kind'\) must be numeric"):
            wbms(frame.assign(kind="x"), ["a", "b"], weights="kind", **GIVEN)

    @pytest.mark.filterwarnings("ignore")
    def test_dask(self, frame):
        dd = optional("dask.dataframe")
        distributed = optional("pywbms.distributed")
        collection = dd.from_pandas(frame, npartitions=2)
        with pytest.raises(ValueError, match=r"^weights: rows cannot have weights on Dask"):
            wbms(collection, weights="count", **GIVEN)
        with pytest.raises(ValueError, match="nor in its checkpoints"):
            distributed.fit(frame, weights="count", resume="nowhere", **GIVEN)
        with pytest.raises(ValueError, match=r"^sample_weight: .*data.compute\(\)"):
            select(collection, sample_weight=frame["count"])


class TestCheckedWeights:
    @pytest.mark.parametrize(
        ("weights", "message"),
        [
            ([1, 2], "sample_weight must hold one number per row: got 2 for 3 rows"),
            ([1, -1, 2], "sample_weight must be finite numbers >= 0, but row 1 has -1"),
            ([1, 2, np.nan], "sample_weight .* row 2 has NaN"),
            ([1, 2, None], "sample_weight .* row 2 has NaN"),
            ([1, 2, np.inf], "sample_weight .* row 2 has inf"),
            ([0, 0, 0], "sample_weight must not be zero for all rows"),
            ([1, 2, 1e16], "sample_weight must be at most 1e"),
            ([[1], [1], [1]], "sample_weight must be one-dimensional, got 2 dimensions"),
            (1.0, "sample_weight must be one-dimensional, got 0 dimensions"),
            (["a", "b", "c"], "sample_weight must be numeric"),
            ([1j, 1, 1], "sample_weight must be numeric"),
            (pd.to_datetime(["2020", "2021", "2022"]), "sample_weight must be numeric"),
            (np.ma.array([1, 2, 3], mask=[0, 0, 1]), "sample_weight .* row 2 has NaN"),
        ],
    )
    def test_bad(self, weights, message):
        X = np.array([[0.0], [1.0], [3.0]])
        with pytest.raises(ValueError, match=message):
            WBMS(**GIVEN).fit(X, sample_weight=weights)
        with pytest.raises(ValueError, match=message):
            select(X, sample_weight=weights)

    @pytest.mark.parametrize(
        "weights",
        [
            [1, 2, 3], (1, 2, 3), np.array([1, 2, 3], dtype=np.int8), np.array([1, 2, 3], object),
            pd.Series([1, 2, 3], index=[5, 6, 7]), pd.array([1, 2, 3], dtype="Int64"),
        ],
    )  # fmt: skip
    def test_good(self, weights):
        assert checked_weights(weights, 3).tolist() == [1, 2, 3]

    def test_the_weights_are_a_copy(self):
        weights = np.array([1.0, 2.0, 3.0])
        model = WBMS(**GIVEN).fit([[0.0], [1.0], [3.0]], sample_weight=weights)
        weights[:] = 0
        assert model.sample_weight_.tolist() == [1, 2, 3]


class TestScikitLearn:
    def test_fit_predict_and_fit_transform(self, frame):
        X, weights = frame[["a", "b", "c"]], frame["count"]
        model = WBMS(**GIVEN).fit(X, sample_weight=weights)
        labels = WBMS(**GIVEN).fit_predict(X, sample_weight=weights)
        np.testing.assert_array_equal(labels, model.labels_)
        distances = WBMS(**GIVEN).fit_transform(X, sample_weight=weights)
        np.testing.assert_array_equal(distances, model.transform(X))
        assert WBMS(**GIVEN).fit(X).sample_weight_ is None
        assert model.fit(X).sample_weight_ is None

    def test_metadata_routing(self, frame):
        X, weights = frame[["a", "b", "c"]], frame["count"].to_numpy(float)
        expected = WBMS(**GIVEN).fit(StandardScaler().fit_transform(X), sample_weight=weights)
        with sklearn.config_context(enable_metadata_routing=True):
            model = WBMS(**GIVEN).set_fit_request(sample_weight=True)
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            pipeline = Pipeline([("scale", scaler), ("cluster", model)])
            labels = pipeline.fit_predict(X, sample_weight=weights)
            assert clone(model).get_metadata_routing().fit.requests["sample_weight"] is True
        np.testing.assert_array_equal(labels, expected.labels_)
        np.testing.assert_array_equal(pipeline[-1].sample_weight_, weights)
        with (
            sklearn.config_context(enable_metadata_routing=True),
            pytest.raises(ValueError, match="sample_weight"),
        ):
            Pipeline([("cluster", WBMS(**GIVEN))]).fit(X, sample_weight=weights)


class TestSelect:
    def test_real_weights(self, frame, monkeypatch):
        X, weights = frame[["a", "b", "c"]], frame["count"] + 0.25
        choice = select(X, lam=0.1, n_subsets=2, sample_weight=weights)
        assert choice.n_clusters == 2
        assert choice.n_rows == 114  # 24 · 1.25 + 16 · 5.25
        monkeypatch.setattr(masses, "MOST_LISTED", 10)
        monkeypatch.setattr("pywbms._selection.choice.MOST_ROWS", 50)
        choice = select(X, lam=0.1, n_subsets=2, sample_weight=weights)
        assert (choice.n_clusters, choice.n_rows) == (2, 50)


class TestCommand:
    def test_fit(self, frame, repeated, capsys):
        frame.to_csv("data.csv", index=False)
        options = ["--h", "0.1", "--lam", "0.05"]
        assert main(["fit", "data.csv", "--weights", "count", *options, "--json"]) == 0
        found = read_json(capsys)
        expected = wbms(repeated, **GIVEN)
        assert found["weights"] == expected.weights.to_dict()
        assert np.repeat(found["labels"], frame["count"]).tolist() == expected.labels.to_list()
        assert found["sizes"] == [16, 24]
        assert main(["fit", "data.csv", "--weights", "count", *options]) == 0
        said = capsys.readouterr().out
        assert "weights of rows: sum 104; shares are those of the weights" in said
        assert "76.9%" in said

    def test_select_and_theory(self, frame, repeated, capsys):
        frame["count"] = frame["count"].astype(float)
        frame.loc[2, "count"] = np.nan
        frame.to_csv("data.csv", index=False)
        command = ["data.csv", "--weights", "count", "--na-action", "omit", "--json"]
        assert main(["select", *command, "--h", "0.1,0.2", "--lam", "0.1"]) == 0
        kept = frame.drop(index=2)
        expected = select(
            kept[["a", "b", "c"]], [0.1, 0.2], 0.1, sample_weight=kept["count"].to_numpy()
        )
        assert read_json(capsys)["h"] == expected.h
        assert main(["theory", *command, "--h", "0.1", "--lam", "0.05"]) == 0
        assert all(check["holds"] for check in read_json(capsys))

    def test_bad_weights(self, frame, capsys):
        frame.assign(kind="x", debt=-1.0, gap=[None, *[1.0] * 39]).to_csv("data.csv", index=False)
        options = ["--columns", "a,b", "--h", "0.1", "--lam", "0.05"]

        def message(name, command="fit"):
            return fails_with(1, [command, "data.csv", "--weights", name, *options], capsys)

        assert "columns that are not in the data: 'n'" in message("n")
        assert "column 'kind') must be numeric" in message("kind")
        assert "column 'debt') must be finite numbers >= 0, but row 0 has -1" in message("debt")
        assert "column 'gap') must be finite numbers >= 0, but row 0 has NaN" in message("gap")
        assert "column 'gap') must be finite numbers" in message("gap", "select")
