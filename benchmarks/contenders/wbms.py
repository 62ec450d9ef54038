"""pywbms itself: the only file here that uses its internals."""

from benchmarks.clock import Seconds
from pywbms import WBMS

try:
    from pywbms._data.ordering import row_order, uniform_weights
    from pywbms._data.standardize import Standardizer
    from pywbms._engine.local_points import LocalPoints
    from pywbms._engine.settings import Settings
    from pywbms._machine.threads import one_blas_thread
except ModuleNotFoundError:  # `benchmarks compare` times an older build with this file
    from benchmarks.contenders.wbms_0_1 import (
        LocalPoints,
        Settings,
        Standardizer,
        one_blas_thread,
        row_order,
        uniform_weights,
    )


try:
    from pywbms._engine.mixture_points import MixturePoints
except ModuleNotFoundError:  # an older build
    MixturePoints = None

# The exact fit is timed, also of large data; older builds know no other.
EXACT = {"landmarks": None} if "landmarks" in WBMS().get_params() else {}


def working_rows(X):
    """Return the rows as a fit has them: in an order of its own, z-scores."""
    rows = X[row_order(X)]
    return Standardizer.of(rows, standardize=True).forward(rows)


def start(case, rows, n_threads=1, mixtures=True):
    """Return a function that takes a step with this many threads.

    It does so as a fit would, or with `mixtures` False always moves the points themselves.
    """
    points = LocalPoints.at_start(rows, Settings(case.h, case.lam, n_jobs=n_threads))
    if MixturePoints is not None and mixtures:
        points = MixturePoints.start(points)
    weights = uniform_weights(rows.shape[1])

    def step():
        """Take one step as a fit does: shift, displacement, weights."""
        nonlocal weights
        with one_blas_thread():
            points.shift(weights)
            weights = points.entropy_weights()
        return weights

    return step


def fit(case, X, n_threads=1):
    """Return the labels of a fit at the case's h and lam."""
    return WBMS(case.h, case.lam, n_jobs=n_threads, **EXACT).fit(X).labels_


def iteration_of_a_fit(case, X):
    """Return the `Seconds` of the second iteration of a fit, with all that belongs to it.

    The callback marks the ends of iterations; nothing marks where the first one begins.
    """
    marks = []

    def mark(state):
        marks.append(Seconds.now())
        return len(marks) == 2

    WBMS(case.h, case.lam, warmup=0, max_iter=10, n_jobs=1, callback=mark, **EXACT).fit(X)
    first, second = marks
    return second.since(first)


def few_iterations(case, X, n_threads):
    """Run a fit of three iterations: by then it has had all the memory it ever takes."""
    # From equal weights: choosing the start takes memory of its own.
    few = {"warmup": 1, "max_iter": 2, "stop": "fixed", "init": "uniform"}
    WBMS(case.h, case.lam, n_jobs=n_threads, **few, **EXACT).fit(X)
