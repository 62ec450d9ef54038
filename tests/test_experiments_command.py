"""The command ``pywbms reproduce``."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import experiment_data
import pytest
from experiment_data import NAMES

from pywbms.cli import main

toy, broken = experiment_data.toy, experiment_data.broken  # fixtures


@pytest.mark.usefixtures("toy")
def test_command_prints_one_experiment_with_its_table(tmp_path, capsys):
    assert main(["reproduce", "toy", "--tiny", "--jobs", "1", "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "toy: A toy" in out
    assert re.search(r"^toy +ARI +– +not measured +\d\.\d{3} +not measured$", out, re.MULTILINE)
    assert "C: measured: released form at the paper's h and lam" in out
    assert f"wrote tables and toy.md to {tmp_path}" in out
    assert "tiny form: 6 cells" in out


@pytest.mark.usefixtures("toy")
def test_command_prints_json(tmp_path, capsys):
    argv = ["reproduce", "glioma", "toy", "--tiny", "--json", "--out", str(tmp_path)]
    assert main([*argv, "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["glioma", "toy"]
    assert found["glioma"]["missing"] == ["glioma"]
    assert found["toy"]["tables"]["Printed and measured"][0]["data"] == "toy"


def test_command_lists_the_names(capsys):
    assert main(["reproduce", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(NAMES)
    assert main(["reproduce", "--list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(NAMES)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nonsense"], "there is no nonsense; the names are all, motivating, simulation1"),
        ([], "a NAME is needed; the names are all, motivating"),
        (["all", "--jobs", "0"], "must be a whole number other than 0"),
        (["all", "--quick", "--tiny"], "not allowed with"),
    ],
)
def test_bad_usage_is_rejected_with_the_names(argv, message, capsys):
    with pytest.raises(SystemExit) as exit_info:
        main(["reproduce", *argv])
    assert exit_info.value.code == 2
    assert message in capsys.readouterr().err


def test_a_data_folder_that_does_not_exist_is_rejected(tmp_path, capsys):
    argv = ["reproduce", "glioma", "--data", str(tmp_path / "absent"), "--out", str(tmp_path / "o")]
    assert main(argv) == 1
    assert "absent does not exist" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_file_is_rejected_as_output_folder(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["reproduce", "glioma", "--out", str(tmp_path / "file")]) == 1
    assert "file is a file; the output must be a folder" in capsys.readouterr().err


@pytest.mark.usefixtures("toy", "broken")
def test_a_failed_cell_is_a_failed_job(tmp_path, capsys):
    assert main(["reproduce", "toy", "--jobs", "1", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "failed: bms on simulation3 (seed = 0): ValueError: no luck today" in out
    assert "2 cells failed" in err


def test_the_command_line_does_not_import_matplotlib():
    code = (
        "import sys, pywbms.cli; "
        "loaded = [m for m in ('matplotlib', 'sklearn.manifold', 'pywbms.peers') "
        "if m in sys.modules]; sys.exit(str(loaded) if loaded else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_ctrl_c_keeps_finished_cells_and_says_how_to_resume(tmp_path):
    # A test runner may ignore SIGINT, and its child processes would inherit that.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from pywbms.cli import main; sys.exit(main())"
    )
    argv = ["reproduce", "simulation1", "--quick", "--jobs", "2", "--out", str(tmp_path)]
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *argv], stderr=slave, stdout=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    cells = tmp_path / "cells.jsonl"
    deadline = time.monotonic() + 240
    while not (cells.exists() and cells.read_text().count("\n") >= 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # Like a terminal: the whole process group gets the signal, including the workers.
    os.killpg(process.pid, signal.SIGINT)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert process.wait(timeout=240) == 130
    process.stdout.close()
    shown = shown.decode()
    assert re.search(r"simulation1: █*░+ \d+ of 33 cells, about \d+ (s|min) left", shown)
    assert re.search(r"interrupted; \d+ of 33 cells are kept in \S+cells.jsonl", shown)
    assert "Traceback" not in shown
    for line in cells.read_text().splitlines():
        json.loads(line)
    assert list(tmp_path.iterdir()) == [cells]
