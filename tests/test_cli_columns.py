"""What ``pywbms fit`` and ``select`` do with texts, missing values and identifiers."""

import commands
import numpy as np
import pandas as pd
import pytest
from commands import fails_with, read_json, refuses

from pywbms import wbms
from pywbms.cli import main

_in_a_folder_of_its_own = commands._in_a_folder_of_its_own

FIXED = ["--h", "0.1", "--lam", "0.1"]


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 15)
    table = pd.DataFrame({"x": 5.0 * group + rng.normal(size=30), "y": rng.normal(size=30)})
    table["kind"] = np.where(group == 0, "ant", "bee")
    table.to_csv("data.csv", index=False)
    return table


def test_texts_are_refused_with_the_options_to_use(table, capsys):
    message = fails_with(1, ["fit", "data.csv"], capsys)
    assert "not numeric: 'kind'" in message
    assert "--categories indicators" in message
    assert "--numeric-only" in message


def test_indicators(table, capsys):
    assert main(["fit", "data.csv", *FIXED, "--categories", "indicators", "--json"]) == 0
    found = read_json(capsys)
    expected = wbms(table, h=0.1, lam=0.1, categories="indicators")
    assert found["labels"] == expected.labels.to_list()
    assert found["weights"] == expected.weights.to_dict()
    assert list(found["weights"]) == ["x", "y", "kind=ant", "kind=bee"]


def test_numeric_only(table, capsys):
    assert main(["fit", "data.csv", *FIXED, "--numeric-only", "--json"]) == 0
    assert list(read_json(capsys)["weights"]) == ["x", "y"]
    both = ["fit", "data.csv", "--numeric-only", "--categories", "indicators"]
    assert "--numeric-only" in refuses(both, capsys)


def test_imputed_values_are_counted(table, capsys):
    table.loc[[2, 5], "x"] = np.nan
    table.loc[3, "kind"] = None
    table.to_csv("data.csv", index=False)
    arguments = ["fit", "data.csv", *FIXED, "--categories", "indicators"]
    message = fails_with(1, arguments, capsys)
    assert "missing values in column 'x', 'kind' (3 rows)" in message
    assert "--na-action impute" in message
    assert main([*arguments, "--na-action", "impute"]) == 0
    assert "imputed values: 3 (x 2, kind 1)" in capsys.readouterr().out
    assert main([*arguments, "--na-action", "impute", "--json"]) == 0
    found = read_json(capsys)
    assert found["imputed"] == {"x": 2, "kind": 1}
    expected = wbms(table, h=0.1, lam=0.1, categories="indicators", na_action="impute")
    assert found["labels"] == expected.labels.to_list()
    assert main([*arguments, "--na-action", "omit", "--json"]) == 0
    assert [i for i, label in enumerate(read_json(capsys)["labels"]) if label < 0] == [2, 3, 5]


def test_selection_of_what_is_left(table, capsys):
    table.loc[2, "x"] = np.nan
    table.to_csv("data.csv", index=False)
    for action, rows in (("omit", 29), ("impute", 30)):
        arguments = ["select", "data.csv", "--h", "0.1,0.2", "--lam", "0.1"]
        arguments += ["--categories", "indicators", "--na-action", action]
        assert main(arguments) == 0
        assert f"in {rows} rows" in capsys.readouterr().out


def test_the_seed_is_that_of_the_search(table, capsys):
    assert main(["fit", "data.csv", "--numeric-only", "--lam", "0.1", "--seed", "3", "--json"]) == 0
    found = read_json(capsys)
    expected = wbms(table, ["x", "y"], lam=0.1, random_state=3)
    assert (found["h"], found["labels"]) == (expected.h, expected.labels.to_list())


@pytest.mark.filterwarnings("always:column 'number' looks:UserWarning")
def test_identifiers_are_warned_of(table, capsys):
    table.assign(number=range(30)).to_csv("data.csv", index=False)
    assert main(["fit", "data.csv", *FIXED, "--numeric-only"]) == 0
    assert "column 'number' looks like an identifier" in capsys.readouterr().err
