"""What notebooks show: results, selections and layers, without scripts."""

import re

import pandas as pd
import pytest
import report_pages
from report_pages import clouds

from pywbms import wbms

NOTHING_THAT_RUNS = r"<script|<style|<link|<iframe|<[^<>]*\bon\w+=|javascript:|https?://"


@pytest.fixture(scope="module")
def searched():
    return report_pages.searched()


def shown(value):
    text = value._repr_html_()
    assert not re.search(NOTHING_THAT_RUNS, text)
    return text


def test_a_result(searched):
    text = shown(searched)
    assert f"{searched.n_clusters} clusters in" in text
    assert searched.confidence.word in text
    assert all(f">{name}</th>" in text for name in searched.weights.nlargest(3).index)
    assert len(text) < 10_000


def test_a_result_with_many_clusters_stays_short():
    result = wbms(clouds(60, 600, 6), h=0.005, lam=1.0, init="uniform")
    text = shown(result)
    assert "(48 smaller ones are not shown)" in text
    assert len(text) < 12_000


def test_texts_of_the_data_are_only_texts():
    assert "&lt;script&gt;alert(1)" in shown(report_pages.hostile())


def test_a_selection(searched):
    text = shown(searched.choice)
    assert str(searched.confidence) in text
    assert "nearly as good" not in text
    assert "nearly as good" in shown(report_pages.uncertain().choice)


def test_layers(searched):
    text = shown(searched.layers)
    assert text.count("<tr>") == 1 + len(searched.layers)
    assert f"<b>{searched.n_clusters} (this result)</b>" in text
    assert type(searched.layers[["k"]]) is pd.DataFrame


@pytest.mark.slow
def test_nbconvert_renders_it(tmp_path):
    """A notebook is executed in a kernel and exported as a page."""
    nbconvert = pytest.importorskip("nbconvert")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    from nbconvert.preprocessors import ExecutePreprocessor

    setup = (
        "import numpy as np, pandas as pd, pywbms\n"
        "x = np.random.default_rng(0).normal(size=(60, 2)); x[:30] += 8\n"
        "result = pywbms.wbms(pd.DataFrame(x, columns=['<b>a</b>', 'b']))"
    )
    cells = [setup, "result", "result.choice", "result.layers"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    ExecutePreprocessor(timeout=300, kernel_name="python3").preprocess(
        book, {"metadata": {"path": str(tmp_path)}}
    )
    for cell in book.cells[1:]:
        (output,) = cell.outputs
        assert not re.search(NOTHING_THAT_RUNS, output.data["text/html"])
    page, _ = nbconvert.HTMLExporter().from_notebook_node(book)
    assert "2 clusters in 60 rows" in page
    assert "&lt;b&gt;a&lt;/b&gt;" in page
    assert "(this result)" in page
