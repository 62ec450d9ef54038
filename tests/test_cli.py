"""The command line as its users meet it: what it prints and writes, and how it ends."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from pywbms import __version__, cli, wbms
from pywbms._cli.report import TOP_CLUSTERS
from pywbms.cli import main
from pywbms.select import select

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
    seconds : float
        From Ctrl-C, or the start, to the end.
    """
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", WITH_CTRL_C, *argv]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        os.close(theirs)
        since, seen = time.monotonic(), ""
        try:
            while True:
                try:
                    piece = os.read(ours, 4096).decode()
                except OSError:  # how Linux says that the other side has closed the terminal
                    break
                seen += piece
                if signal_at is not None and signal_at in seen:
                    process.send_signal(signal.SIGINT)
                    since, signal_at = time.monotonic(), None
            out = process.stdout.read()
            code = process.wait(timeout=30)
        finally:
            process.kill()
            os.close(ours)
    return code, out, seen, time.monotonic() - since


# --- The command as such --------------------------------------------------------------------------


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


def test_python_m_exits_with_the_code_of_main():
    done = subprocess.run([sys.executable, "-m", "pywbms", "fit", "nothing.csv"], capture_output=1)
    assert done.returncode == 1
    assert done.stderr == b"pywbms: error: cannot read nothing.csv: No such file or directory\n"


def test_import_leaves_matplotlib_alone():
    code = "import sys, pywbms.cli; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


# --- demo -----------------------------------------------------------------------------------------


def test_demo_finds_both_clusters(capsys):
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert "k = 2 in 200 rows × 32 columns" in out
    assert "ARI 1.000" in out
    assert err == ""


def test_demo_prints_the_five_heaviest_features_aligned(capsys, monkeypatch):
    without("matplotlib", monkeypatch)  # no picture: faster
    main(["demo"])
    lines = capsys.readouterr().out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("feature"))
    table = lines[start : start + 7]
    assert {line.split()[0] for line in table[1:3]} == {"x1", "x2"}
    assert table[6].startswith("27 others")
    assert len({len(line) for line in table}) == 1


def test_demo_writes_its_picture_and_says_where(capsys):
    main(["demo"])
    assert is_png("demo.png")
    assert "wrote the picture to demo.png" in capsys.readouterr().out


def test_demo_out_says_where_the_picture_goes(tmp_path):
    main(["demo", "--out", "other.png"])
    assert is_png("other.png")
    assert not (tmp_path / "demo.png").exists()


def test_demo_json(capsys, monkeypatch):
    without("matplotlib", monkeypatch)
    assert main(["demo", "--json"]) == 0
    found = read_json(capsys)
    assert found["n_clusters"] == 2
    assert found["ari"] == 1.0
    assert found["sizes"] == [100, 100]


def test_demo_seed_changes_the_data(capsys, monkeypatch):
    without("matplotlib", monkeypatch)
    weights = []
    for seed in ("0", "1"):
        main(["demo", "--json", "--seed", seed])
        weights.append(read_json(capsys)["weights"])
    assert weights[0] != weights[1]


def test_demo_without_matplotlib_prints_the_rest(capsys, monkeypatch, tmp_path):
    without("matplotlib", monkeypatch)
    assert main(["demo"]) == 0
    out, err = capsys.readouterr()
    assert "ARI 1.000" in out
    assert "wrote" not in out
    assert 'pip install "pywbms[plot]"' in err
    assert list(tmp_path.iterdir()) == []


# --- fit: what it reads ---------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["csv", "CSV", "csv.gz", "tsv", "tab", "txt", "tsv.gz"])
def test_text_formats(frame, expected, capsys, suffix):
    name = f"my.data.{suffix}"
    frame.to_csv(name, index=False, sep="," if "csv" in suffix.lower() else "\t")
    assert main(["fit", name, "--json"]) == 0
    assert read_json(capsys)["labels"] == expected.labels.to_list()


@pytest.mark.parametrize("suffix", ["parquet", "pq"])
def test_parquet(frame, expected, capsys, suffix):
    frame.to_parquet(f"data.{suffix}")
    assert main(["fit", f"data.{suffix}", "--json"]) == 0
    assert read_json(capsys)["labels"] == expected.labels.to_list()


