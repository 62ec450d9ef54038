"""How the command reads tables: standard input, separators, marks, encodings, Excel, bad cells."""

import io
import sys
from pathlib import Path

import commands
import pandas as pd
import pytest
from commands import fails_with, read_json, refuses, two_clusters, without
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from optional import optional

from pywbms._cli.files import load
from pywbms._cli.reading import Reading
from pywbms.cli import main

# fixtures
frame, data, named = commands.frame, commands.data, commands.named
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own

FIT = ["--h", "0.1", "--lam", "0.05", "--json"]


@pytest.fixture
def piped(monkeypatch):
    """A function that puts bytes on standard input."""

    def pipe(content):
        stream = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", stream)

    return pipe


def labels_of(argv, capsys):
    assert main(argv) == 0
    return read_json(capsys)["labels"]


def usual(data, capsys):
    return labels_of(["fit", data, *FIT], capsys)


def test_standard_input(data, piped, capsys):
    expected = usual(data, capsys)
    piped(Path(data).read_bytes())
    assert labels_of(["fit", "-", *FIT], capsys) == expected


def test_standard_input_with_other_marks(frame, data, piped, capsys):
    expected = usual(data, capsys)
    piped(frame.to_csv(index=False, sep=";", decimal=",").encode())
    assert labels_of(["fit", "-", "--sep", ";", "--decimal", ",", *FIT], capsys) == expected
    piped(b"")
    assert "cannot read standard input" in fails_with(1, ["fit", "-", *FIT], capsys)
    piped(b"a,b\n")
    assert "standard input has no rows" in fails_with(1, ["fit", "-", *FIT], capsys)


@pytest.mark.parametrize(
    ("sep", "given"), [("\t", "tab"), ("\t", r"\t"), ("|", "|"), (" ", "space"), (" ", " ")]
)
def test_separators(frame, data, capsys, sep, given):
    expected = usual(data, capsys)
    frame.to_csv("other.csv", index=False, sep=sep)
    assert labels_of(["fit", "other.csv", "--sep", given, *FIT], capsys) == expected


def test_encodings(frame, data, capsys):
    expected = usual(data, capsys)
    frame.rename(columns={"a": "Größe"}).to_csv("latin.csv", index=False, encoding="latin-1")
    argv = ["fit", "latin.csv", "--columns", "Größe,b,c", *FIT]
    assert "not encoded in utf-8; use --encoding" in fails_with(1, argv, capsys)
    assert labels_of([*argv, "--encoding", "latin-1"], capsys) == expected


def test_no_header(frame, data, capsys):
    expected = usual(data, capsys)
    frame.to_csv("bare.csv", index=False, header=False)
    assert main(["fit", "bare.csv", "--no-header", *FIT]) == 0
    found = read_json(capsys)
    assert found["labels"] == expected
    assert list(found["weights"]) == ["x1", "x2", "x3"]


def test_a_header_of_numbers_is_warned_about(frame, capsys):
    frame.to_csv("bare.csv", index=False, header=False)
    assert main(["fit", "bare.csv", *FIT]) == 0
    said = capsys.readouterr().err
    assert said.startswith("pywbms: warning: all names in the header are numbers (")
    assert "use --no-header" in said
    assert main(["fit", "bare.csv", "--no-header", *FIT]) == 0
    assert capsys.readouterr().err == ""
    frame.set_axis(range(3), axis=1).to_csv("numbered.csv", index=False)
    assert main(["fit", "numbered.csv", *FIT]) == 0
    assert capsys.readouterr().err == ""


def test_a_repeated_number_in_the_header(capsys):
    pd.DataFrame([[5.1, 5.1], [1, 2]]).to_csv("bare.csv", index=False, header=False)
    assert "duplicate column names: '5.1'; if the file has no header" in fails_with(
        1, ["fit", "bare.csv"], capsys
    )


def test_semicolons_are_answered_with_the_option(frame, capsys):
    frame.to_csv("data.csv", index=False, sep=";")
    assert 'use --sep ";"' in fails_with(1, ["fit", "data.csv"], capsys)
    frame.to_csv("data.csv", index=False, sep=";", decimal=",", header=False)
    assert 'use --sep ";"' in fails_with(1, ["fit", "data.csv"], capsys)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["fit", "a.csv", "--sep", "ab"], "must be one character, tab or space, got 'ab'"),
        (["fit", "a.csv", "--encoding", "klingon"], "unknown encoding 'klingon'"),
        (["fit", "a.csv", "--decimal", ";"], "--decimal"),
        (["fit", "a.csv", "--decimal", ","], "needs another separator than the comma"),
        (["fit", "-", "--decimal", ","], "needs another separator than the comma"),
        (["fit", "a.parquet", "--sep", ";"], "--sep: only for text files, not for a.parquet"),
        (["select", "a.xlsx", "--encoding", "utf-8"], "--encoding: only for text files"),
        (["fit", "a.csv", "--out", "labels.xlsx"], "the suffix must be one of"),
        (["fit", "a.csv", "--save", "model.csv"], "the suffix must be one of .wbms"),
    ],
)
def test_options_that_make_no_sense(argv, message, capsys):
    assert message in refuses(argv, capsys)


