"""The columns on a page: their weights, and the profile of each cluster along them."""

import numpy as np

from pywbms._report.markup import escaped, rounded, table
from pywbms._terminal.names import shortened
from pywbms._terminal.wording import counted, weight_text

# Of more columns a page lists the heaviest; the search finds any of `MOST_SEARCHED`.
MOST_LISTED, MOST_SEARCHED, NAME_LENGTH = 30, 20_000, 60
# Columns and clusters of the profile; colours end at so many standard deviations.
MOST_PROFILED, MOST_CLUSTERS, FARTHEST = 12, 100, 2.0


def weight_order(result):
    """Return the columns, the heaviest first; ties by their place."""
    return np.argsort(-result.weights.to_numpy(), kind="stable")


def weights_data(result):
    """Return names and weights of the columns, the heaviest first, as data for the page."""
    order = weight_order(result)[:MOST_SEARCHED]
    weights = result.weights.to_numpy()[order]
    return {
        "names": shortened(result.weights.index[order], NAME_LENGTH),
        "values": rounded(weights),
        "total": len(result.weights),
    }


def weights_table(result):
    """Return the heaviest columns and their weights as a table."""
    order = weight_order(result)[:MOST_LISTED]
    weights, total = result.weights.to_numpy()[order], len(result.weights)
    caption = (
        f"Weights of all {counted(total, 'column')}"
        if total <= MOST_LISTED
        else f"The {MOST_LISTED} heaviest of {counted(total, 'column')}, "
        f"with {weights.sum():.0%} of all weight"
    )
    names = map(str, result.weights.index[order])
    rows = [(name, weight_text(w, 3)) for name, w in zip(names, weights, strict=True)]
    return table(caption, ("Column", "Weight"), rows)


def profile_table(result, sizes, first):
    """Return the means of the clusters along the columns that set them apart, as a tinted table."""
    profile = result.profile()
    shown = profile.iloc[:MOST_CLUSTERS, :MOST_PROFILED]
    columns = result.weights.index.get_indexer(shown.columns)
    centers = result._features().means()[:MOST_CLUSTERS, columns]
    names = shortened(shown.columns, 28)
    rows = []
    for cluster, (means, distances) in enumerate(zip(centers, shown.to_numpy(), strict=True)):
        cells = [tinted(mean, z) for mean, z in zip(means, distances, strict=True)]
        rows.append((f"Cluster {cluster + first}", int(sizes[cluster]), *cells))
    caption = (
        f"Mean of each cluster in the units of the data, for the {counted(len(names), 'column')} "
        "that set the clusters apart most. The tint says how far the mean lies above (warm) or "
        "below (cool) that of all rows."
    )
    if len(profile) > MOST_CLUSTERS:
        caption += f" The {MOST_CLUSTERS} largest of {len(profile)} clusters."
    attributes = [f'data-cluster="{cluster}"' for cluster in range(len(rows))]
    return table(caption, ("Cluster", "Rows", *names), rows, attributes=attributes)


def tinted(mean, distance):
    """Return a cell whose tint shows how many standard deviations a mean is from that of all."""
    strength = min(abs(distance) / FARTHEST, 1.0)
    kind = "above" if distance > 0 else "below"
    title = escaped(f"{abs(distance):.2g} standard deviations {kind} the mean of all rows")
    more = f' data-tint="{kind}" style="--tint:{strength:.2f}" title="{title}"'
    return f"{mean:.4g}".replace("-", "−"), more
