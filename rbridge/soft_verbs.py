"""The verbs for single rows and clusters of a fit: predictions, memberships, outliers, features."""

import numpy as np

from pywbms._data.masses import rows_stood_for
from pywbms._engine.nearest import center_distances
from pywbms._engine.weighted_engine import fitted_standardizer
from pywbms._results.cluster_features import ClusterFeatures, cluster_weights
from pywbms.estimator import WBMS
from rbridge import storage
from rbridge.to_r import Named
from rbridge.values import groups_for_python, vector_or_none

# Columns of the heat map that a fit keeps, and of the table of the columns that set clusters apart.
MOST_IN_PROFILE, TOP = 60, 5


def predict(call, newdata, fit, n_jobs, method=None):
    """Return the cluster of each new row; 0 for outliers."""
    with call.interruptible():
        model = restored(fit, n_jobs)
        return numbered(model.predict_matrix(contiguous(newdata), method=method))


def distances(call, newdata, fit, centers):
    """Return the weighted distance of each new row to each centre."""
    with call.interruptible():
        model = restored(fit, None)
        return center_distances(newdata, centers, model.feature_weights_, model._standardizer)


def membership(call, newdata, fit, n_jobs):
    """Return the memberships of new rows, or of the rows of the fit if there are none."""
    with call.interruptible():
        model = restored(fit, n_jobs)
        if newdata is None:
            return model.membership_
        return model.predict_proba_matrix(contiguous(newdata))


def outlier_score(call, newdata, fit, n_jobs):
    """Return the outlier scores of new rows."""
    with call.interruptible():
        return restored(fit, n_jobs).outlier_score_matrix(contiguous(newdata))


def describe(call, fit, cluster, other, columns):
    """Return the columns that set a cluster apart from all others, or from another one."""
    columns = [columns] if isinstance(columns, str) else columns
    with call.interruptible():
        found = features_of(restored(fit, None))
        if other is None:
            table = found.describe(int(cluster) - 1, columns)
        else:
            table = found.contrast(int(cluster) - 1, int(other) - 1, columns)
            renumbered = {f"{name}_{c - 1}": f"{name}_{c}" for name in ("mean", "spread")
                          for c in (int(cluster), int(other))}  # fmt: skip
            table = table.set_axis([renumbered.get(name, name) for name in table.columns], axis=1)
        return table.reset_index()


def details(model, columns):
    """Return what a fit in R has beside its clusters: for rows, for clusters, and for columns."""
    n_rows = rows_stood_for(model.sample_weight_, len(model.labels_))
    lam = model.lam_ / model.settings().lam_unit(n_rows)
    mass = model._mass(model._cluster_of_row)
    found = features_of(model)
    profile, order = found.profile()
    shown = order[:MOST_IN_PROFILE]
    some = slice(None) if model._landmark_mass is None else model._landmark_mass > 0
    weights = cluster_weights(
        model._X[some],
        model.modes_[some],
        model.labels_[some],
        model._standardizer,
        lam,
        mass[some],
    )  # fmt: skip
    top = found.top(TOP, columns)
    return {
        "uncertainty": 1 - model.row_confidence_,
        "outlier_score": model.outlier_score_,
        "log_density": model._log_density(),
        "assigned": None if model._assigned is None else numbered(model._assigned),
        "cluster_weights": Named(weights, columns),
        "profile": Named(profile[:, shown], [columns[column] for column in shown]),
        "features": top.assign(cluster=top["cluster"].astype(np.int32) + np.int32(1)),
    }


def features_of(model):
    """Return the means and spreads of the clusters of a model."""
    return ClusterFeatures(
        model._X, model.labels_, model.feature_weights_, model._standardizer,
        model._mass(model._cluster_of_row),
    )  # fmt: skip


def restored(fit, n_jobs):
    """Return a fitted WBMS with what R knows of a fit; it must not outlive the call."""
    if fit["state"] is not None:  # to follow, rows have to be known as the fit knew them
        model = storage.model_from_r(fit["state"], fit)
        return model.set_params(n_jobs=None if n_jobs is None else int(n_jobs))
    data = contiguous(fit["data"])
    model = WBMS(fit["h"], outliers=fit["outliers"], n_jobs=None if n_jobs is None else int(n_jobs))
    model.n_features_in_ = data.shape[1]
    model.labels_ = np.atleast_1d(fit["cluster"]).astype(np.int64) - 1
    model.n_clusters_ = int(model.labels_.max()) + 1
    model.feature_weights_ = np.atleast_1d(fit["weights"]).astype(np.float64)
    model.h_ = fit["h"]
    model.outliers_ = np.atleast_1d(fit["marked"]).astype(bool)
    model._X = data
    model.sample_weight_ = vector_or_none(fit["row_weights"])
    model._standardizer = fitted_standardizer(
        data, fit["standardize"], model.sample_weight_, fit["merge"],
        groups_for_python(fit["indicators"]),
    )  # fmt: skip
    assigned = fit["assigned"]
    model._assigned = None if assigned is None else np.atleast_1d(assigned).astype(np.int64) - 1
    model._derived = {}
    if fit["log_density"] is not None:
        model._derived["log_density"] = np.atleast_1d(fit["log_density"]).astype(np.float64)
    return model


def contiguous(matrix):
    """Return a matrix from R in C order."""
    return np.ascontiguousarray(matrix)


def numbered(labels):
    """Return cluster labels numbered from 1; 0 for outliers."""
    return labels.astype(np.int32) + np.int32(1)
