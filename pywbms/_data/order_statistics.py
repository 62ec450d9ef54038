"""Quantiles, medians and windows of sorted columns, whose values may have masses."""

import numpy as np


class OrderStatistics:
    """The sorted values of columns.

    Parameters
    ----------
    x : ndarray of shape (n, q)

    Attributes
    ----------
    x : ndarray of shape (q, n)
        The values of each column in a row, sorted.
    total : int or float
        Number of values in a column.
    """

    def __init__(self, x):
        self.x = np.sort(x.T, axis=1)
        self.total = self.x.shape[1]

    def quantiles(self, shares):
        """Return quantiles of each column, interpolated linearly, as `numpy.quantile` does."""
        return np.quantile(self.x, shares, axis=1)

    def windows(self, number):
        """Return first and last value of so many consecutive ones, for each such window."""
        return self.x[:, : self.total - number + 1], self.x[:, number - 1 :]

    def median_away(self, columns, usual):
        """Return the median distance of values that differ from a usual one.

        Parameters
        ----------
        columns : ndarray of shape (q,), bool
            The columns to look at.
        usual : ndarray of shape (q,)
            The usual value of each column.

        Examples
        --------
        >>> x = np.array([0.0, 0.0, 0.0, 1.0, 3.0])
        >>> OrderStatistics(x[:, None]).median_away(np.array([True]), np.zeros(1)).tolist()
        [2.0]
        """
        x = self.x[columns]
        away = np.sort(np.abs(x - usual[columns, None]), axis=1)
        n_usual = (away == 0).sum(axis=1)
        n_other = x.shape[1] - n_usual
        halves = np.stack([n_usual + (n_other - 1) // 2, n_usual + n_other // 2], axis=1)
        return np.take_along_axis(away, halves, axis=1).mean(axis=1)


class WeightedOrderStatistics(OrderStatistics):
    """The sorted values of columns, each of them repeated as often as its mass says.

    For whole masses these are the statistics of repeated values. In general the i-th value, counted
    from 0, is the one that ends the first masses whose sum exceeds i.

    Parameters
    ----------
    x : ndarray of shape (n, q)
    mass : ndarray of shape (n,)

    Examples
    --------
    >>> weighted = WeightedOrderStatistics(np.array([[3.0], [1.0]]), np.array([1.0, 3.0]))
    >>> weighted.quantiles([0.5, 0.75]).ravel().tolist()
    [1.0, 1.5]
    """

    def __init__(self, x, mass):
        order = np.argsort(x.T, axis=1, kind="stable")
        self.x = np.take_along_axis(x.T, order, axis=1)
        self._ends = np.cumsum(mass[order], axis=1)
        self.total = float(np.sort(mass).sum())

    def quantiles(self, shares):
        """Return quantiles of each column, interpolated linearly."""
        found = []
        for share in shares:
            position = (self.total - 1) * share
            below = np.floor(position)
            a, b = self._values(below), self._values(below + 1)
            found.append(a + (b - a) * (position - below))
        return np.stack(found)

    def windows(self, number):
        """Return first and last value of windows of a given mass, the tightest at each value."""
        starts = self._ends - np.diff(self._ends, axis=1, prepend=0.0)
        after = np.where(starts + number <= self.total, self._values(starts + number - 1), np.inf)
        before = np.where(self._ends >= number, self._values(self._ends - number), -np.inf)
        return np.hstack([self.x, before]), np.hstack([after, self.x])

    def median_away(self, columns, usual):
        """Return the median distance of values that differ from a usual one."""
        if not columns.any():
            return np.zeros(0)
        away = np.abs(self.x[columns] - usual[columns, None])
        mass = np.diff(self._ends[columns], axis=1, prepend=0.0)
        order = np.argsort(away, axis=1, kind="stable")
        away, mass = (np.take_along_axis(values, order, axis=1) for values in (away, mass))
        ends = np.cumsum(mass, axis=1)
        usual_mass = np.where(away == 0, mass, 0.0).sum(axis=1)
        other = ends[:, -1] - usual_mass
        halves = [usual_mass + (other - 1) // 2, usual_mass + other // 2]
        return np.mean([picked(away, ends, np.maximum(at, usual_mass)) for at in halves], axis=0)

    def _values(self, at):
        return picked(self.x, self._ends, np.broadcast_to(at, (len(self.x), *np.shape(at)[1:])))


def picked(x, ends, at):
    """Return of each row the values at given positions, where value i takes those before ends[i].

    Examples
    --------
    >>> picked(np.array([[5.0, 7.0]]), np.array([[2.0, 3.0]]), np.array([[0.0, 1.0, 2.0]])).tolist()
    [[5.0, 5.0, 7.0]]
    """
    last = x.shape[1] - 1
    return np.stack(
        [
            row[np.minimum(np.searchsorted(end, place, side="right"), last)]
            for row, end, place in zip(x, ends, at, strict=True)
        ]
    )
