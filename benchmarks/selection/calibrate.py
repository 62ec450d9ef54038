"""Fits the coefficients of `pywbms._selection.evidence` to simulated data sets."""

from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_predict

from benchmarks.selection import data, simulator
from pywbms._data.ordering import row_order
from pywbms._data.standardize import varying_columns
from pywbms._engine.settings import Settings
from pywbms._selection.choice import N_SUBSETS
from pywbms._selection.evidence import SLOPE, STRONG, evidence, signal
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace
from pywbms._selection.starts import starts_for

MOST_ROWS = 300
# A partition that agrees less with the truth says nothing about what clusters look like.
FOUND = 0.25
FOLDS = 8
# Draws of each kind of data without clusters.
NULL_SEEDS = range(3)
CLASSES = (0, 0.3, 0.45, 0.6, 0.75, 1.01)


def report(n_sets):
    """Print the coefficients, and how well they do on sets that they were not fitted to."""
    sets = [("simulated", simulator.draw(1000 + seed)) for seed in range(n_sets)]
    sets = [(kind, drawn.X, drawn.truth) for kind, drawn in sets]
    for kind, nulls in (("plain", data.noise()), ("curved", data.curved_noise())):
        sets += [(kind, *draw(seed)) for draw in nulls.values() for seed in NULL_SEEDS]
    found = Parallel(n_jobs=-1)(delayed(measure)(X, truth) for _, X, truth in sets)
    kind = np.array([kind for kind, _, _ in sets])
    X, log_odds, agreement, clusters = (np.array(column) for column in zip(*found, strict=True))
    passed, there = log_odds >= 0, clusters > 0
    for name in ("plain", "curved", "simulated"):
        none = (kind == name) & ~there
        print(
            f"{name}: one cluster where there are none in {np.mean(~passed[none]):.1%} "
            f"of {none.sum()}"
        )
    missed = np.mean(~passed[(kind == "simulated") & there])
    right = np.mean(~passed[(kind == "simulated") & ~there])
    print(f"UNSEEN = {missed / (missed + right):.2f}")
    told = there & (agreement > FOUND)
    print(f"clusters where some can be found: {np.mean(passed[told]):.1%} of {told.sum()}")
    either = (told | ~there) & np.isfinite(log_odds)
    odds = LogisticRegression(C=100).fit(log_odds[either, None] / SLOPE, there[either])
    print(f"SLOPE = {odds.coef_[0][0]:.1f}")
    X, agreement = X[passed], agreement[passed]
    line = LinearRegression().fit(X, agreement)
    print("EXPECTED = (" + ", ".join(f"{c:.3f}" for c in [*line.coef_, line.intercept_]) + ")")
    expected = np.clip(cross_val_predict(line, X, agreement, cv=FOLDS), 0, 1)
    print("expected agreement, mean agreement found, number of sets:")
    for low, high in pairwise(CLASSES):
        here = (expected >= low) & (expected < high)
        if here.any():
            print(f"  {expected[here].mean():.2f}  {agreement[here].mean():.2f}  {here.sum()}")


def measure(X, truth):
    """Return what is known of the best candidate of a set.

    Returns
    -------
    (features of `expected_agreement`, log odds of clusters, agreement with the truth, whether
    there are clusters)
    """
    some = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    X, truth = X[some], truth[some]
    X = X[:, varying_columns(X)]
    order = row_order(X)
    X, truth = np.ascontiguousarray(X[order]), truth[order]
    settings = Settings()
    space = SearchSpace(None, None, 1.0, starts_for(X, settings))
    search = Search(X, space, CandidateRunner(X, settings), N_SUBSETS, np.random.default_rng(0))
    search.run()
    best = search.likeliest()
    scored = truth >= 0
    there = len(np.unique(truth[scored])) > 1
    if best is None:
        return (0.0, 0.0, 1.0, 0.0), -np.inf, 0.0, there
    features = (signal(best.surplus), min(best.strength, STRONG), best.valley, best.centrality)
    right = adjusted_rand_score(truth[scored], best.joined[scored])
    return features, evidence(best.surplus, best.strength), right * there, there
