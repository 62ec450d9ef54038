"""A fit done again with its path recorded: the theorems are about every iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pywbms.estimator import WBMS


def refit_with_path(model: WBMS) -> WBMS:
    """Return a WBMS fitted as a given one was, for as many iterations, with its path recorded."""
    params = model.get_params(deep=False)
    joined = not np.array_equal(model.groups_, model.labels_)
    params.update(
        h=model.h_, lam=model.lam_, init=model.init_, join=joined, verbose=False, tree=False
    )
    last = None if model.converged_ else model.history_.iloc[-1][["phase", "iteration"]]
    again = fit_with_path(model._X, params, last)
    given = ("callback", "verbose", "tree", "init", "join")
    again.set_params(**{name: getattr(model, name) for name in given})
    again.selection_, again.choice_ = model.selection_, model.choice_
    again.tree_, again.tree_observed_ = model.tree_, model.tree_observed_
    return again


def fit_with_path(X: Any, params: dict, last: Any = None, callback: Callable | None = None) -> WBMS:
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
    """

    def after_iteration(info):
        if callback is not None:
            callback(info)
        return last is not None and (info.phase, info.iteration) == tuple(last)

    return WBMS(**{**params, "record_path": True, "callback": after_iteration}).fit(X)
