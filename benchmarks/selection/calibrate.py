"""Fits the coefficients of `pywbms._selection.evidence` to simulated data sets."""

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_predict

from benchmarks.selection import simulator
from pywbms._data.ordering import row_order
from pywbms._data.standardize import varying_columns
from pywbms._engine.settings import Settings
from pywbms._selection.choice import N_SUBSETS
from pywbms._selection.evidence import signal
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace
from pywbms._selection.starts import starts_for

MOST_ROWS = 260
# A partition that agrees less with the truth says nothing about what clusters look like.
FOUND = 0.25
FOLDS = 8
# Curved clouds pass for clusters more easily than the others: the test is this much stricter.
STRICTER = 0.5


def measure(seed):
    """Return what is known of the best candidate of a simulated set, or None if there is none.

    Returns
    -------
    (signal, strength, valley, agreement with the truth, whether there are clusters)
    """
    drawn = simulator.draw(seed)
    some = np.sort(np.random.default_rng(seed).permutation(len(drawn.X))[:MOST_ROWS])
    X, truth = drawn.X[some], drawn.truth[some]
    X = X[:, varying_columns(X)]
    order = row_order(X)
    X, truth = np.ascontiguousarray(X[order]), truth[order]
    settings = Settings()
    space = SearchSpace(None, None, 1.0, starts_for(X, settings))
    runner = CandidateRunner(X, settings)
    search = Search(X, space, runner, N_SUBSETS, np.random.default_rng(0))
    search.run()
    best = search.likeliest()
    if best is None:
        return None
    scored = truth >= 0
    right = adjusted_rand_score(truth[scored], best.joined[scored])
    clusters = len(np.unique(truth[scored])) > 1
    return signal(best.screened), best.strength, best.valley, right * clusters, clusters


def report(n_sets):
    """Print the coefficients, and how well they do on sets that they were not fitted to."""
    found = np.array([m for m in map(measure, range(n_sets)) if m is not None], dtype=float)
    X, agreement, clusters = found[:, :3], found[:, 3], found[:, 4] > 0
    told = ~clusters | (agreement > FOUND)
    gate = LogisticRegression(max_iter=500).fit(X[told, :2], clusters[told])
    constant = gate.intercept_[0] - STRICTER
    odds = cross_val_predict(
        gate, X[told, :2], clusters[told], cv=FOLDS, method="decision_function"
    )
    passed = odds >= STRICTER
    print(f"GATE = ({gate.coef_[0][0]:.2f}, {gate.coef_[0][1]:.2f}, {constant:.2f})")
    print(f"one cluster where there is none: {np.mean(~passed[~clusters[told]]):.0%}")
    print(f"clusters where there are some: {np.mean(passed[clusters[told]]):.0%}")
    passed = X[:, :2] @ gate.coef_[0] + constant >= 0
    line = LinearRegression().fit(X[passed], agreement[passed])
    print("EXPECTED = (" + ", ".join(f"{c:.2f}" for c in [*line.coef_, line.intercept_]) + ")")
    expected = np.clip(cross_val_predict(line, X[passed], agreement[passed], cv=FOLDS), 0, 1)
    print("expected agreement, mean agreement found, number of sets:")
    for low, high in ((0, 0.45), (0.45, 0.75), (0.75, 1.01)):
        here = (expected >= low) & (expected < high)
        if here.any():
            mean = agreement[passed][here].mean()
            print(f"  {expected[here].mean():.2f}  {mean:.2f}  {here.sum()}")
