"""How one bad cell, bad rows and repeated columns change the clusters.

python -m benchmarks.robustness                  the motivating example, 20 seeds
python -m benchmarks.robustness --data all       six other data sets, too
python -m benchmarks.robustness --plain          plain z-scores, as in the paper
"""

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.metrics import adjusted_rand_score

from pywbms import datasets, wbms

BAD = -1  # the truth of rows that belong to no cluster


def main():
    """Read the arguments and print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.robustness")
    parser.add_argument("--data", choices=["motivating", "all"], default="motivating")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--plain", action="store_true", help="plain z-scores (standardize=True)")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    standardize = True if args.plain else "robust"
    row = "{:12} {:22} {:>6} {:>6} {:>6}".format
    print(row("data", "contamination", "ARI", "lowest", "same k"), flush=True)
    for name, draw in DATA.items() if args.data == "all" else [("motivating", DATA["motivating"])]:
        clean = None
        for kind, contaminate in CONTAMINATIONS.items():
            ari, k = np.array(list(scores(draw, contaminate, args.seeds, standardize))).T
            clean = k if clean is None else clean
            cells = (f"{ari.mean():.3f}", f"{ari.min():.2f}", f"{(k == clean).mean():.0%}")
            print(row(name, kind, *cells), flush=True)


def scores(draw, contaminate, seeds, standardize):
    """Yield the adjusted Rand index and the number of clusters of each seed.

    The index is that of the rows that belong to a cluster.
    """
    for seed in range(seeds):
        X, truth, columns = draw(seed)
        X, truth = contaminate(X, truth, columns, np.random.default_rng(7 * seed + 1))
        result = wbms(X, standardize=standardize)
        good = truth != BAD
        yield adjusted_rand_score(truth[good], result.labels[good]), result.n_clusters


# Contaminations: up to 1,000 standard deviations away


def nothing(X, truth, columns, rng):
    """Leave the data as they are."""
    return X, truth


def bad_cell(which):
    """Return a contamination of one cell, in the first or second of two given columns."""

    def contaminate(X, truth, columns, rng):
        X, column = X.copy(), columns[which]
        row = rng.integers(len(X))
        X[row, column] += 10 ** rng.uniform(1, 3) * X[:, column].std() * rng.choice([-1, 1])
        return X, truth

    return contaminate


def bad_row(X, truth, columns, rng):
    """Add a row that is far away along all columns."""
    row = X.mean(axis=0) + 10 ** rng.uniform(1, 3) * X.std(axis=0)
    return np.vstack([X, row]), np.append(truth, BAD)


def bad_rows(X, truth, columns, rng):
    """Replace 1 % of the rows by noise with 300 standard deviations."""
    X, truth = X.copy(), truth.copy()
    some = rng.choice(len(X), max(1, round(len(X) / 100)), replace=False)
    noise = rng.normal(size=(len(some), X.shape[1]))
    X[some] = X.mean(axis=0) + 300 * X.std(axis=0) * noise
    truth[some] = BAD
    return X, truth


def repeated_column(which):
    """Return a contamination that repeats the first or second of two given columns."""
    return lambda X, truth, columns, rng: (np.column_stack([X, X[:, columns[which]]]), truth)


CONTAMINATIONS = {
    "none": nothing,
    "cell, informative": bad_cell(0),
    "cell, noise": bad_cell(1),
    "row": bad_row,
    "1 % of rows": bad_rows,
    "repeated informative": repeated_column(0),
    "repeated noise": repeated_column(1),
}


# Data: rows, truth, and two columns to spoil, an informative one and a noise column (or the last)


def motivating(seed):
    """Return the paper's motivating example, cut to eight columns."""
    X, truth = datasets.data1(random_state=seed)
    return X.iloc[:, :8].to_numpy(), np.asarray(truth), (0, 2)


def simulation2(seed):
    """Return the paper's Simulation 2."""
    X, truth = datasets.simulation2(p=20, random_state=seed)
    return X.to_numpy(), np.asarray(truth), (0, 19)


def small_cluster(seed):
    """Return two clusters and five rows far from both."""
    rng = np.random.default_rng(1000 + seed)
    away = rng.uniform(8, 15)
    return blobs([[0, 0, 0, 0], [6, 0, 0, 0], [0, away, away, 0]], [100, 95, 5], rng.normal, rng)


def far_clusters(seed):
    """Return three clusters and three small ones, far away along the same columns."""
    rng = np.random.default_rng(1000 + seed)
    centers = [[0, 0, 0], [6, 0, 3], [0, 6, -3], [25, 0, 0], [40, 0, 0], [60, 30, 0]]
    return blobs(centers, [60, 60, 40, 6, 6, 6], rng.normal, rng)


def heavy_tails(seed):
    """Return three clusters with t-distributed rows, three degrees of freedom."""
    rng = np.random.default_rng(1000 + seed)
    centers = [[0, 0, 0, 0], [12, 0, 12, 0], [0, 12, 12, 0]]
    return blobs(centers, [70, 70, 70], lambda size: rng.standard_t(3, size=size), rng)


def blobs(centers, sizes, draw, rng):
    """Return clusters with given centres and sizes."""
    truth = np.repeat(np.arange(len(sizes)), sizes)
    X = np.array(centers, dtype=float)[truth]
    return X + draw(size=X.shape), truth, (0, X.shape[1] - 1)


def bunch(load):
    """Return a function that gives one of scikit-learn's data sets for any seed."""

    def draw(seed):
        data = load()
        return data.data, data.target, (0, data.data.shape[1] - 1)

    return draw


DATA = {
    "motivating": motivating,
    "simulation2": simulation2,
    "small far": small_cluster,
    "several far": far_clusters,
    "heavy tails": heavy_tails,
    "iris": bunch(load_iris),
    "wine": bunch(load_wine),
}


if __name__ == "__main__":
    main()
