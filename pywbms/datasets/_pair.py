"""The form in which every data set is returned."""

import pandas as pd

#: Data and true labels.
Pair = tuple[pd.DataFrame, pd.Series]


def as_pair(X, truth):
    """Return data as a DataFrame and labels as a Series."""
    X = pd.DataFrame(X, columns=feature_names(X.shape[1]))
    return X, pd.Series(truth, name="truth", dtype="int64")


def feature_names(p):
    """Return x1, …, xp."""
    return [f"x{feature}" for feature in range(1, p + 1)]
