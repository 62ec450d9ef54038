"""Tables that are not in memory: files and Arrow datasets, read a block of rows at a time."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from pywbms import load, wbms
from pywbms._streams import sources
from pywbms._streams.fit import StreamProgress
from pywbms._streams.label_file import write_labels

N = 3000


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(4, 3)) * 4
    truth = rng.integers(0, 4, N)
    X = np.hstack([centers[truth] + rng.normal(size=(N, 3)), rng.normal(size=(N, 2))])
    return pd.DataFrame(X, columns=list("abcde"))


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(sources, "NUMBERS_PER_BLOCK", 700 * 5)
    monkeypatch.setattr(sources, "LEAST_BLOCK", 700)


def written(table, folder, kind):
    """Write a table as a file of a kind, or as a folder of Parquet files; return its path."""
    path = folder / f"data{kind}"
    if kind == ".parquet":
        table.to_parquet(path, row_group_size=400)
    elif kind == ".csv" or kind == ".csv.gz":
        table.to_csv(path, index=False)
    elif kind == ".arrow":
        table.to_feather(path, compression="uncompressed")
    else:
        path.mkdir()
        for number, start in enumerate(range(0, N, 1000)):
            table[start : start + 1000].to_parquet(path / f"{number}.parquet")
    return path


@pytest.mark.parametrize("kind", [".parquet", ".arrow", ".csv", ".csv.gz", "-folder"])
@pytest.mark.usefixtures("small_blocks")
def test_labels_are_those_of_the_table_in_memory(table, tmp_path, kind):
    if "csv" not in kind:
        pytest.importorskip("pyarrow")
    path = written(table, tmp_path, kind)
    here = wbms(table, h=0.1, lam=0.1, landmarks=500)
    result = wbms(path, h=0.1, lam=0.1, landmarks=500)
    np.testing.assert_array_equal(result.labels, here.labels)
    np.testing.assert_array_equal(result.sizes, np.bincount(here.labels))
    np.testing.assert_array_equal(result.weights, here.weights)
    np.testing.assert_allclose(result.centers, here.centers, rtol=1e-12)
    assert result.landmarks == here.landmarks
    assert (result.predict(table) == here.labels).all()
    assert result.summary()["size"].sum() == N
    assert f"{N:,} rows" in repr(result)


@pytest.mark.usefixtures("small_blocks")
def test_datasets_and_columns(table, tmp_path):
    ds = pytest.importorskip("pyarrow.dataset")
    dataset = ds.dataset(written(table.assign(name="x"), tmp_path, "-folder"), format="parquet")
    here = wbms(table, ["c", "a"], h=0.1, lam=0.1, landmarks=500)
    result = wbms(dataset, ["c", "a"], h=0.1, lam=0.1, landmarks=500)
    np.testing.assert_array_equal(result.labels, here.labels)
    with pytest.raises(ValueError, match="not numeric: 'name'"):
        wbms(dataset, h=0.1, lam=0.1)
    assert wbms(dataset, h=0.1, lam=0.1, landmarks=500, numeric_only=True).weights.shape == (5,)


def test_small_tables_are_fitted_exactly(table, tmp_path):
    path = written(table[:200], tmp_path, ".csv")
    result, exact = wbms(path, h=0.1, lam=0.1), wbms(pd.read_csv(path), h=0.1, lam=0.1)
    pd.testing.assert_series_equal(result.labels, exact.labels)
    assert result.landmarks is None


@pytest.mark.usefixtures("small_blocks")
def test_missing_values_are_named_or_omitted(table, tmp_path):
    gaps = table.copy()
    gaps.loc[1234, "c"] = np.nan
    gaps.loc[2500, "d"] = np.inf
    path = written(gaps, tmp_path, ".csv")
    with pytest.raises(ValueError, match=r"NaN in column 'c' \(first in row 1234"):
        wbms(path, h=0.1, lam=0.1, landmarks=500)
    result = wbms(path, h=0.1, lam=0.1, landmarks=500, na_action="omit")
    here = wbms(gaps, h=0.1, lam=0.1, landmarks=500, na_action="omit")
    np.testing.assert_array_equal(result.labels, here.labels)
    assert result.n_omitted == 2
    assert list(np.flatnonzero(result.labels == -1)) == [1234, 2500]
    with pytest.raises(ValueError, match="na_action must be 'raise' or 'omit'"):
        wbms(path, na_action="impute")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".tsv", ".parquet", ".arrow"])
def test_labels_are_written_in_blocks(tmp_path, suffix):
    if suffix in (".parquet", ".arrow"):
        pytest.importorskip("pyarrow")
    path = tmp_path / f"labels{suffix}"
    write_labels(iter([np.array([0, 1]), np.array([-1]), np.array([2])]), path)
    read = {".parquet": pd.read_parquet, ".arrow": pd.read_feather}.get(
        suffix, lambda file: pd.read_csv(file, sep="\t" if suffix == ".tsv" else ",")
    )
    assert read(path).to_dict("list") == {"row": [0, 1, 2, 3], "cluster": [0, 1, -1, 2]}


def test_no_half_file_is_left(tmp_path):
    def broken():
        yield np.array([0, 1])
        raise KeyboardInterrupt

    path = tmp_path / "labels.csv"
    path.write_text("as it was")
    with pytest.raises(KeyboardInterrupt):
        write_labels(broken(), path)
    assert path.read_text() == "as it was"
    assert os.listdir(tmp_path) == ["labels.csv"]
    with pytest.raises(ValueError, match="suffix must be one of"):
        write_labels(broken(), tmp_path / "labels.xyz")


@pytest.mark.usefixtures("small_blocks")
def test_a_saved_result_labels_all_rows(table, tmp_path):
    path = written(table, tmp_path, ".csv")
    result = wbms(path, h=0.1, lam=0.1, landmarks=500)
    result.save(tmp_path / "model.wbms")
    np.testing.assert_array_equal(load(tmp_path / "model.wbms").predict(table), result.labels)
    assert result.sample.describe(0).shape[0] == 5
    with pytest.raises(AttributeError, match="sample"):
        result.membership  # noqa: B018


def test_bad_paths_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.parquet"):
        wbms(tmp_path / "nothing.parquet")
    (tmp_path / "some.xyz").write_text("1")
    with pytest.raises(ValueError, match=r"must be one of \.parquet"):
        wbms(tmp_path / "some.xyz")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"cannot read .*text\.parquet"):
        wbms(tmp_path / "text.parquet")
    (tmp_path / "empty.csv").write_text("a,b\n")
    with pytest.raises(ValueError, match="no rows"):
        wbms(tmp_path / "empty.csv")
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="in memory"):
        wbms(tmp_path / "one.csv", weights="a")


def test_progress_tells_the_time_left():
    line = StreamProgress(False, 1000)
    assert line.text("following", 250, 10.0) == "following: 250 of 1,000 rows, about 30 s left"
    assert StreamProgress(False, None).text("reading", 5, 1.0) == "reading: 5 rows"


def test_command_reads_in_blocks(table, tmp_path):
    path, out = written(table, tmp_path, ".csv"), tmp_path / "labels.csv"
    command = [sys.executable, "-m", "pywbms", "fit", str(path), "--h", "0.1", "--lam", "0.1"]
    done = subprocess.run(
        [*command, "--landmarks", "500", "--out", str(out), "--stream"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "500 landmarks of 3,000 rows" in done.stdout
    here = wbms(table, h=0.1, lam=0.1, landmarks=500)
    np.testing.assert_array_equal(pd.read_csv(out)["cluster"], here.labels)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupted_command_leaves_no_file(tmp_path):
    rng = np.random.default_rng(0)
    path, out = tmp_path / "big.csv", tmp_path / "out" / "labels.csv"
    out.parent.mkdir()
    pd.DataFrame(rng.normal(size=(60_000, 8))).to_csv(path, index=False)
    command = [sys.executable, "-m", "pywbms", "fit", str(path), "--h", "0.1", "--lam", "0.1",
               "--landmarks", "4000", "--out", str(out), "--stream"]  # fmt: skip
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    time.sleep(2.5)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode != 0
    assert list(out.parent.iterdir()) == []
