"""WBMS, the scikit-learn clusterer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted, validate_data

from pywbms._data.checks import require_callable, require_finite, require_squarable
from pywbms._data.standardize import warn_if_narrow
from pywbms._data.table import numeric_matrix
from pywbms._engine.convergence import warn_if_not_converged
from pywbms._engine.fit import LocalEngine
from pywbms._engine.nearest import nearest_labels
from pywbms._engine.recorder import IterationInfo
from pywbms._engine.settings import Settings, says_stop
from pywbms._engine.start import require_init
from pywbms._selection.choice import MOST_ROWS, SearchOptions, choose
from pywbms._selection.joining import join_fit
from pywbms._selection.start_choice import start_of


class WBMS(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Weighted Blurring Mean Shift.

    Every point moves to the kernel-weighted mean of the others in a feature-weighted distance;
    features along which points are displaced a lot lose weight; when the points have collapsed,
    those that coincide form a cluster. The number of clusters and the feature weights come out
    together.

    The defaults are the form that works in high dimension: a row is left out of its own mean,
    the weights are learned in a warm-up before the points start again from the data, and the fit
    stops when the partition has settled. `WBMS.paper` is Algorithm 1 as printed [1]_,
    `WBMS.released` is what its authors' code does.

    Parameters
    ----------
    h : float or "auto", default "auto"
        Bandwidth of the kernel exp(−‖a − b‖²_w / h). On z-scores, useful values lie between
        0.005 (many tight clusters) and 1. "auto" chooses it from the data (`pywbms.select`);
        where there are no clusters, a value so large that all rows form one.
    lam : float or "auto", default "auto"
        Strength of the entropy term in w_l ∝ exp(−D_l / lam): small values put all weight on
        few features, large ones make all weights equal. "auto" chooses it together with h, or
        for the given h.
    lam_scale : {"mean", "sum"}, default "mean"
        Whether D_l is the mean (the paper) or the sum (the released code) over the rows of the
        squared displacements along feature l.
    exclude_self : bool, default True
        Leave a row out of its own mean.
    warmup : int, default 20
        Iterations that only learn the weights, before the points start again from the data.
    stop : {"settled", "movement", "diameter", "fixed"}, default "settled"
        "settled": the partition at 100·eps has been the same for `patience` iterations, equals
        the one at eps, and no row that is still alone is moving. "movement": no point moves by
        `tol` any more. "diameter": the diameter of the points changes by less than `tol`.
        "fixed": exactly `max_iter` iterations.
    patience : int, default 5
        Consecutive iterations for which the partition has to stay the same, or for which two
        rows have to swap places before they are put at their midpoint.
    tol : float, default 1e-8
        Tolerance of the rules "movement" and "diameter".
    max_iter : int, default 300
        Largest number of iterations after the warm-up.
    eps : float, default 1e-5
        Points closer than this belong to the same cluster.
    standardize : bool, default True
        Work on z-scores (ddof = 1). Columns that hold one value get weight 0 either way.
    merge : bool, default True
        Merge equal rows, and points that coincide, into one weighted point: the same labels for
        less work.
    n_jobs : int, optional
        Number of threads, counted as in joblib (None: 1, −1: all); while h and lam are chosen,
        the number of fits at a time. No result depends on it.
    record_path : bool, default False
        Keep the position of every row after each iteration (`path_`, `weights_path_`).
    tree : bool, default False
        After the fit, continue until all clusters have merged, and record the merge tree
        (`tree_`). Labels, modes and weights do not depend on it.
    init : {"auto", "uniform", "marginal"} or array-like of shape (p,), default "auto"
        The feature weights with which the fit starts. "uniform": 1/p, as in the paper.
        "marginal": more for columns that have clusters on their own, which finds a few
        informative columns among many noise columns. "auto" tries several; the data decide.
    join : bool or "auto", default "auto"
        Join clusters between which the density does not dip: the pieces of a curved cluster.
        "auto" does so where the choice of h and lam has found it right, and not if both are given.
    verbose : bool, default False
        Print one line per iteration.
    callback : callable, optional
        Called after each iteration with a read-only `IterationInfo` (phase, iteration, groups,
        weights …); returning True ends the fit, which then keeps what it has. While h and lam are
        chosen it is called after each candidate fit, with the phase "select"; returning True then
        takes the best pair so far.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each row, 0 … k − 1; 0 is the largest, ties go by first row.
    feature_weights_ : ndarray of shape (p,)
        Weights of the features, at least 0, sum 1.
    cluster_centers_ : ndarray of shape (k, p)
        Position where the rows of each cluster coincide, in the units of X.
    modes_ : ndarray of shape (n, p)
        Final position of each row, in the units of X.
    n_clusters_ : int
    n_iter_ : int
        Iterations after the warm-up (of the warm-up, if a callback ended the fit there).
    converged_ : bool
        Whether the stop rule ended the fit, rather than `max_iter` or a callback.
    h_, lam_ : float
        The values used; `lam_` is on the scale of `lam_scale`.
    init_ : ndarray of shape (p,)
        The feature weights with which the fit started.
    groups_ : ndarray of shape (n,)
        Clusters as the fit left them: `labels_`, unless clusters were joined (see `join`).
    history_ : DataFrame
        One row per iteration: phase, iteration, diameter, movement, groups, entropy, n_points.
    selection_ : DataFrame or None
        The pairs (h, lam) that were tried, with their scores, if any was "auto".
    choice_ : Selection or None
        The same with an explanation in words and the alternatives; its lam is on the mean scale.
    path_ : ndarray of shape (n_iter_ + 1, n, p)
        With `record_path`: the rows in working coordinates (z-scores), from the start on.
    weights_path_ : ndarray of shape (n_iter_ + 1, p)
        With `record_path`: the feature weights that belong to each of them.
    tree_ : ndarray of shape (n − 1, 4) or None
        With `tree`: the merge tree, a linkage matrix as in `scipy.cluster.hierarchy`. The
        heights are log(1 + t), where t is the iteration after the warm-up at which two clusters
        merge. Iterations continue after the fit has stopped, many at a time; cut at
        log(1 + n_iter_) it gives `groups_`.
    tree_observed_ : ndarray of shape (n − 1,) or None
        With `tree`: False for the merges at the top that were only predicted, each as if two
        clusters were isolated, because the budget of work was spent or a callback had ended the
        fit.
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
        h=Settings.h,
        lam=Settings.lam,
        *,
        lam_scale=Settings.lam_scale,
        exclude_self=Settings.exclude_self,
        warmup=Settings.warmup,
        stop=Settings.stop,
        patience=Settings.patience,
        tol=Settings.tol,
        max_iter=Settings.max_iter,
        eps=Settings.eps,
        standardize=Settings.standardize,
        merge=Settings.merge,
        n_jobs=Settings.n_jobs,
        record_path=Settings.record_path,
        tree=Settings.tree,
        init=Settings.init,
        join=Settings.join,
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
        self.init = init
        self.join = join
        self.verbose = verbose
        self.callback = callback

    @classmethod
    def paper(cls, h: float, lam: float, **params: Any) -> WBMS:
        """Return Algorithm 1 as printed: self included, one pass, mean scale, diameter rule.

        The kernel is exp(−‖·‖²_w / h), as in the paper's example and its section on rates; for
        equation (4) as printed, exp(−‖·‖²_w / h²), give the square of h.

        Examples
        --------
        >>> WBMS.paper(0.1, 10).exclude_self
        False
        """
        preset = {"exclude_self": False, "warmup": 0, "stop": "diameter", "merge": False}
        return cls(h, lam, **{**preset, "init": "uniform", **params})

    @classmethod
    def released(cls, h: float, lam: float, max_iter: int = 30, **params: Any) -> WBMS:
        """Return what the authors' code does: 20 + 30 iterations, self left out, sum scale.

        Two rows that have only each other swap places to the end, as they do there. Rows whose
        kernel values all underflow, NaN there, go to their nearest neighbour here.

        Examples
        --------
        >>> WBMS.released(0.1, 10).stop
        'fixed'
        """
        preset = {"lam_scale": "sum", "stop": "fixed", "merge": False, "init": "uniform"}
        return cls(h, lam, max_iter=max_iter, **{**preset, **params})

    def settings(self) -> Settings:
        """Return the checked settings of a fit with these parameters."""
        require_callable("callback", self.callback)
        return Settings.of(self.get_params(deep=False))

    def fit(self, X: Any, y: Any = None) -> WBMS:
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
        settings = self.settings()
        matrix = self._matrix(X, reset=True)
        require_init(settings, matrix)
        if not settings.standardize:
            require_squarable(matrix, self._names())
            warn_if_narrow(matrix, settings.eps, stacklevel=3)
        # Of a DataFrame the matrix is a copy already.
        self.fit_with(LocalEngine(matrix, private=isinstance(X, pd.DataFrame)), settings)
        warn_if_not_converged(self, stacklevel=3)
        return self

    def fit_with(self, engine: Any, settings: Settings) -> WBMS:
        """Choose what is "auto", run WBMS on an engine, and set the fitted attributes."""
        n_rows, n_columns = engine.shape
        engine.require_memory(settings)

        def report(info):
            if engine.progress is not None:
                engine.progress(info)
            return self._after_iteration(info)

        choice = self._choose(engine, settings, report) if settings.is_auto else None
        settings = settings.resolved(choice, n_rows)
        settings = replace(settings, init=start_of(engine, settings))
        fitted = engine.run(settings, report)
        groups = fitted.labels
        if settings.join:
            rows, labels = engine.labelled_sample(groups, MOST_ROWS, np.random.default_rng(0))
            fitted = join_fit(fitted, rows, labels, settings.standardize)
        table = None if choice is None else choice.table
        if table is not None:
            table = table.assign(lam=table["lam"] * settings.lam_unit(n_rows))
        self.n_features_in_ = n_columns
        self.h_, self.lam_ = float(settings.h), float(settings.lam)
        self.init_, self.groups_ = np.asarray(settings.init, dtype=float), groups
        self.choice_, self.selection_ = choice, table
        self._set_fitted(engine.training_rows(), fitted)
        return self

    def predict(self, X: Any) -> np.ndarray:
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
        return self.predict_matrix(self._matrix(X, reset=False))

    def predict_matrix(self, X: np.ndarray) -> np.ndarray:
        """Return the labels of a checked float64 matrix; see `predict`."""
        return nearest_labels(
            X, self._X, self.labels_, self.feature_weights_, self._standardizer, self.n_jobs
        )

    def transform(self, X: Any) -> np.ndarray:
        """Return the weighted distance of each row to the centre of each cluster.

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
        """Return X as a checked float64 matrix, and note or compare its columns."""
        if isinstance(X, pd.DataFrame):
            matrix = numeric_matrix(X)  # first: its messages name the columns
            validate_data(self, X, reset=reset, skip_check_array=True)
            X = matrix
        else:
            X = validate_data(
                self, X, reset=reset, dtype=np.float64, order="C", ensure_all_finite=False
            )
        require_finite(X, self._names())
        return X

    def _names(self):
        return getattr(self, "feature_names_in_", range(self.n_features_in_))

    def _choose(self, engine, settings, report):
        """Return the `Selection` of what is "auto"."""
        n_rows = engine.shape[0]
        rng = np.random.default_rng(0)

        def after_fit(n_fits, k):
            return says_stop(report(IterationInfo.of_candidate(n_fits, k, n_rows)))

        h, lam = settings.given(n_rows)
        options = SearchOptions(
            h, lam, random_state=rng, n_jobs=settings.n_threads, report=after_fit,
            run=engine.run_candidates,
        )  # fmt: skip
        return choose(engine.sample(settings, rng), settings, options)

    def _after_iteration(self, info):
        if self.verbose:
            print(info)
        return self.callback(info) if self.callback is not None else None

    def _set_fitted(self, X, fitted):
        self._X = X
        self._standardizer = fitted.standardizer
        self.labels_ = fitted.labels
        self.n_clusters_ = int(fitted.labels.max()) + 1
        self.feature_weights_ = fitted.weights
        self.modes_ = fitted.modes
        self.cluster_centers_ = fitted.centers
        self.n_iter_ = fitted.n_iter
        self.converged_ = fitted.converged
        self._interrupted = fitted.interrupted
        self.history_ = fitted.history
        self.tree_ = fitted.tree.linkage if fitted.tree is not None else None
        self.tree_observed_ = fitted.tree.observed if fitted.tree is not None else None
        for name, value in (("path_", fitted.path), ("weights_path_", fitted.weights_path)):
            if value is not None:
                setattr(self, name, value)
            elif hasattr(self, name):  # of an earlier fit
                delattr(self, name)
