"""The growth of time with the number of rows."""

import numpy as np

from benchmarks.clock import interleave, seconds_of
from benchmarks.contenders import wbms


def exponent(n, seconds):
    """Return the exponent b in seconds ∝ nᵇ, by least squares on the logarithms.

    Examples
    --------
    >>> round(exponent([1000, 2000, 4000], [1.0, 2.0, 4.0]), 6)
    1.0
    """
    if len(n) < 2:
        raise ValueError(f"an exponent needs at least two sizes, got {len(n)}")
    slope, _ = np.polyfit(np.log(n), np.log(seconds), 1)
    return float(slope)


def too_long(case, last_case, last_seconds, longest):
    """Return whether a case is expected to take too long, assuming quadratic growth in n."""
    return last_seconds * (case.n / last_case.n) ** 2 > longest


def fit_seconds(case, plan):
    """Return the minimum `Seconds` of a whole fit on one thread, within the plan's limits."""
    X, _ = case.draw()
    contenders = {"fit": lambda: seconds_of(lambda: wbms.fit(case, X))}
    return interleave(contenders, plan.seconds, least=1, most=plan.most)["fit"]
