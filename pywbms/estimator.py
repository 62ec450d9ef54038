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
from sklearn.utils.validation import check_is_fitted

from pywbms._data.checks import require_callable, require_squarable
from pywbms._data.estimator_input import TableInput
from pywbms._data.row_weights import checked_weights
from pywbms._data.standardize import warn_if_narrow
from pywbms._engine.convergence import warn_if_not_converged
from pywbms._engine.nearest import center_distances
from pywbms._engine.older_pickles import OlderPicklesMixin
from pywbms._engine.reports import Reports
from pywbms._engine.settings import AUTO, Settings
from pywbms._engine.soft_clustering import SoftClusteringMixin, require_labelling
from pywbms._engine.start import require_init
from pywbms._engine.weighted_engine import local_engine
from pywbms._selection.engine_choice import choose_on, total_rows
from pywbms._selection.heldout_score import heldout_score
from pywbms._selection.landmarks import landmarks_of
from pywbms._selection.partition import fit_partition
from pywbms._selection.similarity import similar_to_each_other, warn_if_similar
from pywbms._selection.start_choice import start_of

# What the paper and the authors' code have in common.
AS_PUBLISHED = {"standardize": True, "init": "uniform", "landmarks": None}


class WBMS(
    SoftClusteringMixin, TableInput, OlderPicklesMixin, ClassNamePrefixFeaturesOutMixin,
    TransformerMixin, ClusterMixin, BaseEstimator,
):  # fmt: skip
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
        few features, large ones make all weights equal. "auto" chooses it, too.
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
        Iterations for which the partition has to stay the same, or two rows have to swap places
        before they are put at their midpoint.
    tol : float, default 1e-8
        Tolerance of the rules "movement" and "diameter".
    max_iter : int, default 300
        Largest number of iterations after the warm-up.
    eps : float, default 1e-5
        Points closer than this belong to the same cluster.
    standardize : bool or "robust", default "robust"
        True: z-scores (ddof = 1), as in the paper. "robust": the same for most data, to the bit,
        but values far outside do not count: those farther from the central nine tenths of their
        column than these are wide, across a gap, and in no cluster there. Rows with far
        values in most columns follow their nearest row; columns that are equal up to their unit
        share one weight. The user guide has the formulas. False: the columns as they are.
    merge : bool, default True
        Merge points that coincide into one weighted point: the same labels for less work.
    n_jobs : int, optional
        Number of threads, counted as in joblib (None: 1, −1: all); while h and lam are chosen,
        the number of fits at a time. No result depends on it.
    record_path : bool, default False
        Keep the position of every row after each iteration (`path_`, `weights_path_`).
    tree : bool, default False
        Continue after the fit until all clusters have merged, and record the merge tree (`tree_`).
    init : {"auto", "uniform", "marginal"} or array-like of shape (p,), default "auto"
        The feature weights at the start. "uniform": 1/p, as in the paper. "marginal": more for
        columns that have clusters on their own. "auto" tries several, among them one with more for
        columns that depend on each other; the data decide.
    join : bool or "auto", default "auto"
        Join clusters between which the density does not dip: the pieces of a curved cluster.
        "auto" does so where the choice of h and lam has found it right, and not if both are given.
    n_clusters : int, optional
        The best partition with exactly so many clusters. If h and lam are given, a level of the
        merge tree of that fit. A ValueError says if there is none, and which are nearest.
    outliers : {"keep", "label"}, default "keep"
        "label": rows that are far out in their cluster (`outlier_score` above 0.999, or marked in
        `outliers_`) get the label −1, in the fit and in `predict`. "keep": they have the label of
        their cluster, and `predict` warns of rows far outside everything that was clustered.
    indicators : sequence of sequences of int, default ()
        Of each category, the positions of its columns of zeros and ones. They are divided by √2, so
        that levels are one unit apart, and share one weight, that of their summed displacement.
    random_state : int, numpy.random.Generator or None, default 0
        Of the search for what is "auto", and of the landmarks.
    time_budget : float, optional
        Seconds after which the choice of h and lam ends with the best pair so far.
    landmarks : int, "auto" or None, default "auto"
        Cluster a sample of so many rows; the others follow their path to the mode they reach.
        None: cluster all. "auto": all while rows² × columns is at most 20,000² × 20, above that
        8,000 landmarks, fewer if there are more than 125 columns.
    verbose : bool or "auto", default "auto"
        True: print one line per iteration. "auto": show progress on one line of a terminal or
        notebook if a fit takes more than a second and has no callback.
    callback : callable, optional
        Called after each iteration with a read-only `IterationInfo` (phase, iteration, …);
        returning True ends the fit, which keeps what it has. While h and lam are chosen, it is
        called after each fit, with the phase "select"; True then takes the best pair so far.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each row, 0 … k − 1; 0 is the largest, by `sample_weight_` if there is one, ties
        go by first row. −1: see `outliers`.
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
        Clusters as the fit left them: `labels_`, unless clusters were joined or merged.
    reached_by_ : {"fit", "join", "tree", "stop"}
        How `labels_` follow from `groups_`: the same; joined (see `join`); merged as they meet
        after the fit; or the fit stopped while there were `n_clusters`.
    outliers_ : ndarray of shape (n,), bool
        Rows with squashed values in most columns, or in columns with most of the weight.
    outlier_score_ : ndarray of shape (n,)
        How far out each row is in its cluster, 0 to 1; see `outlier_score`.
    membership_ : ndarray of shape (n, k)
        Share of each cluster in the density at each row, left out; see `predict_proba`.
    row_confidence_ : ndarray of shape (n,)
        The largest membership of each row.
    similar_columns_ : list of tuple of int
        Groups of nearly equal columns: ``|r| > 0.99``, overall and within clusters.
    sample_weight_ : ndarray of shape (n,) or None
        The weights of the rows, as given to `fit`.
    landmarks_ : Landmarks or None
        How many there are, and the expected agreement with the exact fit; None if it is exact.
    history_ : DataFrame
        One row per iteration: phase, iteration, diameter, movement, groups, entropy, n_points.
    selection_ : DataFrame or None
        The pairs (h, lam) that were tried, with their scores, if any was "auto".
    choice_ : Selection or None
        The same with an explanation in words and the alternatives; its lam is on the mean scale.
    path_ : ndarray of shape (n_iter + 1, n, p)
        With `record_path`: the rows in working coordinates (z-scores), from the start on.
    weights_path_ : ndarray of shape (n_iter + 1, p)
        With `record_path`: the feature weights that belong to each of them.
    tree_ : ndarray of shape (n − 1, 4) or None
        With `tree`: the merge tree, a linkage matrix as in `scipy.cluster.hierarchy`. The
        heights are log(1 + t), where t is the iteration after the warm-up at which two clusters
        merge. Iterations continue after the fit has stopped, many at a time; cut at
        ``log(1 + n_iter_)`` it gives `groups_`.
    tree_observed_ : ndarray of shape (n − 1,) or None
        With `tree`: False for the merges at the top that were only predicted, because the budget
        of work was spent or a callback had ended the fit.
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
        n_clusters=Settings.n_clusters,
        outliers=Settings.outliers,
        indicators=Settings.indicators,
        random_state=Settings.random_state,
        time_budget=Settings.time_budget,
        landmarks=Settings.landmarks,
        verbose=AUTO,
        callback=None,
    ):
        self.h, self.lam = h, lam
        self.lam_scale, self.exclude_self = lam_scale, exclude_self
        self.warmup, self.stop, self.patience = warmup, stop, patience
        self.tol, self.max_iter, self.eps = tol, max_iter, eps
        self.standardize, self.merge = standardize, merge
        self.n_jobs, self.record_path, self.tree = n_jobs, record_path, tree
        self.init, self.join, self.n_clusters = init, join, n_clusters
        self.outliers, self.indicators = outliers, indicators
        self.random_state, self.time_budget, self.landmarks = random_state, time_budget, landmarks
        self.verbose, self.callback = verbose, callback

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
        return cls(h, lam, **{**preset, **AS_PUBLISHED, **params})

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
        preset = {"lam_scale": "sum", "stop": "fixed", "merge": False}
        return cls(h, lam, max_iter=max_iter, **{**preset, **AS_PUBLISHED, **params})

    def settings(self) -> Settings:
        """Return the checked settings of a fit with these parameters."""
        require_callable("callback", self.callback)
        return Settings.of(self.get_params(deep=False))

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> WBMS:
        """Cluster the rows of X.

        Parameters
        ----------
        X : DataFrame (pandas, polars, pyarrow, …) or array-like of shape (n, p)
            Finite numbers. It is not written to.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            How many rows each one stands for; one by default. Rows of weight 0 are not fitted but
            labelled, like new ones. The user guide has the details.

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
        weights = checked_weights(sample_weight, len(matrix))
        private = isinstance(X, pd.DataFrame)  # of which the matrix is a copy already
        self.fit_with(local_engine(matrix, private, weights, settings), settings)
        warn_if_not_converged(self, stacklevel=3)
        warn_if_similar(self.similar_columns_, self._names(), stacklevel=3)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Cluster the rows of X and return their labels; see `fit`."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_with(self, engine: Any, settings: Settings) -> WBMS:
        """Choose what is "auto", run WBMS on an engine, and set the fitted attributes."""
        n_rows = total_rows(engine)
        engine.require_memory(settings)
        require_labelling(engine, settings)
        asked = settings = settings.seeded()
        with Reports(engine, settings, self.verbose, self.callback) as report:
            choice = choose_on(engine, settings, report) if settings.is_auto else None
            settings = settings.resolved(choice, n_rows)
            settings = replace(settings, init=start_of(engine, settings))
            partition = fit_partition(engine, settings, choice, report)
        self.landmarks_ = landmarks_of(engine, partition)
        settings, fitted = partition.settings, partition.fitted
        unit, table = settings.lam_unit(n_rows), None if choice is None else choice.table
        table = None if table is None else table.assign(lam=table["lam"] * unit)
        self.n_features_in_, self.sample_weight_ = engine.shape[1], engine.weights
        self.h_, self.lam_, self.selection_ = float(settings.h), float(settings.lam), table
        self.init_, self.reached_by_ = np.asarray(settings.init, dtype=float), partition.reached_by
        self.choice_ = choice
        self.outliers_, self._landmark_mass = engine.outliers(fitted), engine.landmark_mass
        self.similar_columns_ = similar_to_each_other(engine, asked, fitted)
        fitted, self.groups_ = engine.for_caller(fitted, partition.groups)
        self._set_fitted(engine.training_rows(), fitted)
        if settings.outliers == "label":
            self._label_outliers()
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the weighted distance of each row to the centre of each cluster.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)

        Returns
        -------
        ndarray of shape (m, k), in working coordinates
        """
        check_is_fitted(self)
        X = self._matrix(X, reset=False)
        return center_distances(X, self.cluster_centers_, self.feature_weights_, self._standardizer)

    def score(self, X: Any, y: Any = None) -> float:
        """Return how much better the clusters predict rows than a single cloud does.

        The gain in log density, in nats per row; X should not be what the fit has seen.

        Parameters
        ----------
        X : DataFrame or array-like of shape (m, p)
        y : ignored
        """
        check_is_fitted(self)
        return heldout_score(self, self._matrix(X, reset=False))

    def _set_fitted(self, X, fitted):
        self._X = X
        self._assigned, self._derived, self._cloud = None, {}, fitted.cloud
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
