"""The Python side of the bridge: conversions, the dispatcher, R inside of Python, the command."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import rsession
from rsession import environment, finished, in_embedded_r, run_python

import rbridge

r_library, embedded_r = rsession.r_library, rsession.embedded_r  # fixtures


def r(code):
    """Evaluate R code in the R of this process."""
    import rpy2.rinterface as ri

    return ri.evalr(code)


def identical(found, code):
    """Tell whether an R object is identical to what R code makes."""
    import rpy2.rinterface as ri

    return ri.baseenv["identical"](found, r(code))[0]


def address(x):
    from rpy2.rinterface_lib import openrlib

    return int(openrlib.ffi.cast("uintptr_t", x._R_GET_PTR(x.__sexp__._cdata)))


class TestFromRToPython:
    @in_embedded_r
    def test_a_matrix_is_seen_where_r_keeps_it(self):
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
    def test_views_cost_no_reference_to_none(self):
        from rbridge import to_python

        x = r("matrix(as.double(1:6), 2)")
        before = sys.getrefcount(None)
        for _ in range(1000):
            to_python.view(x)
        assert abs(sys.getrefcount(None) - before) < 100

    @in_embedded_r
    def test_integers_are_seen_in_place(self):
        from rbridge import to_python

        x = r("c(1L, -2147483647L, 2147483647L)")
        found = to_python.value(x)
        assert found.ctypes.data == address(x)
        assert found.dtype == np.int32
        assert found.tolist() == [1, -2147483647, 2147483647]

    @in_embedded_r
    def test_every_bit_of_a_double_arrives(self):
        from rbridge import to_python

        x = r("c(NaN, NA, Inf, -Inf, -0, 5e-324, 1.7976931348623157e308)")
        bits = to_python.value(x).view(np.int64)
        assert bits[1] & 0xFFFF == 1954  # what tells R's NA from other NaNs
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
    def test_nothing_is_lost_where_there_is_nothing(self):
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
    def test_logicals_and_texts_become_arrays_and_lists(self):
        from rbridge import to_python

        found = to_python.value(r("c(TRUE, FALSE, TRUE)"))
        assert found.dtype == bool
        assert found.tolist() == [True, False, True]
        assert to_python.value(r("c('a', 'b')")) == ["a", "b"]

    @in_embedded_r
    def test_texts_arrive_whatever_their_encoding(self):
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
    def test_a_list_without_names_is_refused(self):
        from rbridge import to_python

        with pytest.raises((TypeError, ValueError)):
            to_python.value(r("list(1, 2)"))

    @in_embedded_r
    def test_what_has_no_counterpart_is_refused_by_name(self):
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
    def test_r_gets_memory_of_its_own(self):
        from rbridge import to_r

        x = np.arange(3.0)
        found = to_r.value(x)
        x[:] = 7
        assert list(found) == [0, 1, 2]

    @in_embedded_r
    def test_every_bit_of_a_double_gets_there(self):
        from rbridge import to_python, to_r

        x = np.array([np.nan, -np.nan, np.inf, -0.0, 5e-324])
        back = to_python.value(to_r.value(x))
        assert back.tobytes() == x.tobytes()
        na = r("c(NA, NaN)")
        assert identical(to_r.value(np.array(to_python.value(na))), "c(NA, NaN)")

    @in_embedded_r
    def test_nothing_stays_nothing(self):
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
    def test_what_has_no_counterpart_is_refused(self):
        from rbridge import to_r

        for x in (
            object(), (1, 2), {1, 2}, 1j, np.array([1j]), np.array(["2020-01-01"], "datetime64[D]"),
            2**70, np.array([None, 1.5], dtype=object), [1.5, 2.5],
        ):  # fmt: skip
            with pytest.raises(TypeError, match="no counterpart in R"):
                to_r.value(x)


class TestDispatcher:
    @in_embedded_r
    def test_an_error_is_described(self):
        from rbridge.dispatch import dispatch

        said = elements(dispatch(r("'limit_weights'"), r("-1"), r("NULL"), r("1")))
        assert said["kind"][0] == "error"
        assert list(said["classes"])[:2] == ["ValueError", "Exception"]
        assert "sigma" in said["message"][0]
        assert "Traceback" in said["traceback"][0]

    @in_embedded_r
    def test_an_unknown_verb_is_an_error_like_any_other(self):
        from rbridge.dispatch import dispatch

        said = elements(dispatch(r("'no such verb'")))
        assert said["kind"][0] == "error"
        assert "no such verb" in said["message"][0]

    @in_embedded_r
    def test_even_an_exit_is_an_error_in_r(self):
        from rbridge import verbs
        from rbridge.dispatch import dispatch

        verbs.VERBS["leave"] = lambda call: sys.exit(3)
        try:
            said = elements(dispatch(r("'leave'")))
        finally:
            del verbs.VERBS["leave"]
        assert (said["kind"][0], said["classes"][0]) == ("error", "SystemExit")

    @in_embedded_r
    def test_only_warnings_that_concern_users_are_handed_on(self):
        import warnings

        from rbridge import verbs
        from rbridge.dispatch import dispatch

        def warn(call):
            for category in (DeprecationWarning, FutureWarning, UserWarning, UserWarning):
                warnings.warn("hear me", category, stacklevel=1)

        verbs.VERBS["warn"] = warn
        try:
            said = elements(dispatch(r("'warn'")))
        finally:
            del verbs.VERBS["warn"]
        assert list(said["warning_classes"]) == ["UserWarning", "UserWarning"]
        assert list(said["warnings"]) == ["hear me", "hear me"]

    @in_embedded_r
    def test_a_signal_is_raised_only_where_it_can_do_no_harm(self):
        from rbridge.interrupts import Interrupts

        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)  # only noted
            assert interrupts.pending
            with pytest.raises(KeyboardInterrupt), interrupts.raised():
                pytest.fail("begun in spite of a signal")
        with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.raised():
            signal.raise_signal(signal.SIGINT)

    @in_embedded_r
    def test_a_second_signal_does_not_break_the_way_out(self):
        from rbridge.interrupts import Interrupts

        reached = []
        with Interrupts() as interrupts:
            try:
                with interrupts.raised():
                    try:
                        signal.raise_signal(signal.SIGINT)
                    finally:
                        signal.raise_signal(signal.SIGINT)
                        reached.append("cleaned up")
            except KeyboardInterrupt:
                reached.append("out")
        assert reached == ["cleaned up", "out"]

    @in_embedded_r
    def test_the_handler_is_python_s_again_after_a_call(self):
        before = signal.getsignal(signal.SIGINT)
        r("wbms::limit_weights(c(1, 2), 1)")
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def elements(x):
    """Return an R list as a dict of R objects."""
    return dict(zip(x.names, x, strict=True))


class TestEmbeddedR:
    @in_embedded_r
    def test_r_has_the_numbers_of_python(self):
        import rpy2.rinterface as ri

        from pywbms import WBMS
        from rbridge import to_python, to_r

        X = np.random.default_rng(0).normal(size=(40, 5))
        model = WBMS(0.1, 0.05).fit(X)
        for _ in range(2):
            namespace = rbridge.attach()
            fit = namespace["wbms"](
                to_r.value(X), h=to_r.value(0.1), **{"lambda": to_r.value(0.05)}
            )
            parts = elements(fit)
            assert isinstance(fit, ri.ListSexpVector)
            assert to_python.view(parts["modes"]).tobytes("F") == model.modes_.tobytes("F")
            np.testing.assert_array_equal(to_python.view(parts["cluster"]), model.labels_ + 1)

    @in_embedded_r
    def test_attaching_twice_changes_nothing(self):
        first, second = rbridge.attach(), rbridge.attach()
        assert first.__sexp__._cdata == second.__sexp__._cdata

    def test_the_r_package_needs_no_attach(self, r_library, tmp_path):
        printed = run_python(
            r_library,
            """
            import rpy2.rinterface as ri
            ri.initr()
            ri.evalr('library(wbms)')
            for _ in range(2):
                ri.evalr('fit <- wbms(iris[, 1:4], h = 0.05, lambda = 0.1)')
            import sys, pywbms
            assert list(ri.evalr('wbms_python()'))[0] == sys.executable
            modes = pywbms.WBMS(0.05, 0.1).fit(
                [list(row) for row in zip(*[list(ri.evalr(f'iris[[{i}]]')) for i in range(1, 5)])]
            ).modes_
            assert list(ri.evalr('fit$modes')) == modes.ravel('F').tolist()
            print('the same')
            """,
            tmp_path,
        )
        assert printed == "the same\n"

    def test_ctrl_c_ends_a_fit_and_python_goes_on(self, r_library, tmp_path):
        printed = run_python(
            r_library,
            """
            import os, signal, threading, time
            import rpy2.rinterface as ri, rbridge
            from rpy2.rinterface_lib.embedded import RRuntimeError

            signal.signal(signal.SIGINT, signal.default_int_handler)
            rbridge.attach()
            ri.evalr('library(wbms); set.seed(1); x <- matrix(rnorm(1e5), 5000)')
            ri.evalr('tiny <- wbms(x[1:20, ], h = 0.1, lambda = 0.1)')

            def interrupt_after_a_second():
                begun = time.monotonic()
                threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
                return begun

            begun = interrupt_after_a_second()
            try:
                ri.evalr('wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1000)')
            except (KeyboardInterrupt, RRuntimeError):
                print('interrupted', time.monotonic() - begun < 10)
            interrupt_after_a_second()
            said = ri.evalr('tryCatch('
                'wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1000),'
                'interrupt = function(i) "caught in R")')
            print(said[0])
            ri.evalr('stopifnot(identical(wbms(x[1:20, ], h = 0.1, lambda = 0.1), tiny))')
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt:
                print("Python's own")
            """,
            tmp_path,
        )
        assert printed.splitlines() == ["interrupted True", "caught in R", "Python's own"]
        assert "KeyboardInterrupt" not in printed.errors

    def test_without_the_r_package_the_error_says_how_to_get_it(self, r_library, tmp_path):
        printed = run_python(
            tmp_path,
            """
            import rbridge.session
            rbridge.session.own_library = lambda: "/nowhere"
            try:
                rbridge.attach()
            except ImportError as error:
                print(error)
            """,
            tmp_path,
            R_LIBS_USER=str(tmp_path),
            R_LIBS_SITE=str(tmp_path),
        )
        assert f"{sys.executable} -m rbridge --install" in printed

    def test_without_rpy2_the_error_says_how_to_get_it(self, tmp_path):
        printed = run_python(
            tmp_path,
            """
            import sys
            sys.modules["rpy2"] = None
            import rbridge
            try:
                rbridge.attach()
            except ImportError as error:
                print(error)
            """,
            tmp_path,
        )
        assert f"{sys.executable} -m pip install 'pywbms[r]'" in printed


def test_neither_pywbms_nor_installing_imports_rpy2(tmp_path):
    run_python(
        tmp_path,
        """
        import sys, pywbms, pywbms.cli
        assert "rbridge" not in sys.modules
        import rbridge, rbridge.__main__
        assert not [name for name in sys.modules if "rpy2" in name or "rinterface" in name]
        """,
        tmp_path,
    )


def command(library, folder, *arguments, status=0, **changes):
    process = subprocess.Popen(
        [sys.executable, "-m", "rbridge", *map(str, arguments)],
        cwd=folder, env=environment(library, **changes), stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    return finished(process, status)


class TestCommand:
    def test_a_script_has_wbms_this_python_and_its_arguments(self, r_library, tmp_path):
        Path(tmp_path, "a script.R").write_text(
            "cat(commandArgs(TRUE), sep = '|')\n"
            "cat('\\n', wbms_python()[['python']], '\\n', sep = '')\n"
            "stopifnot('package:wbms' %in% search(), exists('median'), exists('read.csv'))\n"
        )
        said = command(r_library, tmp_path, "a script.R", "one", "two words", "--three=3")
        assert said.splitlines() == ["one|two words|--three=3", sys.executable]

    @pytest.mark.parametrize(("code", "status"), [("quit(status = 3)", 3), ("stop('no')", 1)])
    def test_the_exit_status_is_the_script_s(self, code, status, r_library, tmp_path):
        Path(tmp_path, "script.R").write_text(code)
        command(r_library, tmp_path, "script.R", status=status)

    def test_a_script_that_is_not_there(self, tmp_path):
        said = command(tmp_path, tmp_path, "nowhere.R", status=2)
        assert "no such script: nowhere.R" in said.errors

    @pytest.mark.parametrize("arguments", [(), ("--nonsense",), ("--install", "a", "b")])
    def test_bad_usage_shows_the_usage(self, arguments, tmp_path):
        said = command(tmp_path, tmp_path, *arguments, status=2)
        assert "usage: python -m rbridge script.R" in said.errors
        assert said == ""

    @pytest.mark.parametrize("option", ["--help", "-h"])
    def test_help(self, option, tmp_path):
        assert command(tmp_path, tmp_path, option).startswith("usage: python -m rbridge script.R")

    def test_install_into_a_new_folder(self, r_library, tmp_path):
        library = tmp_path / "new" / "library"
        said = command(r_library, tmp_path, "--install", library)
        assert said == f"wbms is installed in {library}; in R: library(wbms)\n"
        assert (library / "wbms" / "python-path").read_text() == f"{sys.executable}\n"

    def test_install_leaves_the_source_as_it_is(self, r_library):
        source = Path(rbridge.__file__).parent / "wbms"
        left = [*source.rglob("*.o"), *source.rglob("*.so"), *source.rglob("python-path")]
        assert left == []

    @pytest.mark.parametrize("arguments", [["--install", "library"], ["script.R"]])
    def test_without_r_the_message_says_what_to_install(self, arguments, tmp_path):
        Path(tmp_path, "script.R").write_text("")
        said = command(tmp_path, tmp_path, *arguments, status=1, PATH=str(tmp_path))
        assert "not on the PATH; on Debian or Ubuntu: apt-get install r-base" in said.errors
        assert "Traceback" not in said.errors

    def test_why_r_could_not_install_is_told(self, r_library, tmp_path):
        broken = tmp_path / "bin"
        broken.mkdir()
        (broken / "R").write_text("#!/bin/sh\necho 'no compiler today' >&2\nexit 1\n")
        (broken / "R").chmod(0o755)
        path = f"{broken}{os.pathsep}{os.environ['PATH']}"
        said = command(r_library, tmp_path, "--install", "library", status=1, PATH=path)
        assert "no compiler today" in said.errors
        assert "Traceback" not in said.errors

    def test_an_installation_without_write_permission_on_its_source(
        self, r_library, tmp_path, monkeypatch
    ):
        source = shutil.copytree(rbridge.install.__globals__["SOURCE"], tmp_path / "wbms")
        for path in [*source.rglob("*"), source]:
            path.chmod(
                0o555 if path.is_dir() else 0o444
            )  # not every archive keeps the x of scripts
        monkeypatch.setitem(rbridge.install.__globals__, "SOURCE", source)
        try:
            library = rbridge.install(tmp_path / "library")
        finally:
            for path in [source, *source.rglob("*")]:
                path.chmod(0o755)
        assert Path(library, "wbms", "python-path").exists()
