"""Outliers and the theorems on a page."""

import numpy as np

from pywbms._report.markup import escaped, number, table
from pywbms._report.rows import brief, row_names
from pywbms._terminal.names import shortened
from pywbms._terminal.wording import counted

MOST_OUTLIERS, MOST_VALUES = 20, 4
# Scores of rows cost rows² × columns; the theorems a path of iterations × rows × columns, and a
# hull for each iteration. Beyond these a page does without.
MOST_SCORE_WORK, MOST_PATH, MOST_HULL_ROWS = 2e10, 5e6, 800


def scores_of(result):
    """Return the outlier score of each row and the confidence of each cluster, or None twice."""
    n, p = result.data.shape
    if n * n * max(p, 1) > MOST_SCORE_WORK:
        return None, None
    return result.outlier_score.to_numpy(), result.cluster_confidence.to_numpy()


def outlier_section(result, scores, order):
    """Return the rows farthest out as HTML."""
    marked = result.outliers.to_numpy()[result._kept]
    labels = result.estimator.labels_
    told = f"{counted(int(marked.sum()), 'row')} marked as outliers"
    far = (
        f"<p>{escaped(told)}: values far outside all others in most columns, or in those with most "
        "of the weight. They do not influence the clusters.</p>"
        if marked.any()
        else "<p>No row is marked as an outlier.</p>"
    )
    if scores is None:
        far += (
            "<p>Scores of single rows are left out, as there are many rows: "
            "<code>result.outlier_score</code> computes them.</p>"
        )
        rank = marked.astype(float)
        rows = np.flatnonzero(marked)[:MOST_OUTLIERS]
    else:
        rank = scores
        rows = np.lexsort((-rank, ~marked))[:MOST_OUTLIERS]
    if not len(rows):
        return far
    columns = order[:MOST_VALUES]
    values = result.data.to_numpy(dtype=float)[np.ix_(rows, columns)]
    head = ["Row", "Cluster", "Outlier", "Score", *shortened(result.weights.index[columns], 24)]
    lines = [
        (name, cluster_name(labels[row]), "yes" if marked[row] else "",
         "–" if scores is None else f"{scores[row]:.3f}", *map(number, row_values))
        for name, row, row_values in zip(row_names(result, rows), rows, values, strict=True)
    ]  # fmt: skip
    attributes = [f'data-cluster="{labels[row]}"' for row in rows]
    caption = (
        "The rows farthest out in their cluster. A score near 1 says that hardly any row of the "
        "cluster lies as far out; one row in twenty has a score above 0.95 by chance."
        if scores is not None
        else "Rows marked as outliers"
    )
    return far + table(caption, head, lines, attributes=attributes, numeric_from=3)


def cluster_name(label):
    """Return the name of a cluster in a table."""
    return "none" if label < 0 else str(label)


def theorem_section(result):
    """Return the checks of the paper's theorems as HTML."""
    n, p = result.data.shape
    if n * max(p, 1) * (result.n_iter + 1) > MOST_PATH or n > MOST_HULL_ROWS:
        return (
            f"<p>Not run for this page: with {escaped(counted(n, 'row'))} and "
            f"{escaped(counted(p, 'column'))} they take long. "
            "<code>result.check_theory()</code> runs them.</p>"
        )
    checks = result.check_theory()
    if not len(checks):
        return "<p>No column varies: there is nothing to check.</p>"
    rows = [
        (f"Theorem {one.theorem}", one.checked, f"{one.deviation:.2g}", f"{one.tolerance:.2g}",
         "holds" if one.holds else "does not hold")
        for one in checks.itertuples()
    ]  # fmt: skip
    kept = int(checks["holds"].sum())
    verdict = "All" if kept == len(checks) else f"{kept} of"
    return f"<p>{verdict} {len(checks)} checks hold.</p>" + table(
        "Checks of the theorems of Chakraborty, Paul and Das (2021) on this fit",
        ("Theorem", "What is checked", "Largest deviation", "Allowed", "Result"),
        rows, numeric_from=2,
    )  # fmt: skip


def missing_section(result):
    """Return what was omitted or filled in, as HTML; empty if nothing was."""
    lines = []
    omitted = int((~result._kept).sum())
    if omitted:
        lines.append(f"{counted(omitted, 'row')} with missing values left out.")
    imputed = result.imputed[result.imputed > 0]
    if len(imputed):
        lines.append(
            f"{counted(int(imputed.sum()), 'missing value')} filled in, in "
            f"{counted(len(imputed), 'column')}: "
            + ", ".join(f"{brief(name)} ({count})" for name, count in imputed.iloc[:8].items())
            + "."
        )
    if result.row_weights is not None:
        lines.append("Rows have weights; shares are shares of these weights.")
    if result.similar_columns:
        groups = [" = ".join(map(brief, group)) for group in result.similar_columns[:6]]
        lines.append("Nearly equal columns, which share their weight: " + "; ".join(groups) + ".")
    return "".join(f"<p>{escaped(line)}</p>" for line in lines)
