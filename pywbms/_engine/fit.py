"""A fit from the rows to its result: order, standardise, run the loop, label."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from pywbms._data.ordering import largest_first, row_order, undo_order, uniform_weights
from pywbms._data.standardize import Standardizer
from pywbms._engine.cluster_system import ClusterSystem
from pywbms._engine.coalescence import CoalescenceIntegrator
from pywbms._engine.local_points import LocalPoints
from pywbms._engine.loop import run_wbms
from pywbms._engine.merge_tree import MergeTree, grow_tree
from pywbms._engine.mixture_points import MixturePoints
from pywbms._engine.recorded_cloud import CloudRecorder, RecordedCloud
from pywbms._engine.recorder import Recorder, ShortRecorder
from pywbms._engine.start import start_weights
from pywbms._engine.state import FitState
from pywbms._machine.memory import require_memory
from pywbms._machine.threads import one_blas_thread


class LocalEngine:
    """Fits rows of this process. `pywbms._distributed` has an engine that uses workers.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Finite float64 data.
    private : bool
        Whether nobody else can change X.
    """

    # Who runs the candidate fits of a search (None: this process), and shows progress, if any.
    run_candidates = progress = None
    rows_are_here = True
    weights = mass = None  # each row counts once; `WeightedEngine` has others
    # How many rows those of the engine stand for, if their masses do not tell; landmarks, if there
    # are any, and their masses among all rows. `LandmarkEngine` has others.
    total = n_landmarks = landmark_mass = None

    def __init__(self, X, private):
        self._X = X
        self._private = private

    @property
    def shape(self):
        """Number of rows and columns."""
        return self._X.shape

    def require_memory(self, settings):
        """Raise a MemoryError if a fit does not fit into memory."""
        searches = settings.is_auto or settings.init in ("auto", "marginal")
        require_memory(self.shape, settings.n_threads, settings.least_recorded, searches)

    def sample(self, settings, rng):
        """Return the rows on which h and lam are chosen."""
        return self._X

    def labelled_sample(self, labels, most, rng):
        """Return at most so many rows, and their labels."""
        if len(labels) <= most:
            return self._X, labels
        some = row_order(self._X)[np.sort(rng.permutation(len(labels))[:most])]
        return self._X[some], labels[some]

    def outliers(self, fitted):
        """Tell of each row whether it is an outlier in the coordinates of a fit."""
        return fitted.standardizer.outliers(self._X, fitted.weights)

    def run(self, settings, callback=None):
        """Fit and return a `FitResult`; h and lam are numbers."""
        return fit_rows(self._X, settings, callback)

    def add_landmarks(self, fitted):
        """Add landmarks if a fit shows that they are needed; tell whether there are any new."""
        return False

    def for_caller(self, fitted, groups):
        """Return a fit and its groups with one entry per row of the caller."""
        return fitted, groups

    def training_rows(self):
        """Return the rows that `predict` needs, in memory that nobody else can change."""
        return self._X if self._private else self._X.copy()


def fit_rows(X, settings, callback=None, mass=None, record_cloud=False):
    """Run WBMS on a finite float64 matrix and return a `FitResult`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
    callback : callable, optional
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.
    record_cloud : bool
        Keep the points of each iteration, so that other rows can follow them.
    """
    order, rows, sorted_mass, standardizer = in_order(X, settings, mass)
    points = at_start(standardizer, rows, settings, sorted_mass)
    del rows  # from here on there are no more than three copies of the data
    clouds = CloudRecorder(order, standardizer, settings.h) if record_cloud else None
    if not record_cloud:
        points = MixturePoints.start(points)
    recorder = Recorder(order, standardizer, settings, callback, cloud=clouds)
    state = run_fit(points, settings, recorder)

    # The rows are made anew: only a tree needs them, and only now.
    def working():
        return standardizer.working(X[order], sorted_mass)

    tree = tree_of(state, recorder, settings, working, sorted_mass)
    fitted = FitResult.of(state, recorder, tree, mass=mass)
    return fitted if clouds is None else replace(fitted, cloud=clouds.cloud(fitted.labels, X))


class PreparedRows:
    """Rows from which many fits start that only differ in h, lam and the start of the weights.

    What is the same for all of them is done once, which is most of the work for wide data.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Finite float64 data.
    settings : Settings
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.
    """

    def __init__(self, X, settings, mass=None):
        self._mass = mass
        prepared = in_order(X, settings, mass)
        self._order, rows, self._sorted_mass, self._standardizer = prepared
        self._points, self._leader = self._standardizer.start(rows, self._sorted_mass)
        self._points.flags.writeable = False
        start = LocalPoints.at_start(self._points, settings, self._leader, self._sorted_mass)
        self._fixed_rows = MixturePoints.rows_of(start, diameter=False)  # the same for all fits

    def labels_and_weights(self, settings, short=False):
        """Return the label of each row and the feature weights that a fit ends with.

        Parameters
        ----------
        settings : Settings
        short : bool, default False
            Whether a warm-up may end early; see `ShortRecorder`.
        """
        of_active = settings.in_columns(self._standardizer.active)
        points = LocalPoints.at_start(self._points, of_active, self._leader, self._sorted_mass)
        if self._fixed_rows is not None:
            points = MixturePoints.start(points, self._fixed_rows)
        if short:
            recorder = ShortRecorder(self._order, self._standardizer, settings)
        else:
            recorder = Recorder(self._order, self._standardizer, settings, keeps_history=False)
        state = run_fit(points, settings, recorder)
        groups = undo_order(final_groups(state, settings), self._order)
        return largest_first(groups, self._mass), weights_of(state, self._standardizer)


def in_order(X, settings, mass=None):
    """Return the fit's own order of rows, the rows and masses in it, and their standardizer."""
    order = row_order(X, mass)
    rows, mass = X[order], None if mass is None else mass[order]
    standardizer = Standardizer.of(
        rows, settings.standardize, mass=mass, indicators=settings.indicators
    )
    return order, rows, mass, standardizer


