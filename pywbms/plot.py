"""Pictures of a fit: clusters, feature weights, the collapsing cloud, the tree, the choice of h.

Every function draws a fitted result with matplotlib and returns what it drew on, an ``Axes`` or,
for several panels, a ``Figure``; showing or saving it is left to the caller. Matplotlib is only
imported when something is drawn.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from pywbms._viz.clusters import draw_clusters
from pywbms._viz.collapse import draw_collapse
from pywbms._viz.embedding import draw_embedding
from pywbms._viz.overview import draw_overview
from pywbms._viz.profile import draw_profile
from pywbms._viz.result import Fitted, with_pandas
from pywbms._viz.selection_map import draw_selection_map
from pywbms._viz.tree import draw_tree
from pywbms._viz.weights import draw_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "clusters", "collapse", "draw", "embedding", "overview", "profile", "selection_map", "tree",
    "weights",
]  # fmt: skip


def draw(result: Any, kind: str = "overview", **options: Any) -> Axes | Figure:
    """Draw a result in one of the ways this module knows.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit.
    kind : str, default "overview"
        The function of this module to draw with: "overview", "weights", "clusters", "embedding",
        "profile", "collapse" or "tree"; "selection" is `selection_map`.
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
        "embedding": embedding,
        "profile": profile,
        "collapse": collapse,
        "tree": tree,
        "selection": selection_map,
    }
    if kind not in kinds:
        raise ValueError(f"kind must be one of {', '.join(map(repr, kinds))}, got {kind!r}")
    return kinds[kind](result, **options)  # type: ignore[operator]


def overview(result: Fitted) -> Figure:
    """Draw the clusters and, beside them, the feature weights.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit.

    Returns
    -------
    matplotlib.figure.Figure
        The clusters on the left, the weights on the right.
    """
    return draw_overview(with_pandas(result))


def weights(result: Fitted, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the feature weights as bars, the heaviest feature at the top.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit.
    top : int, default 20
        How many features have a bar of their own; the others share a grey one.
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
    return draw_weights(with_pandas(result), top, ax)


def profile(result: Fitted, top: int = 20, ax: Axes | None = None) -> Axes:
    """Draw the means of the clusters along the columns that set them apart, as a heat map.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit. Of more than 80 clusters, the largest are drawn.
    top : int, default 20
        Number of columns; those that set the clusters apart most (`WBMSResult.profile`).
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
    >>> ax = profile(wbms(X, h=0.1, lam=0.05), top=2)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['x1', 'x2']
    """
    return draw_profile(result, top, ax)


def clusters(
    result: Fitted,
    features: Hashable | Sequence[Hashable] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the clustered rows, coloured by cluster, and the centres of the clusters.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit. Rows omitted from the fit are not drawn.
    features : column name or sequence of column names, optional
        The two features to draw against each other, or one to draw alone, with one lane per
        cluster. By default the two heaviest, or the only one there is.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default. The legend stands to the right of these axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on.
    """
    return draw_clusters(with_pandas(result), features, ax)


def embedding(result: Fitted, ax: Axes | None = None) -> Axes:
    """Draw the clustered rows in the plane along which they differ most in the learned distance.

    The axes are the first two principal components of the rows, each column divided by its scale
    and multiplied by the square root of its weight: distances in the picture are the learned ones,
    as far as a plane can show them. Use it where more than two columns have weight.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit. Of more than 2,000 columns, those with most of the weighted variance.
    ax : matplotlib.axes.Axes, optional
        Where to draw; a new figure by default. The legend stands to the right of these axes.

    Returns
    -------
    matplotlib.axes.Axes
        The axes drawn on. Its labels name the columns that make up most of each component.

    Examples
    --------
    >>> from pywbms import wbms
    >>> from pywbms.datasets import simulation1
    >>> X, truth = simulation1(5, random_state=0)
    >>> embedding(wbms(X, h=0.05, lam=0.1)).get_title()
    '5 clusters, 100 rows'
    """
    return draw_embedding(result, ax)


def collapse(
    result: Any,
    iterations: Sequence[int] | None = None,
    features: Hashable | Sequence[Hashable] | None = None,
) -> Figure:
    """Draw the cloud at several iterations, as it collapses to the clusters.

    Behind the points is the kernel density of the data, with the final feature weights and in the
    features shown, ``f(x) ∝ Σ_i exp(-||x - x_i||²_w / h)``. The colours are those of `clusters`.

    Parameters
    ----------
    result : WBMSResult
        The result of a fit. Without a recorded path, the fit is repeated to record it.
    iterations : sequence of int, optional
        The iterations to draw, 0 being the data. By default up to five: mostly early ones, when
        the points move most, and the last.
    features : column name or sequence of column names, optional
        The two features to draw against each other, or one to draw against its density. By
        default the two heaviest, or the only one there is.

    Returns
    -------
    matplotlib.figure.Figure
        A row of panels, one per iteration.
    """
    return draw_collapse(with_pandas(result), iterations, features)


def tree(result: Any, leaves: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the coalescence tree: which rows or clusters meet, and after how many iterations.

    A dashed line marks the end of the fit. Below it rows have met in clusters, with the colours
    of `clusters`; above it the clusters meet. The longer their branches, the better separated
    they are. Dotted merges were predicted, not followed (`tree_observed`).

    Parameters
    ----------
    result : WBMSResult
        The result of a fit with ``tree=True``.
    leaves : int, optional
        Largest number of leaves. Merges of equal height are all shown or all hidden. By default
        every row is a leaf if there are at most 40, otherwise every cluster.
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
    return draw_tree(with_pandas(result), leaves, ax)


def selection_map(result: Any) -> Figure:
    """Draw how h and lam were chosen.

    The left panel shows the stability of each pair that was judged (grey: not worth judging), the
    middle one the number of clusters, both over h and lam with the chosen pair framed. The right
    panel shows the number of clusters over h, where a plateau is a partition that depends little
    on h.

    Parameters
    ----------
    result : WBMSResult or Selection
        The result of a fit whose h or lam was chosen, or of `pywbms.select.select`.

    Returns
    -------
    matplotlib.figure.Figure
        Three panels.
    """
    return draw_selection_map(with_pandas(result))
