"""The choice of h, lam and the start for the rows of an engine."""

from pywbms._data.checks import generator
from pywbms._engine.recorder import IterationInfo
from pywbms._engine.settings import says_stop
from pywbms._selection.choice import SearchOptions, choose


def choose_on(engine, settings, report):
    """Return the `Selection` of what is "auto".

    Parameters
    ----------
    engine : LocalEngine or DaskEngine
    settings : Settings
    report : callable
        Called after each fit with an `IterationInfo`; returning True stops the search.
    """
    n_rows = engine.shape[0]
    rng = generator(settings.random_state)

    def after_fit(n_fits, k, left):
        return says_stop(report(IterationInfo.of_candidate(n_fits, k, n_rows, left)))

    h, lam = settings.given(total_rows(engine))
    options = SearchOptions(
        h, lam, random_state=rng, n_jobs=settings.n_threads, report=after_fit,
        run=engine.run_candidates,
    )  # fmt: skip
    return choose(engine.sample(settings, rng), settings, options, engine.mass)


def total_rows(engine):
    """Return how many rows those of an engine stand for."""
    if engine.total is not None:
        return engine.total
    return engine.shape[0] if engine.mass is None else float(engine.mass.sum())
