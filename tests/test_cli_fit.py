"""What ``pywbms fit`` reads: files, rows, columns and parameters."""

from pathlib import Path

import commands
import numpy as np
import pandas as pd
import pytest
from commands import fails_with, read_json, refuses, without

from pywbms import wbms
from pywbms._cli import fitting
from pywbms.cli import main

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
expected = commands.expected
data = commands.data
named = commands.named


# Files


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["csv", "CSV", "csv.gz", "tsv", "tab", "txt", "tsv.gz"])
def test_text_formats(frame, expected, capsys, suffix):
    name = f"my.data.{suffix}"
    frame.to_csv(name, index=False, sep="," if "csv" in suffix.lower() else "\t")
    assert main(["fit", name, "--json"]) == 0
    assert read_json(capsys)["labels"] == expected.labels.to_list()


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["parquet", "pq"])
def test_parquet(frame, expected, capsys, suffix):
    frame.to_parquet(f"data.{suffix}")
    assert main(["fit", f"data.{suffix}", "--json"]) == 0
    assert read_json(capsys)["labels"] == expected.labels.to_list()


@pytest.mark.slow
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
    assert "more fields than the header" in fails_with(1, ["fit", "data.csv"], capsys)


@pytest.mark.slow
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


@pytest.mark.slow
def test_missing_values_are_omitted(frame, capsys):
    frame.loc[[3, 7], "b"] = np.nan
    frame.to_csv("data.csv", index=False)
    assert main(["fit", "data.csv", "--na-action", "omit", "--json"]) == 0
    labels = read_json(capsys)["labels"]
    assert labels == wbms(frame, na_action="omit").labels.to_list()
    assert labels[3] == labels[7] == -1


def test_omitted_rows_are_counted(frame, capsys):
    frame.loc[[3, 7], "b"] = np.nan
    frame.to_csv("data.csv", index=False)
    main(["fit", "data.csv", "--na-action", "omit"])
    out = capsys.readouterr().out
    assert "38 rows" in out
    assert "2 rows omitted" in out


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


# Rows, columns and parameters


@pytest.mark.slow
def test_columns(data, capsys):
    main(["fit", data, "--columns", "c,a", "--json"])
    assert list(read_json(capsys)["weights"]) == ["c", "a"]


@pytest.mark.slow
def test_exclude(data, capsys):
    main(["fit", data, "--exclude", "b", "--json"])
    assert list(read_json(capsys)["weights"]) == ["a", "c"]


@pytest.mark.slow
def test_index_column_is_no_feature(named, capsys):
    main(["fit", "named.csv", "--index", "id", "--exclude", "kind", "--json"])
    assert list(read_json(capsys)["weights"]) == ["a", "b", "c"]


@pytest.mark.slow
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


@pytest.mark.slow
def test_auto_is_the_default(data, capsys):
    outputs = []
    for options in ([], ["--h", "auto", "--lam", "auto"]):
        main(["fit", data, "--json", *options])
        outputs.append(read_json(capsys))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("init", ["uniform", "marginal"])
def test_init_is_used(frame, data, capsys, init):
    main(["fit", data, "--h", "0.3", "--lam", "0.7", "--init", init, "--json"])
    found = read_json(capsys)
    expected = wbms(frame, h=0.3, lam=0.7, init=init)
    assert found["weights"] == pytest.approx(expected.weights.to_dict())
    assert found["start"] is None
    assert found["confidence"] is None


def test_no_standardize(frame, data, capsys):
    main(["fit", data, "--h", "2", "--no-standardize", "--json"])
    weights = read_json(capsys)["weights"]
    assert weights == pytest.approx(wbms(frame, h=2.0, standardize=False).weights.to_dict())
    assert weights != pytest.approx(wbms(frame, h=2.0).weights.to_dict())


def test_outliers_are_counted_and_plain_z_scores_have_none(frame, tmp_path, capsys):
    dirty = frame.copy()
    dirty.iloc[3] = 1e6
    path = tmp_path / "dirty.csv"
    dirty.to_csv(path, index=False)
    command = ["fit", str(path), "--h", "0.3", "--lam", "0.7"]
    main(command)
    assert "1 outlier: values far outside" in capsys.readouterr().out
    main([*command, "--json"])
    assert read_json(capsys)["outliers"] == [3]
    main([*command, "--json", "--plain-z-scores"])
    plain = read_json(capsys)
    assert plain["outliers"] == []
    expected = wbms(dirty, h=0.3, lam=0.7, standardize=True)
    assert plain["weights"] == pytest.approx(expected.weights.to_dict())


@pytest.mark.slow
def test_outliers_are_labelled_and_scores_written(frame, data, capsys):
    frame.iloc[0, 0] = 1e6
    frame.to_csv("bad.csv", index=False)
    given = ["--h", "0.1", "--lam", "0.05"]
    options = ["--outliers", "label", "--scores"]
    assert main(["fit", "bad.csv", *given, *options, "--out", "scores.csv"]) == 0
    assert "labelled as outliers: cluster -1" in capsys.readouterr().out
    result = wbms(frame, h=0.1, lam=0.05, outliers="label")
    found = pd.read_csv("scores.csv")
    assert found["cluster"].tolist() == result.labels.to_list()
    assert found["cluster"][0] == -1
    np.testing.assert_allclose(found["outlier_score"], result.outlier_score, rtol=1e-12)
    np.testing.assert_allclose(found["confidence"], result.row_confidence, rtol=1e-12)
    assert main(["fit", "bad.csv", *given, "--scores", "--json"]) == 0
    assert len(read_json(capsys)["outlier_score"]) == len(frame)
    with pytest.raises(SystemExit):
        main(["fit", "bad.csv", *given, "--scores"])
    assert "--scores needs --out or --json" in capsys.readouterr().err


def test_jobs_are_the_threads_of_the_fit(data, monkeypatch):
    asked = []
    monkeypatch.setattr(
        fitting,
        "wbms",
        lambda *args, n_jobs, **params: asked.append(n_jobs) or wbms(*args, **params),
    )
    assert main(["fit", data, "--jobs", "-2"]) == 0
    assert asked == [-2]


def test_not_converged_is_a_warning(data, capsys):
    assert main(["fit", data, "--h", "0.01", "--max-iter", "1"]) == 0
    out, err = capsys.readouterr()
    assert "not converged after 1 iteration\n" in out
    assert err.startswith("pywbms: warning: WBMS did not converge")
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
        ["--init", "equal"],
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


@pytest.mark.parametrize("other", ["--index", "--exclude"])
def test_a_column_cannot_be_used_and_not_used(data, capsys, other):
    with pytest.raises(SystemExit) as ended:
        main(["fit", "data.csv", "--columns", "a,b", other, "a"])
    assert ended.value.code == 2
    assert "--columns has columns that" in capsys.readouterr().err
