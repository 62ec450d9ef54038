"""Any kind of table in, the same kind out: columns and rows keep their names."""

import pickle

import narwhals
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from optional import optional

from pywbms import WBMS, datasets, plot, wbms
from pywbms._data.frames import PandasLikeKind, frame_of_native
from pywbms._data.kinds import read
from pywbms._results.native import NativeResult
from pywbms.select import select

pl = optional("polars")
pa = optional("pyarrow")
xr = optional("xarray")

PARAMS = {"h": 0.1, "lam": 0.05}
KINDS = {
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "dict": lambda frame: frame.to_dict(orient="list"),
    "records": lambda frame: frame.to_dict(orient="records"),
    "structured": lambda frame: np.asarray(frame.to_records(index=False)),
    "DataArray": lambda frame: xr.DataArray(
        frame.to_numpy(), coords={"column": list(frame)}, dims=("row", "column")
    ),
    "Dataset": lambda frame: xr.Dataset({name: ("row", frame[name]) for name in frame}),
}


@pytest.fixture(scope="module")
def frame():
    return datasets.data1(0)[0].iloc[:, :5]


@pytest.fixture(scope="module")
def expected(frame):
    return wbms(frame, **PARAMS)


def values_of(table):
    """Return the numbers of a table of any kind, row by row."""
    return read(table)[0].to_numpy(dtype=float)


@pytest.mark.parametrize("kind", KINDS)
class TestSameKind:
    def test_tables_have_the_kind_and_the_numbers(self, frame, expected, kind):
        table = KINDS[kind](frame)
        found = wbms(table, **PARAMS)
        for name in ("modes", "data"):
            of_kind = getattr(found, name)
            assert type(of_kind) is type(table)
            np.testing.assert_array_equal(values_of(of_kind), getattr(expected, name))
            assert list(read(of_kind)[0].columns) == list(frame.columns)
        np.testing.assert_array_equal(np.asarray(found.labels), expected.labels)
        np.testing.assert_array_equal(np.asarray(found.outliers), expected.outliers)
        assert not isinstance(found.labels, pd.Series)

    def test_names_of_columns_are_kept(self, frame, expected, kind):
        found = wbms(KINDS[kind](frame), **PARAMS)
        pd.testing.assert_series_equal(
            found.pandas.weights, expected.weights, check_names=False, check_index_type=False
        )
        assert str(frame.columns[0]) in repr(found)

    def test_prediction(self, frame, expected, kind):
        table = KINDS[kind](frame)
        of_pandas = wbms(frame, **PARAMS).predict(table)
        of_kind = wbms(table, **PARAMS).predict(table)
        assert type(of_pandas) is type(of_kind)
        np.testing.assert_array_equal(np.asarray(of_kind), expected.labels)
        assert isinstance(wbms(table, **PARAMS).predict(frame), pd.Series)

    def test_augmenting(self, frame, expected, kind):
        table = KINDS[kind](frame)
        found = wbms(table, **PARAMS)
        labelled = found.augment(table, name="group")
        assert type(labelled) is type(table)
        if kind == "DataArray":
            np.testing.assert_array_equal(labelled.coords["group"], expected.labels)
        else:
            assert read(labelled)[0]["group"].tolist() == expected.labels.tolist()
        with pytest.raises(ValueError, match="already has a column 'group'"):
            found.augment(labelled, name="group")

    def test_estimator_and_selection(self, frame, kind):
        table = KINDS[kind](frame)
        model = WBMS(**PARAMS).fit(table)
        assert model.feature_names_in_.tolist() == list(frame.columns)
        np.testing.assert_array_equal(model.predict(table), WBMS(**PARAMS).fit(frame).labels_)
        assert select(table, h=[0.05, 0.1], lam=0.05).table.equals(
            select(frame, h=[0.05, 0.1], lam=0.05).table
        )

    def test_columns_are_found_by_name(self, frame, kind):
        found = wbms(KINDS[kind](frame), ["x2", "x1"], **PARAMS)
        assert list(found.pandas.weights.index) == ["x2", "x1"]
        with pytest.raises(ValueError, match="columns that are not in the data: 'nobody'"):
            wbms(KINDS[kind](frame), ["nobody"], **PARAMS)

    def test_saved_and_drawn(self, frame, expected, kind):
        found = pickle.loads(pickle.dumps(wbms(KINDS[kind](frame), **PARAMS)))
        np.testing.assert_array_equal(np.asarray(found.labels), expected.labels)
        assert plot.weights(found) is not None
        assert found.plot("clusters") is not None
        assert type(found.with_path().modes) is type(KINDS[kind](frame))
        assert "labels" in dir(found)
        with pytest.raises(AttributeError, match="nothing"):
            _ = found.nothing


