"""Whole fits compared with other methods: time, number of clusters, agreement with the truth."""

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from benchmarks.clock import TookTooLong, interleave, seconds_of, time_limit
from benchmarks.contenders import hdbscan, mean_shift, wbms

CONTENDERS = {"WBMS": wbms, "MeanShift": mean_shift, "HDBSCAN": hdbscan}
MOST_REPEATS = 5


def measure(case, contender, plan):
    """Fit a few times and return a row of the table: minimum time, number of clusters, ARI."""
    X, truth = case.draw()
    cells = {
        "section": "fit",
        "case": case.name,
        "n": case.n,
        "p": case.p,
        "method": contender,
        "true_k": len(np.unique(truth)),
    }
    labels = None

    def fit():
        nonlocal labels
        with time_limit(plan.longest_fit):
            labels = CONTENDERS[contender].fit(case, X)

    try:
        with threadpool_limits(1):
            best = interleave(
                {"fit": lambda: seconds_of(fit)}, plan.seconds, least=1, most=MOST_REPEATS
            )
    except TookTooLong:
        return {**cells, "note": f"stopped after {plan.longest_fit:.0f} s"}
    return {
        **cells,
        "fit_s": best["fit"].cpu,
        "k": len(np.unique(labels[labels >= 0])),
        "ari": float(adjusted_rand_score(truth, labels)),
    }
