"""Weights of rows together with categories, missing values, and tables of any kind."""

import commands
import numpy as np
import pandas as pd
import pytest
from commands import read_json
from hypothesis import given, settings
from hypothesis import strategies as st
from optional import optional

from pywbms import WBMS, load, wbms
from pywbms._data.encoding import median, most_frequent
from pywbms._data.standardize import Standardizer
from pywbms.cli import main
from pywbms.select import select

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own

GIVEN = {"h": 0.1, "lam": 0.1}
MIXED = {**GIVEN, "categories": "indicators"}


@pytest.fixture
def frame():
    """Two clusters, a category that tells them apart, one that does not, and how often each is."""
    rng = np.random.default_rng(0)
    group = np.arange(36) % 2
    return pd.DataFrame(
        {
            "x": 5.0 * group + rng.normal(size=36),
            "kind": np.array(["a", "b"])[group],
            "any": rng.choice(["u", "v", "w"], size=36),
            "n": rng.integers(0, 4, size=36),
        }
    )


def repeated(frame):
    """Return a table with each row as often as its column n says."""
    n = frame["n"].fillna(0).astype(int)
    return frame.loc[frame.index.repeat(n)].drop(columns="n").reset_index(drop=True)


def same(result, expected, n):
    """Compare a weighted fit with that of repeated rows, to the bit."""
    for name in ("weights", "centers", "history", "scale"):
        left, right = getattr(result, name), getattr(expected, name)
        assert left.equals(right), name
    kept = (result.labels >= 0).to_numpy()
    counts = np.asarray(n)[kept].astype(int)
    found = expected.labels[expected.labels >= 0]
    np.testing.assert_array_equal(np.repeat(result.labels[kept], counts), found)
    np.testing.assert_array_equal(np.repeat(result.modes, counts, axis=0), expected.modes)


