"""Which rows are drawn, and for which fits are done again."""

from dataclasses import dataclass

import numpy as np

from pywbms._viz.result import clustered_labels

# More points than these neither fit on a picture nor into a page of 3 MB.
MOST_DRAWN = 10_000
# Rows of which fits are repeated, and the work of one iteration (rows² × columns), for which
# their number is lowered.
MOST_REPEATED, LEAST_REPEATED, MOST_WORK = 600, 60, 1e8
# Each cluster has so many rows in either, if it has so many at all.
LEAST_OF_CLUSTER = 5


@dataclass(frozen=True)
class Drawn:
    """The rows of a result that a page shows.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row of ``result.data``.
    rows : ndarray of shape (m,)
        Which of them are drawn, in ascending order.
    repeated : ndarray of shape (r,)
        Positions in `rows` of those for which fits are done again.
    """

    labels: np.ndarray
    rows: np.ndarray
    repeated: np.ndarray

    @classmethod
    def of(cls, result):
        """Choose the rows of a result."""
        labels = clustered_labels(result)
        rows = spread(labels, MOST_DRAWN)
        n_columns = max(len(result.weights), 1)
        most = int(np.clip((MOST_WORK / n_columns) ** 0.5, LEAST_REPEATED, MOST_REPEATED))
        masses = result.estimator.sample_weight_
        having = np.arange(len(rows)) if masses is None else np.flatnonzero(masses[rows] > 0)
        return cls(labels, rows, having[spread(labels[rows[having]], most)])

    @property
    def all_repeated(self):
        """Whether the rows of the repeated fits are all that there are."""
        return len(self.repeated) == len(self.labels)


def spread(labels, most):
    """Return the positions of at most `most` rows, from each cluster in proportion to its size.

    A few of each cluster are always among them, where these few are not too many.

    Examples
    --------
    >>> spread(np.array([0] * 90 + [1] * 10), 20).tolist()[-5:]
    [90, 92, 94, 97, 99]
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    order = np.argsort(labels, kind="stable")
    clusters, size = np.unique(labels, return_counts=True)
    least = min(LEAST_OF_CLUSTER, most // len(clusters))
    sure = np.minimum(size, least)
    wanted = sure + ((size - sure) * (most - sure.sum()) / max((size - sure).sum(), 1)).astype(int)
    first = np.cumsum(size) - size
    places = [
        begin + np.linspace(0, own - 1, number).round().astype(int)
        for begin, own, number in zip(first, size, wanted, strict=True)
        if number
    ]
    return np.sort(order[np.concatenate(places)])
