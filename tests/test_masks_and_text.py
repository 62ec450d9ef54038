"""Masked values are missing, and numbers given as text are refused, by every way in."""

import numpy as np
import pandas as pd
import pytest

from pywbms import WBMS, peers, wbms
from pywbms.select import select
from pywbms.theory import hull_distance

PARAMS = {"h": 0.1, "lam": 1.0}


@pytest.fixture
def X():
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:15, 0] += 9
    return X


@pytest.fixture
def masked(X):
    """A mask that hides a value which would be a cluster of its own."""
    X[4, 1] = 1e6
    return np.ma.array(X, mask=X > 1e5)


WAYS_IN = {
    "wbms": lambda X: wbms(X, **PARAMS),
    "WBMS": lambda X: WBMS(**PARAMS).fit(X),
    "select": lambda X: select(X, [0.1], [1.0]),
    "peers": lambda X: peers.dpmeans(X, k=2),
}


class TestMasks:
    @pytest.mark.parametrize("way", WAYS_IN)
    def test_masked_values_are_missing(self, masked, way):
        with pytest.raises(ValueError, match=r"NaN in column 1 \(first in row 4, 1 row in all"):
            WAYS_IN[way](masked)

    def test_rows_with_masked_values_can_be_omitted(self, X, masked):
        result = wbms(masked, na_action="omit", **PARAMS)
        assert result.labels[4] == -1
        rest = wbms(np.delete(X, 4, axis=0), **PARAMS)
        np.testing.assert_array_equal(np.delete(result.labels.to_numpy(), 4), rest.labels)

    def test_prediction(self, X, masked):
        model, result = WBMS(**PARAMS).fit(X), wbms(X, **PARAMS)
        for predict in (model.predict, model.transform, result.predict):
            with pytest.raises(ValueError, match="NaN in column 1"):
                predict(masked)

    @pytest.mark.parametrize("dtype", [int, np.float32, bool, object])
    def test_any_dtype(self, dtype):
        whole = np.arange(6).reshape(3, 2).astype(dtype)
        with pytest.raises(ValueError, match="NaN in column 0"):
            wbms(np.ma.array(whole, mask=[[0, 0], [1, 0], [0, 0]]), **PARAMS)

    def test_rows_that_are_masked_arrays(self, masked):
        for way in WAYS_IN.values():
            with pytest.raises(ValueError, match="NaN in column 1"):
                way(list(masked))

    def test_a_mask_that_hides_nothing_changes_nothing(self, X):
        found = WBMS(**PARAMS).fit(np.ma.array(X, mask=False))
        np.testing.assert_array_equal(found.modes_, WBMS(**PARAMS).fit(X).modes_)


class TestText:
    @pytest.mark.parametrize("way", WAYS_IN)
    @pytest.mark.parametrize("dtype", [str, bytes, object])
    def test_arrays_of_texts(self, X, way, dtype):
        texts = X.astype(str).astype(dtype)
        with pytest.raises(ValueError, match="not numeric: 0, 1, 2"):
            WAYS_IN[way](texts)

    @pytest.mark.parametrize("way", WAYS_IN)
    def test_the_column_is_named(self, X, way):
        rows = [[a, str(b), c] for a, b, c in X.tolist()]
        with pytest.raises(ValueError, match=r"not numeric: 1 \(.*\); convert them"):
            WAYS_IN[way](rows)
        with pytest.raises(ValueError, match=r"not numeric: 1 \(.*\); convert them"):
            WAYS_IN[way](np.array(rows, dtype=object))

    @pytest.mark.parametrize("way", WAYS_IN)
    def test_a_frame(self, X, way):
        table = pd.DataFrame(X, columns=["a", "b", "c"]).astype({"b": str})
        with pytest.raises(ValueError, match="not numeric: 'b'"):
            WAYS_IN[way](table)

    def test_prediction(self, X):
        model = WBMS(**PARAMS).fit(X)
        with pytest.raises(ValueError, match="not numeric: 0, 1, 2"):
            model.predict(X.astype(str))

    def test_numbers_in_object_arrays_are_numbers(self, X):
        found = WBMS(**PARAMS).fit(X.astype(object))
        np.testing.assert_array_equal(found.modes_, WBMS(**PARAMS).fit(X).modes_)


def test_masked_points_have_no_hull():
    points = np.ma.array([[0.0, 1.0], [2.0, 3.0]], mask=[[0, 0], [0, 1]])
    with pytest.raises(ValueError, match="points must be finite; NaN or infinite in row 1"):
        hull_distance(points, np.zeros((1, 2)))
