"""Landmarks: the rows, of many, that are clustered in place of all.

They are drawn by their keys (`row_keys`), numbers as if drawn at random for each value. So they
depend neither on the order of the rows nor on how these are divided into blocks, which can be seen
one after the other, or on different machines. Equal rows are drawn together and count as many as
they are; those so frequent that they would make one landmark or more are always among them.
"""

from typing import NamedTuple

import numpy as np

from pywbms._data.row_keys import row_keys

# For each landmark, so many values are watched that may be frequent.
WATCHED = 4


class Keyed(NamedTuple):
    """Some distinct rows, sorted by key."""

    keys: np.ndarray
    mass: np.ndarray  # how many rows are like each of them
    rows: np.ndarray

    @classmethod
    def none(cls, p):
        """Return no rows of p columns."""
        return cls(np.empty(0, np.uint64), np.empty(0), np.empty((0, p)))

    @classmethod
    def of(cls, keys, mass, rows):
        """Return distinct rows, the masses of equal ones summed up."""
        order = np.lexsort((mass, keys))  # sums do not depend on the order of the rows
        distinct, first = np.unique(keys[order], return_index=True)
        sums = np.add.reduceat(mass[order], first) if len(keys) else np.empty(0)
        return cls(distinct, sums, rows[order[first]])

    def with_others(self, other):
        """Return the rows of both."""
        pairs = zip(self, other, strict=True)
        return Keyed.of(*(np.concatenate(pair) for pair in pairs))

    def some(self, chosen):
        """Return some of the rows."""
        return Keyed(*(values[chosen] for values in self))


class LandmarkDraw:
    """A draw of landmarks from rows that come in blocks.

    Parameters
    ----------
    number : int
    n_columns : int
    seed : int

    Attributes
    ----------
    total : float
        How many rows have been seen.

    Examples
    --------
    >>> draw = LandmarkDraw(3, 1, seed=0)
    >>> draw.add(np.arange(10.0)[:, None])
    >>> draw.landmarks()[0].shape, draw.total
    ((3, 1), 10.0)
    """

    def __init__(self, number, n_columns, seed):
        self.number, self.n_columns, self.seed, self.total = number, n_columns, seed, 0.0
        self._lowest = Keyed.none(n_columns)  # keys, with the masses of all rows like them
        self._watched = Keyed.none(n_columns)  # masses less what was cut off (Misra and Gries)
        self._cut_off = 0.0
        self._counted = None

    def add(self, rows, mass=None):
        """See some rows, which may have masses; those of mass 0 are not drawn."""
        mass = np.ones(len(rows)) if mass is None else mass
        self.total += float(mass.sum())
        keys = row_keys(rows, self.seed)
        if not mass.all():
            keys, mass, rows = keys[mass > 0], mass[mass > 0], rows[mass > 0]
        self._take(Keyed.of(keys, mass, rows))

    def merge(self, other):
        """See the rows that another draw has seen."""
        self.total += other.total
        self._cut_off += other._cut_off
        self._lowest = self._lowest.with_others(other._lowest).some(slice(self.number))
        self._watch(self._watched.with_others(other._watched))

    def _take(self, found):
        self._lowest = self._lowest.with_others(found.some(slice(self.number)))
        self._lowest = self._lowest.some(slice(self.number))
        self._watch(self._watched.with_others(self._frequent(found)))

    def _frequent(self, found):
        """Return what is left of the masses of some rows when the most frequent are kept."""
        most = WATCHED * self.number
        if len(found.keys) <= most:
            return found
        cut = np.partition(found.mass, -most - 1)[-most - 1]
        self._cut_off += float(cut)
        found = found._replace(mass=found.mass - cut)
        return found.some(found.mass > 0)

    def _watch(self, found):
        self._watched = self._frequent(found)

    @property
    def candidates(self):
        """Rows that may be frequent: if there are any, `count` has to see all rows again."""
        if len(self._lowest.keys) < self.number:
            return self._watched.some(slice(0))  # all values are known
        return self._watched.some(self._watched.mass + self._cut_off >= self._share)

    @property
    def _share(self):
        return self.total / self.number

    def count(self, keys, rows, mass=None):
        """Return how many of some rows are like each of the candidates.

        Parameters
        ----------
        keys : ndarray of shape (c,)
            Of the candidates.
        rows, mass
            As in `add`.
        """
        of_rows = row_keys(rows, self.seed)
        place = np.searchsorted(keys, of_rows).clip(max=len(keys) - 1)
        found = keys[place] == of_rows
        return np.bincount(place[found], None if mass is None else mass[found], len(keys))

    def landmarks(self, counts=None):
        """Return the landmarks and how many rows each one stands for, None if one.

        Parameters
        ----------
        counts : ndarray of shape (c,), optional
            How many rows are like each of the candidates, if there are any.
        """
        frequent = self.candidates
        if len(frequent.keys):
            frequent = frequent._replace(mass=np.asarray(counts, dtype=float))
            frequent = frequent.some(frequent.mass >= self._share)
        others = self._lowest.some(~np.isin(self._lowest.keys, frequent.keys))
        others = others.some(slice(max(0, self.number - len(frequent.keys))))
        # A frequent value has the share of its rows that the others have of theirs.
        rest = self.total - float(frequent.mass.sum())
        share = min(1.0, float(others.mass.sum()) / rest) if rest > 0 and len(others.keys) else 1.0
        frequent = frequent._replace(mass=frequent.mass * share)
        chosen = frequent.with_others(others)
        return chosen.rows, None if (chosen.mass == 1).all() else chosen.mass


def drawn_landmarks(draw, blocks):
    """Return the landmarks of rows that come in blocks, and their masses or None.

    Parameters
    ----------
    draw : LandmarkDraw
    blocks : callable
        Returns an iterator over blocks of rows, each with their masses or None.
    """
    for rows, mass in blocks():
        draw.add(rows, mass)
    counts, keys = None, draw.candidates.keys
    if len(keys):
        counts = sum(draw.count(keys, rows, mass) for rows, mass in blocks())
    return draw.landmarks(counts)
