"""The start of the weights where h and lam are given."""

from dataclasses import replace

from pywbms._data.checks import generator
from pywbms._data.masses import total_mass
from pywbms._data.ordering import row_order
from pywbms._data.standardize import without_outliers, working_columns
from pywbms._engine.settings import is_auto
from pywbms._machine.threads import one_blas_thread
from pywbms._selection.choice import rows_to_search
from pywbms._selection.engine_choice import total_rows
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace
from pywbms._selection.searching import LEAST_ROWS
from pywbms._selection.starts import all_columns, equal, starts_for
from pywbms._selection.unit_rows import rows_of_whole_mass

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
    sample = engine.sample(settings, generator(settings.random_state))
    # The sample may stand for more rows than it has.
    lam = float(settings.lam) / settings.lam_unit(total_rows(engine))
    settings = replace(settings, lam=lam, lam_scale="mean")
    return choose_start(sample, settings, engine.mass)


@one_blas_thread()
def choose_start(X, settings, mass=None):
    """Return the weights to start from at given h and lam, one per column.

    Equal ones, unless the clusters from another start predict held-out rows clearly better.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
        Its h and lam are numbers, its init is "auto" or "marginal".
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.
    """
    rng = generator(settings.random_state)
    varying = working_columns(X, settings.standardize, mass, settings.indicators)
    settings = settings.for_columns(varying)
    rows, row_mass = start_rows(X[:, varying], settings, mass, rng)
    if total_mass(rows, row_mass) < LEAST_ROWS or rows.shape[1] < 2:
        return equal(len(varying))
    starts = starts_for(rows, settings, row_mass)
    best = next(iter(starts))
    if len(starts) > 1:
        lam = float(settings.lam) / settings.lam_unit(total_mass(X, mass))
        space = SearchSpace([float(settings.h)], [lam], 1.0, starts)
        search = Search(rows, space, CandidateRunner(rows, settings), 0, rng)
        fits = search.fit([(start, space.h[0], lam) for start in starts])
        promise = {one.start: one.promise for one in fits}
        other = max(starts, key=promise.get)
        if promise[other] > max(CLEARLY_BETTER * promise[best], LEAST_PROMISE):
            best = other
    return all_columns(starts[best], varying)


def start_rows(X, settings, mass, rng):
    """Return the rows from which a start is chosen, in an order of their own, and their masses.

    Of more than `MOST_ROWS` a sample, unless it is only a marginal start, which is linear in n.
    """
    if is_auto(settings.init):
        return rows_to_search(X, settings, mass, rng), None
    if mass is not None:
        return rows_of_whole_mass(X, settings, mass)
    rows = without_outliers(X, settings.standardize, settings.indicators)
    return rows[row_order(rows)] if rows.size else rows, None
