"""Values as R sends them, with the types that they have in Python."""

import numpy as np
import pandas as pd


def names_of(columns):
    """Return column names as a list, even if there is only one."""
    return [columns] if isinstance(columns, str) else columns


def named(values, names):
    """Return numbers as a Series with their names, or numbered from 1 if they have none."""
    values = np.atleast_1d(values)
    index = np.arange(1, len(values) + 1) if names is None else names_of(names)
    return pd.Series(values, index=index)


def start_for_python(init):
    """Return a start as its name or a list of numbers; R sends one number as a scalar."""
    return init if isinstance(init, str) else np.atleast_1d(init).tolist()


def landmarks_for_python(value):
    """Return a number of landmarks, "auto", or None for all rows."""
    if value is None or (isinstance(value, str) and value == "none"):
        return None
    return value if isinstance(value, str) else int(value)


def integer_or_none(n_jobs):
    """Return a number of threads as an int, or None."""
    return None if n_jobs is None else int(n_jobs)


def values_or_none(given):
    """Return the candidates for h or lam, which R sends as a scalar if there is only one."""
    return None if given is None else np.atleast_1d(given).tolist()


def groups_for_python(category):
    """Return the columns of each category, given the category of each column, 0 for none."""
    if category is None:
        return ()
    category = np.atleast_1d(category)
    return tuple(
        tuple(np.flatnonzero(category == number).tolist())
        for number in np.unique(category[category > 0])
    )


def vector_or_none(weights):
    """Return the weights of rows as an array, or None; R sends one number as a scalar."""
    return None if weights is None else np.atleast_1d(weights)
