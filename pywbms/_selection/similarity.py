"""Which columns of a fit say nearly the same, and the warning that names them."""

import warnings

import numpy as np

from pywbms._data.checks import generator
from pywbms._data.levels import flat
from pywbms._data.similar import similar_columns
from pywbms._data.standardize import is_robust
from pywbms._selection.choice import MOST_ROWS
from pywbms._terminal.wording import quoted

# Of more columns, only the heaviest are compared; those that are equal are known anyway.
MOST_COLUMNS = 2000


def similar_to_each_other(engine, settings, fitted):
    """Return groups of columns that are nearly equal, as tuples of their indices.

    Parameters
    ----------
    engine : LocalEngine or DaskEngine
    settings : Settings
        As given, so that "auto" is still in them.
    fitted : FitResult
    """
    standardizer = fitted.standardizer
    if not is_robust(settings.standardize):
        return []
    measured = standardizer.active.copy()
    measured[flat(settings.indicators)] = False  # those of two levels are mirror images
    columns = np.flatnonzero(measured)
    heaviest = np.argsort(-fitted.weights[columns], kind="stable")[:MOST_COLUMNS]
    columns = np.sort(columns[heaviest])
    groups = {}
    if engine.rows_are_here or settings.is_auto:  # a sample of rows elsewhere is fetched anyway
        rows, labels = engine.labelled_sample(
            fitted.labels, MOST_ROWS, generator(settings.random_state)
        )
        place = np.cumsum(standardizer.active) - 1
        points = standardizer.working(rows)
        if len(columns) < points.shape[1]:
            points = points[:, place[columns]]
        for group in similar_columns(points, labels):
            groups[int(columns[group[0]])] = columns[list(group)].tolist()
    leader = {member: first for first, members in groups.items() for member in members}
    for column in np.flatnonzero(standardizer.repeats).tolist():
        first = int(standardizer.first[column])
        groups.setdefault(leader.get(first, first), [first]).append(column)
    return sorted(tuple(sorted(members)) for members in groups.values())


def warn_if_similar(groups, names, stacklevel):
    """Warn of nearly equal columns, by name."""
    if groups:
        named = "; ".join(quoted([names[column] for column in group]) for group in groups[:5])
        more = f"; and {len(groups) - 5} more groups" if len(groups) > 5 else ""
        warnings.warn(
            f"nearly equal columns (|r| > 0.99): {named}{more}. Those that are equal share one "
            "weight; of the others, consider keeping one per group",
            UserWarning,
            stacklevel=stacklevel,
        )
