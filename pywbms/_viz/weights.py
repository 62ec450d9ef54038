"""The feature weights as bars."""

from pywbms._terminal.wording import counted
from pywbms._viz.features import heaviest_first
from pywbms._viz.figure import new_axes
from pywbms._viz.style import COLOURS, GREY, elided, weight_text

FEWEST_BARS = 6  # there is room for at least this many, so that a few bars are not too thick
# Weights that differ by less than this factor are alike.
ALIKE = 1.05
# A bar of the other features that is longer, in units of the longest, would dwarf all bars.
LONGEST_OTHERS = 3.0


def draw_weights(result, top, ax):
    """Draw `pywbms.plot.weights`."""
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top!r}")
    ranked = result.weights.iloc[heaviest_first(result)]
    if len(ranked) > top and ranked.iloc[0] <= ALIKE * ranked.iloc[-1]:
        return draw_alike(ranked, ax)
    lengths = list(ranked.iloc[:top])
    names = elided(ranked.index[:top])
    colours = [COLOURS[0]] * len(names)
    texts = list(map(weight_text, lengths))
    others = ranked.iloc[top:]
    if len(others):
        dwarfing = bool(others.sum() > LONGEST_OTHERS * ranked.iloc[0])
        lengths.append(0.0 if dwarfing else others.sum())
        texts.append(weight_text(others.sum()) + " in total" * dwarfing)
        names.append(counted(len(others), "other feature"))
        colours.append(GREY)

    if ax is None:
        ax = new_axes(figsize=(6.4, 1.2 + 0.24 * max(len(names), FEWEST_BARS)))
    places = range(len(names))
    bars = ax.barh(places, lengths, color=colours)
    ax.bar_label(bars, texts, padding=3, fontsize="small")
    ax.margins(x=0.2)  # room for the number beside the longest bar
    # Without parse_math a "$" in a name would start a formula.
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(max(len(names), FEWEST_BARS) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("weight")
    ax.set_title("feature weights")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_alike(ranked, ax):
    """Say that all weights are alike: bars of the same length would show nothing."""
    if ax is None:
        ax = new_axes(figsize=(6.4, 1.2 + 0.24 * FEWEST_BARS))
    equal = ranked.iloc[0] == ranked.iloc[-1]
    mean = ranked.mean()
    value = f"{mean:.3g}" if mean >= 0.001 else f"1/{1 / mean:,.0f}"
    text = (
        f"all {counted(len(ranked), 'weight')} are {'equal' if equal else 'about equal'}: {value}"
    )
    ax.text(0.5, 0.5, text, ha="center", va="center", transform=ax.transAxes)
    ax.set_title("feature weights")
    ax.set_axis_off()
    return ax
