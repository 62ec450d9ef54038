"""A report from R is that of Python, with clusters counted from 1."""

import textwrap

import pytest
import rsession
from report_pages import data_of, page_of
from rexchange import Exchange

from pywbms import datasets, wbms

# fixtures
r_library, r = rsession.r_library, rsession.r


@pytest.fixture(scope="module")
def frame():
    return datasets.simulation3(random_state=0)[0]


@pytest.fixture(scope="module")
def pages(r, frame, tmp_path_factory):
    """The pages of R and of Python, and the messages of errors."""
    folder = tmp_path_factory.mktemp("report")
    exchange = Exchange(folder)
    names = ", ".join(f"'{name}'" for name in frame.columns)
    code = f"""
        x <- {exchange.put(frame.to_numpy(), "x")}
        colnames(x) <- c({names})
        fit <- wbms(x, h = 0.1, lambda = 0.1)
        stopifnot(identical(wbms_report(fit, "{folder}/r.html"), "{folder}/r.html"))
        error <- function(code) cat(tryCatch(code, error = conditionMessage), sep = "\\n")
        error(wbms_report(fit, "{folder}/nowhere/r.html"))
        error(wbms_report(fit, c("a", "b")))
        error(wbms_report(1, "a.html"))
        error(wbms_report(fit, "a.html", title = 3))
    """
    told = r(textwrap.dedent(Exchange.IN_R) + textwrap.dedent(code), folder)
    text = (folder / "r.html").read_text(encoding="utf-8")
    return text, page_of(wbms(frame, h=0.1, lam=0.1), folder), told


def test_the_numbers_are_those_of_python(pages):
    in_r, in_python = map(data_of, pages[:2])
    assert (in_r.pop("first"), in_python.pop("first")) == (1, 0)
    in_r["rows"].pop("name"), in_python["rows"].pop("name")
    assert in_r == in_python


def test_clusters_and_rows_count_from_1(pages):
    assert '<th scope="row">Cluster 0</th>' not in pages[0]
    assert "The largest (cluster 1)" in pages[0]
    assert data_of(pages[0])["rows"]["name"][0] == "1"


def test_errors_name_the_argument(pages):
    for words in (
        "there is no folder",
        "'path' must be",
        "'fit' must be",
        "'title' must be a text",
    ):
        assert words in pages[2]
