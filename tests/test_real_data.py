"""The loader of real data: what it reads, and what it says about files it cannot use."""

import gzip

import numpy as np
import pandas as pd
import pytest

from pywbms import datasets


def table(name, n=None, k=None):
    """Rows that `load` accepts under this name, as lists of strings; class j of 0 … k−1 is "cj"."""
    expected = datasets.REAL_DATA[name]
    n, k = n or expected.n, k or expected.k
    values = np.random.default_rng(0).normal(size=(n, expected.p)).round(3)
    return [[*map(str, row), f"c{i % k:02d}"] for i, row in enumerate(values)]


def write(folder, name, rows, suffix=".csv"):
    text = "\n".join(",".join(row) for row in rows) + "\n"
    file = folder / f"{name}{suffix}"
    file.write_bytes(gzip.compress(text.encode()) if suffix.endswith(".gz") else text.encode())
    return file


def test_real_data_are_those_of_the_papers_table():
    dimensions = {name: (d.n, d.p, d.k) for name, d in datasets.REAL_DATA.items()}
    assert dimensions == {
        "appendicitis": (106, 7, 2),
        "zoo": (101, 16, 7),
        "mammographic": (830, 5, 2),
        "movement_libras": (360, 90, 15),
        "nci9": (60, 9712, 9),
        "glioma": (50, 4434, 4),
        "yale": (165, 1024, 15),
        "lymphoma": (62, 4026, 3),
        "gcm": (191, 16063, 15),
    }


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_load_returns_what_the_file_holds(tmp_path, suffix):
    rows = table("zoo")
    write(tmp_path, "zoo", rows, suffix)
    X, truth = datasets.load("zoo", tmp_path)
    expected = pd.DataFrame(
        [[float(entry) for entry in row[:-1]] for row in rows],
        columns=[f"x{feature}" for feature in range(1, 17)],
    )
    pd.testing.assert_frame_equal(X, expected, rtol=1e-14)
    pd.testing.assert_series_equal(truth, pd.Series([i % 7 for i in range(101)], name="truth"))


def test_load_turns_integers_into_floats(tmp_path):
    rows = [["1", "0", "0", "4", "2", label] for label in "01" * 415]
    write(tmp_path, "mammographic", rows)
    X, _ = datasets.load("mammographic", tmp_path)
    assert set(X.dtypes) == {np.dtype("float64")}


def test_load_numbers_numeric_classes_by_value(tmp_path):
    classes = ["10", "9", "-1", "100", "2", "3", "4"]
    rows = [[*row[:-1], classes[i % 7]] for i, row in enumerate(table("zoo"))]
    write(tmp_path, "zoo", rows)
    _, truth = datasets.load("zoo", tmp_path)
    assert truth[:7].tolist() == [5, 4, 0, 6, 1, 2, 3]


def test_load_numbers_named_classes_alphabetically(tmp_path):
    rows = [[*row[:-1], "noise" if i else "healthy"] for i, row in enumerate(table("appendicitis"))]
    write(tmp_path, "appendicitis", rows)
    _, truth = datasets.load("appendicitis", tmp_path)
    assert truth.tolist() == [0] + [1] * 105


def test_load_ignores_spaces_after_commas(tmp_path):
    rows = table("zoo")
    write(tmp_path, "zoo", rows)
    X, truth = datasets.load("zoo", tmp_path)
    rows[0] = [f" {entry}" for entry in rows[0]]
    write(tmp_path, "zoo", rows)
    X_spaced, truth_spaced = datasets.load("zoo", tmp_path)
    pd.testing.assert_frame_equal(X_spaced, X)
    pd.testing.assert_series_equal(truth_spaced, truth)


@pytest.mark.parametrize("n", [106, 107])
def test_appendicitis_may_have_the_files_or_the_printed_number_of_rows(tmp_path, n):
    write(tmp_path, "appendicitis", table("appendicitis", n=n))
    assert datasets.load("appendicitis", tmp_path)[0].shape == (n, 7)


@pytest.mark.parametrize("name", ["movement_libras", "Movement_Libras", "MOVEMENT LIBRAS"])
def test_load_takes_names_in_any_case(tmp_path, name):
    write(tmp_path, "movement_libras", table("movement_libras"))
    assert datasets.load(name, str(tmp_path))[0].shape == (360, 90)


def test_load_prefers_the_plain_file(tmp_path):
    write(tmp_path, "zoo", [["1"]], ".csv.gz")
    write(tmp_path, "zoo", table("zoo"))
    assert len(datasets.load("zoo", tmp_path)[0]) == 101


def test_load_expands_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    write(tmp_path, "zoo", table("zoo"))
    assert len(datasets.load("zoo", "~")[0]) == 101


@pytest.mark.slow
def test_load_reads_thousands_of_features(tmp_path):
    write(tmp_path, "nci9", table("nci9"))
    X, truth = datasets.load("nci9", tmp_path)
    assert X.shape == (60, 9712)
    assert truth.nunique() == 9


def test_unknown_name_lists_the_names(tmp_path):
    with pytest.raises(ValueError, match="unknown data set 'iris'") as error:
        datasets.load("iris", tmp_path)
    assert all(name in str(error.value) for name in datasets.REAL_DATA)


