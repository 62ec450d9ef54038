"""What a scikit-learn estimator is given becomes a checked matrix."""

import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from pywbms._data.checks import require_finite
from pywbms._data.kinds import read
from pywbms._data.table import masked_as_nan, numeric_matrix, require_no_text


class TableInput:
    """Of an estimator: it takes tables of any kind, and sparse matrices, which become dense."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _matrix(self, X, *, reset):
        return estimator_matrix(self, X, self._names, reset=reset)

    def _names(self):
        return getattr(self, "feature_names_in_", range(self.n_features_in_))

    @property
    def _n_features_out(self):
        return self.n_clusters_  # `transform` gives the distance to each cluster


def estimator_matrix(estimator, X, names, *, reset):
    """Return X as a checked float64 matrix; note its columns in the estimator, or compare them.

    Parameters
    ----------
    estimator : WBMS
    X : table of any kind, or array-like of shape (n, p)
    names : callable
        Returns the names of the columns, once they are noted.
    reset : bool
        Whether to note the columns, rather than to compare them.
    """
    X, _ = read(X)
    if isinstance(X, pd.DataFrame):
        matrix = numeric_matrix(X)  # first: its messages name the columns
        validate_data(estimator, X, reset=reset, skip_check_array=True)
    else:
        require_no_text(X)
        matrix = validate_data(
            estimator,
            masked_as_nan(X),
            reset=reset,
            dtype=np.float64,
            order="C",
            ensure_all_finite=False,
        )
    require_finite(matrix, names())
    return matrix
