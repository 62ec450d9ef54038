"""The clusters beside the feature weights."""

from pywbms._viz.clusters import draw_clusters
from pywbms._viz.figure import pyplot
from pywbms._viz.weights import draw_weights


def draw_overview(result):
    """Draw `pywbms.plot.overview`."""
    figure, (left, right) = pyplot().subplots(
        1, 2, figsize=(12, 4.8), width_ratios=(3, 2), layout="constrained"
    )
    draw_clusters(result, features=None, ax=left)
    draw_weights(result, top=20, ax=right)
    return figure
