"""What ``pywbms fit`` prints and writes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import commands
import numpy as np
import pandas as pd
import pytest
from commands import fails_with, is_png, read_json, without

from pywbms import wbms
from pywbms._cli import fitting
from pywbms._cli.report import TOP_CLUSTERS
from pywbms.cli import main

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
expected = commands.expected
data = commands.data
named = commands.named


@pytest.mark.slow
def test_table_says_what_was_found(data, expected, capsys):
    assert main(["fit", data]) == 0
    out, err = capsys.readouterr()
    assert "k = 2 in 40 rows × 3 columns" in out
    pair = f"h = {expected.h:.4g}, lam = {expected.lam:.4g}"
    assert f"{pair}; converged after {expected.n_iter} iterations" in out
    assert "\n0          24  60.0%\n1          16  40.0%\n" in out
    assert re.search(rf"\na +{expected.weights['a']:.3f}\n", out)
    assert err == ""


def test_table_counts_the_clusters_it_does_not_show(capsys):
    pd.DataFrame({"a": 10.0 * np.arange(30)}).to_csv("data.csv", index=False)
    main(["fit", "data.csv", "--h", "1e-6"])
    lines = capsys.readouterr().out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("cluster"))
    k = int(lines[0].split()[2])
    assert k > TOP_CLUSTERS
    assert lines[start + 1 + TOP_CLUSTERS].startswith(f"{k - TOP_CLUSTERS} other")


@pytest.mark.slow
def test_json_agrees_with_wbms(data, expected, capsys):
    assert main(["fit", data, "--json"]) == 0
    found = read_json(capsys)
    assert found.pop("weights") == pytest.approx(expected.weights.to_dict())
    assert found == {
        "n_clusters": 2,
        "h": expected.h,
        "lam": expected.lam,
        "n_iter": expected.n_iter,
        "converged": True,
        "reached_by": "fit",
        "start": expected.choice.start,
        "confidence": expected.choice.confidence._asdict(),
        "landmarks": None,
        "sizes": [24, 16],
        "labels": expected.labels.to_list(),
        "outliers": [],
        "imputed": {},
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("labels.csv", pd.read_csv),
        ("labels.csv.gz", pd.read_csv),
        ("labels.tsv", pd.read_table),
        ("labels.parquet", pd.read_parquet),
    ],
)
def test_labels_file(data, expected, capsys, name, read):
    assert main(["fit", data, "--out", name]) == 0
    labels = pd.DataFrame({"row": range(40), "cluster": expected.labels})
    pd.testing.assert_frame_equal(read(name), labels)
    assert f"wrote the labels to {name}" in capsys.readouterr().out


@pytest.mark.slow
def test_labels_file_names_the_rows_as_the_data_do(named):
    main(["fit", "named.csv", "--index", "id", "--exclude", "kind", "--out", "labels.csv"])
    labels = pd.read_csv("labels.csv", dtype={"id": str})
    assert list(labels.columns) == ["id", "cluster"]
    assert labels["id"].to_list() == named["id"].to_list()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("all.csv", lambda path: pd.read_csv(path, dtype={"id": str})),
        ("all.parquet", pd.read_parquet),
    ],
)
def test_augment_keeps_the_whole_table(named, expected, name, read):
    main(["fit", "named.csv", "--index", "id", "--exclude", "kind", "--augment", "--out", name])
    pd.testing.assert_frame_equal(read(name), named.assign(cluster=expected.labels))


@pytest.mark.slow
def test_augment_without_index_adds_only_the_cluster(data):
    main(["fit", data, "--augment", "--out", "all.csv"])
    assert list(pd.read_csv("all.csv").columns) == ["a", "b", "c", "cluster"]


@pytest.mark.parametrize("options", [["--augment", "--exclude", "cluster"], ["--index", "cluster"]])
def test_second_column_of_the_labels_name_is_refused(frame, capsys, options):
    frame.assign(cluster=1).to_csv("data.csv", index=False)
    message = fails_with(1, ["fit", "data.csv", "--out", "all.csv", *options], capsys)
    assert "already have a column 'cluster'" in message


@pytest.mark.slow
def test_labels_on_standard_output(data, expected, capsys):
    assert main(["fit", data, "--out", "-"]) == 0
    out, err = capsys.readouterr()
    labels = pd.DataFrame({"row": range(40), "cluster": expected.labels})
    assert out == labels.to_csv(index=False)
    assert err.startswith("k = 2")


@pytest.mark.slow
def test_plot(data, capsys):
    assert main(["fit", data, "--plot", "picture.png"]) == 0
    assert is_png("picture.png")
    assert "wrote the picture to picture.png" in capsys.readouterr().out


def test_tree_as_a_picture_and_as_a_table(data, capsys):
    options = ["--h", "0.1", "--lam", "0.05"]
    assert main(["fit", data, *options, "--tree", "tree.png"]) == 0
    assert "wrote the tree to tree.png" in capsys.readouterr().out
    assert Path("tree.png").read_bytes().startswith(b"\x89PNG")
    assert main(["fit", data, *options, "--tree", "tree.csv"]) == 0
    table = pd.read_csv("tree.csv")
    expected = wbms(pd.read_csv(data), h=0.1, lam=0.05, tree=True)
    assert list(table) == ["left", "right", "height", "size", "observed"]
    np.testing.assert_allclose(table.iloc[:, :4], expected.tree, rtol=1e-14)
    assert table["observed"].all()


def test_a_tree_does_not_overwrite_the_data(data, capsys):
    assert "--tree would overwrite" in fails_with(1, ["fit", data, "--tree", data], capsys)


def test_plot_without_matplotlib_fails_before_the_fit(data, capsys, monkeypatch):
    without("matplotlib", monkeypatch)
    monkeypatch.setattr(fitting, "wbms", None)
    message = fails_with(1, ["fit", data, "--plot", "picture.png"], capsys)
    assert 'pip install "pywbms[plot]"' in message


@pytest.mark.parametrize(
    "options", [["--out", "no/labels.csv"], ["--plot", "no/picture.png"], ["--tree", "no/tree.csv"]]
)
def test_missing_folder_fails_before_the_fit(data, capsys, monkeypatch, options):
    monkeypatch.setattr(fitting, "wbms", None)
    assert "there is no folder no" in fails_with(1, ["fit", data, *options], capsys)


def test_output_that_is_a_folder_fails_before_the_fit(data, capsys, monkeypatch, tmp_path):
    (tmp_path / "labels.csv").mkdir()
    monkeypatch.setattr(fitting, "wbms", None)
    assert "it is a folder" in fails_with(1, ["fit", data, "--out", "labels.csv"], capsys)


def test_write_protected_output_fails_before_the_fit(data, capsys, monkeypatch):
    monkeypatch.setattr(fitting, "wbms", None)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    assert "permission denied" in fails_with(1, ["fit", data, "--out", "labels.csv"], capsys)


def test_data_are_not_overwritten(frame, data, capsys):
    assert "overwrite" in fails_with(1, ["fit", data, "--out", f"./{data}"], capsys)
    assert list(pd.read_csv(data).columns) == list(frame.columns)


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_full_disk_is_an_error_in_one_line(data, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    command = [sys.executable, "-m", "pywbms", "fit", data]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "pywbms: error: No space left on device\n"


@pytest.mark.slow
def test_broken_pipe_ends_quietly(data, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    command = [sys.executable, "-m", "pywbms", "fit", data, "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 0
    assert done.stderr == ""
