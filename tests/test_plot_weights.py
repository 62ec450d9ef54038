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
    assert ax.texts[-1].get_text() == "0.3"
    own, _, others = (bar.get_facecolor() for bar in ax.patches)
    assert others != own
    assert len(set(others[:3])) == 1


def test_a_single_feature_beyond_top_is_in_the_singular():
    assert bar_names(plot.weights(fake_result(), top=2))[-1] == "1 other feature"


def test_ten_thousand_features_draw_twenty_bars_and_say_what_the_others_have():
    weights = np.full(10_000, 1e-5)
    weights[:5] = 0.18
    weights[5:] += (1 - weights.sum()) / 9995
    ax = plot.weights(fake_result(sizes=(1, 1), weights=weights))
    assert bar_names(ax)[-1] == "9,980 other features"
    np.testing.assert_allclose(bar_lengths(ax)[:6], [0.18] * 5 + [weights[5]])
    assert bar_lengths(ax)[-1] == pytest.approx(0.1, abs=0.001)


def test_many_small_weights_do_not_dwarf_the_bars():
    weights = np.linspace(3.0, 1.0, 5000)
    ax = plot.weights(fake_result(sizes=(1, 1), weights=weights / weights.sum()))
    assert bar_lengths(ax)[-1] == 0
    assert ax.texts[-1].get_text() == "0.994 in total"
    assert ax.get_xlim()[1] < 0.001


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (np.full(5000, 1 / 5000), "all 5,000 weights are equal: 1/5,000"),
        (np.full(30, 1 / 30), "all 30 weights are equal: 0.0333"),
        (np.linspace(1.02, 0.98, 100) / 100, "all 100 weights are about equal: 0.01"),
    ],
)
def test_equal_weights_are_said_to_be_equal(weights, said):
    ax = plot.weights(fake_result(sizes=(1, 1), weights=weights))
    assert [text.get_text() for text in ax.texts] == [said]
    assert not ax.patches


def test_negligible_weights_are_not_written_as_powers():
    ax = plot.weights(fake_result(weights=(0.9999999, 1.57e-8, 0.0)))
    assert [text.get_text() for text in ax.texts] == ["1", "< 0.001", "0"]


def test_equal_weights_keep_the_order_of_the_columns():
    ax = plot.weights(fake_result(weights=np.tile([0.002, 0.008], 100)), top=200)
    assert bar_names(ax) == [f"x{j}" for j in [*range(2, 201, 2), *range(1, 200, 2)]]


def test_long_names_lose_what_they_share():
    names = ["a common long beginning, then " + end for end in ("this", "that")]
    shown = bar_names(plot.weights(fake_result(weights=(0.6, 0.4), columns=names)))
    assert shown == ["a common long beginn…this", "a common long beginn…that"]
    names = [f"the mean radius of all nuclei ({kind} of 30 cells)" for kind in ("mean", "worst")]
    shown = bar_names(plot.weights(fake_result(weights=(0.6, 0.4), columns=names)))
    assert [name.partition("…")[2][:5] for name in shown] == ["(mean", "(wors"]


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
