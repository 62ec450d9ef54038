"""The commands other than fit, and what all commands share."""

import json
import subprocess
import sys
from pathlib import Path

import commands
import pandas as pd
import pytest
from commands import fails_with, is_png, read_json, without

from pywbms import __version__
from pywbms.cli import main
from pywbms.select import select

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
data = commands.data
named = commands.named


# The command as such


def test_no_command_prints_help_and_exits_with_2(capsys):
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "usage: pywbms" in err
    assert "demo" in err
    assert "fit" in err


def test_version(capsys):
    with pytest.raises(SystemExit) as exit_:
        main(["--version"])
    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"pywbms {__version__}\n"


@pytest.mark.slow
def test_python_m_exits_with_the_code_of_main():
    done = subprocess.run([sys.executable, "-m", "pywbms", "fit", "nothing.csv"], capture_output=1)
    assert done.returncode == 1
    assert done.stderr == b"pywbms: error: cannot read nothing.csv: No such file or directory\n"


@pytest.mark.slow
def test_import_leaves_matplotlib_alone():
    code = "import sys, pywbms.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# demo


@pytest.mark.slow
def test_demo_finds_both_clusters(capsys):
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert "k = 2 in 200 rows × 32 columns" in out
    assert "ARI 1.000" in out
    assert err == ""


@pytest.mark.slow
def test_demo_prints_the_five_heaviest_features_aligned(capsys, monkeypatch):
    without("matplotlib", monkeypatch)  # no picture: faster
    main(["demo"])
    lines = capsys.readouterr().out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    table = lines[start : start + 7]
    assert {line.split()[0] for line in table[1:3]} == {"x1", "x2"}
    assert table[6].startswith("27 others")
    assert len({len(line) for line in table}) == 1


@pytest.mark.slow
def test_demo_writes_its_picture_and_says_where(capsys):
    main(["demo"])
    assert is_png("demo.png")
    assert "wrote the picture to demo.png\nwrote the report to demo.html" in capsys.readouterr().out
    page = Path("demo.html").read_text(encoding="utf-8")
    assert "<h1>The paper&#x27;s motivating example</h1>" in page


@pytest.mark.slow
def test_demo_out_says_where_the_picture_goes(tmp_path):
    main(["demo", "--out", "other.png"])
    assert is_png("other.png")
    assert not (tmp_path / "demo.png").exists()
    assert {path.name for path in tmp_path.iterdir()} == {"other.png", "other.html"}


@pytest.mark.slow
def test_demo_json(capsys, monkeypatch):
    without("matplotlib", monkeypatch)
    assert main(["demo", "--json"]) == 0
    found = read_json(capsys)
    assert found["n_clusters"] == 2
    assert found["ari"] == 1.0
    assert found["sizes"] == [100, 100]


@pytest.mark.slow
def test_demo_seed_changes_the_data(capsys, monkeypatch):
    without("matplotlib", monkeypatch)
    weights = []
    for seed in ("0", "1"):
        main(["demo", "--json", "--seed", seed])
        weights.append(read_json(capsys)["weights"])
    assert weights[0] != weights[1]


@pytest.mark.slow
def test_demo_without_matplotlib_prints_the_rest(capsys, monkeypatch, tmp_path):
    without("matplotlib", monkeypatch)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert "ARI 1.000" in out
    assert "wrote the picture" not in out
    assert 'pip install "pywbms[plot]"' in err
    assert [path.name for path in tmp_path.iterdir()] == ["demo.html"]


# select


@pytest.mark.slow
def test_select_prints_the_choice_and_the_best_pairs(frame, data, capsys):
    chosen = select(frame)
    assert main(["select", data]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{chosen}\nConfidence: {chosen.confidence}\n")
    assert "stability" in out.splitlines()[-1 - chosen.table["judged"].sum()]
    assert err == ""


@pytest.mark.slow
def test_select_json(frame, data, capsys):
    chosen = select(frame, random_state=3, n_subsets=2)
    assert main(["select", data, "--json", "--seed", "3", "--subsets", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["h"], found["lam"], found["n_clusters"]) == (
        chosen.h, chosen.lam, chosen.n_clusters,
    )  # fmt: skip
    assert len(found["pairs"]) == len(chosen.table)
    assert found["certain"] == chosen.certain
    assert found["start"] == chosen.start
    assert found["confidence"] == chosen.confidence._asdict()


def test_select_init_is_the_start(data, capsys):
    options = ["--h", "0.1,0.2", "--lam", "0.1", "--json"]
    for init in ("uniform", "marginal"):
        assert main(["select", data, *options, "--init", init]) == 0
        found = read_json(capsys)
        assert found["start"] == init
        assert {pair["start"] for pair in found["pairs"]} == {init}


def test_select_writes_the_pairs_and_a_picture(data, capsys, tmp_path):
    argv = ["select", data, "--h", "0.1,0.2", "--lam", "0.1", "--init", "uniform"]
    argv += ["--out", "pairs.csv"]
    assert main([*argv, "--plot", "map.png"]) == 0
    assert pd.read_csv("pairs.csv")["h"].tolist() == [0.1, 0.2]
    assert Path("map.png").stat().st_size > 5000
    assert "wrote the pairs to pairs.csv" in capsys.readouterr().out


@pytest.mark.parametrize("options", [["--h", "0.1,x"], ["--subsets", "1"], ["--lam", ""]])
def test_select_bad_usage(data, capsys, options):
    with pytest.raises(SystemExit) as ended:
        main(["select", data, *options])
    assert ended.value.code == 2
    assert options[0] in capsys.readouterr().err


# theory


def test_theory_of_a_file(data, capsys):
    assert main(["theory", "data.csv", "--h", "0.1", "--lam", "0.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("k = 2 in 40 rows")
    assert any(
        "no point leaves the previous hull" in line and line.endswith("yes") for line in lines
    )
    assert not any(line.endswith("NO") for line in lines)


def test_theory_without_a_file_is_about_the_motivating_example(capsys):
    assert main(["theory", "--h", "0.1", "--lam", "0.05", "--json"]) == 0
    checks = read_json(capsys)
    assert {check["theorem"] for check in checks} == {"1", "2", "2, corollary", "3", "5"}
    assert all(check["holds"] for check in checks)


def test_theory_says_what_is_wrong_with_a_file(named, capsys):
    assert "not numeric" in fails_with(1, ["theory", "named.csv"], capsys)