class TestFrames:
    def test_an_index_becomes_a_column(self, frame, expected):
        found = wbms(pl.from_pandas(frame), **PARAMS)
        assert found.weights.columns == ["column", "weight"]
        assert found.weights["column"].to_list() == list(frame.columns)
        assert found.centers.columns == ["cluster", *frame.columns]
        assert found.centers["cluster"].to_list() == [0, 1]
        assert isinstance(found.history, pl.DataFrame)
        assert found.summary().equals(expected.summary())

    def test_omitted_rows(self, frame):
        holes = pl.from_pandas(frame).with_columns(
            x1=pl.when(pl.int_range(pl.len()) == 3).then(None).otherwise(pl.col("x1"))
        )
        found = wbms(holes, **PARAMS, na_action="omit")
        assert found.labels[3] == -1
        assert found.modes["row"].to_list() == [row for row in range(len(frame)) if row != 3]
        assert found.augment(holes)["cluster"].equals(found.labels)
        assert found.augment().height == len(frame) - 1

    def test_columns_of_any_type(self):
        table = pl.DataFrame(
            {
                "whole": [1, 2, None, 4],
                "flag": [True, None, False, True],
                "text": ["a", None, "b", "a"],
                "level": pl.Series(["u", "v", "u", None], dtype=pl.Categorical),
                "enum": pl.Series(["lo", "hi", "lo", None], dtype=pl.Enum(["lo", "hi"])),
            }
        )
        for of_kind in (table, table.to_arrow()):
            got, _ = read(of_kind)
            np.testing.assert_array_equal(got["whole"], [1.0, 2.0, np.nan, 4.0])
            np.testing.assert_array_equal(got["flag"], [1.0, np.nan, 0.0, 1.0])
            found = wbms(of_kind, **PARAMS, na_action="impute", categories="indicators").pandas
            assert list(found.weights.index) == [
                "whole", "flag", "text=a", "text=b", "level=u", "level=v", "enum=hi", "enum=lo",
            ]  # fmt: skip
            assert found.imputed.tolist() == [1, 1, 1, 1, 1]

    def test_integers_beyond_the_digits_of_floats(self):
        table = pa.table({"big": [2**60 + 1, 0, 5], "x": [1.0, 2.0, 3.0]})
        assert read(table)[0]["big"].tolist() == [float(2**60), 0.0, 5.0]

    def test_columns_that_cannot_be_used_are_named(self):
        table = pl.DataFrame({"x": [1.0, 2.0], "text": ["a", "b"], "list": [[1], [2]]})
        with pytest.raises(ValueError, match="not numeric: 'text', 'list'"):
            wbms(table)
        with pytest.raises(ValueError, match="not numeric: 'list'"):
            wbms(table, categories="indicators")
        assert wbms(table, numeric_only=True, **PARAMS).weights["column"].to_list() == ["x"]

    def test_duplicate_names(self):
        table = pa.Table.from_arrays([pa.array([1.0, 2.0]), pa.array([3.0, 4.0])], names=["a", "a"])
        with pytest.raises(ValueError, match=r"unique column names[\s\S]*'a'"):
            wbms(table)

    def test_lazy_frames_are_refused(self, frame):
        with pytest.raises(ValueError, match="a LazyFrame has no rows yet"):
            wbms(pl.from_pandas(frame).lazy())

    def test_augmenting_needs_all_rows(self, frame):
        table = pl.from_pandas(frame)
        with pytest.raises(ValueError, match="the 200 rows that were clustered, got 5"):
            wbms(table, **PARAMS).augment(table[:5])

    def test_a_fit_of_pandas_augments_frames_without_an_index(self, frame, expected):
        named = frame.set_axis([f"r{i}" for i in range(len(frame))])
        labelled = wbms(named, **PARAMS).augment(pl.from_pandas(frame))
        assert labelled["cluster"].to_list() == expected.labels.tolist()


