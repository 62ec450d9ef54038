"""Where rows with far values start: such a value says nothing, so the nearest row's is taken.

A row with far values in most columns is an outlier. Nothing of it is left then: it follows its
nearest row and counts for nothing.
"""

import numpy as np

# A row is an outlier if its values are far in more than this share of the columns.
MOSTLY = 0.5


def mostly_far(far, total):
    """Tell of each row whether its values are far in most columns, given how many there are.

    Examples
    --------
    >>> mostly_far(np.array([0, 4, 5, 8]), 8).tolist()
    [False, False, True, True]
    """
    return far > MOSTLY * total


def donor_distances(points, some, replaced, outliers):
    """Return the squared distances of some points from all, along what is not replaced in them.

    Of outliers along all columns. One row for each of these points.
    """
    along = ~replaced | outliers[:, None]
    pairs = zip(some, along, strict=True)
    return np.stack([((points - points[row]) ** 2) @ columns for row, columns in pairs])


def nearest_donors(distances, some, outliers, mass=None):
    """Return the nearest other row of each of some rows; outliers are not taken.

    A row that has a mass of two or more stands for another one like it.
    """
    distances[:, outliers] = np.inf
    single = np.arange(len(some)) if mass is None else np.flatnonzero(mass[some] < 2)
    distances[single, some[single]] = np.inf
    return distances.argmin(axis=1)


def leaders(some, donors, outliers):
    """Return the row that each row follows: itself, or an outlier its donor."""
    leader = np.arange(len(outliers))
    leader[some] = np.where(outliers[some], donors, some)
    return leader


def take_from_donors(points, some, replaced, donors):
    """Replace coordinates of some points by those of others."""
    points[some] = np.where(replaced, points[donors], points[some])
