"""The values transcribed from the paper."""

import re

import pytest

from pywbms.experiments import (
    _printed,
)
from pywbms.experiments._methods import PEERS
from tests.conftest import SHARED


@pytest.fixture(scope="module")
def paper():
    path = SHARED / "paper" / "wbms-paper.tex"
    if not path.is_file():
        pytest.skip("the paper's source is not beside this clone (../shared/paper)")
    return path.read_text(encoding="utf-8")


def tabulars(paper, caption):
    """Return the lines of cells of the table whose caption contains this."""
    tables = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", paper, flags=re.DOTALL)
    (table,) = [table for table in tables if caption in table]
    body = re.search(r"\\begin\{tabular\}\{[^}]*\}(.*?)\\end\{tabular\}", table, re.DOTALL)[1]
    body = body.replace("\\hline", "")
    clean = re.sub(r"\$|\\mathbf|\{|\}", "", body)
    return [[part.strip() for part in line.split("&")] for line in clean.split("\\\\")][1:-1]


def named(lines):
    """Return name → numbers, for lines that begin with the name of a data set."""
    keys = {title: name for name, title in _printed.TITLES.items()}
    return {keys[line[0]]: tuple(map(float, line[1:])) for line in lines}


def test_printed_scores_are_those_of_the_paper(paper):
    lines = tabulars(paper, "Performance Analysis on Real Life Datasets")
    assert [line[1] for line in lines] == ["NMI", "ARI"] * 9
    for name, nmi, ari in zip(_printed.TITLES, lines[::2], lines[1::2], strict=True):
        # Long names are split into two lines.
        title = (nmi[0].rstrip("-") + " " + ari[0]).strip()
        assert title.replace(" ", "") == _printed.TITLES[name].replace(" ", "")
        assert _printed.NMI[name] == tuple(map(float, nmi[2:]))
        assert _printed.ARI[name] == tuple(map(float, ari[2:]))


@pytest.mark.parametrize(
    ("caption", "table"),
    [
        ("Optimal Parameter Values", _printed.PARAMETERS),
        ("for different values of $h$", _printed.ARI_OVER_H),
        (r"for different values of $\lambda$", _printed.ARI_OVER_LAM),
        ("Runtime Analysis", _printed.SECONDS),
    ],
)
def test_printed_table_is_that_of_the_paper(paper, caption, table):
    assert named(tabulars(paper, caption)) == table


def test_printed_headings_are_those_of_the_paper(paper):
    order = "$k$-Means & G-Means & WG-Means & DP-Means & EWDP & RCC & MS & BMS & WBMS"
    assert paper.count(order) == 2
    assert "$h=0.1$ & $h=0.5$ & $h=0.8$ & $h=1$" in paper
    assert r"$\lambda=1$ & $\lambda=5$ & $\lambda=10$ & $\lambda=20$" in paper


@pytest.mark.parametrize("claim", _printed.CLAIMS.values())
def test_claims_are_quoted_from_the_paper(paper, claim):
    def plain(text):
        return " ".join(re.sub(r"\$|\\textit|\{|\}", "", text).split())

    assert plain(claim) in plain(paper)


def test_peers_of_the_paper_are_the_peers_here():
    assert (*PEERS, "wbms") == _printed.METHODS