@pytest.mark.parametrize("index", [range(100, 140), range(80, 0, -2), [f"r{i}" for i in range(40)]])
def test_index_of_a_saved_dataframe_names_the_rows(frame, capsys, index):
    frame.set_index(pd.Index(index, name="id")).to_parquet("data.pq")
    assert main(["fit", "data.pq", "--out", "labels.parquet"]) == 0
    labels = pd.read_parquet("labels.parquet")
    assert labels["id"].to_list() == list(index)
    assert "× 3 columns" in capsys.readouterr().out


def test_parquet_without_pyarrow(capsys, monkeypatch):
    without("pyarrow", monkeypatch)
    assert 'pip install "pywbms[parquet]"' in fails_with(1, ["fit", "data.pq"], capsys)


@pytest.mark.parametrize("name", ["nothing.csv", "nothing.parquet"])
def test_missing_file(capsys, name):
    message = fails_with(1, ["fit", name], capsys)
    assert message == f"pywbms: error: cannot read {name}: No such file or directory\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"a,b\n"),
        ("ragged.csv", b"a,b\n1,2\n1,2,3\n"),
        ("latin.csv", b"a,\xe4\n1,2\n"),
        ("text.csv.gz", b"a,b\n1,2\n"),
        ("text.parquet", b"a,b\n1,2\n"),
    ],
)
def test_unreadable_file_is_named(tmp_path, capsys, name, content):
    (tmp_path / name).write_bytes(content)
    assert name in fails_with(1, ["fit", name], capsys)


def test_rows_longer_than_the_header_are_refused(tmp_path, capsys):
    (tmp_path / "data.csv").write_text("a,b\n1,2,3\n4,5,6\n")
    assert "more fields than its header" in fails_with(1, ["fit", "data.csv"], capsys)


def test_commas_at_the_end_of_rows_shift_no_column(frame, expected, capsys, tmp_path):
    header, *rows = frame.to_csv(index=False).splitlines()
    (tmp_path / "data.csv").write_text("\n".join([header, *(f"{row}," for row in rows)]))
    main(["fit", "data.csv", "--json"])
    assert read_json(capsys)["labels"] == expected.labels.to_list()


def test_columns_without_numbers_are_named_with_a_hint(named, capsys):
    message = fails_with(1, ["fit", "named.csv", "--index", "id"], capsys)
    assert "'kind'" in message
    assert "'id'" not in message
    assert "--columns" in message
    assert "--exclude" in message
    assert "--index" in message


def test_nameless_first_column_brings_a_warning(frame, capsys):
    frame.to_csv("data.csv")
    assert main(["fit", "data.csv"]) == 0
    assert '--index "Unnamed: 0"' in capsys.readouterr().err


def test_missing_values_are_refused_with_a_hint(frame, capsys):
    frame.loc[[3, 7], "b"] = np.nan
    frame.to_csv("data.csv", index=False)
    message = fails_with(1, ["fit", "data.csv"], capsys)
    assert "'b' (2 rows)" in message
    assert "--na-action omit" in message


def test_missing_values_are_left_out(frame, capsys):
    frame.loc[[3, 7], "b"] = np.nan
    frame.to_csv("data.csv", index=False)
    assert main(["fit", "data.csv", "--na-action", "omit", "--json"]) == 0
    labels = read_json(capsys)["labels"]
    assert labels == wbms(frame, na_action="omit").labels.to_list()
    assert labels[3] == labels[7] == -1


def test_rows_left_out_are_counted(frame, capsys):
    frame.loc[[3, 7], "b"] = np.nan
    frame.to_csv("data.csv", index=False)
    main(["fit", "data.csv", "--na-action", "omit"])
    out = capsys.readouterr().out
    assert "38 rows" in out
    assert "2 rows left out" in out


# --- fit: rows, columns and parameters ------------------------------------------------------------


def test_columns(data, capsys):
    main(["fit", data, "--columns", "c,a", "--json"])
    assert list(read_json(capsys)["weights"]) == ["c", "a"]


def test_exclude(data, capsys):
    main(["fit", data, "--exclude", "b", "--json"])
    assert list(read_json(capsys)["weights"]) == ["a", "c"]


def test_index_column_is_no_feature(named, capsys):
    main(["fit", "named.csv", "--index", "id", "--exclude", "kind", "--json"])
    assert list(read_json(capsys)["weights"]) == ["a", "b", "c"]


