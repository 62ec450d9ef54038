"""What WBMS takes, to the bit the same in any container, and what it refuses by name."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.metrics import adjusted_rand_score

from pywbms import WBMS, datasets

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def table():
    return datasets.data1(0)[0]


class TestInputs:
    def test_the_input_is_never_written_to(self, table):
        X = table.to_numpy().copy()
        before = X.copy()
        WBMS(0.1, 0.05).fit(X).predict(X)
        np.testing.assert_array_equal(X, before)

    def test_changing_the_input_afterwards_does_not_change_predictions(self, table):
        X = table.to_numpy().copy()
        model = WBMS(0.1, 0.05).fit(X)
        queries = X.copy()
        X[:] = 0
        np.testing.assert_array_equal(model.predict(queries), model.labels_)

    @pytest.mark.parametrize("kind", ["read-only", "memmap", "fortran", "list", "float32", "view"])
    def test_any_kind_of_array_gives_the_same(self, table, tmp_path, kind):
        X = table.to_numpy().astype(np.float32).astype(float)
        expected = WBMS(0.1, 0.05).fit(X)
        if kind == "read-only":
            given = X.copy()
            given.flags.writeable = False
        elif kind == "memmap":
            np.save(tmp_path / "X.npy", X)
            given = np.load(tmp_path / "X.npy", mmap_mode="r")
        else:
            given = {
                "fortran": np.asfortranarray(X),
                "list": X.tolist(),
                "float32": X.astype(np.float32),
                "view": np.repeat(X, 2, axis=1)[:, ::2],
            }[kind]
        model = WBMS(0.1, 0.05).fit(given)
        np.testing.assert_array_equal(model.modes_, expected.modes_)
        np.testing.assert_array_equal(model.labels_, expected.labels_)

    @pytest.mark.parametrize(
        "dtype", ["float32", "Float64", "Float32", "float64[pyarrow]", "double[pyarrow]"]
    )
    def test_any_float_dtype_of_a_frame(self, table, dtype):
        X = table.astype("float32").astype("float64")
        model = WBMS(0.1, 0.05).fit(X.astype(dtype))
        np.testing.assert_array_equal(model.modes_, WBMS(0.1, 0.05).fit(X).modes_)
        assert model.feature_names_in_.tolist() == list(X)

    @pytest.mark.parametrize(
        "dtype",
        ["int8", "uint16", "int64", "Int64", "UInt8", "int64[pyarrow]", "bool", "boolean",
         "bool[pyarrow]", "object"],
    )  # fmt: skip
    def test_any_integer_or_boolean_dtype_of_a_frame(self, dtype):
        numbers = np.random.default_rng(0).integers(2, size=(50, 4))
        X = pd.DataFrame(numbers, columns=list("abcd"))
        model = WBMS(0.3, 0.5).fit(X.astype(dtype))
        np.testing.assert_array_equal(model.labels_, WBMS(0.3, 0.5).fit(numbers).labels_)

    def test_columns_of_different_dtypes(self):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(
            {
                "a": rng.normal(size=40).astype(np.float32),
                "b": pd.array(rng.integers(3, size=40), dtype="Int16"),
                "c": rng.random(40) < 0.5,
                "d": pd.array(rng.normal(size=40), dtype="double[pyarrow]"),
            }
        )
        plain = X.to_numpy(dtype=float)
        np.testing.assert_array_equal(WBMS(0.3, 1).fit(X).modes_, WBMS(0.3, 1).fit(plain).modes_)

    @pytest.mark.parametrize("exponent", [-320, -300, -160, 160, 300, 307])
    def test_columns_of_any_magnitude(self, exponent):
        X, truth = datasets.data1(0)
        scaled = X.to_numpy() * 10.0**exponent
        model = WBMS(0.1, 0.05).fit(scaled)
        assert np.isfinite(model.modes_).all()
        assert adjusted_rand_score(truth, model.labels_) > (0.9 if exponent > -310 else 0.0)

    @pytest.mark.parametrize("X", [np.zeros((1, 3)), np.ones((5, 2)), np.full((2, 1), 7.0)])
    def test_data_without_any_variation_are_one_cluster(self, X):
        for model in (WBMS().fit(X), WBMS.paper(0.1, 1).fit(X), WBMS.released(0.1, 1).fit(X)):
            assert model.labels_.tolist() == [0] * len(X)
            assert model.feature_weights_.tolist() == [1 / X.shape[1]] * X.shape[1]
            np.testing.assert_array_equal(model.modes_, X)
            assert model.converged_
            assert model.predict(X).tolist() == [0] * len(X)

    def test_a_column_that_varies_by_rounding_only_is_constant(self):
        X = np.random.default_rng(0).normal(size=(100, 2))
        X[:, 0] = np.where(np.arange(100) % 2, 0.3, 0.1 + 0.2)
        assert WBMS(0.5, 1.0).fit(X).feature_weights_.tolist() == [0.0, 1.0]

    def test_unscaled_data_that_do_not_vary_are_not_warned_about(self):
        assert WBMS(standardize=False).fit(np.full((3, 1), 0.10490012)).n_clusters_ == 1

    def test_unscaled_data_finer_than_eps_are_warned_about(self):
        X, _ = datasets.data1(0)
        with pytest.warns(UserWarning, match="below 100·eps"):
            WBMS(1e-13, 1e-13, standardize=False).fit(X * 1e-6)


BAD_PARAMETERS = [
    ({"h": 0}, "h must be a positive"),
    ({"h": -1.0}, "h must be a positive"),
    ({"h": np.nan}, "h must be a positive"),
    ({"h": np.inf}, "h must be a positive"),
    ({"h": "wide"}, "h must be a positive"),
    ({"h": None}, "h must be a positive"),
    ({"lam": 0.0}, "lam must be a positive"),
    ({"lam": -2}, "lam must be a positive"),
    ({"lam": True}, "lam must be a positive"),
    ({"lam_scale": "median"}, "lam_scale must be one of 'mean', 'sum'"),
    ({"exclude_self": "no"}, "exclude_self must be True or False"),
    ({"warmup": -1}, "warmup must be an integer of at least 0"),
    ({"warmup": 2.5}, "warmup must be an integer"),
    ({"stop": "never"}, "stop must be one of 'settled'"),
    ({"patience": 0}, "patience must be an integer of at least 1"),
    ({"tol": 0}, "tol must be a finite number of at least"),
    ({"max_iter": 0}, "max_iter must be an integer of at least 1"),
    ({"eps": 0}, "eps must be a finite number of at least"),
    ({"eps": "small"}, "eps must be a finite number of at least"),
    ({"standardize": 1}, "standardize must be True, False or 'robust'"),
    ({"merge": None}, "merge must be True or False"),
    ({"record_path": "yes"}, "record_path must be True or False"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"callback": 3}, "callback must be a function"),
]


FRAME = pd.DataFrame({"a": [1.0, 2, 3], "b": [2.0, 1, 5]})


BAD_DATA = [
    (FRAME.assign(b=[1.0, np.nan, 2]), "NaN in column 'b' .first in row 1, 1 row in all"),
    (FRAME.assign(b=[1.0, np.inf, -np.inf]), "infinite values in column 'b'.*2 rows"),
    (FRAME.assign(b=pd.array([1, None, 2], dtype="Int64")), "NaN in column 'b'"),
    (FRAME.assign(b=pd.array([1, None, 2], dtype="double[pyarrow]")), "NaN in column 'b'"),
    (FRAME.assign(c=["x", "y", "z"]), "not numeric: 'c'"),
    (FRAME.assign(c=pd.Categorical([1, 2, 1])), "not numeric: 'c'"),
    (FRAME.assign(c=pd.to_datetime(["2020", "2021", "2022"])), "not numeric: 'c'"),
    (FRAME.assign(c=[1 + 2j, 0, 1]), "not numeric: 'c'"),
    (FRAME.set_axis(["a", "a"], axis=1), "duplicate column names: 'a'"),
    (FRAME.iloc[:0], "no rows"),
    (FRAME[[]], "no columns"),
    (np.array([[1.0, np.nan], [0.0, 1.0]]), "NaN in column 1"),
    (np.array([[np.inf, 1.0], [0.0, 1.0]]), "infinite values in column 0"),
    (np.zeros((0, 3)), r"0 sample\(s\)"),
    (np.zeros((3, 0)), r"0 feature\(s\)"),
    (np.zeros(3), "Expected 2D array"),
    (np.zeros((2, 2, 2)), "Found array with dim 3"),
]


@pytest.mark.parametrize(("params", "message"), BAD_PARAMETERS, ids=str)
def test_bad_parameters_are_named(params, message):
    with pytest.raises(ValueError, match=message):
        WBMS(**params).fit(FRAME)


@pytest.mark.parametrize(("X", "message"), BAD_DATA, ids=[message for _, message in BAD_DATA])
def test_bad_data_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        WBMS(0.1, 1.0).fit(X)


@pytest.mark.parametrize("container", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_sparse_matrices_become_dense(container):
    X = np.random.default_rng(0).poisson(0.5, size=(30, 4)).astype(float)
    with pytest.warns(UserWarning, match="data are sparse: .* a dense array of 1.0 kB") as notes:
        model = WBMS(0.1, 1.0).fit(container(X))
    assert notes[0].filename == __file__
    np.testing.assert_array_equal(model.modes_, WBMS(0.1, 1.0).fit(X).modes_)


def test_large_sparse_matrices_are_refused():
    with pytest.raises(ValueError, match=r"take 8\.0 GB as a dense array.*TruncatedSVD"):
        WBMS().fit(scipy.sparse.csr_array((1000, 10**6)))


def test_unscaled_values_that_cannot_be_squared_are_refused():
    with pytest.raises(ValueError, match="column 'b' has values beyond"):
        WBMS(0.1, 1.0, standardize=False).fit(FRAME.assign(b=[1e200, 0, 1]))


def test_prediction_needs_the_same_columns():
    model = WBMS(0.1, 1.0).fit(FRAME)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME.rename(columns={"b": "c"}))
    with pytest.raises(ValueError, match="NaN in column 'a'"):
        model.predict(FRAME.assign(a=np.nan))
