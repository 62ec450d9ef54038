"""An engine that clusters landmarks; all other rows follow them."""

from dataclasses import replace

import numpy as np

from pywbms._data.masses import drawn_by_mass, masses_of_rows
from pywbms._data.ordering import largest_first, row_order
from pywbms._data.row_keys import row_keys
from pywbms._engine.fit import LocalEngine, fit_rows
from pywbms._engine.follower import Follower
from pywbms._engine.landmark_draw import LandmarkDraw, drawn_landmarks
from pywbms._engine.row_tree import tree_of_rows
from pywbms._engine.unreached import MOST_ADDED, Reach, Unreached
from pywbms._machine.memory import require_memory

# Rows that are looked at together.
ROWS_PER_BLOCK = 2**17


class LandmarkEngine(LocalEngine):
    """Fits landmarks drawn from rows of this process, which may have weights.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        All rows of the caller.
    private : bool
        Whether nobody else can change X.
    weights : ndarray of shape (n,) or None
        Weights of the rows.
    settings : Settings
    number : int
        Of landmarks.

    Attributes
    ----------
    mass : ndarray of shape (m,) or None
        How many rows each landmark stands for, one by default.
    total : float
        How many rows there are.
    n_added : int
        Landmarks that were added as there were many rows that no other one reached.
    n_unreached : float
        Rows that no landmark reached, before any were added.
    """

    def __init__(self, X, private, weights, settings, number):
        self._every, self.weights = X, weights
        self._mass_of_rows = masses_of_rows(weights)
        self._settings = settings.seeded()
        self._n_threads, self._seed = settings.n_threads, self._settings.random_state
        self._draw(number)
        self._followed = self._followed_in = None
        super().__init__(self._X, private)

    def _draw(self, number):
        draw = LandmarkDraw(number, self._every.shape[1], self._seed)
        self._X, self.mass = drawn_landmarks(draw, self._blocks)
        self.total = draw.total
        self.n_added, self.n_unreached = 0, 0.0

    def _blocks(self):
        for start in range(0, len(self._every), ROWS_PER_BLOCK):
            some = slice(start, start + ROWS_PER_BLOCK)
            mass = None if self._mass_of_rows is None else self._mass_of_rows[some]
            yield self._every[some], mass

    @property
    def shape(self):
        """Number of rows and columns, landmarks or not."""
        return self._every.shape

    @property
    def n_landmarks(self):
        """Number of landmarks."""
        return len(self._X)

    def require_memory(self, settings):
        """Raise a MemoryError if a fit does not fit into memory."""
        # A fit takes three copies of its rows; of all rows there are two: themselves and the modes.
        rows = max(self.n_landmarks, len(self._every) * 2 // 3)
        searches = settings.is_auto or settings.init in ("auto", "marginal")
        require_memory((rows, self.shape[1]), settings.n_threads, 0, searches)

    def run(self, settings, callback=None):
        """Fit the landmarks and return a `FitResult` of them; h and lam are numbers."""
        return self.fit(self._X, self.mass, settings, callback)

    def fit(self, rows, mass, settings, callback=None):
        """Fit some landmarks, and record their cloud."""
        # Of all rows lam may be the sum; of landmarks it is the mean.
        lam = settings.lam / settings.lam_unit(self.total)
        settings = replace(settings, lam=lam, lam_scale="mean")
        return fit_rows(rows, settings, callback, mass, record_cloud=True)

    def halves(self):
        """Return the landmarks in two halves, each with their masses or None, and which they are.

        They are sorted by key, so every other one makes a random half.
        """
        places = np.arange(self.n_landmarks)
        return [
            (self._X[some], None if self.mass is None else self.mass[some], some)
            for some in (places[::2], places[1::2])
        ]

    def add_landmarks(self, fitted):
        """Add landmarks if more rows than chance are not reached; tell whether there are any."""
        if self.n_added or self.n_landmarks < 2 or fitted.interrupted:
            return False
        own = Follower(fitted.cloud, self._n_threads).groups(self._X)[1]
        reach = Reach(own, self.mass, self.total)
        most = max(1, int(MOST_ADDED * self.n_landmarks))
        found = Unreached(reach.threshold, self.shape[1], most, self._seed)
        self._follow(fitted.cloud, found)
        self.n_unreached = found.number
        if not reach.is_beyond_chance(found.number):
            return False
        before = self.n_landmarks
        self._X, self.mass = found.added_to(self._X, self.mass, reach.others, reach.scale)
        self.n_added = self.n_landmarks - before
        return self.n_added > 0

    def _follow(self, cloud, found=None):
        """Note the group that each row follows to, and the rows that are not reached."""
        follower, followed = Follower(cloud, self._n_threads), []
        for rows, mass in self._blocks():
            groups, log_sums = follower.groups(rows)
            followed.append(groups)
            if found is not None:
                found.add(rows, log_sums, mass)
        self._followed, self._followed_in = np.concatenate(followed), cloud

    def _require_followed(self, cloud):
        """Have the rows follow a cloud, unless they have."""
        if self._followed_in is not cloud:
            self._follow(cloud)

    def for_caller(self, fitted, groups):
        """Return a fit and its groups with one entry per row of the caller."""
        self._require_followed(fitted.cloud)
        followed, mass = self._followed, self._mass_of_rows
        one = one_of_each(fitted.cloud.groups)
        old = fitted.labels[one][followed]
        labels = largest_first(old, mass)
        before = np.empty(labels.max() + 1, dtype=np.intp)
        before[labels] = old
        everywhere = replace(
            fitted,
            labels=labels,
            modes=fitted.modes[one][followed],
            centers=fitted.centers[before],
            tree=self._tree(fitted.tree, one),
        )
        return everywhere, largest_first(groups[one][followed], mass)

    def _tree(self, tree, one):
        """Return the merge tree of all rows; those that are no landmarks follow one."""
        if tree is None:
            return None
        row_of = self._rows_of_landmarks()
        without = np.setdiff1d(np.arange(len(self._every)), row_of)
        return tree_of_rows(tree, row_of, without, row_of[one][self._followed[without]])

    def outliers(self, fitted):
        """Tell of each of the caller's rows whether it is an outlier."""
        return fitted.standardizer.outliers(self._every, fitted.weights)

    def labelled_sample(self, labels, most, rng):
        """Return at most so many landmarks, drawn in proportion to their masses, and labels."""
        if self.mass is None:
            return super().labelled_sample(labels, most, rng)
        order = row_order(self._X, self.mass)
        some = order[drawn_by_mass(self.mass[order], most, rng)]
        return self._X[some], labels[some]

    def training_rows(self):
        """Return all rows, in memory that nobody else can change."""
        return self._every if self._private else self._every.copy()

    @property
    def landmark_mass(self):
        """The mass of each of the caller's rows: 0 for those that are no landmarks."""
        mass = np.zeros(len(self._every))
        mass[self._rows_of_landmarks()] = (
            np.ones(self.n_landmarks) if self.mass is None else self.mass
        )
        return mass

    def _rows_of_landmarks(self):
        """Return the first of the caller's rows that is like each landmark."""
        keys = row_keys(self._X)
        of_rows = row_keys(self._every)
        known = np.flatnonzero(np.isin(of_rows, keys))
        distinct, first = np.unique(of_rows[known], return_index=True)
        return known[first][np.searchsorted(distinct, keys)]


def one_of_each(groups):
    """Return the first member of each group.

    Examples
    --------
    >>> one_of_each(np.array([1, 0, 1])).tolist()
    [1, 0]
    """
    one = np.empty(groups.max() + 1, dtype=np.intp)
    one[groups[::-1]] = np.arange(len(groups))[::-1]
    return one
