"""What all pictures have in common, and pictures of whole fits."""

import builtins

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plotting
import pytest
from plotting import bar_lengths, bar_names, fake_result, scattered, with_first_column_constant

from pywbms import datasets, plot, wbms

_close_figures = plotting._close_figures  # fixture


def test_overview_has_clusters_left_and_weights_right():
    figure = plot.overview(fake_result())
    left, right = figure.axes
    assert left.get_title() == "2 clusters, 10 rows"
    assert bar_names(right) == ["x2", "x3", "x1"]
    figure.canvas.draw()
    assert left.get_window_extent().x1 < right.get_window_extent().x0


@pytest.mark.parametrize("kind", ["overview", "weights", "clusters", "embedding", "collapse"])
@pytest.mark.parametrize(
    "result",
    [
        fake_result(sizes=(1,), n_iter=0),
        fake_result(sizes=(1,), weights=(1.0,), n_iter=0, scale=pd.Series([np.nan])),
        fake_result(weights=(0.0, 1.0, 0.0)),
        with_first_column_constant(0.0),
        with_first_column_constant(-7e17),
        fake_result(sizes=[1] * 60, weights=np.full(300, 1 / 300), n_iter=1),
    ],
    ids=["one row", "one row, one column", "one weight", "zeros", "large constant", "sixty"],
)
def test_awkward_results_are_drawn_without_warnings(kind, result):
    drawn = plot.draw(result, kind)
    figure = drawn if isinstance(drawn, plt.Figure) else drawn.figure
    figure.canvas.draw()
    for ax in figure.axes:
        assert np.isfinite([*ax.get_xlim(), *ax.get_ylim()]).all()


def test_long_names_are_not_cut_off():
    names = [f"a long name of a feature, in which the end is number {j}" for j in range(30)]
    figure = plot.overview(fake_result(weights=np.full(30, 1 / 30), columns=names))
    figure.canvas.draw()
    drawn = figure.get_tightbbox()
    assert drawn.x0 >= 0
    assert drawn.y0 >= 0
    assert drawn.x1 <= figure.get_figwidth()
    assert drawn.y1 <= figure.get_figheight()


@pytest.mark.parametrize("draw", [plot.weights, plot.clusters, plot.embedding])
def test_given_axes_are_drawn_on_and_no_figure_is_made(draw):
    ax = matplotlib.figure.Figure().subplots()
    assert draw(fake_result(), ax=ax) is ax
    assert plt.get_fignums() == []


def test_draw_passes_its_options_on():
    assert bar_names(plot.draw(fake_result(), "weights", top=1)) == ["x2", "2 other features"]


def test_draw_lists_the_kinds_it_knows():
    kinds = "'clusters', 'embedding', 'profile', 'collapse', 'tree', 'selection', got 'pie'"
    with pytest.raises(ValueError, match=kinds):
        plot.draw(fake_result(), "pie")


def test_drawing_leaves_the_settings_of_matplotlib_alone():
    before = dict(matplotlib.rcParams)
    plot.overview(fake_result())
    plot.collapse(fake_result())
    assert dict(matplotlib.rcParams) == before


def test_without_matplotlib_the_error_says_how_to_get_it(monkeypatch):
    real_import = builtins.__import__

    def no_matplotlib(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_matplotlib)
    with pytest.raises(ImportError, match=r'pip install "pywbms\[plot\]"'):
        plot.overview(fake_result())


# --- with a fit


@pytest.mark.slow
def test_overview_of_a_fit_shows_the_clusters_of_the_fit():
    result = wbms(datasets.data1(0)[0])
    left, right = plot.overview(result).axes
    *rows, centres = scattered(left)
    assert sum(map(len, rows)) == 200
    assert len(centres) == result.n_clusters
    assert sum(bar_lengths(right)) == pytest.approx(1)


@pytest.mark.slow
def test_collapse_of_a_fit_ends_where_the_fit_ended():
    result = wbms(datasets.data1(0)[0])
    last = plot.collapse(result, features=["x1", "x2"]).axes[-1]
    assert last.get_title() == f"iteration {result.n_iter}"
    ends = np.vstack(scattered(last))
    expected = result.modes[["x1", "x2"]].to_numpy()[np.argsort(result.labels, kind="stable")]
    np.testing.assert_allclose(ends, expected, atol=1e-8)
