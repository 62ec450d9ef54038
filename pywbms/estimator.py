"""WBMS, the scikit-learn clusterer."""

import warnings

import numpy as np
import pandas as pd
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from pywbms._core.nearest import nearest
from pywbms._data.checks import check_parameters, numeric_frame, require_finite, require_squarable
from pywbms._data.standardize import mean_variance
from pywbms._engine.loop import fit, says_stop
from pywbms._engine.recorder import State
from pywbms._machine.memory import require_memory
from pywbms._machine.threads import number_of_threads, worth
from pywbms.select import choose


class WBMS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Weighted Blurring Mean Shift.

    Every point moves to the kernel-weighted mean of the others in a feature-weighted distance;
    features along which points are displaced much lose weight; when the cloud has collapsed,
    what met is a cluster. The number of clusters and the feature weights come out together.

    The defaults are the form that works in high dimension: a row is left out of its own mean,
    the weights are learned in a warm-up before the cloud restarts from the data, and the fit
    ends when the partition has settled. `WBMS.paper` is Algorithm 1 as printed [1]_,
    `WBMS.released` what its authors' code does.

    Parameters
    ----------
    h : float or "auto", default "auto"
        Bandwidth of the kernel exp(−‖a − b‖²_w / h). On z-scores, useful values lie between
        0.005 (many tight clusters) and 1. "auto" chooses it from the data (`pywbms.select`):
        clusters that come back in subsets of the rows and foretell the rows left out; where
        there are none, so large a value that all rows are one cluster.
    lam : float or "auto", default "auto"
        Strength of the entropy term in w_l ∝ exp(−D_l / lam): small values put all weight on
        few features, large ones make all weights alike. "auto" chooses it together with h, or
        for the h that is given.
    lam_scale : {"mean", "sum"}, default "mean"
        Whether D_l is the mean (the paper) or the sum (the released code) over the rows of the
        squared displacements along feature l.
    exclude_self : bool, default True
        Leave a row out of its own mean.
    warmup : int, default 20
        Iterations that only learn the weights, before the cloud restarts from the data.
    stop : {"settled", "movement", "diameter", "fixed"}, default "settled"
        "settled": the partition at 100·eps has been the same for `patience` iterations, equals
        the one at eps, and no row that has met nobody is still on its way. "movement": no point
        moves by `tol` any more. "diameter": the cloud's diameter changes by less than `tol`.
        "fixed": exactly `max_iter` iterations.
    patience : int, default 5
        Iterations in a row that the partition has to stay the same, or that two rows have to
        swap places before they are put at their midpoint.
    tol : float, default 1e-8
        Tolerance of the rules "movement" and "diameter".
    max_iter : int, default 300
        Largest number of iterations after the warm-up.
    eps : float, default 1e-5
        Points closer than this have met.
    standardize : bool, default True
        Work on z-scores (ddof = 1). Columns that hold one value get weight 0 either way.
    merge : bool, default True
        Let equal rows, and points that have met, travel on as one weighted point: the same
        labels for less work.
    n_jobs : int, optional
        Threads, counted as in joblib (None: 1, −1: all); fits at a time while h and lam are
        chosen. No result depends on it.
    record_path : bool, default False
        Keep where every row was after each iteration (`path_`, `weights_path_`).
    tree : bool, default False
        After the fit, follow its groups until they have all met, and keep who met when
        (`tree_`). Labels, modes and weights do not depend on it.
    verbose : bool, default False
        Print a line an iteration.
    callback : callable, optional
        Called after each iteration with a read-only `State`; returning True ends the fit, which
        then keeps what it has. While h and lam are chosen it is called after each trial fit, with
        a state whose phase is "select"; returning True then takes the best pair so far.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each row, 0 … k − 1; 0 is the largest, ties go by first row.
    feature_weights_ : ndarray of shape (p,)
        Weights of the features, at least 0, sum 1.
    cluster_centers_ : ndarray of shape (k, p)
        Where the rows of each cluster met, in the units of X.
    modes_ : ndarray of shape (n, p)
        Where each row ended, in the units of X.
    n_clusters_ : int
    n_iter_ : int
        Iterations after the warm-up (of the warm-up, if a callback ended the fit there).
    converged_ : bool
        Whether the stop rule, and not `max_iter` or a callback, ended the fit.
    h_, lam_ : float
        The values used; `lam_` is on the scale of `lam_scale`.
    history_ : DataFrame
        A row an iteration: phase, iteration, diameter, movement, groups, entropy, n_points.
    selection_ : DataFrame or None
        The pairs (h, lam) that were tried, with their scores, if any was "auto".
    choice_ : Selection or None
        The same with the reasons in words and the alternatives; its lam is on the mean scale.
    path_ : ndarray of shape (n_iter_ + 1, n, p)
        With `record_path`: the rows in working coordinates (z-scores), from the start on.
    weights_path_ : ndarray of shape (n_iter_ + 1, p)
        With `record_path`: the feature weights that belong to each of them.
    tree_ : ndarray of shape (n − 1, 4) or None
        With `tree`: the coalescence tree, a linkage matrix as in `scipy.cluster.hierarchy`. The
        heights are log(1 + t), where t is the iteration after the warm-up from which two clusters
        are one. Iterations go on after the fit has ended, many at a time; cut at
        log(1 + n_iter_), or into n_clusters_, it gives `labels_`.
    tree_observed_ : ndarray of shape (n − 1,) or None
        With `tree`: False for the merges, at the top, that were predicted when the budget of work
        was spent, or a callback had ended the fit: each as if two groups were alone.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (p,)
        Only if X has names that are strings.

    References
    ----------
    .. [1] S. Chakraborty, D. Paul, S. Das, "Automated Clustering of High-dimensional Data with
       a Feature Weighted Mean Shift Algorithm", AAAI 2021.

    Examples
    --------
    >>> from pywbms import WBMS, datasets
    >>> X, truth = datasets.data1(random_state=0)
    >>> model = WBMS(h=0.1, lam=0.05).fit(X)
    >>> model.n_clusters_
    2
    >>> model.feature_weights_.round(2)[:4].tolist()
    [0.52, 0.48, 0.0, 0.0]
    """

    def __init__(
        self,
        h="auto",
        lam="auto",
        *,
        lam_scale="mean",
        exclude_self=True,
        warmup=20,
        stop="settled",
        patience=5,
        tol=1e-8,
        max_iter=300,
        eps=1e-5,
        standardize=True,
        merge=True,
        n_jobs=None,
        record_path=False,
        tree=False,
        verbose=False,
        callback=None,
    ):
        self.h = h
        self.lam = lam
        self.lam_scale = lam_scale
        self.exclude_self = exclude_self
        self.warmup = warmup
        self.stop = stop
        self.patience = patience
        self.tol = tol
        self.max_iter = max_iter
        self.eps = eps
        self.standardize = standardize
        self.merge = merge
        self.n_jobs = n_jobs
        self.record_path = record_path
        self.tree = tree
        self.verbose = verbose
        self.callback = callback

    @classmethod
    def paper(cls, h, lam, **params):
        """Return Algorithm 1 as printed: self included, one pass, mean scale, diameter rule.

        The kernel is exp(−‖·‖²_w / h), as in the paper's example and its section on rates; for
        equation (4) as printed, exp(−‖·‖²_w / h²), give the square of h.

        Examples
        --------
        >>> WBMS.paper(0.1, 10).exclude_self
        False
        """
        preset = {"exclude_self": False, "warmup": 0, "stop": "diameter", "merge": False}
        return cls(h, lam, **{**preset, **params})

    @classmethod
    def released(cls, h, lam, max_iter=30, **params):
        """Return what the authors' code does: 20 + 30 iterations, self left out, sum scale.

        A pair of rows that has only each other swaps places to the end, as it does there. Rows
        that are too far from all others for any kernel value, NaN there, are at their nearest
        neighbour here.

        Examples
        --------
        >>> WBMS.released(0.1, 10).stop
        'fixed'
        """
        preset = {"lam_scale": "sum", "stop": "fixed", "merge": False}
        return cls(h, lam, max_iter=max_iter, **{**preset, **params})

    def fit(self, X, y=None):
        """Cluster the rows of X.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Finite numbers. It is not written to.
        y : ignored

        Returns
        -------
        self
        """
        check_parameters(self)
        X = self._matrix(X, reset=True)
        if not self.standardize:
            require_squarable(X, self._names())
            warn_if_narrow(X, self.eps, stacklevel=3)
        settings = {**self.fit_settings(), "n_threads": number_of_threads(self.n_jobs)}
        recorded = self.max_iter if self.stop == "fixed" else self.patience
        require_memory(X.shape, settings["n_threads"], recorded if self.record_path else 0)
        choice = self._choose(X, settings)
        to_scale = len(X) if self.lam_scale == "sum" else 1
        h = float(choice.h if isinstance(self.h, str) else self.h)
        lam = float(choice.lam * to_scale if isinstance(self.lam, str) else self.lam)
        fitted = fit(
            X, h, lam, record_path=self.record_path, callback=self._after_iteration,
            tree=self.tree, **settings,
        )  # fmt: skip
        self.h_, self.lam_, self.choice_ = h, lam, choice
        self.selection_ = None
        if choice is not None:
            self.selection_ = choice.table.assign(lam=choice.table["lam"] * to_scale)
        self._keep(X, fitted)
        warn_if_not_ended(self, stacklevel=3)
        return self

    def predict(self, X):
        """Return the label of the nearest training row in the learned weighted distance.

        Row by row, so that a training row always gets its own label.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)

        Returns
        -------
        ndarray of shape (m,)
        """
        check_is_fitted(self)
        X = self._matrix(X, reset=False)
        return nearest_labels(
            X, self._X, self.labels_, self.feature_weights_, self._standardizer, self.n_jobs
        )

    def transform(self, X):
        """Return the weighted distance of each row to where each cluster met.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)

        Returns
        -------
        ndarray of shape (m, k)
            In working coordinates (z-scores by default).
        """
        check_is_fitted(self)
        rows = self._standardizer.forward(self._matrix(X, reset=False))
        centers = self._standardizer.forward(self.cluster_centers_)
        weights = self.feature_weights_[self._standardizer.active]
        return np.sqrt(np.stack([((rows - c) ** 2) @ weights for c in centers], axis=1))

    @property
    def _n_features_out(self):
        return self.n_clusters_

    def _matrix(self, X, *, reset):
        if isinstance(X, pd.DataFrame):
            X = numeric_frame(X)
        X = validate_data(
            self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
        )
        require_finite(X, self._names())
        return X

    def _names(self):
        return getattr(self, "feature_names_in_", range(self.n_features_in_))

    def fit_settings(self):
        """Return the parameters that `fit.fit` takes, without h, lam and the number of threads."""
        names = (
            "exclude_self", "warmup", "stop", "patience", "tol", "max_iter", "eps",
            "standardize", "merge", "lam_scale",
        )  # fmt: skip
        return {name: getattr(self, name) for name in names}

    def _choose(self, X, settings):
        """Return the `Selection` of what is "auto", or None if neither h nor lam is."""
        if not (isinstance(self.h, str) or isinstance(self.lam, str)):
            return None
        scale = len(X) if self.lam_scale == "sum" else 1
        h = None if isinstance(self.h, str) else [float(self.h)]
        lam = None if isinstance(self.lam, str) else [float(self.lam) / scale]
        jobs = settings["n_threads"]

        def report(n_fits, k):
            return says_stop(self._after_iteration(State.of_trial(n_fits, k, len(X))))

        return choose(X, h, lam, settings, n_jobs=jobs, report=report)

    def _after_iteration(self, state):
        if self.verbose:
            print(state)
        return self.callback(state) if self.callback is not None else None

    def _keep(self, X, fitted):
        self._X = X.copy()
        self._standardizer = fitted.units
        self.labels_ = fitted.labels
        self.n_clusters_ = int(fitted.labels.max()) + 1
        self.feature_weights_ = fitted.weights
        self.modes_ = fitted.modes
        self.cluster_centers_ = fitted.centers
        self.n_iter_ = fitted.n_iter
        self.converged_ = fitted.converged
        self._interrupted = fitted.interrupted
        self.history_ = fitted.history
        self.tree_ = fitted.tree.linkage if self.tree else None
        self.tree_observed_ = fitted.tree.observed if self.tree else None
        for name, value in (("path_", fitted.path), ("weights_path_", fitted.weights_path)):
            if self.record_path:
                setattr(self, name, value)
            elif hasattr(self, name):  # of an earlier fit
                delattr(self, name)


def warn_if_narrow(X, eps, stacklevel):
    """Warn if data that are not standardised spread over next to nothing."""
    if np.sqrt(mean_variance(X)) < 100 * eps:
        warnings.warn(
            f"the columns spread over less than 100·eps (eps={eps:g}, in the units of "
            "the data as standardize=False): all rows may count as one point",
            UserWarning,
            stacklevel=stacklevel,
        )


def warn_if_not_ended(model, stacklevel):
    """Warn if it was neither the stop rule nor a callback that has ended a fit."""
    if model.converged_ or model._interrupted:
        return
    last = model.history_.iloc[-1]
    warnings.warn(
        f"WBMS did not end by the rule {model.stop!r} in max_iter={model.max_iter} "
        f"iterations ({last.groups} groups, largest move {last.movement:.2g}); the labels "
        "are those of the last one. A larger h or max_iter, or another eps, may help",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )


def nearest_labels(queries, rows, labels, weights, units, n_jobs=None):
    """Return for each query the label of the nearest row in the weighted distance.

    Parameters
    ----------
    queries, rows : ndarray of shape (m, p), (n, p)
        In the caller's units.
    labels : ndarray of shape (n,)
    weights : ndarray of shape (p,)
    units : Standardizer
        The working coordinates of the rows.
    n_jobs : int, optional
    """
    active = units.active
    if not active.any():
        return np.full(len(queries), labels[0])
    queries, rows, weights = units.forward(queries), units.forward(rows), weights[active]
    n_threads = worth(number_of_threads(n_jobs), len(queries) * float(rows.size))
    winner = np.empty(len(queries), dtype=np.intp)
    by_weight = np.argsort(-weights, kind="stable")
    nearest(queries, rows, weights, by_weight, n_threads, winner)
    return labels[winner]


def refit_with_path(model):
    """Return a WBMS fitted as a given one was, for as many iterations, with its path recorded."""
    params = model.get_params(deep=False)
    params.update(h=model.h_, lam=model.lam_, verbose=False, tree=False)
    last = None if model.converged_ else model.history_.iloc[-1][["phase", "iteration"]]
    again = fit_with_path(model._X, params, last)
    again.set_params(callback=model.callback, verbose=model.verbose, tree=model.tree)
    again.selection_, again.choice_ = model.selection_, model.choice_
    again.tree_, again.tree_observed_ = model.tree_, model.tree_observed_
    return again


def fit_with_path(X, params, last=None, callback=None):
    """Return a WBMS fitted with its path recorded.

    Parameters
    ----------
    X : array-like of shape (n, p)
    params : dict
        Parameters of `WBMS`.
    last : (phase, iteration), optional
        The iteration to end after, if the stop rule is not to end the fit.
    callback : callable, optional
        Called after each iteration.
    """

    def after_iteration(state):
        if callback is not None:
            callback(state)
        return last is not None and (state.phase, state.iteration) == tuple(last)

    return WBMS(**{**params, "record_path": True, "callback": after_iteration}).fit(X)
