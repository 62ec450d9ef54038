"""A result in words."""

from pywbms._results.reached import reached
from pywbms._results.row_weights import remark
from pywbms._results.summary import imputed_lines
from pywbms._terminal.wording import counted, some, weight_text


def as_text(result):
    """Return a result as it is printed."""
    lines = [headline(result), "", "cluster sizes: " + some(map(str, result._sizes()), 12)]
    lines.append("heaviest columns: " + some(heaviest(result), 6))
    omitted = int((~result._kept).sum())
    if omitted:
        lines.append(f"omitted rows (missing values): {omitted}")
    lines += remarks(result)
    if result.note:
        lines += ["", result.note]
    lines += ["", "labels weights centers modes history summary() plot() predict() augment()"]
    return "\n".join(lines)


def headline(result):
    """Return the number of clusters, the size of the table, and how the fit ended."""
    model = result.estimator
    how = "converged" if result.converged else "not converged"
    return (
        f"WBMS: {counted(result.n_clusters, 'cluster')} in {counted(len(model.labels_), 'row')} × "
        f"{counted(len(result._columns), 'column')} (h = {result.h:.4g}, lam = {result.lam:.4g}; "
        f"{how} by the rule {model.stop!r} after {counted(result.n_iter, 'iteration')})"
    )


def remarks(result):
    """Return lines about `n_clusters`, weights, gaps, outliers and equal columns, if any."""
    model = result.estimator
    lines = [line] if (line := reached(model)) else []
    lines += [] if model.landmarks_ is None else [str(model.landmarks_)]
    weights = model.sample_weight_
    lines += [] if weights is None else [remark(weights)]
    lines += imputed_lines(result.imputed)
    labelled, marked = int((model.labels_ < 0).sum()), int(model.outliers_.sum())
    if labelled:
        lines.append(f"labelled as outliers (-1): {counted(labelled, 'row')}")
    if marked:
        lines.append(f"outliers: {counted(marked, 'row')}, marked in `outliers`")
    if result.similar_columns:
        groups = (" = ".join(map(str, group)) for group in result.similar_columns)
        lines.append("nearly equal columns: " + some(groups, 6))
    return lines


def heaviest(result):
    """Return the columns and their weights, heaviest first."""
    weights = result.weights.sort_values(ascending=False)
    return (f"{name} {weight_text(w)}" for name, w in weights.items())
