"""Whether memberships mean what they say: a reliability table on overlapping Gaussian clusters.

python -m benchmarks.membership                  60 mixtures, clustered by WBMS()
python -m benchmarks.membership --seeds 10 --factors 0.25 1 4    memberships at other bandwidths
"""

import argparse
import warnings

import numpy as np

from pywbms import WBMS
from pywbms._engine.cluster_density import ClusterDensity

EDGES = (0.6, 0.7, 0.8, 0.9, 0.95, 0.99)


def main():
    """Read the arguments and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.membership")
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument(
        "--factors", type=float, nargs="+", default=[0.25, 0.5, 1, 2, 4],
        help="bandwidths of the memberships, in units of the h of the fit (default 0.25 … 4)",
    )  # fmt: skip
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    fits = [fitted(seed) for seed in range(args.seeds)]
    fits = [(model, truth) for model, truth in fits if model.n_clusters_ > 1]
    print(f"{len(fits)} of {args.seeds} mixtures have more than one cluster")
    row = "{:>9} {:>9} {:>10} {:>6} {:>9}".format
    print(row("bandwidth", "agreement", "membership", "ECE", "log loss"))
    for factor in args.factors:
        largest, right, of_truth = judged(fits, factor)
        loss = -np.log(np.maximum(of_truth, 1e-6)).mean()
        numbers = (right.mean(), largest.mean(), calibration_error(largest, right), loss)
        print(row(f"{factor:g} h", *(f"{x:.3f}" for x in numbers)))
    print("\n" + "{:>14} {:>6} {:>10} {:>9}".format("membership", "rows", "mean", "agreement"))
    for line in reliability(*judged(fits, 1.0)[:2]):
        print("{:>14} {:>6.1%} {:>10.3f} {:>9.3f}".format(*line))


def fitted(seed):
    """Return a clustering of a simulated mixture, and the component of each row."""
    X, truth = mixture(np.random.default_rng(seed))
    return WBMS().fit(X), truth


def mixture(rng):
    """Return rows of 2 to 5 Gaussian components, the nearest 2.5 to 5 standard deviations apart."""
    k, informative = rng.integers(2, 6, size=2)
    noise, n = rng.choice([0, 5, 20]), rng.choice([200, 400, 800])
    apart = rng.uniform(2.5, 5)
    while True:
        centers = rng.normal(size=(k, informative))
        distances = np.linalg.norm(centers[:, None] - centers, axis=2)[np.triu_indices(k, 1)]
        if distances.min() > 0.35 * distances.max():
            break
    centers *= apart / distances.min()
    truth = rng.choice(k, n, p=rng.dirichlet(np.full(k, 5.0)))
    sd = rng.uniform(0.7, 1.3, k)
    X = centers[truth] + sd[truth, None] * rng.normal(size=(n, informative))
    return np.hstack([X, 3 * rng.normal(size=(n, noise))]), truth


def judged(fits, factor):
    """Return the largest membership of each row, whether it is right, and that of the truth.

    The true cluster of a row is the one that holds most rows of its component.
    """
    largest, right, of_truth = [], [], []
    for model, truth in fits:
        density = ClusterDensity(
            model._X, model.labels_, model.feature_weights_, model._standardizer,
            factor * model.h_,
        )  # fmt: skip
        membership = density.membership()
        count = np.zeros((truth.max() + 1, model.n_clusters_))
        np.add.at(count, (truth, model.labels_), 1)
        cluster = count.argmax(axis=1)[truth]
        largest.append(membership.max(axis=1))
        right.append(membership.argmax(axis=1) == cluster)
        of_truth.append(membership[np.arange(len(truth)), cluster])
    return tuple(map(np.concatenate, (largest, right, of_truth)))


def reliability(largest, right):
    """Yield range, share of rows, mean membership and agreement of each bin."""
    place = np.digitize(largest, EDGES)
    names = ["below 0.6", *(f"{a:g} to {b:g}" for a, b in zip(EDGES, (*EDGES[1:], 1), strict=True))]
    for i, name in enumerate(names):
        inside = place == i
        if inside.any():
            yield name, inside.mean(), largest[inside].mean(), right[inside].mean()


def calibration_error(largest, right):
    """Return the mean difference between membership and agreement over the bins."""
    return sum(share * abs(mean - agree) for _, share, mean, agree in reliability(largest, right))


if __name__ == "__main__":
    main()
