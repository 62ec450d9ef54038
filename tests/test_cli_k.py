"""``pywbms fit --k`` and ``pywbms select --k``."""

import commands
import pytest
from commands import fails_with, read_json, refuses

from pywbms import wbms
from pywbms.cli import main

# fixtures
_in_a_folder_of_its_own = commands._in_a_folder_of_its_own
frame = commands.frame
data = commands.data

GIVEN = ["--h", "0.02", "--lam", "1.0"]


def test_levels_of_a_given_fit(frame, data, capsys):
    assert main(["fit", data, "--k", "2", *GIVEN, "--json"]) == 0
    found, expected = read_json(capsys), wbms(frame, h=0.02, lam=1.0, n_clusters=2)
    assert found["labels"] == expected.labels.to_list()
    assert (found["n_clusters"], found["reached_by"]) == (2, expected.reached_by)
    assert main(["fit", data, "--k", "2", *GIVEN]) == 0
    assert "n_clusters = 2: " in capsys.readouterr().out


def test_a_number_that_there_is_not(data, capsys):
    message = fails_with(1, ["fit", data, "--k", "39", *GIVEN], capsys)
    assert "no partition that was tried has exactly 39 clusters; the nearest have" in message


@pytest.mark.parametrize("k", ["0", "-2", "2.5", "two"])
def test_what_is_no_number(k, data, capsys):
    message = refuses(["fit", data, f"--k={k}"], capsys)
    assert "--k: must be a whole number of at least 1" in message


def test_searches(frame, data, capsys):
    assert main(["select", data, "--k", "3", "--json"]) == 0
    chosen = read_json(capsys)
    assert chosen["n_clusters"] == 3
    assert main(["fit", data, "--k", "3", "--json"]) == 0
    assert read_json(capsys)["labels"] == wbms(frame, n_clusters=3).labels.to_list()
