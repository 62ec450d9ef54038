"""The start of the weights where h and lam are given."""

from pywbms._data.checks import generator
from pywbms._data.ordering import row_order
from pywbms._data.standardize import varying_columns
from pywbms._engine.settings import is_auto
from pywbms._selection.choice import LEAST_ROWS, MOST_ROWS, sampled_rows
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace
from pywbms._selection.starts import all_columns, equal, starts_for

# Another start than equal weights needs a promise that is so much better.
CLEARLY_BETTER, LEAST_PROMISE = 1.1, 0.1


def start_of(engine, settings):
    """Return the weights at the start of a fit, one number per column.

    Parameters
    ----------
    engine : LocalEngine or DaskEngine
    settings : Settings
        Its h and lam are numbers.
    """
    if not isinstance(settings.init, str):
        return settings.init
    if settings.init == "uniform":
        return equal(engine.shape[1])
    return choose_start(engine.sample(settings, generator(0)), settings)


def choose_start(X, settings):
    """Return the weights to start from at given h and lam, one per column.

    Equal ones, unless the clusters from another start predict held-out rows clearly better.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
        Its h and lam are numbers, its init is "auto" or "marginal".
    """
    rng = generator(0)
    varying = varying_columns(X)
    rows = X[:, varying]
    if len(rows) < LEAST_ROWS or rows.shape[1] < 2:
        return equal(len(varying))
    rows = rows[row_order(rows)]
    if len(rows) > MOST_ROWS and is_auto(settings.init):
        rows = rows[sampled_rows(len(rows), rng)]
    starts = starts_for(rows, settings)
    best = next(iter(starts))
    if len(starts) > 1:
        lam = float(settings.lam) / settings.lam_unit(len(X))
        space = SearchSpace([float(settings.h)], [lam], 1.0, starts)
        search = Search(rows, space, CandidateRunner(rows, settings), 0, rng)
        fits = search.fit([(start, space.h[0], lam) for start in starts])
        promise = {one.start: one.promise for one in fits}
        other = max(starts, key=promise.get)
        if promise[other] > max(CLEARLY_BETTER * promise[best], LEAST_PROMISE):
            best = other
    return all_columns(starts[best], varying)
