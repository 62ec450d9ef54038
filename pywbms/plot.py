"""Pictures of a fit: clusters, feature weights, the cloud collapsing, the tree, the choice of h.

Every function draws a fitted result with matplotlib and returns what it drew on, an ``Axes`` or,
for several panels, a ``Figure``; showing or saving it is left to the caller. Matplotlib is only
imported when something is drawn.
"""

import numpy as np

from pywbms._viz import selection_map as _selection_map
from pywbms._viz.dendrogram import iteration_marks, lay_out, number_of_leaves

__all__ = ["clusters", "collapse", "draw", "overview", "selection_map", "tree", "weights"]

# Okabe and Ito's palette, told apart by colour-blind readers; black is kept for the centres, and
# yellow, faint on white, comes last.
_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442")
_GREY = "#999999"
_DARK = "#444444"
# Nine markers and seven colours have no common divisor, so that 63 clusters in a row all differ,
# and neighbours differ in both.
_MARKERS = "os^DvP<>*"
_N_STYLES = len(_COLOURS) * len(_MARKERS)
_CENTRE_STYLE = {"color": "black", "marker": "X"}

_NAME_LENGTH = 25
_FEWEST_BARS = 6  # room is kept for as many, lest a few bars swell
_LEGEND_ENTRIES = 10
_MOST_LEAVES = 60
_MOST_ROWS = 40  # that are leaves of a tree of their own
_RASTERIZE_FROM = 5000
_GRID_SIZE = 80
_DENSITY_ROWS = 2000
_GOLDEN_RATIO = (1 + 5**0.5) / 2


def draw(result, kind="overview", **options):
    """Draw a result in one of the ways this module knows.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned.
    kind : {"overview", "weights", "clusters", "collapse", "tree", "selection"}
        The function of this module to draw with.
    **options
        Passed on to that function.

    Returns
    -------
    matplotlib.axes.Axes or matplotlib.figure.Figure
        What that function returns.
    """
    kinds = {
        "overview": overview,
        "weights": weights,
        "clusters": clusters,
        "collapse": collapse,
        "tree": tree,
        "selection": selection_map,
    }
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(map(repr, kinds))}, got {kind!r}")
    return kinds[kind](result, **options)


def overview(result):
    """Draw the clusters and, beside them, the feature weights.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned.

    Returns
    -------
    matplotlib.figure.Figure
        The clusters on the left, the weights on the right.
    """
    figure, (left, right) = _pyplot().subplots(
        1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained"
    )
    clusters(result, ax=left)
    weights(result, ax=right)
    return figure


