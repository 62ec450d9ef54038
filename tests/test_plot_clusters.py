"""What the picture of the clusters shows."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import plotting
import pytest
from plotting import fake_result, legend_texts, scattered

from pywbms import plot
from pywbms._viz.style import scatter_rows

_close_figures = plotting._close_figures  # fixture


def test_rows_are_drawn_on_the_two_heaviest_features():
    result = fake_result()
    ax = plot.clusters(result)
    first, second, centres = scattered(ax)
    np.testing.assert_allclose(first, result.data[["x2", "x3"]][:6])
    np.testing.assert_allclose(second, result.data[["x2", "x3"]][6:])
    np.testing.assert_allclose(centres, result.centers[["x2", "x3"]])


def test_axes_name_the_feature_and_its_weight():
    ax = plot.clusters(fake_result(weights=(0.1, 0.55, 0.35)))
    assert ax.get_xlabel() == "x2 (weight 0.55)"
    assert ax.get_ylabel() == "x3 (weight 0.35)"


def test_named_features_are_drawn_in_the_order_named():
    result = fake_result()
    ax = plot.clusters(result, features=["x3", "x1"])
    np.testing.assert_allclose(scattered(ax)[0], result.data[["x3", "x1"]][:6])
    assert ax.get_xlabel() == "x3 (weight 0.3)"


def test_columns_named_by_numbers_can_be_asked_for():
    result = fake_result(columns=[7, 8, 9])
    ax = plot.clusters(result, features=[9, 7])
    np.testing.assert_allclose(scattered(ax)[0], result.data[[9, 7]][:6])


def test_omitted_rows_are_left_out():
    result = fake_result(labels=pd.Series([-1] + [0] * 6 + [-1] + [1] * 4))
    ax = plot.clusters(result)
    assert [len(points) for points in scattered(ax)] == [6, 4, 2]
    assert ax.get_title() == "2 clusters, 10 rows"


def test_legend_names_the_clusters_and_their_sizes():
    assert legend_texts(plot.clusters(fake_result())) == ["0 (6 rows)", "1 (4 rows)", "centre"]


def test_one_cluster_is_counted_in_the_singular():
    ax = plot.clusters(fake_result(sizes=(5,)))
    assert ax.get_title() == "one cluster: all 5 rows"
    assert legend_texts(ax) == ["0 (5 rows)", "centre"]


def test_legend_of_sixty_clusters_names_the_ten_largest():
    entries = legend_texts(plot.clusters(fake_result(sizes=[3] + [2] * 59)))
    assert entries[0] == "0 (3 rows)"
    assert entries[9:] == ["9 (2 rows)", "… 50 more", "centre, by number"]


@pytest.mark.parametrize(("k", "numbers"), [(8, 0), (9, 9), (60, 60), (70, 60)])
def test_clusters_are_numbered_at_their_centres_beyond_eight(k, numbers):
    result = fake_result(sizes=[2] * k)
    ax = plot.clusters(result)
    shown = {int(text.get_text()): text.xy for text in ax.texts}
    assert sorted(shown) == list(range(numbers))
    for number, place in shown.items():
        np.testing.assert_allclose(place, result.centers[["x2", "x3"]].iloc[number])
    assert len(scattered(ax)[-1]) == k - numbers
    assert ("centre" in legend_texts(ax)) == (numbers < k)


def test_lanes_have_no_numbers():
    assert not plot.clusters(fake_result(sizes=[2] * 12, weights=(1.0,))).texts


def test_legend_stands_beside_the_rows():
    ax = plot.clusters(fake_result(sizes=[2] * 60))
    ax.figure.canvas.draw()
    legend, panel = ax.get_legend().get_window_extent(), ax.get_window_extent()
    assert legend.x0 >= panel.x1
    assert legend.x1 <= ax.figure.bbox.x1


def test_sixty_clusters_all_look_different():
    ax = plot.clusters(fake_result(sizes=[1] * 60))
    looks = {
        (tuple(rows.get_facecolor()[0]), rows.get_paths()[0].vertices.tobytes())
        for rows in ax.collections[:-1]
    }
    assert len(looks) == 60


def test_legend_entries_look_like_their_rows():
    ax = plot.clusters(fake_result(sizes=[2] * 8))
    for rows, handle in zip(ax.collections[:-1], ax.get_legend().legend_handles, strict=False):
        drawn = matplotlib.colors.to_rgb(rows.get_facecolor()[0][:3])
        assert drawn == matplotlib.colors.to_rgb(handle.get_color())


def test_a_cluster_for_each_of_many_rows_draws_all_of_them():
    ax = plot.clusters(fake_result(sizes=[1] * 500))
    *rows, centres = scattered(ax)
    assert sum(map(len, rows)) == 500
    assert len(centres) + len(ax.texts) == 500
    assert len(rows) == 63


@pytest.mark.parametrize("cluster", range(9))
def test_small_markers_leave_ink(cluster):
    figure = plt.figure(figsize=(1, 1), dpi=70)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    scatter_rows(ax, np.array([[0.5, 0.5]]), np.array([cluster]), size=2)
    figure.canvas.draw()
    assert np.asarray(figure.canvas.buffer_rgba())[..., :3].min() < 150


def test_many_rows_are_small_and_rasterized():
    few = plot.clusters(fake_result()).collections[0]
    many = plot.clusters(fake_result(sizes=(60_000, 40_000), n_iter=0)).collections[0]
    assert many.get_rasterized()
    assert not few.get_rasterized()
    assert many.get_sizes()[0] < few.get_sizes()[0]


def test_one_column_is_drawn_in_a_lane_for_each_cluster():
    result = fake_result(weights=(1.0,))
    ax = plot.clusters(result)
    first, second, centres = scattered(ax)
    np.testing.assert_allclose(first[:, 0], result.data["x1"][:6])
    assert np.abs(first[:, 1]).max() <= 0.3
    assert np.abs(second[:, 1] - 1).max() <= 0.3
    assert len(set(first[:, 1])) == 6
    np.testing.assert_allclose(centres[:, 1], [0, 1])
    assert ax.get_ylabel() == "cluster"


@pytest.mark.parametrize("features", ["x3", ["x3"]])
def test_one_named_feature_is_drawn_alone(features):
    result = fake_result()
    ax = plot.clusters(result, features=features)
    np.testing.assert_allclose(scattered(ax)[0][:, 0], result.data["x3"][:6])
    assert ax.get_ylabel() == "cluster"


@pytest.mark.parametrize("draw", [plot.clusters, plot.collapse])
def test_unknown_features_are_named(draw):
    with pytest.raises(ValueError, match="features not among the columns: 'x9', 0"):
        draw(fake_result(), features=["x9", 0])


@pytest.mark.parametrize("draw", [plot.clusters, plot.collapse])
@pytest.mark.parametrize("features", [[], ["x1", "x2", "x3"]])
def test_other_than_one_or_two_features_are_refused(draw, features):
    with pytest.raises(ValueError, match="features must name one or two columns"):
        draw(fake_result(), features=features)