def at_start(standardizer, rows, settings, mass=None):
    """Return the points with which a fit of sorted rows starts."""
    points, leader = standardizer.start(rows, mass)
    of_active = settings.in_columns(standardizer.active)
    return LocalPoints.at_start(points, of_active, leader, mass)


def run_fit(points, settings, recorder, state=None):
    """Run the loop, unless no column varies: then all rows are one point from the start."""
    if state is None:
        state = FitState.at_start(points, start_weights(settings, recorder.standardizer))
    if points.shape[1]:
        return run_wbms(points, settings, recorder, state)
    state.phase, state.converged = "main", True
    recorder.begin(state)
    return state


def final_groups(state, settings):
    """Return the group of each row at the end of a fit, in the fit's own order of rows."""
    points = state.points
    if not points.shape[1]:
        return np.zeros(len(points.member), dtype=int)
    return points.groups(settings.eps)[points.member]


def tree_of(state, recorder, settings, rows, mass=None):
    """Return the merge tree of a fit if the settings ask for one, else None.

    Parameters
    ----------
    state : FitState
    recorder : Recorder
    settings : Settings
    rows : callable
        Returns the rows in the fit's order, in working coordinates.
    mass : ndarray of shape (n,), optional
        How many rows each of them stands for; one by default.
    """
    if not settings.tree:
        return None
    labels = final_groups(state, settings)
    integrator = None
    if labels.max() > 0:
        points = state.points
        of_active = settings.in_columns(recorder.standardizer.active)
        system = ClusterSystem(rows(), points.points[points.member], labels, of_active, mass)
        most_work = 0.0 if state.interrupted else None  # then the merges are predicted
        integrator = CoalescenceIntegrator(system, state.n_iter, settings, most_work)
    with one_blas_thread():
        return grow_tree(recorder.partitions, labels, recorder.order, integrator)


@dataclass(frozen=True)
class FitResult:
    """What a fit has found, in the caller's rows, columns and units (except for the path)."""

    standardizer: Standardizer
    labels: np.ndarray
    modes: np.ndarray
    centers: np.ndarray
    weights: np.ndarray
    history: pd.DataFrame
    n_iter: int
    converged: bool
    interrupted: bool
    path: np.ndarray | None
    weights_path: np.ndarray | None
    tree: MergeTree | None
    cloud: RecordedCloud | None = None

    @classmethod
    def of(cls, state, recorder, tree=None, modes_of=None, mass=None):
        """Gather the result of a fit, its rows back in the caller's order.

        Parameters
        ----------
        state : FitState
        recorder : Recorder
        tree : MergeTree, optional
        modes_of : callable, optional
            Given the points, the point of each of the caller's rows and the standardizer, returns
            the modes, if the points are not here.
        mass : ndarray of shape (n,), optional
            How many rows each of the caller's rows stands for; one by default.
        """
        points, standardizer, order = state.points, recorder.standardizer, recorder.order
        path, weights_path = recorder.path()
        if path is not None and not state.weights.size:
            weights_path = uniform_weights(standardizer.n_columns)[None]
        groups = final_groups(state, points.settings)
        points.release()
        labels, centers = labels_and_centers(points, groups, recorder, mass)
        member = undo_order(points.member, order)
        modes = (
            standardizer.backward(points.points, member)
            if modes_of is None
            else modes_of(points, member, standardizer)
        )
        return cls(
            standardizer=standardizer,
            labels=labels,
            modes=modes,
            centers=centers,
            weights=weights_of(state, standardizer),
            history=recorder.history(),
            n_iter=state.n_iter,
            converged=state.converged,
            interrupted=state.interrupted,
            path=path,
            weights_path=weights_path,
            tree=tree,
        )


def weights_of(state, standardizer):
    """Return the feature weights of all columns; equal ones if none of them varies."""
    if not state.weights.size:
        return uniform_weights(standardizer.n_columns)
    return standardizer.all_weights(state.weights)


def labels_and_centers(points, groups, recorder, mass=None):
    """Return the label of each of the caller's rows, and where each cluster met, in their units."""
    # Averages are taken in the points' own order, which is not the caller's.
    group_of_point = np.empty(len(points.mass), dtype=np.intp)
    group_of_point[points.member] = groups
    means = points.means(group_of_point)
    in_order = undo_order(groups, recorder.order)
    labels = largest_first(in_order, mass)
    group_of_label = np.empty(len(means), dtype=np.intp)
    group_of_label[labels] = in_order
    return labels, recorder.standardizer.backward(means, group_of_label)
