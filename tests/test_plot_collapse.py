"""What the pictures of the collapsing cloud show."""

import numpy as np
import plotting
import pytest
from plotting import fake_result, scattered, titles

from pywbms import plot
from pywbms._viz.collapse import kernel_density

_close_figures = plotting._close_figures  # fixture


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
    (x, y), density = kernel_density(result, [1, 2])
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
    _, density = kernel_density(fake_result(weights=(1.0, 0.0)), [0, 1])
    np.testing.assert_allclose(density, density[:1].repeat(len(density), axis=0))
    assert np.ptp(density[0]) > 0.5


def test_a_kernel_narrower_than_the_grid_still_shows_every_point():
    result = fake_result(h=1e-12)
    (x, y), density = kernel_density(result, [1, 2])
    columns = np.abs(x - result.data[["x2"]].to_numpy()).argmin(axis=1)
    rows = np.abs(y - result.data[["x3"]].to_numpy()).argmin(axis=1)
    assert density[rows, columns].min() > 0.1


def test_density_of_many_rows_takes_an_even_share_of_them():
    many = fake_result(sizes=(60_000, 40_000), n_iter=0)
    _, density = kernel_density(many, [1, 2])
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