class TestRepeatedRows:
    @pytest.mark.parametrize("standardize", ["robust", True, False])
    def test_with_categories(self, frame, standardize):
        result = wbms(frame, weights="n", standardize=standardize, **MIXED)
        same(result, wbms(repeated(frame), standardize=standardize, **MIXED), frame["n"])
        assert result.n_clusters == (2 if standardize else 1)
        assert "n" not in result.weights.index
        np.testing.assert_array_equal(result.predict(frame), result.labels)

    @pytest.mark.parametrize("init", ["marginal", "uniform"])
    def test_starts_and_joins(self, frame, init):
        options = {**MIXED, "init": init, "join": True, "tree": True}
        result, expected = wbms(frame, weights="n", **options), wbms(repeated(frame), **options)
        same(result, expected, frame["n"])
        np.testing.assert_array_equal(result.estimator.init_, expected.estimator.init_)

    def test_frames_of_polars(self, frame):
        pl = optional("polars")
        native = pl.from_pandas(frame)
        expected = wbms(repeated(frame), **MIXED)
        result = wbms(native, weights="n", **MIXED)
        assert isinstance(result.labels, pl.Series)
        assert isinstance(result.row_weights, pl.Series)
        same(result.pandas, expected, frame["n"])
        same(wbms(native.drop("n"), weights=native["n"], **MIXED).pandas, expected, frame["n"])
        numbers = native.select("x", "n")
        model = WBMS(**GIVEN).fit(numbers.select("x"), sample_weight=numbers["n"])
        np.testing.assert_array_equal(
            model.feature_weights_, wbms(repeated(frame)[["x"]], **GIVEN).weights
        )

    def test_dicts(self, frame):
        same(
            wbms(frame.to_dict("list"), weights="n", **MIXED).pandas,
            wbms(repeated(frame), **MIXED),
            frame["n"],
        )

    def test_imputed_values(self, frame):
        frame.loc[[0, 7, 20], "x"] = [np.nan, np.inf, np.nan]
        frame.loc[[3, 8], "any"] = None
        how = {**MIXED, "na_action": "impute"}
        result, expected = wbms(frame, weights="n", **how), wbms(repeated(frame), **how)
        same(result, expected, frame["n"])
        assert result._encoding.fills == expected._encoding.fills
        assert result.imputed.to_dict() == {"x": 3, "kind": 0, "any": 2}
        assert "weights of rows" in repr(result)
        assert "imputed" in repr(result)

    def test_omitted_rows(self, frame):
        """A row without a weight is left out, and so is a level that only it has."""
        frame["n"] = frame["n"].astype(float)
        frame.loc[4, "n"], frame.loc[5, "x"], frame.loc[4, "any"] = np.nan, np.nan, "nowhere else"
        how = {**MIXED, "na_action": "omit"}
        result = wbms(frame, weights="n", **how)
        same(result, wbms(repeated(frame), **how), frame["n"])
        assert result.labels[[4, 5]].tolist() == [-1, -1]
        assert len(result.row_weights) == 34

    def test_the_choice(self, frame):
        options = {"h": [0.1, 0.3], "lam": 0.1, "categories": "indicators", "n_subsets": 2}
        found = select(frame.drop(columns="n"), sample_weight=frame["n"], **options)
        pd.testing.assert_frame_equal(found.table, select(repeated(frame), **options).table)

    def test_the_score(self, frame):
        X = frame[["x"]].assign(y=np.sin(frame.index))
        rows = X.loc[X.index.repeat(frame["n"])]
        new = X + 0.1
        expected = WBMS(**GIVEN).fit(rows).score(new)
        assert WBMS(**GIVEN).fit(X, sample_weight=frame["n"]).score(new) == expected
        shares = WBMS(**GIVEN).fit(X, sample_weight=frame["n"] + 0.5)
        assert np.isfinite(shares.score(new))

    def test_the_command(self, frame, capsys):
        frame.loc[3, "any"] = None
        frame.to_csv("data.csv", index=False)
        options = ["--h", "0.1", "--lam", "0.1", "--categories", "indicators", "--json"]
        options += ["--na-action", "impute", "--weights", "n"]
        assert main(["fit", "data.csv", *options]) == 0
        found = read_json(capsys)
        expected = wbms(repeated(frame), **MIXED, na_action="impute")
        assert found["weights"] == expected.weights.to_dict()
        assert found["imputed"] == {"any": 1}
        assert main(["select", "data.csv", *options]) == 0
        assert read_json(capsys)["h"] == 0.1
        assert main(["fit", "data.csv", *options[:4], "--numeric-only", "--weights", "n"]) == 0
        assert "1 column" in capsys.readouterr().out


class TestMasses:
    """Weights that are no numbers of rows."""

    def test_the_mean_of_indicators(self):
        rows = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        mass = np.array([2.5, 0.5, 1.0])
        forward = Standardizer.of(rows, True, mass=mass, indicators=((0, 1),)).forward(rows)
        np.testing.assert_allclose(mass @ forward, 0, atol=1e-15)
        np.testing.assert_allclose(forward[0] - forward[2], [2**-0.5, -(2**-0.5)])

    @pytest.mark.parametrize("factor", [1.0, 1.5])
    def test_theorem_1(self, frame, factor):
        result = wbms(frame, weights=factor * frame["n"], columns=["x", "kind", "any"], **MIXED)
        assert result.check_theory()["holds"].all()
        weights = result.weights
        assert weights["kind=a"] == weights["kind=b"]
        assert result.with_path().weights.equals(weights)

    def test_large_whole_weights_agree_with_repeated_rows(self, frame, monkeypatch):
        expected = wbms(repeated(frame), tree=True, init="marginal", **MIXED)
        monkeypatch.setattr("pywbms._data.masses.MOST_REPEATED", 1)
        result = wbms(frame, weights="n", tree=True, init="marginal", **MIXED)
        assert result.estimator.sample_weight_ is not None
        np.testing.assert_allclose(result.weights, expected.weights, rtol=1e-9)
        np.testing.assert_allclose(result.centers, expected.centers, rtol=1e-7, atol=1e-9)
        np.testing.assert_array_equal(np.repeat(result.labels, frame["n"]), expected.labels)

    def test_at_keeps_weights_and_indicators(self, frame):
        result = wbms(frame, weights=frame["n"] + 0.5, columns=["x", "kind"], lam=0.1, h="auto",
                      categories="indicators")  # fmt: skip
        again = result.at(result.n_clusters)
        assert again.row_weights.equals(result.row_weights)
        assert again.weights["kind=a"] == again.weights["kind=b"]
        np.testing.assert_array_equal(again.predict(frame), again.labels)


