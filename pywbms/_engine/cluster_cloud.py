"""The cloud of a fitted clusterer that new rows follow, and how they get their labels."""

from dataclasses import replace

import numpy as np

from pywbms._data.checks import require_one_of
from pywbms._data.masses import WeightedRows
from pywbms._data.row_keys import row_keys
from pywbms._engine.fit import fit_rows

METHODS = ("nearest", "follow")


def chosen_method(method, has_landmarks):
    """Return how new rows get their labels; by default as the rows of the fit got theirs.

    Examples
    --------
    >>> chosen_method(None, True), chosen_method(None, False), chosen_method("nearest", True)
    ('follow', 'nearest', 'nearest')
    """
    if method is None:
        return "follow" if has_landmarks else "nearest"
    require_one_of("method", method, METHODS)
    return method


def cloud_of_clusters(model):
    """Return the recorded cloud of a fitted `WBMS`, its groups numbered as the clusters.

    If it was not recorded, the fit is done again.
    """
    cloud = cloud_again(model) if model._cloud is None else model._cloud
    rows, places = model._fitted_rows()
    keys = row_keys(rows)
    order = np.argsort(keys, kind="stable")
    place = order[np.searchsorted(keys[order], cloud.keys)]
    return replace(cloud, groups=model._cluster_of_row[places][place].astype(np.intp))


def cloud_again(model):
    """Return the cloud of a fit without landmarks, which is done again."""
    settings = replace(
        model.settings().seeded(), h=model.h_, lam=model.lam_, init=tuple(model.init_.tolist()),
        n_clusters=None, tree=False, record_path=False,
    )  # fmt: skip
    rows, mass = model._X, None
    if model.sample_weight_ is not None:
        weighted = WeightedRows.of(rows, model.sample_weight_, model.merge)
        rows, mass = weighted.rows, weighted.mass
    last = model.history_.iloc[-1] if len(model.history_) else None

    def until_then(info):
        return last is not None and (info.phase, info.iteration) == (last.phase, last.iteration)

    return fit_rows(rows, settings, until_then, mass, record_cloud=True).cloud
