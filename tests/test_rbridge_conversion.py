"""Conversions between R objects and Python values."""

import sys

import numpy as np
import pandas as pd
import pytest
import rsession
from rsession import in_embedded_r
from rvalues import address, identical, r

r_library, embedded_r = rsession.r_library, rsession.embedded_r  # fixtures


class TestFromRToPython:
    @in_embedded_r
    def test_a_matrix_is_a_view_of_r_s_memory(self):
        from rbridge import to_python

        x = r("matrix(as.double(1:6), 2)")
        found = to_python.value(x)
        assert found.ctypes.data == address(x)
        assert found.dtype == np.float64
        assert found.flags.f_contiguous
        np.testing.assert_array_equal(found, [[1, 3, 5], [2, 4, 6]])

    @in_embedded_r
    def test_a_view_cannot_be_written_to(self):
        from rbridge import to_python

        found = to_python.value(r("matrix(as.double(1:6), 2)"))
        with pytest.raises(ValueError, match="read-only"):
            found[0, 0] = 7

    @in_embedded_r
    def test_views_leak_no_reference_to_none(self):
        from rbridge import to_python

        x = r("matrix(as.double(1:6), 2)")
        before = sys.getrefcount(None)
        for _ in range(1000):
            to_python.view(x)
        assert abs(sys.getrefcount(None) - before) < 100

    @in_embedded_r
    def test_integers_are_views_of_r_s_memory(self):
        from rbridge import to_python

        x = r("c(1L, -2147483647L, 2147483647L)")
        found = to_python.value(x)
        assert found.ctypes.data == address(x)
        assert found.dtype == np.int32
        assert found.tolist() == [1, -2147483647, 2147483647]

    @in_embedded_r
    def test_every_bit_of_a_double_is_preserved(self):
        from rbridge import to_python

        x = r("c(NaN, NA, Inf, -Inf, -0, 5e-324, 1.7976931348623157e308)")
        bits = to_python.value(x).view(np.int64)
        assert bits[1] & 0xFFFF == 1954  # distinguishes R's NA from other NaNs
        assert np.isnan(to_python.value(x)[:2]).all()
        assert to_python.value(x)[2:].tolist() == [
            np.inf, -np.inf, 0.0, 5e-324, sys.float_info.max,
        ]  # fmt: skip
        assert np.signbit(to_python.value(x)[4])

    @in_embedded_r
    def test_a_vector_of_length_one_is_a_scalar(self):
        from rbridge import to_python

        for code, expected in [("1.5", 1.5), ("2L", 2), ("TRUE", True), ("'a'", "a")]:
            found = to_python.value(r(code))
            assert found == expected
            assert type(found) is type(expected)

    @in_embedded_r
    def test_a_matrix_of_one_number_stays_a_matrix(self):
        from rbridge import to_python

        assert to_python.value(r("matrix(1.5)")).tolist() == [[1.5]]

    @in_embedded_r
    def test_empty_objects_keep_type_and_shape(self):
        from rbridge import to_python

        assert to_python.value(r("NULL")) is None
        assert to_python.value(r("list()")) == {}
        assert to_python.value(r("character()")) == []
        assert to_python.value(r("double()")).shape == (0,)
        assert to_python.value(r("integer()")).dtype == np.int32
        assert to_python.value(r("logical()")).dtype == bool
        assert to_python.value(r("matrix(0, 0, 3)")).shape == (0, 3)
        assert to_python.value(r("matrix(0, 3, 0)")).shape == (3, 0)

    @in_embedded_r
    def test_logicals_and_strings_become_arrays_and_lists(self):
        from rbridge import to_python

        found = to_python.value(r("c(TRUE, FALSE, TRUE)"))
        assert found.dtype == bool
        assert found.tolist() == [True, False, True]
        assert to_python.value(r("c('a', 'b')")) == ["a", "b"]

    @in_embedded_r
    def test_strings_are_converted_whatever_their_encoding(self):
        from rbridge import to_python

        assert to_python.value(r(r"c('\u00e9\u4e2d', iconv('\u00e9', 'UTF-8', 'latin1'))")) == [
            "é中",
            "é",
        ]

    @in_embedded_r
    def test_a_named_list_is_a_dict(self):
        from rbridge import to_python

        found = to_python.value(r("list(a = 1, b = list(c = NULL, d = 'x'))"))
        assert found == {"a": 1.0, "b": {"c": None, "d": "x"}}

    @in_embedded_r
    def test_a_list_without_names_is_rejected(self):
        from rbridge import to_python

        with pytest.raises((TypeError, ValueError)):
            to_python.value(r("list(1, 2)"))

    @in_embedded_r
    def test_objects_without_a_counterpart_are_rejected_by_name(self):
        from rbridge import to_python

        for code, kind in [("1i", "Complex"), ("globalenv()", "Environment"), ("raw(2)", "Byte")]:
            with pytest.raises(TypeError, match=kind):
                to_python.value(r(code))