def weights(result, top=20, ax=None):
    """Draw the feature weights as bars, the heaviest feature at the top.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned.
    top : int, default 20
        How many features get a bar of their own; the others share a grey one.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> from pywbms import wbms
    >>> from pywbms.datasets import data1
    >>> X, truth = data1(0)
    >>> ax = weights(wbms(X), top=3)
    >>> ax.get_yticklabels()[-1].get_text()
    '29 other features'
    """
    if top < 1:
        raise ValueError(f"top must be at least 1, got {top!r}")
    ranked = result.weights.iloc[_heaviest_first(result)]
    lengths = list(ranked.iloc[:top])
    names = [_elide(name) for name in ranked.index[:top]]
    colours = [_COLOURS[0]] * len(names)
    others = ranked.iloc[top:]
    if len(others):
        lengths.append(others.sum())
        names.append(_count(len(others), "other feature"))
        colours.append(_GREY)

    if ax is None:
        ax = _new_axes(figsize=(6.4, 1.2 + 0.24 * max(len(names), _FEWEST_BARS)))
    places = range(len(names))
    bars = ax.barh(places, lengths, color=colours)
    ax.bar_label(bars, fmt=_weight_text, padding=3, fontsize="small")
    ax.margins(x=0.2)  # room for the number beside the longest bar
    # A name is text: a "$" in it starts no formula.
    ax.set_yticks(places, names, parse_math=False)
    ax.set_ylim(max(len(names), _FEWEST_BARS) - 0.4, -0.6)
    ax.set_xlim(left=0)
    ax.set_xlabel("weight")
    ax.set_title("feature weights")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def clusters(result, features=None, ax=None):
    """Draw the clustered rows, coloured by cluster, and the clusters' centres.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned. Rows omitted from the fit are not drawn.
    features : sequence of column names, optional
        The two features to draw against each other, or one to draw alone, each cluster in a lane
        of its own. By default the two heaviest, or the only one there is.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default. The legend stands to the right of these axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.
    """
    shown = _shown_columns(result, features)
    labels = _clustered_labels(result)
    points = result.data.iloc[:, shown].to_numpy(dtype=float)
    centres = result.centers.iloc[:, shown].to_numpy(dtype=float)
    if ax is None:
        ax = _new_axes(figsize=(7.6, 4.8))

    if len(shown) == 1:
        points = np.column_stack([points, labels + 0.6 * _jitter(len(points))])
        centres = np.column_stack([centres, np.arange(len(centres))])
        ax.set_ylim(len(centres) - 0.5, -0.5)
        ax.locator_params(axis="y", integer=True)
        ax.set_ylabel("cluster")
    else:
        ax.set_ylabel(_axis_label(result, shown[1]), parse_math=False)
    ax.set_xlabel(_axis_label(result, shown[0]), parse_math=False)
    ax.set_title(f"{_count(len(centres), 'cluster')}, {_count(len(points), 'row')}")

    _scatter_rows(ax, points, labels, size=np.clip(30000 / len(points), 2, 28))
    ax.scatter(
        *centres.T,
        s=np.clip(3000 / len(centres), 6, 60),
        edgecolors="white",
        linewidths=0.6,
        **_CENTRE_STYLE,
    )
    ax.legend(
        handles=_legend_handles(labels),
        title="cluster",
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        frameon=False,
    )
    return ax


