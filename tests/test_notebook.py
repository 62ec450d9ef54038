"""What notebooks show: results, selections and layers without scripts, and progress."""

import re
import sys
import types

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


class Bar:
    """A bar of tqdm that keeps what it shows."""

    def __init__(self, **_):
        self.texts, self.closed = [], False

    def set_description_str(self, text, refresh):
        self.texts.append(text)

    def update(self):
        pass

    def close(self):
        self.closed = True


class TestProgress:
    @pytest.fixture
    def bar(self, monkeypatch):
        """A kernel of a notebook, and the bar that a fit shows in it."""
        bar = Bar()
        shell = type("ZMQInteractiveShell", (), {})()
        ipython = types.SimpleNamespace(get_ipython=lambda: shell)
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        auto = types.ModuleType("tqdm.auto")
        auto.tqdm = lambda **_: bar
        monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
        monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
        return bar

    def test_is_shown_in_a_notebook(self, bar):
        result = wbms(clouds(3, 60, 3), h=0.02, lam=0.3)
        assert bar.texts[-1].startswith(f"main {result.n_iter}: ")
        assert bar.closed

    def test_tells_of_the_search(self, bar):
        wbms(clouds(2, 40, 2))
        assert bar.texts[0].startswith("choosing h and lam, fit 1")

    def test_does_not_speak_twice(self, bar, capsys):
        wbms(clouds(3, 60, 3), h=0.02, lam=0.3, verbose=True)
        assert "main 1: " in capsys.readouterr().out
        assert not bar.texts

    def test_is_not_shown_elsewhere(self, bar, monkeypatch):
        monkeypatch.delitem(sys.modules, "IPython")
        wbms(clouds(3, 60, 3), h=0.02, lam=0.3)
        assert not bar.texts

    def test_is_closed_after_an_error(self, bar):
        def interrupt(_):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            wbms(clouds(3, 60, 3), h=0.02, lam=0.3, callback=interrupt)
        assert bar.texts
        assert bar.closed

    def test_is_left_out_without_tqdm(self, bar, monkeypatch):
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
        assert wbms(clouds(3, 60, 3), h=0.02, lam=0.3).n_clusters == 3


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
