"""Results as short tables and as JSON."""

import json

import numpy as np

from pywbms._results.reached import reached
from pywbms._results.row_weights import cluster_shares, remark
from pywbms._results.summary import imputed_lines
from pywbms._terminal.table import aligned
from pywbms._terminal.wording import counted, weight_text

TOP_CLUSTERS = 10
TOP_FEATURES = 5
TOP_PAIRS = 10
SCORES = ["stability", "refined", "surplus", "valley", "centrality", "score"]


def as_text(result, notes):
    """Return a result as a short table, with notes below it."""
    choice = [result.note] * bool(result.note)
    return "\n".join(
        [*headline(result), "", *cluster_lines(result), "", *feature_lines(result)]
        + ["", *choice] * bool(choice)
        + ["", *notes] * bool(notes)
    )


def headline(result):
    """Return the lines above the table."""
    converged = "converged" if result.converged else "not converged"
    omitted = len(result.labels) - len(result.data)
    labelled = int((result.labels < 0).sum()) - omitted
    weights = result.row_weights
    asked = reached(result.estimator)
    lines = [
        f"k = {result.n_clusters} in {counted(len(result.data), 'row')} × "
        f"{counted(len(result.weights), 'column')}",
        f"h = {result.h:.4g}, lam = {result.lam:.4g}; "
        f"{converged} after {counted(result.n_iter, 'iteration')}",
    ]
    if result.landmarks is not None:
        lines.append(str(result.landmarks))
    if weights is not None:
        lines.append(remark(weights))
    if asked:
        lines.append(asked)
    if omitted:
        lines.append(f"{counted(omitted, 'row')} omitted: missing values")
    lines += imputed_lines(result.imputed)
    if labelled:
        lines.append(f"{counted(labelled, 'row')} labelled as outliers: cluster -1")
    outliers = int(result.outliers.sum())
    if outliers:
        lines.append(f"{counted(outliers, 'outlier')}: values far outside in most columns")
    return lines


def cluster_lines(result):
    """Return a table of the largest clusters."""
    sizes = cluster_sizes(result)
    shares = cluster_shares(result.estimator)
    rows = [
        (str(label), f"{size:,}", f"{share:.1%}")
        for label, (size, share) in enumerate(zip(sizes, shares, strict=True))
    ][:TOP_CLUSTERS]
    others = sizes[TOP_CLUSTERS:]
    if len(others):
        share = shares[TOP_CLUSTERS:].sum()
        rows.append((counted(len(others), "other"), f"{others.sum():,}", f"{share:.1%}"))
    return aligned([("cluster", "rows", "share"), *rows])


def feature_lines(result):
    """Return a table of the heaviest features."""
    weights = result.weights.sort_values(ascending=False, kind="stable")
    rows = [
        (str(name), weight_text(weight, 3)) for name, weight in weights.iloc[:TOP_FEATURES].items()
    ]
    others = weights.iloc[TOP_FEATURES:]
    if len(others):
        rows.append((counted(len(others), "other"), weight_text(others.sum(), 3)))
    return aligned([("feature", "weight"), *rows])


def as_json(result, **more):
    """Return a result, with further fields, as a JSON object."""
    choice = result.choice
    return json.dumps(
        {
            "n_clusters": result.n_clusters,
            "h": result.h,
            "lam": result.lam,
            "n_iter": result.n_iter,
            "converged": result.converged,
            "reached_by": result.reached_by,
            "start": None if choice is None else choice.start,
            "confidence": None if choice is None else choice.confidence._asdict(),
            "landmarks": landmarks_as_json(result.landmarks),
            "sizes": cluster_sizes(result).tolist(),
            "weights": result.weights.to_dict(),
            "labels": result.labels.to_list(),
            "outliers": np.flatnonzero(result.outliers).tolist(),
            "imputed": {str(name): int(n) for name, n in result.imputed.items() if n},
            **more,
        },
        ensure_ascii=False,
    )


def landmarks_as_json(landmarks):
    """Return what there is to say of landmarks as a dict; None without them."""
    return None if landmarks is None else vars(landmarks).copy()


def selection_as_text(selection):
    """Return how h and lam were chosen, with a table of the best pairs."""
    best = selection.table.sort_values(["chosen", "score"], ascending=False, kind="stable")
    best = best[best["chosen"] | best["judged"]].iloc[:TOP_PAIRS]
    rows = [
        (
            pair.start,
            f"{pair.h:.4g}",
            f"{pair.lam:.4g}",
            str(pair.joined),
            *map("{:.3f}".format, scores),
        )
        for pair, scores in zip(best.itertuples(), best[SCORES].to_numpy(), strict=True)
    ]
    lines = aligned([("start", "h", "lam", "k", *SCORES), *rows])
    return "\n".join([str(selection), f"Confidence: {selection.confidence}", "", *lines])


def selection_as_json(selection):
    """Return how h and lam were chosen as a JSON object."""
    return json.dumps(
        {
            "h": selection.h,
            "lam": selection.lam,
            "n_clusters": selection.n_clusters,
            "start": selection.start,
            "confidence": selection.confidence._asdict(),
            "certain": selection.certain,
            "complete": selection.complete,
            "explanation": selection.explanation,
            "alternatives": selection.alternatives.to_dict(orient="records"),
            "pairs": selection.table.to_dict(orient="records"),
        },
        ensure_ascii=False,
    )


def cluster_sizes(result):
    """Return the number of rows in each cluster."""
    labels = result.labels.to_numpy()
    return np.bincount(labels[labels >= 0])
