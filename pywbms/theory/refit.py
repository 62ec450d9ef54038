"""A fit done again with its path recorded: the theorems are about every iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pywbms.estimator import WBMS

# What a fit adds to its groups: joined clusters, levels of the tree, outliers, the choice.
KEPT = (
    "labels_", "n_clusters_", "cluster_centers_", "reached_by_", "selection_", "choice_", "tree_",
    "tree_observed_", "_assigned",
)  # fmt: skip


def refit_with_path(model: WBMS) -> WBMS:
    """Return a WBMS fitted as a given one was, for as many iterations, with its path recorded."""
    if model.landmarks_ is not None:
        raise ValueError(
            "the path of a fit with landmarks is that of these rows alone: fit with landmarks=None"
        )
    params = model.get_params(deep=False)
    params.update(
        h=model.h_, lam=model.lam_, init=model.init_, join=False, n_clusters=None, verbose=False,
        tree=False, outliers="keep",
    )  # fmt: skip
    last = None if model.converged_ else model.history_.iloc[-1][["phase", "iteration"]]
    again = fit_with_path(model._X, params, last, sample_weight=model.sample_weight_)
    given = ("h", "lam", "callback", "verbose", "tree", "init", "join", "n_clusters", "outliers")
    again.set_params(**{name: getattr(model, name) for name in given})
    for name in KEPT:
        setattr(again, name, getattr(model, name))
    return again


def fit_with_path(
    X: Any,
    params: dict,
    last: Any = None,
    callback: Callable | None = None,
    sample_weight: Any = None,
) -> WBMS:
    """Return a WBMS fitted with its path recorded.

    Parameters
    ----------
    X : array-like of shape (n, p)
    params : dict
        Parameters of `WBMS`.
    last : (phase, iteration), optional
        The iteration to stop after, if the stop rule is not to end the fit.
    callback : callable, optional
        Called after each iteration.
    sample_weight : array-like of shape (n,), optional
        Weights of the rows.
    """

    def after_iteration(info):
        if callback is not None:
            callback(info)
        return last is not None and (info.phase, info.iteration) == tuple(last)

    model = WBMS(**{**params, "record_path": True, "callback": after_iteration})
    return model.fit(X, sample_weight=sample_weight)