def test_quoted_names_may_have_commas(frame, capsys):
    frame.rename(columns={"b": "b, or B"}).to_csv("data.csv", index=False)
    main(["fit", "data.csv", "--columns", 'a,"b, or B"', "--json"])
    assert list(read_json(capsys)["weights"]) == ["a", "b, or B"]


@pytest.mark.parametrize("option", ["--columns", "--exclude", "--index"])
def test_unknown_column_is_named(data, capsys, option):
    message = fails_with(1, ["fit", data, option, "z"], capsys)
    assert "columns that are not in the data: 'z'" in message
    assert "the data have 'a', 'b', 'c'" in message


def test_no_column_left(data, capsys):
    assert "no columns" in fails_with(1, ["fit", data, "--exclude", "a,b,c"], capsys)


def test_h_and_lam_are_used(frame, data, capsys):
    main(["fit", data, "--h", "0.3", "--lam", "0.7", "--json"])
    found = read_json(capsys)
    assert (found["h"], found["lam"]) == (0.3, 0.7)
    assert found["weights"] == pytest.approx(wbms(frame, h=0.3, lam=0.7).weights.to_dict())


def test_auto_is_the_default(data, capsys):
    outputs = []
    for options in ([], ["--h", "auto", "--lam", "auto"]):
        main(["fit", data, "--json", *options])
        outputs.append(read_json(capsys))
    assert outputs[0] == outputs[1]


def test_no_standardize(frame, data, capsys):
    main(["fit", data, "--h", "2", "--no-standardize", "--json"])
    weights = read_json(capsys)["weights"]
    assert weights == pytest.approx(wbms(frame, h=2.0, standardize=False).weights.to_dict())
    assert weights != pytest.approx(wbms(frame, h=2.0).weights.to_dict())


def test_jobs_are_the_threads_of_the_fit(data, monkeypatch):
    asked = []
    monkeypatch.setattr(
        cli, "wbms", lambda *args, n_jobs, **params: asked.append(n_jobs) or wbms(*args, **params)
    )
    assert main(["fit", data, "--jobs", "-2"]) == 0
    assert asked == [-2]


def test_not_converged_is_a_warning(data, capsys):
    assert main(["fit", data, "--h", "0.01", "--max-iter", "1"]) == 0
    out, err = capsys.readouterr()
    assert "not converged after 1 iteration\n" in out
    assert err.startswith("pywbms: warning: WBMS did not end")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "options",
    [
        ["--h", "-1"],
        ["--h", "foo"],
        ["--h", "nan"],
        ["--lam", "0"],
        ["--lam", "inf"],
        ["--max-iter", "0"],
        ["--max-iter", "2.5"],
        ["--jobs", "0"],
        ["--jobs", "two"],
        ["--columns", ""],
        ["--exclude", "a,,b"],
        ["--na-action", "ignore"],
        ["--out", "labels.xls"],
        ["--plot", "picture.csv"],
        ["--tree", "tree.xls"],
    ],
)
def test_bad_values_are_bad_usage(data, capsys, options):
    assert f"argument {options[0]}:" in refuses(["fit", data, *options], capsys)


@pytest.mark.parametrize(
    "argv",
    [
        ["fit", "data.xls"],
        ["fit", "data"],
        ["fit", "data.parquet.gz"],
        ["demo", "--out", "picture.csv"],
        ["demo", "--seed", "-1"],
        ["dem"],
        ["fit"],
        ["fit", "data.csv", "--augment"],
        ["fit", "data.csv", "--out", "-", "--json"],
        ["fit", "data.csv", "--col", "a"],
    ],
    ids=" ".join,
)
def test_bad_usage(capsys, argv):
    assert "error: " in refuses(argv, capsys)


# --- fit: what it writes --------------------------------------------------------------------------


def test_table_says_what_was_found(data, expected, capsys):
    assert main(["fit", data]) == 0
    out, err = capsys.readouterr()
    assert "k = 2 in 40 rows × 3 columns" in out
    pair = f"h = {expected.h:.4g}, lam = {expected.lam:.4g}"
    assert f"{pair}; converged after {expected.n_iter} iterations" in out
    assert "\n0          24  60.0%\n1          16  40.0%\n" in out
    assert f"\na         {expected.weights['a']:.3f}\n" in out
    assert err == ""


