"""How well outlier scores find outliers: AUC on contaminated simulations, and false marks.

python -m benchmarks.outliers               20 seeds of each kind of contamination
python -m benchmarks.outliers --seeds 3     fewer

GLOSH, HDBSCAN's outlier score, is in the table if the package `hdbscan` is installed.
"""

import argparse
import warnings
from importlib.util import find_spec

import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import LocalOutlierFactor

from pywbms import WBMS
from pywbms._engine.outlier_score import LEVEL


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.outliers")
    parser.add_argument("--seeds", type=int, default=20)
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    if find_spec("hdbscan") is None:
        SCORES.pop("GLOSH")
        print("GLOSH is left out: it needs the package hdbscan")
    heads = (*SCORES, f"found (> {LEVEL})", "false")
    print(f"{'outliers':18}" + "".join(f"{head:>17}" for head in heads))
    for kind in KINDS:
        auc, caught, false = measured(kind, args.seeds)
        cells = [f"{np.mean(x):.3f} ({np.min(x):.2f})" if x else "–" for x in auc.values()]
        cells += [f"{np.mean(caught):.1%}" if caught else "–", f"{np.mean(false):.2%}"]
        print(f"{kind:18}" + "".join(f"{cell:>17}" for cell in cells), flush=True)


def measured(kind, seeds):
    """Return the AUC of each score, and which share of outliers and others is beyond the level."""
    auc, caught, false = {name: [] for name in SCORES}, [], []
    for seed in range(seeds):
        X, outlier = contaminated(kind, np.random.default_rng(seed))
        for name, score in SCORES.items():
            if name != "WBMS" and not outlier.any():
                continue
            values = score(X)
            if outlier.any():
                auc[name].append(roc_auc_score(outlier, values))
            if name == "WBMS":
                caught += [np.mean(values[outlier] > LEVEL)] * bool(outlier.any())
                false.append(np.mean(values[~outlier] > LEVEL))
    return auc, caught, false


def contaminated(kind, rng):
    """Return rows of 2 to 5 clusters, a few outliers, and which rows these are."""
    k, informative = rng.integers(2, 6, size=2)
    n, noise = rng.choice([300, 600]), rng.choice([0, 5, 20])
    while True:
        centers = 10 * rng.normal(size=(k, informative))
        distances = np.linalg.norm(centers[:, None] - centers, axis=2)[np.triu_indices(k, 1)]
        if distances.min() > 7:
            break
    sd = rng.uniform(0.5, 1.5, k)
    truth = rng.integers(k, size=n)
    outlier = np.zeros(n, dtype=bool)
    if kind != "none":
        outlier[: round(n * rng.uniform(0.02, 0.08))] = True
    rows = centers[truth] + sd[truth, None] * rng.normal(size=(n, informative))
    KINDS[kind](rows, outlier, truth, centers, sd, rng)
    return np.hstack([rows, 3 * rng.normal(size=(n, noise))]), outlier


def scattered(rows, outlier, truth, centers, sd, rng):
    """Put outliers anywhere in the box around the clusters, at least 4 sd from all of them."""
    low, high = rows.min(axis=0), rows.max(axis=0)
    low, high = low - 0.25 * (high - low), high + 0.25 * (high - low)
    for i in np.flatnonzero(outlier):
        while True:
            rows[i] = rng.uniform(low, high)
            if (np.linalg.norm(rows[i] - centers, axis=1) > 4 * sd + np.sqrt(rows.shape[1])).all():
                break


def around(rows, outlier, truth, centers, sd, rng):
    """Put outliers around clusters, at 5 to 7 of their standard deviations."""
    direction = rng.normal(size=rows.shape)
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    radius = sd[truth] * (rng.uniform(4, 6, len(rows)) + np.sqrt(rows.shape[1]) - 1)
    rows[outlier] = (centers[truth] + radius[:, None] * direction)[outlier]


def one_column(rows, outlier, truth, centers, sd, rng):
    """Move outliers by 6 to 10 standard deviations along one informative column."""
    column = rng.integers(rows.shape[1], size=len(rows))
    move = sd[truth] * rng.uniform(6, 10, len(rows)) * rng.choice([-1, 1], len(rows))
    for i in np.flatnonzero(outlier):
        rows[i, column[i]] += move[i]


def far_away(rows, outlier, truth, centers, sd, rng):
    """Put outliers up to 1,000 standard deviations away along all informative columns."""
    away = 10 ** rng.uniform(1.5, 3, size=(len(rows), 1)) * rng.choice([-1, 1], size=rows.shape)
    rows[outlier] += away[outlier]


def nothing(rows, outlier, truth, centers, sd, rng):
    """Leave the rows as they are."""


KINDS = {
    "none": nothing,
    "scattered": scattered,
    "around clusters": around,
    "in one column": one_column,
    "far away": far_away,
}


def wbms_score(X):
    """Return the outlier scores of WBMS with its defaults; rows marked as outliers come last."""
    model = WBMS().fit(X)
    return np.where(model.outliers_, 1.0, model.outlier_score_)


def lof_score(X):
    """Return the local outlier factor of z-scores."""
    return -LocalOutlierFactor().fit(z_scores(X)).negative_outlier_factor_


def forest_score(X):
    """Return the anomaly score of an isolation forest."""
    return -IsolationForest(random_state=0).fit(X).score_samples(X)


def glosh_score(X):
    """Return GLOSH of z-scores."""
    import hdbscan

    return np.nan_to_num(hdbscan.HDBSCAN().fit(z_scores(X)).outlier_scores_, nan=1.0)


def z_scores(X):
    """Return z-scores."""
    return (X - X.mean(axis=0)) / X.std(axis=0)


SCORES = {
    "WBMS": wbms_score,
    "LOF": lof_score,
    "IsolationForest": forest_score,
    "GLOSH": glosh_score,
}


if __name__ == "__main__":
    main()
