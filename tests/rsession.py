"""R for the tests of the bridge: an installed package, R sessions, and Python that embeds R."""

import contextlib
import fcntl
import functools
import importlib
import json
import operator
import os
import select
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
from pathlib import Path

import pytest

import rbridge

HERE = Path(__file__).parent
DEBIAN_PACKAGES = "r-base-dev r-cran-knitr r-cran-reticulate"
# Seconds after which a session has hung, however busy the machine.
PATIENCE = 600
# What every piece of R code finds.
PRELUDE = """
library(wbms)
fit_iris <- function(...) wbms(iris[, 1:4], h = 0.05, lambda = 0.1, ...)
interrupt_soon <- function() { # when R has worked for another half of a second
  invisible(system(sprintf("sh '%s' %d &", Sys.getenv("WBMS_TEST_INTERRUPT"), Sys.getpid())))
}
work_for_ever <- function() while (TRUE) NULL # Sys.sleep has a handler of SIGINT of its own
memory <- function() { # of this process, in kB
  invisible(gc())
  line <- grep("VmRSS", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}
"""


def not_here(what):
    """Fail in continuous integration, skip elsewhere: these tests never pass by being skipped."""
    message = f"{what} is not installed; on Debian or Ubuntu: apt-get install {DEBIAN_PACKAGES}"
    if os.environ.get("CI"):
        pytest.fail(message)
    pytest.skip(message)


def made_once(tmp_path_factory, name, make):
    """Return a folder that `make` fills, once for all workers of a test run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    folder = folder / name
    with open(f"{folder}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            making = folder.with_suffix(".making")
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir()
            make(making)
            making.rename(folder)
    return folder


@pytest.fixture(scope="session")
def r_library(tmp_path_factory):
    """An R library with the package wbms in it."""
    if shutil.which("R") is None or shutil.which("Rscript") is None:
        not_here("R")
    return made_once(tmp_path_factory, "r-library", rbridge.install)


@pytest.fixture(scope="session")
def r(r_library):
    """A function that runs R code in a session of its own."""
    return functools.partial(run_r, r_library)


@pytest.fixture(scope="module")
def session(r_library, tmp_path_factory):
    """An R session that lives as long as the tests of a module; call it with code."""
    process = Session(r_library, tmp_path_factory.mktemp("session"))
    yield process.run
    process.close()


@pytest.fixture(scope="module")
def terminal(r_library):
    """An interactive R session on a terminal, for all tests of a module."""
    session = Terminal(r_library)
    yield session
    session.close()


@pytest.fixture(scope="module")
def embedded_r(r_library):
    """A Python process that embeds R and lives as long as the tests of a module."""
    process = Embedded(r_library)
    yield process
    process.close()


def needs_r_package(name):
    """Fail or skip a test if R lacks a package."""
    if not has_r_package(name):
        not_here(f"the R package {name}")


@functools.cache
def has_r_package(name):
    return not subprocess.run(
        ["Rscript", "-e", f"quit(status = !requireNamespace('{name}', quietly = TRUE))"],
        capture_output=True, timeout=PATIENCE,
    ).returncode  # fmt: skip


def environment(library, **changes):
    """Return the environment of a session; None takes a variable out."""
    settings = {
        **os.environ,
        "R_LIBS": str(library),
        "LC_ALL": "C.UTF-8",
        "WBMS_TEST_INTERRUPT": str(HERE / "interrupt.sh"),
        **changes,
    }
    for name in ("WBMS_PYTHON", "R_PROFILE_USER", "RETICULATE_PYTHON"):
        if name not in changes:
            settings.pop(name, None)
    return {name: value for name, value in settings.items() if value is not None}


def cpu_time(process):
    """Return the seconds that a process has worked so far, however long it waited for a core."""
    return time.clock_gettime((~process.pid << 3) | 2)  # what clock_getcpuclockid(3) would give


def with_ctrl_c():
    """Undo, in a child, what a test runner may do: ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def start_r(library, code, folder, **changes):
    """Start Rscript on code, after the prelude; return the process."""
    script = Path(folder, "script.R")
    script.write_text(PRELUDE + textwrap.dedent(code), encoding="utf-8")
    return subprocess.Popen(
        ["Rscript", "--no-init-file", "--encoding=UTF-8", script],
        cwd=folder, env=environment(library, **changes), preexec_fn=with_ctrl_c,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, encoding="utf-8", errors="replace",
    )  # fmt: skip


def run_r(library, code, folder, status=0, **changes):
    """Run R code to its end, which has to be the expected one; return what it printed."""
    process = start_r(library, code, folder, **changes)
    return finished(process, status)


def finished(process, status=0):
    """Wait for a process, which has to end as expected; return what it printed."""
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"still running after {PATIENCE} s\n{out}\n{err}")
    assert process.returncode == status, f"exit status {process.returncode}\n{out}\n{err}"
    return Printed(out, err)