def test_table_counts_the_clusters_it_does_not_show(capsys):
    pd.DataFrame({"a": 10.0 * np.arange(30)}).to_csv("data.csv", index=False)
    main(["fit", "data.csv", "--h", "1e-6"])
    lines = capsys.readouterr().out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("cluster"))
    k = int(lines[0].split()[2])
    assert k > TOP_CLUSTERS
    assert lines[start + 1 + TOP_CLUSTERS].startswith(f"{k - TOP_CLUSTERS} other")


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
        "sizes": [24, 16],
        "labels": expected.labels.to_list(),
    }


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


def test_labels_file_names_the_rows_as_the_data_do(named):
    main(["fit", "named.csv", "--index", "id", "--exclude", "kind", "--out", "labels.csv"])
    labels = pd.read_csv("labels.csv", dtype={"id": str})
    assert list(labels.columns) == ["id", "cluster"]
    assert labels["id"].to_list() == named["id"].to_list()


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


def test_augment_without_index_adds_only_the_cluster(data):
    main(["fit", data, "--augment", "--out", "all.csv"])
    assert list(pd.read_csv("all.csv").columns) == ["a", "b", "c", "cluster"]


@pytest.mark.parametrize("options", [["--augment", "--exclude", "cluster"], ["--index", "cluster"]])
def test_second_column_of_the_labels_name_is_refused(frame, capsys, options):
    frame.assign(cluster=1).to_csv("data.csv", index=False)
    message = fails_with(1, ["fit", "data.csv", "--out", "all.csv", *options], capsys)
    assert "already have a column 'cluster'" in message


def test_labels_on_standard_output(data, expected, capsys):
    assert main(["fit", data, "--out", "-"]) == 0
    out, err = capsys.readouterr()
    labels = pd.DataFrame({"row": range(40), "cluster": expected.labels})
    assert out == labels.to_csv(index=False)
    assert err.startswith("k = 2")


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
    monkeypatch.setattr(cli, "wbms", None)
    message = fails_with(1, ["fit", data, "--plot", "picture.png"], capsys)
    assert 'pip install "pywbms[plot]"' in message


@pytest.mark.parametrize(
    "options", [["--out", "no/labels.csv"], ["--plot", "no/picture.png"], ["--tree", "no/tree.csv"]]
)
def test_missing_folder_fails_before_the_fit(data, capsys, monkeypatch, options):
    monkeypatch.setattr(cli, "wbms", None)
    assert "there is no folder no" in fails_with(1, ["fit", data, *options], capsys)


def test_output_that_is_a_folder_fails_before_the_fit(data, capsys, monkeypatch, tmp_path):
    (tmp_path / "labels.csv").mkdir()
    monkeypatch.setattr(cli, "wbms", None)
    assert "it is a folder" in fails_with(1, ["fit", data, "--out", "labels.csv"], capsys)


def test_write_protected_output_fails_before_the_fit(data, capsys, monkeypatch):
    monkeypatch.setattr(cli, "wbms", None)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    assert "permission denied" in fails_with(1, ["fit", data, "--out", "labels.csv"], capsys)


