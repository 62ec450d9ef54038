"""What the pictures show, read off the artists that were drawn."""

import builtins
from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection

from pywbms import datasets, plot, wbms


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def fake_result(sizes=(6, 4), weights=(0.1, 0.6, 0.3), n_iter=8, columns=None, **changes):
    """Make what plotting needs of a result: clusters of these sizes that shrink to their means."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    columns = [f"x{j + 1}" for j in range(len(weights))] if columns is None else columns
    cloud = 10 * labels[:, None] + rng.normal(size=(len(labels), len(weights)))
    data = pd.DataFrame(cloud, columns=columns)
    centers = data.groupby(labels).mean()
    left = 0.5 ** np.arange(n_iter + 1)[:, None, None]
    path = left * cloud + (1 - left) * centers.to_numpy()[labels]
    fields = {
        "labels": pd.Series(labels),
        "weights": pd.Series(weights, index=data.columns, dtype=float),
        "data": data,
        "centers": centers,
        "h": 0.1,
        "scale": data.std(ddof=0).replace(0, 1),
        "path": path,
    }
    return SimpleNamespace(**fields | changes)


def with_first_column_constant(value):
    result = fake_result(weights=(0.7, 0.3))
    result.data["x1"] = value
    result.centers["x1"] = value
    result.path[..., 0] = value
    result.scale["x1"] = 0.0
    return result


def bar_names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def bar_lengths(ax):
    return [bar.get_width() for bar in ax.patches]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def scattered(ax):
    """Return the positions of the points in each scatter that was drawn, in order."""
    return [np.asarray(c.get_offsets()) for c in ax.collections if isinstance(c, PathCollection)]


# --- weights


def test_bars_are_sorted_with_the_heaviest_at_the_top():
    ax = plot.weights(fake_result())
    assert bar_names(ax) == ["x2", "x3", "x1"]
    np.testing.assert_allclose(bar_lengths(ax), [0.6, 0.3, 0.1])
    bottom, top = ax.get_ylim()
    assert top < 0 < 2 < bottom


def test_bars_carry_their_weight_as_text():
    ax = plot.weights(fake_result())
    assert [text.get_text() for text in ax.texts] == ["0.6", "0.3", "0.1"]


def test_features_beyond_top_share_a_grey_bar():
    ax = plot.weights(fake_result(weights=(0.1, 0.4, 0.2, 0.3)), top=2)
    assert bar_names(ax) == ["x2", "x4", "2 other features"]
    np.testing.assert_allclose(bar_lengths(ax), [0.4, 0.3, 0.3])
    own, _, others = (bar.get_facecolor() for bar in ax.patches)
    assert others != own
    assert len(set(others[:3])) == 1


def test_a_single_feature_beyond_top_is_in_the_singular():
    assert bar_names(plot.weights(fake_result(), top=2))[-1] == "1 other feature"


def test_ten_thousand_features_draw_twenty_one_bars():
    ax = plot.weights(fake_result(sizes=(1, 1), weights=np.full(10_000, 1e-4)))
    assert bar_names(ax)[-1] == "9,980 other features"
    np.testing.assert_allclose(bar_lengths(ax), [1e-4] * 20 + [0.998])


def test_equal_weights_keep_the_order_of_the_columns():
    ax = plot.weights(fake_result(weights=np.tile([0.002, 0.008], 100)), top=200)
    assert bar_names(ax) == [f"x{j}" for j in [*range(2, 201, 2), *range(1, 200, 2)]]


def test_long_names_lose_their_middle():
    names = ["a common long beginning, then " + end for end in ("this", "that")]
    shown = bar_names(plot.weights(fake_result(weights=(0.6, 0.4), columns=names)))
    assert [name[-5:] for name in shown] == [" this", " that"]
    assert all(name.startswith("a common") and "…" in name for name in shown)
    assert max(map(len, shown)) <= 25


def test_a_name_of_two_lines_is_written_on_one():
    ax = plot.weights(fake_result(weights=(1.0,), columns=["height\nin cm"]))
    assert bar_names(ax) == ["height in cm"]


def test_numbers_may_be_column_names():
    ax = plot.weights(fake_result(columns=[7, 8, 9]))
    assert bar_names(ax) == ["8", "9", "7"]


def test_dollars_in_a_name_start_no_formula():
    result = fake_result(weights=(0.6, 0.4), columns=["price $", r"$\nonsense{$"])
    figure = plot.overview(result)
    figure.canvas.draw()
    assert bar_names(figure.axes[1]) == ["price $", r"$\nonsense{$"]


def test_a_few_bars_are_as_thick_as_six():
    one, six = (plot.weights(fake_result(weights=np.full(p, 1 / p))) for p in (1, 6))
    assert one.get_ylim() == six.get_ylim()


def test_top_below_one_is_refused():
    with pytest.raises(ValueError, match="top must be at least 1, got 0"):
        plot.weights(fake_result(), top=0)


# --- clusters


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
    assert ax.get_title() == "1 cluster, 5 rows"
    assert legend_texts(ax) == ["0 (5 rows)", "centre"]


def test_legend_of_sixty_clusters_names_the_ten_largest():
    entries = legend_texts(plot.clusters(fake_result(sizes=[3] + [2] * 59)))
    assert entries[0] == "0 (3 rows)"
    assert entries[9:] == ["9 (2 rows)", "… 50 more", "centre"]


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
    assert sum(map(len, rows)) == len(centres) == 500
    assert len(rows) == 63


@pytest.mark.parametrize("cluster", range(9))
def test_small_markers_leave_ink(cluster):
    figure = plt.figure(figsize=(1, 1), dpi=70)
    ax = figure.add_axes((0, 0, 1, 1))
    ax.set_axis_off()
    plot._scatter_rows(ax, np.array([[0.5, 0.5]]), np.array([cluster]), size=2)
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


# --- collapse


def titles(figure):
    return [ax.get_title() for ax in figure.axes]


def test_panels_show_the_path_in_the_two_heaviest_features():
    result = fake_result()
    figure = plot.collapse(result, iterations=[0, 3])
    for ax, t in zip(figure.axes, [0, 3], strict=True):
        np.testing.assert_allclose(np.vstack(scattered(ax)), result.path[t][:, [1, 2]])


@pytest.mark.parametrize(
    ("n_iter", "shown"),
    [
        (0, [0]),
        (1, [0, 1]),
        (2, [0, 1, 2]),
        (3, [0, 1, 2, 3]),
        (4, [0, 1, 2, 3, 4]),
        (8, [0, 1, 2, 4, 8]),
        (64, [0, 1, 4, 16, 64]),
    ],
)
def test_default_iterations_are_mostly_early_and_include_the_last(n_iter, shown):
    figure = plot.collapse(fake_result(n_iter=n_iter))
    assert titles(figure) == ["start", *(f"iteration {t}" for t in shown[1:])]


def test_asked_iterations_are_drawn_in_the_order_asked():
    figure = plot.collapse(fake_result(), iterations=[5, 0])
    assert titles(figure) == ["iteration 5", "start"]


@pytest.mark.parametrize("iterations", [[0, 9], [-1], [1.5], []])
def test_iterations_out_of_range_are_refused(iterations):
    with pytest.raises(ValueError, match="iterations must be whole numbers from 0 to 8"):
        plot.collapse(fake_result(), iterations=iterations)


def test_limits_hold_the_data():
    result = fake_result()
    ax = plot.collapse(result).axes[0]
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left < result.data["x2"].min() < result.data["x2"].max() < right
    assert bottom < result.data["x3"].min() < result.data["x3"].max() < top


@pytest.mark.parametrize("features", [["x1"], ["x1", "x2"]])
def test_all_panels_have_the_same_limits(features):
    figure = plot.collapse(fake_result(), features=features)
    assert len({(ax.get_xlim(), ax.get_ylim()) for ax in figure.axes}) == 1


def test_the_axes_are_named_once_for_all_panels():
    figure = plot.collapse(fake_result(), features=["x1", "x2"])
    assert figure.get_supxlabel() == "x1 (weight 0.1)"
    assert figure.get_supylabel() == "x2 (weight 0.6)"


def test_a_result_without_path_is_fitted_again():
    traced = fake_result(n_iter=2)
    result = fake_result(path=None, with_path=lambda: traced)
    assert titles(plot.collapse(result)) == ["start", "iteration 1", "iteration 2"]


def test_density_is_the_weighted_kernel_density():
    result = fake_result()
    (x, y), density = plot._density(result, [1, 2])
    cloud, w, scale = result.data.to_numpy(), result.weights.to_numpy(), result.scale.to_numpy()
    point = np.array([x[30], y[50]])
    others = np.array([[x[10], y[5]], [x[70], y[75]]])

    def f(at):
        squares = w[1:] * ((at - cloud[:, 1:]) / scale[1:]) ** 2
        return np.exp(-squares.sum(axis=1) / result.h).sum()

    expected = [f(at) / f(point) for at in others]
    assert density[5, 10] / density[50, 30] == pytest.approx(expected[0])
    assert density[75, 70] / density[50, 30] == pytest.approx(expected[1])
    assert density.max() == 1


def test_density_does_not_change_along_a_feature_without_weight():
    _, density = plot._density(fake_result(weights=(1.0, 0.0)), [0, 1])
    np.testing.assert_allclose(density, density[:1].repeat(len(density), axis=0))
    assert np.ptp(density[0]) > 0.5


def test_a_kernel_narrower_than_the_grid_still_shows_every_point():
    result = fake_result(h=1e-12)
    (x, y), density = plot._density(result, [1, 2])
    columns = np.abs(x - result.data[["x2"]].to_numpy()).argmin(axis=1)
    rows = np.abs(y - result.data[["x3"]].to_numpy()).argmin(axis=1)
    assert density[rows, columns].min() > 0.1


def test_density_of_many_rows_takes_an_even_share_of_them():
    many = fake_result(sizes=(60_000, 40_000), n_iter=0)
    _, density = plot._density(many, [1, 2])
    lower, upper = density[:40, :40].sum(), density[40:, 40:].sum()
    assert lower / upper == pytest.approx(1.5, rel=0.1)


def test_contours_lie_behind_the_points():
    ax = plot.collapse(fake_result(), iterations=[0]).axes[0]
    contours, *rows = ax.collections
    assert contours.get_array() is not None
    assert all(contours.get_zorder() <= points.get_zorder() for points in rows)


def test_one_column_is_drawn_below_its_density():
    result = fake_result(weights=(1.0,))
    figure = plot.collapse(result, iterations=[0, 8])
    curve, *_ = figure.axes[0].collections
    assert curve.get_paths()[0].vertices[:, 1].max() == 1
    for ax, t in zip(figure.axes, [0, 8], strict=True):
        points = np.vstack(scattered(ax))
        np.testing.assert_allclose(points[:, 0], result.path[t][:, 0])
        assert ax.get_ylim()[0] < points[:, 1].min() < points[:, 1].max() < 0
    assert figure.get_supylabel() == "density"


# --- all of them


def test_overview_has_clusters_left_and_weights_right():
    figure = plot.overview(fake_result())
    left, right = figure.axes
    assert left.get_title() == "2 clusters, 10 rows"
    assert bar_names(right) == ["x2", "x3", "x1"]
    figure.canvas.draw()
    assert left.get_window_extent().x1 < right.get_window_extent().x0


@pytest.mark.parametrize("kind", ["overview", "weights", "clusters", "collapse"])
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


@pytest.mark.parametrize("draw", [plot.weights, plot.clusters])
def test_given_axes_are_drawn_on_and_no_figure_is_made(draw):
    ax = matplotlib.figure.Figure().subplots()
    assert draw(fake_result(), ax=ax) is ax
    assert plt.get_fignums() == []


def test_draw_passes_its_options_on():
    assert bar_names(plot.draw(fake_result(), "weights", top=1)) == ["x2", "2 other features"]


def test_draw_lists_the_kinds_it_knows():
    kinds = "'overview', 'weights', 'clusters', 'collapse', 'tree', 'selection', got 'pie'"
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


def test_overview_of_a_fit_shows_the_clusters_of_the_fit():
    result = wbms(datasets.data1(0)[0])
    left, right = plot.overview(result).axes
    *rows, centres = scattered(left)
    assert sum(map(len, rows)) == 200
    assert len(centres) == result.n_clusters
    assert sum(bar_lengths(right)) == pytest.approx(1)


def test_collapse_of_a_fit_ends_where_the_fit_ended():
    result = wbms(datasets.data1(0)[0])
    last = plot.collapse(result, features=["x1", "x2"]).axes[-1]
    assert last.get_title() == f"iteration {result.n_iter}"
    ends = np.vstack(scattered(last))
    expected = result.modes[["x1", "x2"]].to_numpy()[np.argsort(result.labels, kind="stable")]
    np.testing.assert_allclose(ends, expected, atol=1e-8)
