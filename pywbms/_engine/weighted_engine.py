"""An engine for rows with weights, and what becomes of a fit's answer for each of them."""

from dataclasses import replace

import numpy as np

from pywbms._data.masses import WeightedRows, drawn_by_mass
from pywbms._data.ordering import row_order
from pywbms._data.standardize import Standardizer
from pywbms._engine.fit import LocalEngine, fit_rows
from pywbms._engine.landmark_engine import LandmarkEngine
from pywbms._engine.nearest import nearest_rows
from pywbms._engine.row_tree import tree_of_rows


def local_engine(X, private, weights, settings):
    """Return the engine for rows of this process, which may have weights.

    Parameters
    ----------
    X, private
        See `LocalEngine`.
    weights : ndarray of shape (n,) or None
        Weights of the rows, see `pywbms._data.row_weights`.
    settings : Settings
    """
    number = settings.n_landmarks(X.shape)
    if number is not None:
        return LandmarkEngine(X, private, weights, settings, number)
    return (
        LocalEngine(X, private)
        if weights is None
        else WeightedEngine(X, private, weights, settings)
    )


class WeightedEngine(LocalEngine):
    """Fits rows that stand for more or less than one row.

    Rows of weight 0 are not fitted. Each follows its nearest row, in the distance that the fit has
    learned, as a new row would.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        All rows of the caller.
    private : bool
        Whether nobody else can change X.
    weights : ndarray of shape (n,)
    settings : Settings

    Attributes
    ----------
    mass : ndarray of shape (m,) or None
        How many rows each fitted row stands for; None if whole weights have become repeated rows.
    """

    def __init__(self, X, private, weights, settings):
        self._weighted = WeightedRows.of(X, weights, settings.merge)
        self._every = X
        self._n_threads = settings.n_threads
        self.weights, self.mass = weights, self._weighted.mass
        super().__init__(self._weighted.rows, private)

    def labelled_sample(self, labels, most, rng):
        """Return at most so many rows, drawn in proportion to their masses, and their labels."""
        if self.mass is None:
            return super().labelled_sample(labels, most, rng)
        order = row_order(self._X, self.mass)
        some = order[drawn_by_mass(self.mass[order], most, rng)]
        return self._X[some], labels[some]

    def outliers(self, fitted):
        """Tell of each of the caller's rows whether it is an outlier."""
        return fitted.standardizer.outliers(self._every, fitted.weights)

    def run(self, settings, callback=None):
        """Fit and return a `FitResult` of the fitted rows; h and lam are numbers."""
        return fit_rows(self._X, settings, callback, self.mass)

    def training_rows(self):
        """Return all rows, in memory that nobody else can change."""
        return self._every if self._private else self._every.copy()

    def for_caller(self, fitted, groups):
        """Return a fit and its groups with one entry per row of the caller."""
        if self._weighted.are_all:
            return fitted, groups
        places = self._weighted.places
        without = np.flatnonzero(places < 0)
        if without.size:
            places[without] = nearest_rows(
                self._every[without], self._X, fitted.weights, fitted.standardizer, self._n_threads
            )
        path = None if fitted.path is None else fitted.path[:, places]
        tree = fitted.tree
        if tree is not None:
            leaders = self._weighted.row_of[places[without]]
            tree = tree_of_rows(tree, self._weighted.row_of, without, leaders)
        everywhere = replace(
            fitted, labels=fitted.labels[places], modes=fitted.modes[places], path=path, tree=tree
        )
        return everywhere, groups[places]


def fitted_standardizer(X, standardize, weights=None, merge=True, indicators=()):
    """Return the standardizer that a fit of some rows has.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    standardize : bool or "robust"
    weights : ndarray of shape (n,), optional
        Weights of the rows.
    merge : bool
        Whether the fit merges equal rows.
    indicators : tuple of tuple of int
        See `Standardizer.of`.
    """
    mass = None
    if weights is not None:
        weighted = WeightedRows.of(X, weights, merge)
        X, mass = weighted.rows, weighted.mass
    order = row_order(X, mass)
    mass = None if mass is None else mass[order]
    return Standardizer.of(X[order], standardize, mass=mass, indicators=indicators)
