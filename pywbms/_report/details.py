"""Outliers and the theorems on a page."""

import warnings

import numpy as np

from pywbms._data.masses import rows_stood_for
from pywbms._report.markup import escaped, number, table
from pywbms._report.rows import brief, row_names
from pywbms._report.sample import spread
from pywbms._terminal.names import shortened
from pywbms._terminal.wording import counted
from pywbms.theory.checks import check_all
from pywbms.theory.refit import fit_with_path

MOST_OUTLIERS, MOST_VALUES = 20, 4
# Scores of rows cost rows² × columns; beyond this a page does without. The theorems take a hull for
# each iteration: they are checked on so many rows, and up to so many columns.
MOST_SCORE_WORK, MOST_HULL_ROWS, MOST_HULL_COLUMNS = 2e10, 300, 200


def scores_of(result):
    """Return the outlier score of each row and the confidence of each cluster, or None twice."""
    n, p = result.data.shape
    if n * n * max(p, 1) > MOST_SCORE_WORK:
        return None, None
    return result.outlier_score.to_numpy(), result.cluster_confidence.to_numpy()


def outlier_section(result, scores, order, first):
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
        (name, cluster_name(labels[row], first), "yes" if marked[row] else "",
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


def cluster_name(label, first):
    """Return the name of a cluster in a table."""
    return "none" if label < 0 else str(label + first)


def theorem_section(result):
    """Return the checks of the paper's theorems as HTML."""
    n, p = result.data.shape
    if p > MOST_HULL_COLUMNS:
        return (
            f"<p>Not run for this page: with {escaped(counted(p, 'column'))} they take long. "
            "<code>result.check_theory()</code> runs them.</p>"
        )
    rows = spread(result.estimator.labels_, MOST_HULL_ROWS)
    whole = len(rows) == n
    checks = result.check_theory() if whole else check_all(fit_of_rows(result, rows))
    if not len(checks):
        return "<p>No column varies: there is nothing to check.</p>"
    lines = [
        (f"Theorem {one.theorem}", one.checked, f"{one.deviation:.2g}", f"{one.tolerance:.2g}",
         "holds" if one.holds else "does not hold")
        for one in checks.itertuples()
    ]  # fmt: skip
    kept = int(checks["holds"].sum())
    told = f"{'All' if kept == len(checks) else f'{kept} of'} {len(checks)} checks hold."
    if not whole:
        told += (
            f" They are made on a fit of {len(rows):,} of the {counted(n, 'row')}, with the same "
            "h, lam and start of the weights."
        )
    return f"<p>{escaped(told)}</p>" + table(
        "Checks of the theorems of Chakraborty, Paul and Das (2021)",
        ("Theorem", "What is checked", "Largest deviation", "Allowed", "Result"),
        lines, numeric_from=2,
    )  # fmt: skip


def fit_of_rows(result, rows):
    """Return a fit of some rows of a result as that was fitted, with its path recorded."""
    model = result.estimator
    weights = model.sample_weight_
    unit = model.settings().lam_unit(rows_stood_for(weights, len(model.labels_)))
    params = model.get_params(deep=False)
    params.update(
        h=model.h_, lam=model.lam_ / unit, lam_scale="mean", init=model.init_, join=False,
        n_clusters=None, verbose=False, tree=False, outliers="keep",
    )  # fmt: skip
    X = result.data.to_numpy(dtype=float)[rows]
    with warnings.catch_warnings():  # what the fit itself has warned of
        warnings.simplefilter("ignore")
        return fit_with_path(X, params, sample_weight=None if weights is None else weights[rows])


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
