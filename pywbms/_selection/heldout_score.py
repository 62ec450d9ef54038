"""The score of an estimator: what its clusters tell about rows that it has not seen."""

import numpy as np

from pywbms._data.checks import generator
from pywbms._data.masses import WeightedRows, drawn_by_mass
from pywbms._data.ordering import row_order
from pywbms._selection.choice import MOST_ROWS
from pywbms._selection.heldout import HeldOut


def heldout_score(model, X):
    """Return the mean gain in log density of rows over a single cloud, in nats per row.

    Parameters
    ----------
    model : WBMS
        A fitted one, whose rows and labels tell what is known.
    X : ndarray of shape (m, p)
        Checked rows to predict, in the units of the fit.
    """
    standardizer = model._standardizer
    if not standardizer.active.any():
        return 0.0
    settings = model.settings().seeded()
    known, labels = known_rows(model, generator(settings.random_state))
    rows = np.concatenate([standardizer.forward(known), standardizer.forward(X[row_order(X)])])
    train = np.arange(len(rows)) < len(known)
    weights = standardizer.active_weights(model.feature_weights_)
    heldout = HeldOut(rows, generator(settings.random_state))
    # Shapes of their own, as the single cloud has one: else one cluster would differ from it.
    return heldout.gain(train, labels, weights, own_shapes=True)


def known_rows(model, rng):
    """Return the rows of a fit, each of mass one, and their labels.

    They are in an order of their own, so that the score does not depend on that of the rows.
    """
    if model._landmark_mass is not None:
        some = model._landmark_mass > 0
        return model._X[some], model.labels_[some]
    if model.sample_weight_ is None:
        order = row_order(model._X)
        return model._X[order], model.labels_[order]
    weighted = WeightedRows.of(model._X, model.sample_weight_, model.merge)
    order = row_order(weighted.rows, weighted.mass)
    if weighted.mass is not None:
        most = max(len(order), MOST_ROWS)
        order = order[drawn_by_mass(weighted.mass[order], most, rng)]
    return weighted.rows[order], model.labels_[weighted.row_of[order]]