class TestExcel:
    @pytest.fixture(autouse=True)
    def _openpyxl(self):
        optional("openpyxl")

    @pytest.mark.parametrize("suffix", ["xlsx", "xlsm"])
    def test_the_first_sheet(self, frame, data, capsys, suffix):
        with pd.ExcelWriter(f"book.{suffix}", engine="openpyxl") as book:
            frame.to_excel(book, sheet_name="first", index=False)
            (frame * 0).to_excel(book, sheet_name="second", index=False)
        expected = usual(data, capsys)
        assert labels_of(["fit", f"book.{suffix}", *FIT], capsys) == expected

    def test_names_of_rows_and_no_header(self, named, data, capsys):
        named.to_excel("named.xlsx", index=False)
        argv = ["fit", "named.xlsx", "--index", "id", "--exclude", "kind", *FIT[:4]]
        assert main([*argv, "--out", "labels.csv"]) == 0
        assert pd.read_csv("labels.csv", dtype=str)["id"].tolist() == named["id"].tolist()
        capsys.readouterr()
        two_clusters().to_excel("bare.xlsx", index=False, header=False)
        assert labels_of(["fit", "bare.xlsx", "--no-header", *FIT], capsys) == usual(data, capsys)

    def test_bad_workbooks(self, frame, capsys):
        with open("text.xlsx", "w") as file:
            file.write("a,b\n1,2\n")
        assert "cannot read text.xlsx" in fails_with(1, ["fit", "text.xlsx"], capsys)
        assert "cannot read none.xlsx" in fails_with(1, ["fit", "none.xlsx"], capsys)
        frame.set_axis(["a", "a", "b"], axis=1).to_excel("twice.xlsx", index=False)
        assert "duplicate column names: 'a'" in fails_with(1, ["fit", "twice.xlsx"], capsys)
        frame.astype(object).replace(frame.iloc[3, 1], "oops").to_excel("bad.xlsx", index=False)
        assert "row 4 of column 'b' has 'oops'" in fails_with(1, ["fit", "bad.xlsx"], capsys)
        pd.DataFrame().to_excel("empty.xlsx", index=False)
        assert "empty.xlsx has no rows" in fails_with(1, ["fit", "empty.xlsx"], capsys)

    def test_without_openpyxl(self, frame, capsys, monkeypatch):
        frame.to_excel("data.xlsx", index=False)
        without("openpyxl", monkeypatch)
        assert 'pip install "pywbms[excel]"' in fails_with(1, ["fit", "data.xlsx"], capsys)


class TestBadCells:
    def test_the_cell_is_named_by_row_column_and_value(self, frame, capsys):
        table = frame.astype(object)
        table.loc[6, "b"] = "n.d."
        table.insert(0, "name", "text")
        table.to_csv("data.csv", index=False)
        said = fails_with(1, ["fit", "data.csv"], capsys)
        assert "columns that are not numeric: 'name', 'b'" in said
        assert "row 7 of column 'b' has 'n.d.'" in said

    def test_rows_with_names_are_called_by_them(self, named, capsys):
        table = named.astype(object)
        table.loc[6, "b"] = "?"
        table.to_csv("data.csv", index=False)
        argv = ["fit", "data.csv", "--index", "id", "--exclude", "kind"]
        assert "row '006' of column 'b' has '?'" in fails_with(1, argv, capsys)

    def test_decimal_commas_are_answered_with_the_option(self, frame, capsys):
        frame.to_csv("data.tsv", index=False, sep="\t", decimal=",")
        assert "for decimal commas use --decimal ," in fails_with(1, ["fit", "data.tsv"], capsys)
        assert main(["fit", "data.tsv", "--decimal", ",", *FIT]) == 0

    def test_a_column_of_texts_only(self, named, capsys):
        said = fails_with(1, ["fit", "named.csv", "--index", "id"], capsys)
        assert "row '000' of column 'kind' has 'text'" in said


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    values=st.lists(
        st.tuples(
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(-(10**9), 10**9),
            st.text(st.characters(codec="latin-1", categories=["L", "N", "P"]), min_size=1),
        ),
        min_size=1, max_size=8,
    ),
    sep=st.sampled_from([",", ";", "\t", "|"]),
    decimal=st.sampled_from([".", ","]),
    encoding=st.sampled_from(["utf-8", "latin-1", "utf-16"]),
    header=st.booleans(),
    piped_in=st.booleans(),
)  # fmt: skip
def test_tables_are_read_as_written(values, sep, decimal, encoding, header, piped_in):
    if sep == decimal:
        sep = ";"
    table = pd.DataFrame(values, columns=["x1", "x2", "x3"])
    table.to_csv("t.csv", index=False, sep=sep, decimal=decimal, encoding=encoding, header=header)
    path, stdin = Path("-" if piped_in else "t.csv"), sys.stdin
    try:
        sys.stdin = io.TextIOWrapper(io.BytesIO(Path("t.csv").read_bytes()))
        found = load(path, "x3", Reading(sep, decimal, encoding, header))
    finally:
        sys.stdin = stdin
    assert found["x3"].tolist() == table["x3"].tolist()
    assert found["x2"].tolist() == table["x2"].tolist()
    # pandas' default parser of floats may be off by the last bit.
    assert found["x1"].tolist() == pytest.approx(table["x1"].tolist(), rel=1e-14)