def test_frames_with_an_index_keep_it(frame, expected):
    """As those of modin and cuDF: pandas stands in for them."""
    named = frame.set_axis([f"r{i}" for i in range(len(frame))])
    native = narwhals.from_native(named)
    kind = PandasLikeKind.of(native)
    assert frame_of_native(native).equals(named)
    found = NativeResult(wbms(named, **PARAMS), kind)
    assert found.labels.index.equals(named.index)
    assert found.weights.equals(expected.weights)
    assert found.modes.equals(expected.modes.set_axis(named.index))
    assert kind.with_column(named, found.labels)["cluster"].equals(found.labels)


@settings(max_examples=25)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
        min_size=2, max_size=5, unique=True,
    ),
    st.sampled_from(sorted(set(KINDS) - {"structured"})),
)  # fmt: skip
def test_any_names_survive(names, kind):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(12, len(names))), columns=names)
    if kind == "Dataset" and "row" in names:
        frame = frame.rename(columns={"row": "another row"})
    found = wbms(KINDS[kind](frame), h=0.5, lam=1.0)
    assert list(found.pandas.weights.index) == list(frame.columns)
    assert list(read(found.data)[0].columns) == list(frame.columns)


class TestPlainTables:
    def test_dicts(self, expected, frame):
        found = wbms({name: tuple(frame[name]) for name in frame}, **PARAMS)
        assert found.labels == expected.labels.tolist()
        assert found.weights == {"column": list(frame), "weight": expected.weights.tolist()}

    @pytest.mark.parametrize("bad", [{"a": 1.0}, {"a": [1.0], "b": [1.0, 2.0]}, {"a": "text"}])
    def test_bad_dicts(self, bad):
        with pytest.raises(ValueError, match="one sequence of values per column"):
            wbms(bad)

    def test_records_may_lack_keys(self):
        rows = [{"a": float(i % 2), "b": 1.0 * i} for i in range(12)]
        del rows[4]["b"]
        with pytest.raises(ValueError, match=r"NaN in column 'b' \(first in row 4"):
            wbms(rows, **PARAMS)
        found = wbms(rows, **PARAMS, na_action="impute")
        assert found.imputed == [{"column": "a", "imputed": 0}, {"column": "b", "imputed": 1}]
        assert found.augment(rows)[4] == {"a": 0.0, "cluster": found.labels[4]}

    def test_structured_arrays(self):
        nested = np.zeros(3, dtype=[("a", float, 2)])
        with pytest.raises(ValueError, match="one value per field"):
            wbms(nested)
        masked = np.ma.array(
            [(1.0, 2.0), (3.0, 4.0)], mask=[(False, True), (False, False)],
            dtype=[("a", float), ("b", float)],
        )  # fmt: skip
        with pytest.raises(ValueError, match="NaN in column 'b'"):
            wbms(masked)


class TestXarray:
    def test_dimensions_and_coordinates(self, frame, expected):
        table = xr.DataArray(
            frame.to_numpy(), dims=("sample", "gene"),
            coords={"gene": list(frame), "sample": np.arange(len(frame)) * 10},
        )  # fmt: skip
        found = wbms(table, **PARAMS)
        assert found.labels.dims == ("sample",)
        assert found.labels.sel(sample=50).item() == expected.labels[5]
        assert found.weights.sel(gene="x1").item() == expected.weights["x1"]
        assert found.centers.dims == ("cluster", "gene")
        assert found.augment(table).coords["cluster"].dims == ("sample",)

    def test_a_dataset_with_one_matrix(self, frame, expected):
        matrix = xr.DataArray(frame.to_numpy(), dims=("row", "column"))
        found = wbms(xr.Dataset({"only": matrix}), **PARAMS)
        np.testing.assert_array_equal(found.labels, expected.labels)

    def test_other_shapes_are_refused(self):
        with pytest.raises(ValueError, match="two dimensions, rows and columns"):
            wbms(xr.DataArray(np.zeros(3)))
        mixed = xr.Dataset({"a": ("x", [1.0, 2.0]), "b": ("y", [1.0, 2.0])})
        with pytest.raises(ValueError, match="along one and the same dimension"):
            wbms(mixed)


