"""The feature weights as bars."""

from pywbms._terminal.wording import counted
from pywbms._viz.features import heaviest_first
from pywbms._viz.figure import new_axes
from pywbms._viz.style import COLOURS, GREY, elided, weight_text

FEWEST_BARS = 6  # there is room for at least this many, so that a few bars are not too thick


def draw_weights(result, top, ax):
    """Draw `pywbms.plot.weights`."""
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top!r}")
    ranked = result.weights.iloc[heaviest_first(result)]
    lengths = list(ranked.iloc[:top])
    names = [elided(name) for name in ranked.index[:top]]
    colours = [COLOURS[0]] * len(names)
    others = ranked.iloc[top:]
    if len(others):
        lengths.append(others.sum())
        names.append(counted(len(others), "other feature"))
        colours.append(GREY)

    if ax is None:
        ax = new_axes(figsize=(6.4, 1.2 + 0.24 * max(len(names), FEWEST_BARS)))
    places = range(len(names))
    bars = ax.barh(places, lengths, color=colours)
    ax.bar_label(bars, fmt=weight_text, padding=3, fontsize="small")
    ax.margins(x=0.2)  # room for the number beside the longest bar
    # Without parse_math a "$" in a name would start a formula.
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(max(len(names), FEWEST_BARS) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("weight")
    ax.set_title("feature weights")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