def collapse(result, iterations=None, features=None):
    """Draw the cloud at several iterations, as it collapses to the clusters.

    Behind the points stands the kernel density of the cloud before the first iteration, in the
    weights at the end of the fit and the features shown,
    ``f(x) ∝ Σ_i exp(-||x - x_i||²_w / h)``. The colours are those of `clusters`.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned. If it did not record the path of its points, it is fitted again.
    iterations : sequence of int, optional
        The iterations to draw, 0 being the data. By default up to five, most of them early, where
        the points move most, and the last.
    features : sequence of column names, optional
        The two features to draw against each other, or one to draw against its density. By
        default the two heaviest, or the only one there is.

    Returns
    -------
    matplotlib.figure.Figure
        A row of panels, one an iteration.
    """
    shown = _shown_columns(result, features)
    labels = _clustered_labels(result)
    path = result.path if result.path is not None else result.with_path().path
    iterations = _checked_iterations(iterations, len(path) - 1)
    grids, density = _density(result, shown)

    figure, axes = _pyplot().subplots(
        1,
        len(iterations),
        figsize=(max(5.0, 1.0 + 2.4 * len(iterations)), 3.6),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, t in zip(axes[0], iterations, strict=True):
        points = path[t][:, shown]
        if len(shown) == 1:
            ax.fill_between(grids[0], density, color=_GREY, alpha=0.5, linewidth=0)
            points = np.column_stack([points, -0.15 + 0.2 * _jitter(len(points))])
        else:
            # Beyond 1, vmax keeps the peaks from drowning the points in black.
            ax.contourf(*grids, density, levels=np.linspace(0, 1, 9), cmap="Greys", vmax=1.8)
        # Not smaller for many points: in the end they all lie in a few places.
        _scatter_rows(ax, points, labels, size=16)
        ax.set_title("start" if t == 0 else f"iteration {t}")

    # The panels share their axes, so that these limits are those of all of them.
    ax.locator_params(nbins=4)
    ax.set_xlim(grids[0][0], grids[0][-1])
    figure.supxlabel(_axis_label(result, shown[0]), fontsize="small", parse_math=False)
    if len(shown) == 1:
        ax.set_ylim(-0.3, 1.05)
        ax.set_yticks([0, 1], ["0", "max"])
        figure.supylabel("density", fontsize="small")
    else:
        ax.set_ylim(grids[1][0], grids[1][-1])
        figure.supylabel(_axis_label(result, shown[1]), fontsize="small", parse_math=False)
    return figure


def tree(result, leaves=None, ax=None):
    """Draw the coalescence tree: which rows or clusters meet, and after how many iterations.

    A dashed line marks the end of the fit. Below it rows have met in clusters, whose colours are
    those of `clusters`; above it the clusters meet. The longer their lines, the better they are
    separated. Dotted are the merges that were predicted, not followed (`tree_observed`).

    Parameters
    ----------
    result : WBMSResult
        What a fit with ``tree=True`` returned.
    leaves : int, optional
        Largest number of leaves; what meets at one height is never shown apart in part. By
        default every row of 40 or fewer is a leaf, and of more rows every cluster.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.

    Examples
    --------
    >>> from pywbms import wbms
    >>> from pywbms.datasets import simulation1
    >>> X, truth = simulation1(5, random_state=0)
    >>> ax = tree(wbms(X, h=0.05, lam=0.1, tree=True))
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['0 (24)', '1 (22)', '2 (20)', '3 (20)', '4 (14)']
    """
    linkage = result.tree
    if linkage is None:
        raise ValueError("the result has no tree: cluster with tree=True")
    labels = _clustered_labels(result)
    n, k = len(labels), int(labels.max()) + 1
    layout = lay_out(linkage, _checked_leaves(leaves, linkage, k), labels)
    names = [_leaf_name(result, labels, rows) for rows in layout.leaves]
    if ax is None:
        wide = 1.8 + 0.2 * len(names) * (1 if len(names) > 6 else 4)
        ax = _new_axes(figsize=(min(max(5.6, wide), 14.0), 4.8))

    end = np.log1p(result.n_iter)
    root = linkage[:, 2].max(initial=0.0)
    highest = max(1.1 * root, 1.5 * end, 1.0)
    for line in layout.lines:
        ax.plot(line.x, line.y, **_line_style(line.cluster, result.tree_observed[line.merge]))
    stem = root if layout.lines else 0.0
    ax.plot([layout.root] * 2, [stem, highest], **_line_style(0 if k == 1 else -1))
    ax.axhline(end, color="black", linestyle="--", linewidth=1)
    ax.annotate(
        f"the fit ends:\n{_count(k, 'cluster')}", (1, end), xycoords=("axes fraction", "data"),
        xytext=(3, 0), textcoords="offset points", va="center", fontsize="small",
    )  # fmt: skip
    ax.set_ylim(0, highest)
    ax.set_xlim(-0.7, len(names) - 0.3)
    ax.set_xticks(
        range(len(names)), names, rotation=90 if len(names) > 6 else 0, parse_math=False,
        fontsize="small" if len(names) <= 30 else "x-small",
    )  # fmt: skip
    ax.set_yticks(*iteration_marks(highest))
    ax.set_xlabel("row" if len(names) == n else "cluster (number of rows)")
    ax.set_ylabel("iterations until they meet (log scale)")
    predicted = "" if result.tree_observed.all() else "; dotted: predicted, not followed"
    ax.set_title(f"{_count(k, 'cluster')}, {_count(n, 'row')}{predicted}")
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(axis="x", length=0)
    return ax


def _checked_leaves(leaves, linkage, k):
    """Return how many leaves to draw."""
    n = len(linkage) + 1
    if leaves is None:
        most = n if n <= _MOST_ROWS else _MOST_ROWS if k == 1 else min(k, _MOST_LEAVES)
    elif isinstance(leaves, bool) or leaves != int(leaves) or leaves < 1:
        raise ValueError(f"leaves must be a whole number of at least 1, got {leaves!r}")
    else:
        most = int(leaves)
    return number_of_leaves(linkage, most)


def _leaf_name(result, labels, rows):
    """Name a row, a cluster, a part of one, or some clusters."""
    if len(rows) == 1 and len(labels) <= _MOST_ROWS:
        return _elide(result.data.index[rows[0]])
    found = np.unique(labels[rows])
    size = f"({len(rows):,})"
    if len(found) > 1:
        return f"{len(found)} clusters {size}"
    return f"{found[0]} {size}" if (labels == found[0]).sum() == len(rows) else size


def _line_style(cluster, observed=True):
    """Return how a line of the tree is drawn."""
    return {
        "color": _DARK if cluster < 0 else _COLOURS[cluster % len(_COLOURS)],
        "linestyle": "-" if observed else ":",
        "linewidth": 1.5,
        "solid_capstyle": "projecting",
    }


def selection_map(result):
    """Draw how h and lam were chosen.

    On the left the stability of each pair that was judged (grey: not worth judging), in the
    middle the number of clusters, both over h and lam with the chosen pair framed; on the right
    the number of clusters over h, where a plateau is a partition that h hardly changes.

    Parameters
    ----------
    result : WBMSResult or Selection
        What a fit returned whose h or lam was chosen, or what `pywbms.select.select` returned.

    Returns
    -------
    matplotlib.figure.Figure
        Three panels.
    """
    table = result.selection if hasattr(result, "selection") else result.table
    if table is None:
        raise ValueError("there is no selection to draw: h and lam were given, not chosen")
    from matplotlib.colors import LogNorm, Normalize

    figure, axes = _pyplot().subplots(1, 3, figsize=(16, 4.8), layout="constrained")
    judged = table["judged"].to_numpy()
    _selection_map.heat(
        axes[0], table, table["stability"].to_numpy(), "stability", cmap="viridis",
        texts=[f"{s:.2f}" if j else "" for s, j in zip(table["stability"], judged, strict=True)],
        label="mean ARI with subsets", blank=~judged, norm=Normalize(0, 1),
    )  # fmt: skip
    _selection_map.heat(
        axes[1], table, table["k"].to_numpy(), "number of clusters", cmap="cividis",
        texts=[str(k) for k in table["k"]], label="k", norm=LogNorm(1, max(2, table["k"].max())),
    )  # fmt: skip
    _selection_map.plateau(axes[2], table)
    return figure


def _pyplot():
    """Import matplotlib, or say how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError('drawing needs matplotlib: pip install "pywbms[plot]"') from error
    return plt


def _new_axes(figsize):
    """Return the axes of a new figure of its own."""
    return _pyplot().subplots(figsize=figsize, layout="constrained")[1]


def _heaviest_first(result):
    """Return the positions of the columns by falling weight, equal weights in column order."""
    return np.argsort(-result.weights.to_numpy(), kind="stable")


def _shown_columns(result, features):
    """Return the positions of the one or two columns to draw."""
    if features is None:
        return _heaviest_first(result)[:2]
    one = isinstance(features, str) or not np.iterable(features)
    names = [features] if one else list(features)
    if len(names) not in (1, 2):
        raise ValueError(f"features must name one or two columns, got {len(names)}")
    positions = result.weights.index.get_indexer(names)
    unknown = [name for name, place in zip(names, positions, strict=True) if place < 0]
    if unknown:
        raise ValueError(f"features not among the columns: {', '.join(map(repr, unknown))}")
    return positions


def _checked_iterations(iterations, n_iter):
    """Return the iterations to draw, by default 0 and four growing geometrically to the last."""
    if iterations is None:
        spread = np.geomspace(1, max(n_iter, 1), 4).round().astype(int)
        return np.unique(np.minimum([0, *spread], n_iter))
    asked = np.ravel(iterations)
    if asked.size == 0 or not np.isin(asked, np.arange(n_iter + 1)).all():
        raise ValueError(f"iterations must be whole numbers from 0 to {n_iter}, got {iterations!r}")
    return asked.astype(int)


def _clustered_labels(result):
    """Return the labels of the rows in ``result.data``, those that were not omitted."""
    labels = result.labels.to_numpy()
    return labels[labels >= 0]


def _density(result, shown):
    """Evaluate the kernel density of the data on a grid over the columns shown.

    Parameters
    ----------
    result : WBMSResult
        What a fit returned.
    shown : sequence of int
        The positions of one or two columns.

    Returns
    -------
    grids : list of ndarray
        The grid of each column, from a little below its data to a little above.
    density : ndarray
        The density relative to its maximum, with the last column's grid along the first axis.
    """
    n = len(result.data)
    rows = np.linspace(0, n - 1, min(n, _DENSITY_ROWS)).astype(int)
    grids, kernels = [], []
    for column in shown:
        values = result.data.iloc[:, column].to_numpy(dtype=float)
        low, high = _padded_limits(values)
        grid = np.linspace(0, 1, _GRID_SIZE)
        # In units of the grid's span. A kernel narrower than a grid step would fall between the
        # grid's points, so none is drawn narrower.
        span = (high - low) / _scale(result, column)
        precision = min(result.weights.iloc[column] * span**2 / result.h, (_GRID_SIZE - 1) ** 2)
        distance = grid[:, None] - (values[rows] - low) / (high - low)
        grids.append(low + grid * (high - low))
        kernels.append(np.exp(-precision * distance**2))
    # The kernel in two features is the product of the kernels in each.
    density = kernels[0].sum(axis=1) if len(shown) == 1 else kernels[1] @ kernels[0].T
    return grids, density / density.max()


def _scale(result, column):
    """Return what a column was divided by, or 1 for one that does not vary."""
    scale = result.scale.iloc[column]
    return scale if scale > 0 else 1.0


def _padded_limits(values):
    """Return the range of the values, widened a little, and never empty."""
    low, high = values.min(), values.max()
    pad = 0.05 * (high - low) or max(1.0, 0.05 * abs(high))
    return low - pad, high + pad


def _jitter(n):
    """Return n numbers spread evenly, but in no visible order, over -0.5 to 0.5."""
    return np.arange(n) * _GOLDEN_RATIO % 1 - 0.5


def _scatter_rows(ax, points, labels, size):
    """Draw points in the colours and markers of their clusters."""
    # By style rather than by cluster: there are as many clusters as rows when none have met.
    styles = labels % _N_STYLES
    for style in np.unique(styles):
        ax.scatter(
            *points[styles == style].T,
            s=size,
            alpha=0.8,
            linewidths=0.3,  # without an outline the smallest markers vanish between pixels
            rasterized=len(points) >= _RASTERIZE_FROM,
            **_cluster_style(style),
        )


def _cluster_style(cluster):
    """Return the colour and marker of a cluster."""
    return {
        "color": _COLOURS[cluster % len(_COLOURS)],
        "marker": _MARKERS[cluster % len(_MARKERS)],
    }


def _legend_handles(labels):
    """Return a legend's entries: the largest clusters, how many more there are, the centres."""
    from matplotlib.lines import Line2D

    sizes = np.bincount(labels)
    handles = [
        Line2D([], [], ls="none", **_cluster_style(c), label=f"{c} ({_count(sizes[c], 'row')})")
        for c in range(min(len(sizes), _LEGEND_ENTRIES))
    ]
    if len(sizes) > _LEGEND_ENTRIES:
        handles.append(Line2D([], [], ls="none", label=f"… {len(sizes) - _LEGEND_ENTRIES:,} more"))
    return [*handles, Line2D([], [], ls="none", **_CENTRE_STYLE, label="centre")]


def _axis_label(result, column):
    """Name a column and its weight."""
    name = _elide(result.weights.index[column])
    return f"{name} (weight {_weight_text(result.weights.iloc[column])})"


def _weight_text(weight):
    """Write a weight with three digits."""
    return f"{weight:.3g}"


def _count(n, noun):
    """Count things in words: 1 row, 2 rows, 1,000 rows."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _elide(name):
    """Write a column's name on one line, a long one without its middle: names differ at the end."""
    text = " ".join(str(name).split())
    if len(text) <= _NAME_LENGTH:
        return text
    half = _NAME_LENGTH // 2
    return f"{text[:half]}…{text[-half:]}"
