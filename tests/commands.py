"""Files to run commands on, and ways to run them."""

import json
import os
import pty
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from pywbms import wbms
from pywbms.cli import main

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# A test runner may ignore SIGINT, and what it starts then does, too.
WITH_CTRL_C = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from pywbms.cli import main; sys.exit(main())"
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def two_clusters():
    """Make 24 and 16 rows that differ in the first of three columns."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(40, 3)), columns=["a", "b", "c"])
    table["a"] = np.where(np.arange(40) % 5 < 3, -5.0, 5.0) + 0.1 * table["a"]
    return table


@pytest.fixture
def frame():
    return two_clusters()


@pytest.fixture(scope="module")
def expected():
    """What `wbms` makes of the frame."""
    return wbms(two_clusters())


@pytest.fixture
def data(frame):
    """The frame as a file; returns its name."""
    frame.to_csv("data.csv", index=False)
    return "data.csv"


@pytest.fixture
def named(frame):
    """A file whose rows have names that look like numbers, and a column of text."""
    table = frame.assign(kind="text")
    table.insert(1, "id", [f"{row:03d}" for row in range(len(table))])
    table.to_csv("named.csv", index=False)
    return table


def fails_with(code, argv, capsys):
    """Run a command that is to fail; return its message, all there is."""
    assert main(argv) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def refuses(argv, capsys):
    """Run a command that is to be refused as bad usage; return the message."""
    with pytest.raises(SystemExit) as exit_:
        main(argv)
    assert exit_.value.code == 2
    return capsys.readouterr().err.splitlines()[-1]


def read_json(capsys):
    return json.loads(capsys.readouterr().out)


def without(module, monkeypatch):
    """Make imports of a module fail."""
    monkeypatch.setitem(sys.modules, module, None)


def is_png(path):
    with open(path, "rb") as file:
        return file.read(8) == PNG_SIGNATURE


def on_a_terminal(argv, signal_at=None):
    """Run a command with the standard error on a terminal.

    Parameters
    ----------
    argv : list of str
    signal_at : str, optional
        The text on the terminal at which Ctrl-C is pressed.

    Returns
    -------
    code : int
    out, terminal : str
    """
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", WITH_CTRL_C, *argv]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        seen = ""
        try:
            while True:
                try:
                    piece = os.read(ours, 4096).decode()
                except OSError:  # how Linux says that the other side has closed the terminal
                    break
                seen += piece
                if signal_at is not None and signal_at in seen:
                    process.send_signal(signal.SIGINT)
                    signal_at = None
            out = process.stdout.read()
            code = process.wait(timeout=30)
        finally:
            process.kill()
            os.close(ours)
    return code, out, seen