def says_where_the_data_come_from(message):
    return all(
        source in message
        for source in ("UCI", "KEEL", "ASU feature selection", "SaptarshiC98/WBMS")
    )


def test_missing_folder_is_named_with_the_files_and_sources(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        datasets.load("zoo", tmp_path / "absent")
    message = str(error.value)
    assert f"no folder {tmp_path / 'absent'}" in message
    assert "zoo.csv or zoo.csv.gz" in message
    assert says_where_the_data_come_from(message)


def test_missing_file_is_named_with_the_folder_and_sources(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        datasets.load("Yale", tmp_path)
    message = str(error.value)
    assert f"neither yale.csv nor yale.csv.gz is in {tmp_path}" in message
    assert says_where_the_data_come_from(message)


def test_wrong_number_of_rows_names_file_found_and_expected(tmp_path):
    file = write(tmp_path, "zoo", table("zoo", n=100))
    with pytest.raises(ValueError, match=r"100 rows × 16 features .* expected 101 × 16") as error:
        datasets.load("zoo", tmp_path)
    assert str(file) in str(error.value)


def test_wrong_number_of_features_names_file_found_and_expected(tmp_path):
    file = write(tmp_path, "zoo", [row[1:] for row in table("zoo")])
    with pytest.raises(ValueError, match=r"101 rows × 15 features .* expected 101 × 16") as error:
        datasets.load("zoo", tmp_path)
    assert str(file) in str(error.value)


def test_wrong_number_of_appendicitis_rows_names_both_expected(tmp_path):
    write(tmp_path, "appendicitis", table("appendicitis", n=105))
    with pytest.raises(ValueError, match="expected 106 or 107 × 7"):
        datasets.load("appendicitis", tmp_path)


def test_header_is_refused_even_where_the_number_of_rows_would_pass(tmp_path):
    header = ["At1", "At2", "At3", "At4", "At5", "At6", "At7", "Class"]
    write(tmp_path, "appendicitis", [header, *table("appendicitis")])
    with pytest.raises(ValueError, match="column x1 in row 1 is 'At1', not a finite number"):
        datasets.load("appendicitis", tmp_path)


@pytest.mark.parametrize("k", [6, 8])
def test_wrong_number_of_classes_names_found_and_expected(tmp_path, k):
    file = write(tmp_path, "zoo", table("zoo", k=k))
    with pytest.raises(ValueError, match=f"has {k} classes .* expected 7") as error:
        datasets.load("zoo", tmp_path)
    assert str(file) in str(error.value)


@pytest.mark.parametrize("entry", ["?", "tall", "inf"])
def test_entry_that_is_no_number_is_named(tmp_path, entry):
    rows = table("zoo")
    rows[9][2] = entry
    file = write(tmp_path, "zoo", rows)
    with pytest.raises(ValueError, match=r"column x3 in row 10 is .*, not a finite") as error:
        datasets.load("zoo", tmp_path)
    assert f"'{entry}'" in str(error.value)
    assert str(file) in str(error.value)


@pytest.mark.parametrize("entry", ["", "NA", "nan"])
def test_missing_entry_is_named(tmp_path, entry):
    rows = table("zoo")
    rows[100][15] = entry
    write(tmp_path, "zoo", rows)
    with pytest.raises(ValueError, match="column x16 in row 101 is missing"):
        datasets.load("zoo", tmp_path)


@pytest.mark.slow
def test_late_entry_of_a_large_file_is_named(tmp_path):
    # large enough that pandas, left alone, reads it in pieces and warns of mixed types
    rows = [["0"] * 16063 + [str(i % 15)] for i in range(191)]
    rows[190][16062] = "?"
    write(tmp_path, "gcm", rows)
    with pytest.raises(ValueError, match=r"column x16063 in row 191 is '\?'"):
        datasets.load("gcm", tmp_path)


def test_missing_class_is_named(tmp_path):
    rows = table("zoo")
    rows[5][-1] = ""
    write(tmp_path, "zoo", rows)
    with pytest.raises(ValueError, match="the last column, the class, has missing entries"):
        datasets.load("zoo", tmp_path)


def test_ragged_file_is_named(tmp_path):
    rows = table("zoo")
    rows[50].append("1")
    file = write(tmp_path, "zoo", rows)
    with pytest.raises(ValueError, match="cannot be read as a table") as error:
        datasets.load("zoo", tmp_path)
    assert str(file) in str(error.value)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00"], ids=["empty", "binary"])
def test_file_that_is_no_text_is_named(tmp_path, content):
    (tmp_path / "zoo.csv").write_bytes(content)
    with pytest.raises(ValueError, match=r"zoo\.csv cannot be read as a table"):
        datasets.load("zoo", tmp_path)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("appendicitis", [85, 21]),
        ("zoo", [41, 20, 5, 13, 4, 8, 10]),
        ("mammographic", [427, 403]),
        ("movement_libras", [24] * 15),
        ("nci9", [9, 9, 8, 5, 7, 6, 8, 6, 2]),
    ],
)
def test_load_reads_the_papers_data(data_folder, name, sizes):
    X, truth = datasets.load(name, data_folder)
    expected = datasets.REAL_DATA[name]
    assert X.shape == (expected.n, expected.p)
    assert np.bincount(truth).tolist() == sizes
