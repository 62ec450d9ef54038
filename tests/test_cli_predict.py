"""``pywbms fit --save`` and ``pywbms predict``."""

import io
import sys
from pathlib import Path

import commands
import numpy as np
import pandas as pd
import pytest
from commands import fails_with, read_json, refuses

import pywbms
from pywbms import wbms
from pywbms.cli import main

# fixtures
frame, data = commands.frame, commands.data
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own

FIT = ["--h", "0.1", "--lam", "0.05"]


@pytest.fixture
def model(data, capsys):
    """A saved fit; returns the name of its file."""
    assert main(["fit", data, *FIT, "--save", "model.wbms"]) == 0
    assert "wrote the model to model.wbms" in capsys.readouterr().out
    return "model.wbms"


@pytest.fixture
def new(frame):
    """New rows, with further columns in another order, and what `predict` says of them."""
    rng = np.random.default_rng(1)
    table = frame.sample(15, random_state=0) + 0.01 * rng.normal(size=(15, 3))
    table = table[["c", "a", "b"]].assign(kind="=1+1").reset_index(drop=True)
    table.insert(0, "id", [f"{row:03d}" for row in range(15)])
    table.to_csv("new.csv", index=False)
    return table


@pytest.fixture
def expected(frame, new):
    return wbms(frame, h=0.1, lam=0.05).predict(new).tolist()


def test_the_saved_fit_is_that_of_python(model, frame):
    found = pywbms.load(model)
    np.testing.assert_array_equal(found.labels, wbms(frame, h=0.1, lam=0.05).labels)


def test_labels_as_json(model, new, expected, capsys):
    assert main(["predict", model, "new.csv", "--json"]) == 0
    found = read_json(capsys)
    assert found == {
        "n_clusters": 2, "sizes": np.bincount(expected, minlength=2).tolist(), "labels": expected
    }  # fmt: skip


def test_labels_in_a_file(model, new, expected, capsys):
    assert main(["predict", model, "new.csv", "--index", "id", "--out", "labels.csv"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("15 rows in 2 of 2 clusters\n")
    assert "wrote the labels to labels.csv" in said
    labels = pd.read_csv("labels.csv", dtype={"id": str})
    assert labels["id"].tolist() == new["id"].tolist()
    assert labels["cluster"].tolist() == expected


def test_the_whole_table_with_labels_on_standard_output(model, new, expected, capsys):
    assert main(["predict", model, "new.csv", "--augment", "--out", "-"]) == 0
    out, err = capsys.readouterr()
    table = pd.read_csv(io.StringIO(out))
    assert table["cluster"].tolist() == expected
    assert table["kind"].tolist() == ["'=1+1"] * 15
    assert "note: put ' before 15 texts" in err
    assert "15 rows in 2 of 2 clusters" in err


def test_rows_on_standard_input(model, new, expected, capsys, monkeypatch):
    content = new.to_csv(index=False, sep=";", decimal=",").encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["predict", model, "-", "--sep", ";", "--decimal", ",", "--json"]) == 0
    assert read_json(capsys)["labels"] == expected


def test_missing_values(model, new, expected, capsys):
    new.loc[3, "a"] = np.nan
    new.to_csv("new.csv", index=False)
    said = fails_with(1, ["predict", model, "new.csv"], capsys)
    assert "missing values in column 'a' (1 row)" in said
    assert main(["predict", model, "new.csv", "--na-action", "omit"]) == 0
    assert "1 row omitted: missing values" in capsys.readouterr().out
    assert main(["predict", model, "new.csv", "--na-action", "omit", "--json"]) == 0
    assert read_json(capsys)["labels"] == [*expected[:3], -1, *expected[4:]]


def test_columns_whose_names_are_no_texts(frame, new, expected, capsys):
    wbms(frame.set_axis([1, 2, 3], axis=1), h=0.1, lam=0.05).save("model.wbms")
    new.rename(columns={"a": "1", "b": "2", "c": "3"}).to_csv("new.csv", index=False)
    assert main(["predict", "model.wbms", "new.csv", "--json"]) == 0
    assert read_json(capsys)["labels"] == expected


def test_bad_input_is_named(model, new, data, capsys):
    new.drop(columns="a").to_csv("new.csv", index=False)
    said = fails_with(1, ["predict", model, "new.csv"], capsys)
    assert "columns that are not in the data: 'a'" in said
    new.astype(object).replace(new.loc[3, "b"], "oops").to_csv("new.csv", index=False)
    said = fails_with(1, ["predict", model, "new.csv"], capsys)
    assert "row 4 of column 'b' has 'oops'); the fit needs numbers in these columns" in said
    assert "data.csv was not written by pywbms" in fails_with(1, ["predict", data, data], capsys)
    said = fails_with(1, ["predict", "none.wbms", data], capsys)
    assert said == "pywbms: error: cannot read none.wbms: No such file or directory\n"
    assert "cannot read none.csv" in fails_with(1, ["predict", model, "none.csv"], capsys)


def test_nothing_that_was_read_is_overwritten(model, new, data, capsys):
    before = Path("new.csv").read_text()
    argv = ["predict", model, "new.csv", "--out", "new.csv"]
    assert "--out would overwrite the data" in fails_with(1, argv, capsys)
    assert Path("new.csv").read_text() == before
    assert "--augment needs --out" in refuses(["predict", model, "new.csv", "--augment"], capsys)
    argv = ["predict", model, "new.csv", "--json", "--out", "-"]
    assert "both write to standard output" in refuses(argv, capsys)
    argv = ["fit", data, *FIT, "--save", "no/model.wbms"]
    assert "there is no folder no" in fails_with(1, argv, capsys)
    new.assign(cluster=1).to_csv("new.csv", index=False)
    argv = ["predict", model, "new.csv", "--augment", "--out", "labels.csv"]
    assert "already have a column 'cluster'" in fails_with(1, argv, capsys)
