"""The dispatcher, R embedded in Python, and the command of the bridge."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import rsession
from rsession import environment, finished, in_embedded_r, run_python
from rvalues import elements, r

import rbridge

r_library, embedded_r = rsession.r_library, rsession.embedded_r  # fixtures


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
    def test_even_system_exit_is_an_error_in_r(self):
        from rbridge import verbs
        from rbridge.dispatch import dispatch

        verbs.VERBS["leave"] = lambda call: sys.exit(3)
        try:
            said = elements(dispatch(r("'leave'")))
        finally:
            del verbs.VERBS["leave"]
        assert (said["kind"][0], said["classes"][0]) == ("error", "SystemExit")

    @in_embedded_r
    def test_only_warnings_that_concern_users_are_passed_on(self):
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
    def test_a_signal_is_raised_only_where_it_is_safe(self):
        from rbridge.interrupts import Interrupts

        with Interrupts() as interrupts:
            signal.raise_signal(signal.SIGINT)  # only sets a flag
            assert interrupts.pending
            with pytest.raises(KeyboardInterrupt), interrupts.raised():
                pytest.fail("started despite a signal")
        with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt), interrupts.raised():
            signal.raise_signal(signal.SIGINT)

    @in_embedded_r
    def test_a_second_signal_does_not_interrupt_the_cleanup(self):
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
    def test_python_s_handler_is_restored_after_a_call(self):
        before = signal.getsignal(signal.SIGINT)
        r("wbms::limit_weights(c(1, 2), 1)")
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


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

    def test_ctrl_c_stops_a_fit_and_python_continues(self, r_library, tmp_path):
        printed = run_python(
            r_library,
            """
            import os, signal, threading
            import rpy2.rinterface as ri, rbridge
            from rpy2.rinterface_lib.embedded import RRuntimeError

            signal.signal(signal.SIGINT, signal.default_int_handler)
            rbridge.attach()
            ri.evalr('library(wbms); set.seed(1); x <- matrix(rnorm(1e5), 5000)')
            ri.evalr('tiny <- wbms(x[1:20, ], h = 0.1, lambda = 0.1)')

            def interrupt_after_a_second():
                threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()

            interrupt_after_a_second()
            try:
                ri.evalr('wbms(x, h = 1e-3, lambda = 0.1, stop = "fixed", max_iter = 1000)')
            except (KeyboardInterrupt, RRuntimeError):
                print('interrupted')
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
        assert printed.splitlines() == ["interrupted", "caught in R", "Python's own"]
        assert "KeyboardInterrupt" not in printed.errors

    def test_without_the_r_package_the_error_says_how_to_install_it(self, r_library, tmp_path):
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

    def test_without_rpy2_the_error_says_how_to_install_it(self, tmp_path):
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
    def test_the_exit_status_is_that_of_the_script(self, code, status, r_library, tmp_path):
        Path(tmp_path, "script.R").write_text(code)
        command(r_library, tmp_path, "script.R", status=status)

    def test_a_script_that_does_not_exist(self, tmp_path):
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

    def test_install_does_not_change_the_source(self, r_library):
        source = Path(rbridge.__file__).parent / "wbms"
        left = [*source.rglob("*.o"), *source.rglob("*.so"), *source.rglob("python-path")]
        assert left == []

    @pytest.mark.parametrize("arguments", [["--install", "library"], ["script.R"]])
    def test_without_r_the_message_says_what_to_install(self, arguments, tmp_path):
        Path(tmp_path, "script.R").write_text("")
        said = command(tmp_path, tmp_path, *arguments, status=1, PATH=str(tmp_path))
        assert "not on the PATH; on Debian or Ubuntu: apt-get install r-base" in said.errors
        assert "Traceback" not in said.errors

    def test_a_failed_installation_shows_r_s_output(self, r_library, tmp_path):
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
            )  # not every archive format keeps scripts executable
        monkeypatch.setitem(rbridge.install.__globals__, "SOURCE", source)
        try:
            library = rbridge.install(tmp_path / "library")
        finally:
            for path in [source, *source.rglob("*")]:
                path.chmod(0o755)
        assert Path(library, "wbms", "python-path").exists()
