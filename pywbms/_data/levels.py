"""Columns that indicate the levels of one category share one weight.

Along an indicator rows can hardly be displaced, the less the rarer its level is. Taken alone, the
indicators of a category that says nothing would look like columns with clusters. Together they are
displaced like one column: D_f = Σ over the levels of D_l, and all of them have w ∝ exp(−D_f / lam),
so that any two different levels are at the same distance.
"""

from itertools import chain
from numbers import Integral

import numpy as np


def checked_groups(indicators):
    """Return positions of columns as a tuple of tuples, one for each category.

    Examples
    --------
    >>> checked_groups([[4, 3], range(5, 7)]), checked_groups([1, 2]), checked_groups(None)
    (((3, 4), (5, 6)), ((1, 2),), ())
    """
    try:
        given = [] if indicators is None else list(indicators)
        if given and all(isinstance(place, Integral) for place in given):
            given = [given]  # of a single category
        groups = tuple(tuple(sorted(group)) for group in given)
    except TypeError:
        groups = ((),)
    places = list(chain(*groups))
    usable = all(isinstance(p, Integral) and p >= 0 for p in places)
    if not usable or len(set(places)) < len(places) or not all(groups):
        raise ValueError(
            "indicators must hold the positions of columns, counted from 0, in one sequence per "
            f"category, each position once; got {indicators!r}"
        )
    return tuple(sorted(tuple(map(int, group)) for group in groups))


def flat(groups):
    """Return the positions of all indicators as a list."""
    return list(chain(*groups))


def of_columns(groups, chosen):
    """Return the groups among some of the columns, given as a mask.

    Examples
    --------
    >>> of_columns(((1, 2), (3,)), np.array([True, False, True, False]))
    ((1,),)
    """
    place = np.cumsum(chosen) - 1
    left = (tuple(int(place[c]) for c in group if chosen[c]) for group in groups)
    return tuple(group for group in left if group)


def shared_displacement(D, groups):
    """Return the displacement along columns, that of indicators summed over their category.

    Examples
    --------
    >>> shared_displacement(np.array([1.0, 0.25, 0.5]), ((1, 2),)).tolist()
    [1.0, 0.75, 0.75]
    """
    if groups:
        D = D.copy()
        for group in groups:
            D[list(group)] = D[list(group)].sum()
    return D