class TestSaving:
    def test_levels_fills_and_weights_come_back(self, frame, tmp_path):
        frame.loc[3, "any"], frame.loc[4, "x"] = None, np.nan
        rng = np.random.default_rng(0)
        how = {**MIXED, "na_action": "impute", "random_state": rng}
        result = wbms(frame, weights=frame["n"] + 0.5, columns=["x", "kind", "any"], **how)
        result.save(tmp_path / "model.wbms")
        back = load(tmp_path / "model.wbms")
        new = frame.sample(frac=1, random_state=0)
        for name in ("weights", "row_weights", "imputed", "labels"):
            assert getattr(back, name).equals(getattr(result, name)), name
        assert back.predict(new).equals(result.predict(new))
        assert back.transform(new).equals(result.transform(new))
        assert back.estimator.random_state == 0  # generators are not saved
        assert back.at(2).weights.equals(result.at(2).weights)

    def test_the_commands(self, frame, capsys):
        frame.loc[3, "any"] = None
        frame.to_csv("data.csv", index=False)
        options = ["--h", "0.1", "--lam", "0.1", "--categories", "indicators", "--weights", "n"]
        options += ["--na-action", "impute", "--save", "model.wbms", "--json"]
        assert main(["fit", "data.csv", *options]) == 0
        labels = read_json(capsys)["labels"]
        assert main(["predict", "model.wbms", "data.csv", "--json"]) == 0
        assert read_json(capsys)["labels"] == labels

    def test_exactly_k_clusters(self, frame):
        options = {**MIXED, "n_clusters": 2}
        same(wbms(frame, weights="n", **options), wbms(repeated(frame), **options), frame["n"])


class TestFills:
    @given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1))
    def test_weights_are_repeated_values(self, pairs):
        values, weights = np.array(pairs, dtype=float).T
        every = np.repeat(values, weights.astype(int))
        assert median(values, weights) == median(every)
        levels = tuple(np.unique(values))
        column = pd.Series(values)
        assert most_frequent(column, levels, weights) == most_frequent(pd.Series(every), levels)

    @settings(max_examples=50)
    @given(st.lists(st.floats(0.01, 10), min_size=2, max_size=20), st.randoms())
    def test_the_order_of_rows_does_not_matter(self, weights, random):
        pairs = [(float(i % 4), w) for i, w in enumerate(weights)]
        shuffled = random.sample(pairs, len(pairs))
        (x, w), (y, v) = np.array(pairs).T, np.array(shuffled).T
        levels = (0.0, 1.0, 2.0, 3.0)
        assert median(x, w) == median(y, v) == median(x, 3 * w)
        assert most_frequent(pd.Series(x), levels, w) == most_frequent(pd.Series(y), levels, v)

    def test_a_missing_weight_is_not_filled_in(self, frame):
        frame["n"] = frame["n"].where(frame.index != 3)
        with pytest.raises(ValueError, match=r"column 'n'.*row 3 has NaN"):
            wbms(frame, weights="n", na_action="impute", **MIXED)

    def test_values_of_rows_that_do_not_count(self, frame):
        frame["late"] = np.where(frame["n"] == 0, 1.0, np.nan)
        with pytest.raises(ValueError, match="'late' has no value"):
            wbms(frame, weights="n", na_action="impute", **MIXED)