class Annotated:
    """The parts of an AnnData object that count here."""

    def __init__(self, X, obs_names, var_names, obsm=()):
        self.X = X
        self.obs = pd.DataFrame(index=pd.Index(obs_names))
        self.var = pd.DataFrame(index=pd.Index(var_names))
        self.obsm = dict(obsm)
        self.uns = {}

    obs_names = property(lambda self: self.obs.index)
    var_names = property(lambda self: self.var.index)

    def copy(self):
        new = Annotated(self.X, self.obs_names, self.var_names, self.obsm)
        new.obs, new.var, new.uns = self.obs.copy(), self.var.copy(), dict(self.uns)
        return new


class TestAnnData:
    @pytest.fixture
    def adata(self, frame):
        cells = [f"cell{i}" for i in range(len(frame))]
        return Annotated(frame.to_numpy(), cells, frame.columns, {"X_pca": frame.to_numpy()[:, :2]})

    def test_results_go_where_they_belong(self, adata, expected):
        found = wbms(adata, **PARAMS)
        assert found.labels.index.equals(adata.obs_names)
        new = found.augment(adata, name="wbms")
        assert new.obs["wbms"].astype(int).tolist() == expected.labels.tolist()
        assert isinstance(new.obs["wbms"].dtype, pd.CategoricalDtype)
        assert new.var["wbms_weight"].tolist() == expected.weights.tolist()
        assert new.uns["wbms"]["h"] == 0.1
        assert new.uns["wbms"]["centers"].shape == (2, 5)
        with pytest.raises(ValueError, match="already has a column 'wbms' in obs"):
            found.augment(new, name="wbms")
        assert "wbms" not in adata.obs
        assert adata.uns == {}

    def test_embeddings(self, adata, frame):
        found = wbms(adata, obsm="X_pca", **PARAMS)
        assert list(found.weights.index) == ["X_pca1", "X_pca2"]
        plain = wbms(frame.iloc[:, :2], **PARAMS)
        assert found.labels.tolist() == plain.labels.tolist()
        assert "cluster_weight" not in found.augment(adata).var
        assert found.augment(adata).uns["wbms"]["columns"] == ["X_pca1", "X_pca2"]
        assert (found.predict(adata.obsm["X_pca"]) == plain.labels).all()
        with pytest.raises(ValueError, match="obsm has no 'X_umap'; it has \\['X_pca'\\]"):
            wbms(adata, obsm="X_umap")
        with pytest.raises(ValueError, match="obsm is for AnnData objects, got DataFrame"):
            wbms(frame, obsm="X_pca")

    def test_sparse_counts(self, adata, expected):
        adata.X = scipy.sparse.csr_matrix(adata.X)
        with pytest.warns(UserWarning, match="data are sparse") as notes:
            found = wbms(adata, **PARAMS)
        assert notes[0].filename == __file__
        assert found.labels.tolist() == expected.labels.tolist()
        assert list(found.augment(adata).obs) == ["cluster"]  # and no warning: X is not needed


class TestSparse:
    def test_a_dense_array_is_made_with_a_warning(self, frame, expected):
        with pytest.warns(UserWarning, match="clustered as a dense array of 8.0 kB") as notes:
            found = wbms(scipy.sparse.coo_array(frame.to_numpy()), **PARAMS)
        assert notes[0].filename == __file__
        assert found.labels.tolist() == expected.labels.tolist()

    def test_large_ones_are_refused(self):
        with pytest.raises(ValueError, match=r"8,000 GB as a dense array.*toarray\(\)"):
            wbms(scipy.sparse.csr_array((10**6, 10**6)))
