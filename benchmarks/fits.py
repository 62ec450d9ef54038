"""Whole fits beside other methods: time, clusters found, agreement with the truth."""

import subprocess
from dataclasses import asdict

import numpy as np
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from benchmarks import children
from benchmarks.clock import interleave, seconds_of
from benchmarks.contenders import hdbscan, mean_shift, wbms

CONTENDERS = {"WBMS": wbms, "MeanShift": mean_shift, "HDBSCAN": hdbscan}
MOST_REPEATS = 5
# What a child needs to import and to draw its data.
SECONDS_TO_START = 10


def measure(case, contender, plan):
    """Fit in a process of its own and return a row of the table."""
    cells = {
        "section": "fit",
        "case": case.name,
        "n": case.n,
        "p": case.p,
        "method": contender,
    }
    try:
        found = children.run(
            "fit",
            timeout=plan.longest + SECONDS_TO_START,
            case=asdict(case),
            contender=contender,
            seconds=plan.seconds,
        )
    except subprocess.TimeoutExpired:
        return {**cells, "note": f"ended after {plan.longest:.0f} s"}
    return {**cells, **found}


def in_child(case, contender, seconds):
    """Fit a few times; return the least time, the clusters found and the agreement."""
    X, truth = case.draw()
    labels = None

    def fit():
        nonlocal labels
        labels = CONTENDERS[contender].fit(case, X)

    with threadpool_limits(1):
        best = interleave({"fit": lambda: seconds_of(fit)}, seconds, least=1, most=MOST_REPEATS)
    return {
        "fit_s": best["fit"].cpu,
        "k": len(np.unique(labels[labels >= 0])),
        "true_k": len(np.unique(truth)),
        "ari": float(adjusted_rand_score(truth, labels)),
    }
