"""Progress on the terminal, and Ctrl-C."""

import re
import subprocess
import sys
import time

import commands
import numpy as np
import pandas as pd
import pytest
from commands import on_a_terminal
from sklearn.base import clone

from pywbms._cli import fitting

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
data = commands.data


@pytest.mark.slow
def test_progress_on_a_terminal_is_written_over_and_cleared(data):
    code, out, terminal = on_a_terminal(["fit", data])
    assert code == 0
    assert out.startswith("k = 2")
    shown = terminal.split("\r")
    assert shown[1] == "starting …"
    assert shown[2].startswith("choosing h and lam, fit 1: 40 points in ")
    assert any(re.match(r"warmup 1 of at most \d+: \d+ groups, 40 points", text) for text in shown)
    assert "\n" not in terminal
    assert shown[-2].strip() == shown[-1] == ""


def test_progress_with_both_given_does_not_speak_of_choosing(frame, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    fitting.cluster(frame, h=0.1, lam=0.1)
    terminal = capsys.readouterr().err
    assert "choosing" not in terminal
    assert "of at most" in terminal


@pytest.mark.slow
def test_no_progress_in_a_pipe(data):
    command = [sys.executable, "-m", "pywbms", "fit", data]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""


def test_progress_is_throttled(frame, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    result = fitting.cluster(frame)
    assert len(result.history) > 2
    shown = capsys.readouterr().err
    assert shown.count("choosing") == 1
    assert shown.count("of at most") == 2  # the first of each phase


@pytest.mark.slow
def test_result_of_a_fit_with_progress_can_be_fitted_again(frame, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    result = fitting.cluster(frame)
    assert clone(result.estimator).fit(frame).n_clusters_ == 2


@pytest.mark.slow
def test_ctrl_c_while_fitting(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(3000, 30))).to_csv(tmp_path / "long.csv", index=False)
    argv = [
        "fit",
        "long.csv",
        "--h",
        "0.01",
        "--lam",
        "1",
        "--max-iter",
        "100000",
        "--out",
        "labels.csv",
    ]
    code, out, terminal = on_a_terminal(argv, signal_at="of at most")
    assert code == 130
    assert out == ""
    assert terminal.endswith("\rpywbms: interrupted\r\n")
    assert not (tmp_path / "labels.csv").exists()


@pytest.mark.slow
def test_ctrl_c_while_selecting_keeps_what_there_is(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(1500, 20))).to_csv(tmp_path / "long.csv", index=False)
    code, out, _ = on_a_terminal(["select", "long.csv"], signal_at="fit 2")
    assert code == 0
    assert "The search for h and lam was stopped after" in out
