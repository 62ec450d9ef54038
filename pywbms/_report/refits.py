"""Fits of the rows of a page, done again: their path in the plane, their tree, other pairs."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import clone

from pywbms._data.masses import masses, rows_stood_for
from pywbms._data.ordering import largest_first, undo_order
from pywbms._engine.fit import PreparedRows, at_start, final_groups, in_order, run_fit, tree_of
from pywbms._engine.recorder import Recorder
from pywbms._report.projection import planar


class PathInPlane(Recorder):
    """A recorder that keeps where the rows are in a plane; their full path would be too large.

    Parameters
    ----------
    projection : Projection
    *arguments
        Of `Recorder`.
    """

    def __init__(self, projection, *arguments):
        super().__init__(*arguments)
        self._projection = projection
        self.frames = []
        self.weights = []

    def begin(self, state):
        """Forget the warm-up when the main phase begins."""
        self.frames, self.weights = [], []
        super().begin(state)

    def amend(self, state):
        """Note that the last iteration ended elsewhere than where its step had led."""
        self.frames.pop()
        self.weights.pop()
        super().amend(state)

    def _record_place(self, state):
        points = state.points
        places = self._projection.of_rows(self.standardizer.backward(points.points))
        self.frames.append(planar(undo_order(places[points.member], self.order)))
        self.weights.append(self.standardizer.all_weights(state.weights))


@dataclass(frozen=True)
class Again:
    """A fit that was done again.

    Attributes
    ----------
    frames : list of ndarray of shape (n, 2)
        Places of the rows in the plane, at the start and after each iteration.
    weights : list of ndarray of shape (p,)
    groups : list of int
        How many there are after each iteration; the first is the number of different rows.
    labels : ndarray of shape (n,)
    linkage, observed : ndarray
        Of the merge tree.
    n_iter : int
    """

    frames: list
    weights: list
    groups: list
    labels: np.ndarray
    linkage: np.ndarray
    observed: np.ndarray
    n_iter: int


class Refits:
    """Fits of some rows of a result as that was fitted.

    Parameters
    ----------
    result : WBMSResult
    rows : ndarray of int
        Which rows of ``result.data``.

    Attributes
    ----------
    X : ndarray
        Those rows.
    mass : ndarray or None
        How many rows each of them stands for.
    lam_unit : float
        What lam on the mean scale is multiplied by to be on the scale of the result.
    """

    def __init__(self, result, rows):
        model = result.estimator
        weights = model.sample_weight_
        self.X = np.ascontiguousarray(result.data.to_numpy(dtype=float)[rows])
        self.mass = None if weights is None else masses(weights[rows])
        self.lam_unit = model.settings().lam_unit(rows_stood_for(weights, len(model.labels_)))
        self._settings = replace(
            model.settings(), lam_scale="mean", record_path=False, tree=False, n_clusters=None,
            join=False, outliers="keep",
        )  # fmt: skip
        self._model = model
        self._weights = None if weights is None else weights[rows]
        self._own = (model.h_, model.lam_, tuple(model.init_.tolist()))

    def settings(self, h, lam, init, **more):
        """Return the settings of a fit; lam is on the scale of the result."""
        return replace(self._settings, h=h, lam=lam / self.lam_unit, init=tuple(init), **more)

    def again(self, projection):
        """Repeat the fit of the result, with its path in the plane and its tree."""
        settings = self.settings(*self._own, tree=True)
        order, rows, mass, standardizer = in_order(self.X, settings, self.mass)
        points = at_start(standardizer, rows, settings, mass)
        recorder = PathInPlane(projection, order, standardizer, settings)
        state = run_fit(points, settings, recorder)
        tree = tree_of(
            state, recorder, settings, lambda: standardizer.working(self.X[order], mass), mass
        )
        history = recorder.history()
        groups = history.loc[history["phase"] == "main", "groups"].tolist()
        distinct = len(np.unique(self.X, axis=0))
        labels = largest_first(undo_order(final_groups(state, settings), order), self.mass)
        return Again(
            recorder.frames, recorder.weights, [distinct, *groups], labels, tree.linkage,
            tree.observed, state.n_iter,
        )  # fmt: skip

    def labels_of(self, places):
        """Yield the labels of the rows for each start, h and lam.

        Parameters
        ----------
        places : iterable of (h, lam, init)
        """
        prepared = PreparedRows(self.X, self._settings, self.mass)
        for h, lam, init in places:
            yield prepared.labels_and_weights(self.settings(h, lam, init))[0]

    def joined_labels(self, h, lam, init):
        """Return the labels of the rows where groups are joined between which there is no dip."""
        model = clone(self._model).set_params(
            h=h, lam=lam / self.lam_unit, lam_scale="mean", init=init, join=True, n_clusters=None,
            tree=False, record_path=False, outliers="keep", callback=None, verbose=False,
        )  # fmt: skip
        with warnings.catch_warnings():  # of what the fit itself has warned
            warnings.simplefilter("ignore")
            return model.fit(self.X, sample_weight=self._weights).labels_
