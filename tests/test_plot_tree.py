"""What the picture of the tree shows, read off the artists that were drawn."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plotting
import pytest

from pywbms import datasets, plot, wbms
from pywbms._viz.dendrogram import iteration_marks, lay_out, number_of_leaves
from pywbms._viz.style import DARK

_close_figures = plotting._close_figures  # fixture


def few_rows(n=9, **params):
    """Cluster rows around three places; the second and third are near each other."""
    places = np.array([0.0, 5.0, 7.0])[np.arange(n) % 3]
    data = pd.DataFrame({"x": places + 0.01 * np.arange(n)}, index=[f"$r{i}" for i in range(n)])
    return wbms(data, h=0.02, lam=1.0, tree=True, **params)


def leaf_names(ax):
    return [label.get_text() for label in ax.get_xticklabels()]


def drawn_lines(ax):
    return [line for line in ax.lines if line.get_linestyle() != "--"]


def test_rows_are_leaves_if_they_are_few():
    result = few_rows()
    ax = result.plot("tree")
    assert sorted(leaf_names(ax)) == [f"$r{i}" for i in range(9)]
    assert ax.get_xlabel() == "row"
    # Rows of a cluster are side by side.
    side_by_side = result.labels[leaf_names(ax)].to_numpy()
    assert (np.diff(side_by_side) != 0).sum() == 2
    ax.figure.canvas.draw()  # "$" in a name is no formula


def test_clusters_are_leaves_if_rows_are_many():
    result = few_rows(60)
    ax = plot.tree(result)
    assert sorted(leaf_names(ax)) == ["0 (20)", "1 (20)", "2 (20)"]
    assert ax.get_xlabel() == "cluster (number of rows)"
    assert ax.get_title() == "3 clusters, 60 rows"


def test_every_merge_is_drawn_at_its_height():
    result = few_rows()
    ax = plot.tree(result)
    across = [line for line in drawn_lines(ax) if np.ptp(line.get_xdata()) > 0]
    found = sorted(line.get_ydata()[0] for line in across)
    np.testing.assert_allclose(found, result.tree[:, 2])
    assert len(drawn_lines(ax)) == 3 * 8 + 1  # and the stem


def test_the_end_of_the_fit_is_marked():
    result = few_rows()
    ax = plot.tree(result)
    (line,) = (line for line in ax.lines if line.get_linestyle() == "--")
    assert set(line.get_ydata()) == {np.log1p(result.n_iter)}
    assert [text.get_text() for text in ax.texts] == ["the fit ends:\n3 clusters"]


def test_colours_are_those_of_the_clusters_and_dark_above():
    result = few_rows(60)
    clusters = {h.get_color() for h in plot.clusters(result).get_legend().legend_handles[:3]}
    legs = {line.get_color() for line in drawn_lines(plot.tree(result))}
    assert clusters < legs
    assert legs - clusters == {DARK}


def test_predicted_merges_are_dotted_and_said_so(monkeypatch):
    monkeypatch.setattr("pywbms._engine.coalescence.MOST_WORK", 0)
    ax = plot.tree(few_rows(60))
    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert len(dotted) == 6
    assert ax.get_title().endswith("dotted: predicted, not followed")


@pytest.mark.parametrize("leaves", [1, 2, 3, 50, 1000])
def test_leaves_bound_what_is_drawn(leaves):
    names = leaf_names(plot.tree(few_rows(60), leaves=leaves))
    assert 1 <= len(names) <= min(leaves, 60)
    assert (leaves < 2) == (names == ["3 clusters (60)"])


@pytest.mark.parametrize("leaves", [0, -1, 2.5, True])
def test_leaves_must_be_a_number(leaves):
    with pytest.raises(ValueError, match="leaves must be a whole number"):
        plot.tree(few_rows(), leaves=leaves)


def test_a_result_without_a_tree_says_what_to_do():
    df, _ = datasets.data1(0)
    with pytest.raises(ValueError, match="tree=True"):
        wbms(df, h=0.1, lam=0.05).plot("tree")


@pytest.mark.parametrize(
    ("data", "leaves"),
    [
        (np.zeros((1, 2)), 1),
        (np.zeros((7, 2)), 7),
        (np.array([[0.0], [1.0]]), 2),
        (np.random.default_rng(0).normal(size=(100, 2)), 1),
    ],
    ids=["one row", "equal rows", "two rows", "one cluster"],
)
def test_awkward_trees_are_drawn_without_warnings(data, leaves):
    ax = wbms(data, h=1.0, lam=1.0, tree=True).plot("tree")
    ax.figure.canvas.draw()
    assert len(leaf_names(ax)) == leaves
    assert drawn_lines(ax)


def test_many_clusters_are_not_all_leaves(monkeypatch):
    monkeypatch.setattr("pywbms._engine.coalescence.MOST_WORK", 0)
    X = np.random.default_rng(0).normal(size=(150, 3))
    result = wbms(X, h=1e-4, lam=10.0, exclude_self=False, tree=True)
    assert result.n_clusters == 150
    ax = plot.tree(result)
    ax.figure.canvas.draw()
    assert 30 < len(leaf_names(ax)) <= 60
    assert any("clusters" in name for name in leaf_names(ax))


def test_it_draws_where_it_is_told():
    _, ax = plt.subplots()
    assert plot.tree(few_rows(), ax=ax) is ax


def test_leaves_have_their_rows_and_lines_do_not_cross():
    rng = np.random.default_rng(1)
    result = wbms(rng.normal(size=(80, 2)), h=0.02, lam=10.0, tree=True)
    labels = result.labels.to_numpy()
    m = number_of_leaves(result.tree, 25)
    layout = lay_out(result.tree, m, labels)
    assert len(layout.leaves) == m
    np.testing.assert_array_equal(np.sort(np.concatenate(layout.leaves)), np.arange(80))
    bars = [line for line in layout.branches if line.x[0] != line.x[1]]
    legs = [line for line in layout.branches if line.x[0] == line.x[1]]
    assert len(bars) == m - 1
    for bar in bars:
        left, right = sorted(bar.x)
        for leg in legs:
            assert not (left < leg.x[0] < right and leg.y[0] < bar.y[0] < leg.y[1])


@pytest.mark.parametrize("highest", [0.5, 3.0, 16.0, 40.0, 900.0, 1e5, 1e299])
def test_marks_are_few_and_in_order(highest):
    heights, texts = iteration_marks(highest)
    assert len(heights) == len(texts) <= 9
    assert heights == sorted(heights)
    assert heights[-1] <= highest
    assert texts[0] == "0"


def test_a_cut_is_marked_beside_the_end_of_the_fit():
    result = few_rows()
    groups = result.n_clusters
    ax = result.at(2).plot("tree")
    assert [text.get_text() for text in ax.texts] == [
        "cut:\n2 clusters",
        f"the fit ends:\n{groups} clusters",
    ]
    cut, end = (text.xy[1] for text in ax.texts)
    assert end < result.tree[-2, 2] < cut < result.tree[-1, 2]
    assert ax.get_title().startswith("2 clusters")
