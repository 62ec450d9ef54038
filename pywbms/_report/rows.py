"""The rows as a page draws them: place, cluster, name and values."""

import numpy as np

from pywbms._report.markup import rounded
from pywbms._terminal.names import shortened

# Columns whose values a row shows when it is pointed at, and the length of its name.
MOST_VALUES, NAME_LENGTH = 5, 40


def drawn_rows(result, drawn, projection, order):
    """Return the rows that are drawn, as data for the page.

    Parameters
    ----------
    result : WBMSResult
    drawn : Drawn
    projection : Projection
    order : ndarray
        The columns, the most important first.
    """
    points = projection.points[drawn.rows]
    outside = result.outliers.to_numpy()[result._kept][drawn.rows]
    shown = order[:MOST_VALUES]
    values = result.data.to_numpy(dtype=float)[np.ix_(drawn.rows, shown)]
    return {
        "x": rounded(points[:, 0]),
        "y": rounded(points[:, 1]),
        "label": drawn.labels[drawn.rows],
        "name": [brief(name) for name in result.data.index[drawn.rows]],
        "outlier": np.flatnonzero(outside),
        "columns": shortened(result.weights.index[shown], NAME_LENGTH),
        "values": [rounded(column) for column in values.T],
        "repeated": drawn.repeated,
        "total": len(drawn.labels),
        "axes": projection.names,
        "centres": [rounded(column) for column in projection.centres.T],
    }


def brief(name):
    """Return the name of a row on one short line."""
    text = " ".join(str(name).split())
    return text if len(text) <= NAME_LENGTH else text[: NAME_LENGTH - 1] + "…"


def row_names(result, rows):
    """Return the names of some rows of ``result.data``."""
    return [brief(name) for name in result.data.index[rows]]
