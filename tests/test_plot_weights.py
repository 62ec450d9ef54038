"""What the bars of the feature weights show."""

import numpy as np
import plotting
import pytest
from plotting import bar_lengths, bar_names, fake_result

from pywbms import plot

_close_figures = plotting._close_figures  # fixture


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
