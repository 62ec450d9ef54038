"""Every code block of the README is executed."""

import contextlib
import io
import re
import shlex
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest
import rsession

from pywbms import cli

# fixtures
r_library, r = rsession.r_library, rsession.r

ROOT = Path(__file__).resolve().parents[1]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)


def blocks(language):
    return [code for name, code in BLOCKS if name == language]


@pytest.mark.slow
def test_python_blocks_run_in_order_and_print_what_is_shown(monkeypatch, tmp_path):
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    namespace = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        for code in blocks("python"):
            exec(compile(code, "README.md", "exec"), namespace)
    plt.close("all")
    shown, _ = blocks("text")
    assert printed.getvalue() == shown


def test_r_blocks_run_in_order_and_the_first_prints_what_is_shown(r, tmp_path):
    first, *rest = blocks("r")
    code = "\n".join([first, 'cat("<end of the first>\\n")', *rest])
    printed, _ = r(code, tmp_path).split("<end of the first>\n")
    _, shown = blocks("text")
    assert printed == shown


def test_make_targets_exist():
    named = re.findall(r"^make ([\w-]+)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    assert named == [
        "demo", "test", "r", "demo-r", "vignettes", "reproduce", "bench", "bench-quick"
    ]  # fmt: skip
    makefile = (ROOT / "Makefile").read_text()
    for target in named:
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)


@pytest.mark.slow
def test_commands_run(tmp_path, monkeypatch, capsys):
    from pywbms import datasets

    datasets.data1(0)[0].to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "FOLDER").mkdir()
    monkeypatch.chdir(tmp_path)
    commands = re.findall(r"^pywbms (.*)", "\n".join(blocks("sh")), flags=re.MULTILINE)
    assert commands
    for command in commands:
        arguments = [word for word in shlex.split(command) if word != "--quick"]
        if arguments[:2] == ["reproduce", "all"] or arguments[:2] == ["reproduce", "simulation1"]:
            arguments.append("--tiny")  # an hour in seconds
        if "--help" in arguments:
            with pytest.raises(SystemExit) as ended:
                cli.main(arguments)
            assert ended.value.code == 0
        else:
            assert cli.main(arguments) == 0
    assert (tmp_path / "labels.csv").exists()
    assert (tmp_path / "clusters.png").exists()


def test_every_block_is_of_a_kind_that_is_tested():
    assert {name for name, _ in BLOCKS} == {"python", "r", "text", "sh"}