class TestFromPythonToR:
    @in_embedded_r
    def test_scalars(self):
        from rbridge import to_r

        for x, code in [
            (None, "NULL"), (True, "TRUE"), (np.True_, "TRUE"), (3, "3L"), (np.int64(3), "3L"),
            (0.5, "0.5"), (np.float32(0.5), "0.5"), ("a", "'a'"),
        ]:  # fmt: skip
            assert identical(to_r.value(x), code), x

    @in_embedded_r
    def test_an_integer_too_large_for_r_becomes_a_double(self):
        from rbridge import to_r

        assert identical(to_r.value(2**31 - 1), "2147483647L")
        assert identical(to_r.value(-(2**31) + 1), "-2147483647L")
        assert identical(to_r.value(2**31), "2147483648")
        assert identical(to_r.value(-(2**31)), "-2147483648")  # as an integer it would be NA
        assert identical(to_r.value(np.array([1, 2**40])), "c(1, 2^40)")
        assert identical(to_r.value(np.array([2**63], dtype=np.uint64)), "2^63")

    @in_embedded_r
    def test_a_matrix_of_any_memory_order_is_the_same_in_r(self):
        from rbridge import to_r

        X = np.arange(6.0).reshape(2, 3)
        for x in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2], X.astype(np.float32)):
            assert identical(to_r.value(x), "matrix(as.double(c(0, 3, 1, 4, 2, 5)), 2)")

    @in_embedded_r
    def test_an_array_of_three_dimensions(self):
        from rbridge import to_r

        found = to_r.value(np.arange(24).reshape(2, 3, 4))
        assert identical(found, "aperm(array(0:23, 4:2))")

    @in_embedded_r
    def test_r_gets_its_own_memory(self):
        from rbridge import to_r

        x = np.arange(3.0)
        found = to_r.value(x)
        x[:] = 7
        assert list(found) == [0, 1, 2]

    @in_embedded_r
    def test_every_bit_of_a_double_is_preserved_in_r(self):
        from rbridge import to_python, to_r

        x = np.array([np.nan, -np.nan, np.inf, -0.0, 5e-324])
        back = to_python.value(to_r.value(x))
        assert back.tobytes() == x.tobytes()
        na = r("c(NA, NaN)")
        assert identical(to_r.value(np.array(to_python.value(na))), "c(NA, NaN)")

    @in_embedded_r
    def test_empty_values_stay_empty(self):
        from rbridge import to_r

        assert identical(to_r.value(np.empty(0)), "double()")
        assert identical(to_r.value(np.empty(0, int)), "integer()")
        assert identical(to_r.value(np.empty(0, bool)), "logical()")
        assert identical(to_r.value([]), "character()")
        assert identical(to_r.value(np.empty((0, 2))), "matrix(0, 0, 2)")
        assert identical(r("length")(to_r.value({})), "0L")

    @in_embedded_r
    def test_a_series_keeps_its_names(self):
        from rbridge import to_r

        assert identical(
            to_r.value(pd.Series([0.5, 1.0], ["a", "é中"])), r"c(a=0.5, '\u00e9\u4e2d'=1)"
        )
        assert identical(to_r.value(pd.Series([True, False], [1, 2])), "c('1'=TRUE, '2'=FALSE)")

    @in_embedded_r
    def test_names_belong_to_the_last_dimension(self):
        from rbridge import to_r

        matrix = to_r.Named(np.array([[1.0, 2.0]]), ["a", "b"])
        assert identical(
            to_r.value(matrix), "matrix(c(1, 2), 1, dimnames = list(NULL, c('a', 'b')))"
        )
        path = to_r.Named(np.zeros((2, 1, 2)), ["a", "b"])
        assert identical(
            to_r.value(path), "array(0, c(2, 1, 2), dimnames = list(NULL, NULL, c('a', 'b')))"
        )

    @in_embedded_r
    def test_a_dataframe(self):
        from rbridge import to_r

        frame = pd.DataFrame(
            {"n": [1, 2], "x": [0.5, 1.5], "b": [True, False], "é": ["ä", "b"]}, index=[7, 3]
        )
        expected = r"data.frame(n = 1:2, x = c(0.5, 1.5), b = c(TRUE, FALSE), '\u00e9' = c('\u00e4', 'b'), check.names = FALSE)"  # noqa: E501
        assert identical(to_r.value(frame), expected)

    @in_embedded_r
    def test_a_dataframe_without_rows(self):
        from rbridge import to_r

        found = to_r.value(pd.DataFrame({"a": np.empty(0), "b": np.empty(0, int)}))
        assert identical(found, "data.frame(a = double(), b = integer())")

    @in_embedded_r
    def test_dicts_in_dicts(self):
        from rbridge import to_r

        found = to_r.value({"a": {"b": None, "c": "x"}, "d": np.array([1, 2])})
        assert identical(found, "list(a = list(b = NULL, c = 'x'), d = 1:2)")

    @in_embedded_r
    def test_values_without_a_counterpart_are_rejected(self):
        from rbridge import to_r

        for x in (
            object(), (1, 2), {1, 2}, 1j, np.array([1j]), np.array(["2020-01-01"], "datetime64[D]"),
            2**70, np.array([None, 1.5], dtype=object), [1.5, 2.5],
        ):  # fmt: skip
            with pytest.raises(TypeError, match="no counterpart in R"):
                to_r.value(x)