class Session:
    """An R session that runs one piece of code after the other, each with variables of its own."""

    SERVER = """
        requests <- file("stdin", "r")
        while (length(script <- readLines(requests, 1L))) {
          before <- options()
          said <- tryCatch(
            {
              sys.source(script, new.env(parent = globalenv()), keep.source = FALSE)
              "fine"
            },
            error = function(e) paste(class(e)[[1L]], conditionMessage(e)),
            interrupt = function(i) "interrupted"
          )
          options(before)
          cat("<<<", said, ">>>\\n", sep = "")
          flush(stdout())
        }
    """

    def __init__(self, library, folder):
        self.folder = folder
        server = Path(folder, "server.R")
        server.write_text(PRELUDE + textwrap.dedent(self.SERVER))
        self._process = subprocess.Popen(
            ["Rscript", "--no-init-file", "--encoding=UTF-8", server],
            cwd=folder, env=environment(library), preexec_fn=with_ctrl_c,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

    def run(self, code):
        """Run R code, which must not fail."""
        script = Path(self.folder, "script.R")
        script.write_text(textwrap.dedent(code), encoding="utf-8")
        self._process.stdin.write(f"{script}\n".encode())
        self._process.stdin.flush()
        said = b""
        while not said.endswith(b">>>\n"):
            ready = select.select([self._process.stdout], [], [], PATIENCE)[0]
            assert ready, f"no answer after {PATIENCE} s\n{said.decode()}"
            read = os.read(self._process.stdout.fileno(), 65536)
            assert read, f"the session has ended: {self._process.wait()}\n{said.decode()}"
            said += read
        assert said.endswith(b"<<<fine>>>\n"), said.decode(errors="replace")

    def close(self):
        self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()


class Printed(str):
    """What a process wrote to its standard output; `errors` is what it wrote besides."""

    def __new__(cls, out, err):
        printed = super().__new__(cls, out)
        printed.errors = err
        return printed


class Terminal:
    """R as its users have it: on a terminal, at a prompt."""

    def __init__(self, library):
        self.screen = ""
        self._outer, inner = os.openpty()
        self._process = subprocess.Popen(
            ["R", "--interactive", "--no-save", "--quiet", "--no-init-file", "--no-readline"],
            env=environment(library, TERM="dumb", R_HISTFILE="/dev/null"), preexec_fn=with_ctrl_c,
            stdin=inner, stdout=inner, stderr=inner, start_new_session=True,
        )  # fmt: skip
        os.close(inner)
        # A bar of progress would be cleared from the line of the prompt.
        self.type("library(wbms); options(wbms.progress = FALSE)")
        self.type('say <- function(...) cat("<", ..., ">\\n", sep = "")')

    def type(self, line):
        """Type a line and forget what was on the screen."""
        self.screen = ""
        os.write(self._outer, line.encode() + b"\n")

    def interrupt(self):
        """Send SIGINT and forget what was on the screen."""
        self.screen = ""
        self._process.send_signal(signal.SIGINT)

    def wait_for(self, text, patience=PATIENCE):
        """Read the screen until a text is on it."""
        end = time.monotonic() + patience
        while text not in self.screen.replace("\r", ""):
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} on the screen:\n{self.screen}"
            self._read(left)

    def _read(self, seconds):
        if select.select([self._outer], [], [], seconds)[0]:
            self.screen += os.read(self._outer, 65536).decode(errors="replace")

    def let_work(self, cpu_seconds=1.0):
        """Wait until R has worked for so long, on however busy a machine."""
        enough = cpu_time(self._process) + cpu_seconds
        end = time.monotonic() + PATIENCE
        while cpu_time(self._process) < enough:
            self._read(0.01)
            assert time.monotonic() < end, f"R does not work:\n{self.screen}"

    def close(self):
        self._process.kill()
        self._process.wait()
        os.close(self._outer)


class Embedded:
    """A Python process with R inside, in which tests run one after the other."""

    def __init__(self, library):
        to_child, self._requests = os.pipe()
        self._answers, to_parent = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c",
             f"import rsession; rsession.serve({to_child}, {to_parent})"],
            cwd=HERE, env=environment(library), pass_fds=(to_child, to_parent),
        )  # fmt: skip
        os.close(to_child)
        os.close(to_parent)

    def run(self, function):
        """Run a method of a test module over there."""
        request = json.dumps([function.__module__, function.__qualname__])
        os.write(self._requests, request.encode() + b"\n")
        said = b""
        while not said.endswith(b"\n"):
            assert select.select([self._answers], [], [], PATIENCE)[0], "no answer"
            read = os.read(self._answers, 65536)
            assert read, f"the process with R inside has ended: {self._process.wait()}"
            said += read
        failure = json.loads(said)
        assert failure is None, f"in the process with R inside:\n{failure}"

    def close(self):
        os.close(self._requests)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._answers)


def in_embedded_r(function):
    """Make a test of a method that runs where Python embeds R, with the bridge attached."""

    def test(self, embedded_r):
        embedded_r.run(function)

    test.body = function
    return test


def serve(requests, answers):
    """Run functions by name until nobody asks any more; answer None, or a traceback."""
    rbridge.attach()
    with open(requests) as lines, open(answers, "w") as out:
        for line in lines:
            module, name = json.loads(line)
            failure = None
            try:
                operator.attrgetter(name)(importlib.import_module(module)).body(None)
            except BaseException:
                failure = traceback.format_exc()
            print(json.dumps(failure), file=out, flush=True)


def run_python(library, code, folder, status=0, **changes):
    """Run Python code that may embed R in a process of its own; return what it printed."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        cwd=folder, env=environment(library, **changes), preexec_fn=with_ctrl_c,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
    )  # fmt: skip
    return finished(process, status)


@contextlib.contextmanager
def interrupting(process, rng, low, high):
    """Send SIGINT to a process, again and again, from a thread; yield how often it was.

    Between two signals the process works for `low` to `high` seconds, however long that takes.
    """
    sent, over = [], threading.Event()

    def send():
        due = cpu_time(process) + rng.uniform(low, high)
        while not over.wait(low / 4):
            if (now := cpu_time(process)) >= due:
                process.send_signal(signal.SIGINT)
                sent.append(1)
                due = now + rng.uniform(low, high)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        yield sent
    finally:
        over.set()
        thread.join()
