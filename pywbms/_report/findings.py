"""What was found, in words for a reader who does not code."""

import numpy as np

from pywbms._report.markup import escaped, table
from pywbms._report.rows import brief
from pywbms._results.reached import reached
from pywbms._results.row_weights import cluster_shares
from pywbms._terminal.wording import counted, weight_text

# So many columns are named, none with a smaller share of the largest weight.
NAMED, LEAST_NAMED = 4, 0.05
MEANING = {
    "high": "Results like this one mostly agree well with the truth, where the truth is known.",
    "medium": "Results like this one agree with the truth in part: look at the alternatives.",
    "low": "Results like this one often disagree with the truth. Take it as a suggestion.",
}


def title_of(result):
    """Return the title of the page."""
    n, p = result.data.shape
    return (
        f"{counted(result.n_clusters, 'cluster')} in {counted(n, 'row')} and {counted(p, 'column')}"
    )


def findings(result, first):
    """Return what was found, as paragraphs of HTML."""
    lines = [size_line(result, first), weight_line(result)]
    if result.choice is not None:
        lines.append(result.choice.explanation)
    if asked := reached(result.estimator):
        lines.append(asked[0].upper() + asked[1:] + ".")
    if not result.converged:
        lines.append(
            f"The fit had not converged after {counted(result.n_iter, 'iteration')}: what it shows "
            "is where it stood then."
        )
    return "".join(f"<p>{escaped(line)}</p>" for line in lines) + confidence(result)


def size_line(result, first):
    """Return a sentence on the number of clusters and their sizes."""
    n, shares = len(result.data), cluster_shares(result.estimator)
    if result.n_clusters == 1:
        return f"All {counted(n, 'row')} form one cluster: no groups stand out."
    into = f"The {counted(n, 'row')} fall into {counted(result.n_clusters, 'cluster')}"
    if percent(shares[0]) == percent(shares[-1]):
        text = f"{into} of about the same size, {percent(shares[0])} each."
    else:
        text = (
            f"{into}. The largest (cluster {first}) has {percent(shares[0])} of them, the "
            f"smallest (cluster {result.n_clusters - 1 + first}) {percent(shares[-1])}."
        )
    outside = int((result.estimator.labels_ < 0).sum())
    return text + f" {counted(outside, 'row')} in no cluster, as outliers." * bool(outside)


def percent(share):
    """Return a share in percent, with a decimal if it is small.

    Examples
    --------
    >>> percent(0.5), percent(0.0123)
    ('50 %', '1.2 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def weight_line(result):
    """Return a sentence on the columns that count."""
    weights = result.weights.sort_values(ascending=False, kind="stable")
    effective = int(np.ceil(1 / (weights.to_numpy() ** 2).sum() - 1e-9))
    first = weights.iloc[:NAMED]
    first = first[first >= LEAST_NAMED * first.iloc[0]]
    first = [f"{brief(name)} ({weight_text(w)})" for name, w in first.items()]
    text = "What tells the clusters apart most: " if result.n_clusters > 1 else "Heaviest columns: "
    text += ", ".join(first) + "."
    if len(weights) > NAMED:
        text += (
            f" The weights are as concentrated as if {counted(effective, 'column')} of "
            f"{len(weights):,} counted equally."
        )
    return text


def confidence(result):
    """Return how sure the result is, as HTML."""
    found = result.confidence
    if found is None:
        return (
            "<p><strong>Confidence:</strong> not judged, because h and lam were given. A fit that "
            "chooses them tells how certain its result is.</p>"
        )
    return (
        f'<p><strong>Confidence:</strong> <span class="badge {found.word}">{found.word}</span> '
        f"Expected agreement with the truth: {found.expected:.2f} (1 is perfect, 0 is chance). "
        f"{MEANING[found.word]}</p>"
    )


def alternatives(result):
    """Return the other partitions that are nearly as good, as HTML."""
    found = result.alternatives
    if found is None:
        return ""
    if not len(found):
        if result.n_clusters == 1:
            return "<p>No other partition came near.</p>"
        return "<p>No other partition scores nearly as well.</p>"
    head = ("Alternative", "Clusters", "h", "lam", "Stability", "Score, relative", "Expected")
    rows = [
        (f"Alternative {place + 1}", int(one.k), f"{one.h:.4g}", f"{one.lam:.4g}",
         f"{one.stability:.2f}", f"{one.share:.0%}", f"{one.expected:.2f}")
        for place, one in enumerate(found.itertuples())
    ]  # fmt: skip
    caption = (
        "If there are clusters after all, these partitions are the best"
        if result.n_clusters == 1
        else "Other partitions that are nearly as good"
    )
    attributes = [f'data-alternative="{place}"' for place in range(len(rows))]
    return table(caption, head, rows, attributes=attributes)


def cluster_table(result, sizes, confidences, first):
    """Return sizes and shares of the clusters as a table."""
    shares = cluster_shares(result.estimator)
    known = confidences is not None
    head = ["Cluster", "Rows", "Share", *["Confidence of its rows"] * known]
    rows = [
        (f"Cluster {c + first}", int(sizes[c]), f"{shares[c]:.1%}",
         *[f"{confidences[c]:.2f}" if known else ""] * known)
        for c in range(result.n_clusters)
    ]  # fmt: skip
    attributes = [f'data-cluster="{c}"' for c in range(len(rows))]
    return table("Sizes of the clusters", head, rows, attributes=attributes)