def test_data_are_not_overwritten(frame, data, capsys):
    assert "overwrite" in fails_with(1, ["fit", data, "--out", f"./{data}"], capsys)
    assert list(pd.read_csv(data).columns) == list(frame.columns)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_full_disk_is_an_error_in_one_line(data, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    command = [sys.executable, "-m", "pywbms", "fit", data]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "pywbms: error: No space left on device\n"


def test_broken_pipe_ends_quietly(data, monkeypatch):
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    command = [sys.executable, "-m", "pywbms", "fit", data, "--json"]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 0
    assert done.stderr == ""


# --- select ---------------------------------------------------------------------------------------


def test_select_prints_the_choice_and_the_best_pairs(frame, data, capsys):
    chosen = select(frame)
    assert main(["select", data]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(str(chosen))
    assert "stability" in out.splitlines()[-1 - chosen.table["judged"].sum()]
    assert err == ""


def test_select_json(frame, data, capsys):
    chosen = select(frame, random_state=3, n_subsets=2)
    assert main(["select", data, "--json", "--seed", "3", "--subsets", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["h"], found["lam"], found["n_clusters"]) == (
        chosen.h, chosen.lam, chosen.n_clusters,
    )  # fmt: skip
    assert len(found["pairs"]) == len(chosen.table)
    assert found["certain"] == chosen.certain


def test_select_writes_the_pairs_and_a_picture(data, capsys, tmp_path):
    argv = ["select", data, "--h", "0.1,0.2", "--lam", "0.1", "--out", "pairs.csv"]
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


def test_ctrl_c_while_selecting_keeps_what_there_is(tmp_path):
    rng = np.random.default_rng(0)
    pd.DataFrame(rng.normal(size=(1500, 20))).to_csv(tmp_path / "long.csv", index=False)
    code, out, _, _ = on_a_terminal(["select", "long.csv"], signal_at="fit 2")
    assert code == 0
    assert "The search for h and lam was ended after" in out


# --- Progress and Ctrl-C --------------------------------------------------------------------------


def test_progress_on_a_terminal_is_written_over_and_cleared(data):
    code, out, terminal, _ = on_a_terminal(["fit", data])
    assert code == 0
    assert out.startswith("k = 2")
    shown = terminal.split("\r")
    assert shown[1] == "starting …"
    assert shown[2].startswith("choosing h and lam, fit 1: 40 points in ")
    assert any(text.startswith("warm-up iteration 1: 40 points, ") for text in shown)
    assert "\n" not in terminal
    assert shown[-2].strip() == shown[-1] == ""


def test_progress_with_both_given_does_not_speak_of_choosing(frame, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    cli.cluster(frame, h=0.1, lam=0.1)
    terminal = capsys.readouterr().err
    assert "choosing" not in terminal
    assert "iteration" in terminal


def test_no_progress_in_a_pipe(data):
    command = [sys.executable, "-m", "pywbms", "fit", data]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr == ""


def test_progress_is_throttled(frame, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    result = cli.cluster(frame)
    assert len(result.history) > 2
    shown = capsys.readouterr().err
    assert shown.count("choosing") == 1
    assert shown.count("iteration") == 2  # the first of each phase


def test_result_of_a_fit_with_progress_can_be_fitted_again(frame, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    result = cli.cluster(frame)
    assert clone(result.estimator).fit(frame).n_clusters_ == 2


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
    code, out, terminal, seconds = on_a_terminal(argv, signal_at="iteration")
    assert code == 130
    assert seconds < 5
    assert out == ""
    assert terminal.endswith("\rpywbms: interrupted\r\n")
    assert not (tmp_path / "labels.csv").exists()


def test_all_levels_of_a_stored_index_name_the_rows(frame, expected, capsys):
    n = len(frame)
    index = pd.MultiIndex.from_arrays([[f"r{i // 2}" for i in range(n)], np.arange(n) % 2])
    frame.set_axis(index.rename(["id", "year"])).to_parquet("data.pq")
    assert main(["fit", "data.pq", "--out", "labels.csv"]) == 0
    labels = pd.read_csv("labels.csv")
    assert labels.columns.tolist() == ["id", "year", "cluster"]
    assert labels["cluster"].tolist() == expected.labels.tolist()


def test_duplicate_names_in_a_header_are_refused(capsys):
    Path("data.csv").write_text("a,a,b\n1,2,3\n4,5,6\n")
    assert "duplicate column names: 'a'" in fails_with(1, ["fit", "data.csv"], capsys)


def test_semicolons_are_recognised(capsys):
    Path("data.csv").write_text("a;b\n1;2\n3;4\n")
    assert "semicolons" in fails_with(1, ["fit", "data.csv"], capsys)


@pytest.mark.parametrize("other", ["--index", "--exclude"])
def test_a_column_cannot_be_used_and_not_used(data, capsys, other):
    with pytest.raises(SystemExit) as ended:
        main(["fit", "data.csv", "--columns", "a,b", other, "a"])
    assert ended.value.code == 2
    assert "--columns names what" in capsys.readouterr().err


def test_theory_of_a_file(data, capsys):
    assert main(["theory", "data.csv", "--h", "0.1", "--lam", "0.1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("k = 2 in 40 rows")
    assert any("no point leaves the previous hull" in line and line.endswith("yes") for line in lines)
    assert not any(line.endswith("NO") for line in lines)


def test_theory_without_a_file_is_about_the_motivating_example(capsys):
    assert main(["theory", "--h", "0.1", "--lam", "0.05", "--json"]) == 0
    checks = read_json(capsys)
    assert {check["theorem"] for check in checks} == {"1", "2", "2, corollary", "3", "5"}
    assert all(check["holds"] for check in checks)


def test_theory_says_what_is_wrong_with_a_file(named, capsys):
    assert "not numeric" in fails_with(1, ["theory", "named.csv"], capsys)
