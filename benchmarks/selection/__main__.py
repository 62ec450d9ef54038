"""Evaluate the choice of h and lam without labels.

python -m benchmarks.selection answers     the choice itself, on the targets
python -m benchmarks.selection noise       how often data without clusters give one cluster
python -m benchmarks.selection corpus      the design corpus, and with noise columns added
python -m benchmarks.selection rivals      other methods on the same sets
python -m benchmarks.selection calibrate   the coefficients of the evidence, from simulated data
python -m benchmarks.selection fine        the best of a fine grid, on the real data and two moons
python -m benchmarks.selection cost        the time of a choice in single fits
"""

import argparse
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import HDBSCAN, MeanShift
from sklearn.metrics import adjusted_rand_score

from benchmarks.selection import calibrate, data
from benchmarks.selection.rivals import agreements
from pywbms import WBMS, datasets


def main():
    """Read the arguments and print one of the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selection")
    parser.add_argument("what", choices=sorted(TABLES))
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--data", default="../shared/data", help="folder of the real data")
    parser.add_argument("--jobs", type=int, default=1, help="data sets at a time")
    parser.add_argument("--only", default="", help="data sets whose name contains this")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    TABLES[args.what](args)


def answers(args):
    """Print the results of `WBMS()` on each data set."""
    row = "{:34} {:>5} {:>7} {:>8} {:>9} {:>8} {:>7}".format
    print(row("data", "seeds", "ARI", "ARI≥.99", "k correct", "k", "weight"), flush=True)
    for name, draw in chosen_sets(args, data.simulations() | data.blobs() | data.real(args.data)):
        seeds = 1 if fixed(name) else args.seeds
        found = Parallel(args.jobs)(delayed(answer)(*draw(seed)) for seed in range(seeds))
        ari, k, right, weight = zip(*found, strict=True)
        share = np.mean(np.array(ari) >= 0.99)
        cells = (
            f"{np.mean(ari):.3f}",
            f"{share:.0%}",
            f"{np.mean(right):.0%}",
            f"{np.median(k):g}",
        )
        print(row(name, seeds, *cells, f"{np.mean(weight):.3f}"), flush=True)


def answer(X, truth):
    """Return the agreement with the truth, k, if it is right, and the weight of two columns."""
    model = WBMS().fit(X)
    k = model.n_clusters_
    ari = adjusted_rand_score(truth, model.labels_)
    return ari, k, k == len(np.unique(truth)), model.feature_weights_[:2].sum()


def number_of_clusters(X):
    """Return the number of clusters that are found without being told anything."""
    return WBMS().fit(X).n_clusters_


def noise(args):
    """Print how often data without clusters give one cluster."""
    for kinds, sets in {"plain": data.noise(), "curved": data.curved_noise()}.items():
        total = right = 0
        for name, draw in chosen_sets(args, sets):
            drawn = (draw(seed)[0] for seed in range(args.seeds))
            found = Parallel(args.jobs)(delayed(number_of_clusters)(X) for X in drawn)
            wrong = [seed for seed, k in enumerate(found) if k > 1]
            total, right = total + args.seeds, right + args.seeds - len(wrong)
            print(f"{name:30} {args.seeds - len(wrong):4} of {args.seeds}", *wrong[:9], flush=True)
        share = right / max(total, 1)
        print(f"{kinds}: one cluster in {right} of {total} = {share:.1%}", flush=True)


def corpus(args):
    """Print the ARI of `WBMS()` on the design corpus, alone and with noise columns added."""
    for battery, sets in batteries(args).items():
        chosen = chosen_sets(args, sets)
        if not chosen:
            continue
        found = Parallel(args.jobs, return_as="generator")(
            delayed(corpus_answer)(*draw(0)) for _, draw in chosen
        )
        agreements = []
        for (name, _), (k, ari, told) in zip(chosen, found, strict=True):
            agreements.append(ari)
            print(f"  {name:24} k = {k:3}  ARI {ari:.3f}  {told}", flush=True)
        mean = np.mean(agreements)
        print(f"{battery}: mean ARI {mean:.3f} of {len(agreements)} sets", flush=True)


def batteries(args):
    """Return the design corpus, and its compact sets with noise columns, by name."""
    compact = data.compact(args.data)
    noisy = {
        f"compact + {q} noise columns": {
            f"{name} + {q}": data.with_noise_columns(draw, q) for name, draw in compact.items()
        }
        for q in (20, 50, 200, 1000)
    }
    return {"corpus": data.corpus(args.data), **noisy}


def corpus_answer(X, labelings):
    """Return k, the agreement with the best labeling, and the confidence in words."""
    model = WBMS().fit(X)
    told = str(model.choice_.confidence)
    return model.n_clusters_, data.best_agreement(labelings, model.labels_), told


def rivals(args):
    """Print the mean agreement of other methods on the sets of `corpus`."""
    for battery, sets in batteries(args).items():
        chosen = chosen_sets(args, sets)
        if not chosen:
            continue
        found = Parallel(args.jobs)(delayed(agreements)(*draw(0)) for _, draw in chosen)
        means = {name: np.mean([one[name] for one in found]) for name in found[0]}
        told = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
        print(f"{battery}, {len(found)} sets: {told}", flush=True)


def calibrated(args):
    """Print the coefficients of the evidence for clusters and of the expected agreement."""
    calibrate.report(args.seeds)


def fine(args):
    """Print the best ARI on a fine grid, and that of peers at their defaults."""
    hs, lams = np.geomspace(0.01, 0.8, 16), np.geomspace(0.01, 10, 12)
    sets = data.real(args.data) | {
        f"two moons, noise {s:g}": lambda seed, s=s: datasets.two_moons(random_state=seed, noise=s)
        for s in (0.02, 0.05, 0.1)
    }
    for name, draw in chosen_sets(args, sets):
        for seed in range(1 if fixed(name) else args.seeds):
            X, truth = draw(seed)
            X = np.asarray(X, dtype=float)
            Z = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
            best = max(
                (adjusted_rand_score(truth, WBMS(h, lam).fit_predict(X)), h, lam)
                for h in hs
                for lam in lams
            )
            own = adjusted_rand_score(truth, WBMS().fit_predict(X))
            peers = {
                "HDBSCAN": HDBSCAN(copy=True).fit_predict(Z),
                "MeanShift": MeanShift().fit_predict(Z),
            }
            print(
                f"{name:22} seed {seed}: chosen {own:.3f}, best {best[0]:.3f} "
                f"at h = {best[1]:.3g}, lam = {best[2]:.3g};",
                *(
                    f"{peer} {adjusted_rand_score(truth, found):.3f}"
                    for peer, found in peers.items()
                ),
                flush=True,
            )


def cost(args):
    """Print the time of a choice, the fit included, in units of one fit at the chosen pair."""
    for name, draw in chosen_sets(args, data.large() | data.simulations() | data.noise()):
        ratios, fits = [], []
        for seed in range(args.seeds):
            X, _ = draw(seed)
            begin = time.process_time()
            model = WBMS().fit(X)
            whole = time.process_time() - begin
            begin = time.process_time()
            for _ in range(5):
                WBMS(model.h_, model.lam_, init=model.init_).fit(X)
            ratios.append(whole / (time.process_time() - begin) * 5)
            fits.append(model.choice_.n_fits)
        print(
            f"{name:30} {np.mean(ratios):5.0f} single fits ({np.mean(fits):.0f} fits)", flush=True
        )


def chosen_sets(args, sets):
    """Return the selected data sets."""
    return [(name, draw) for name, draw in sets.items() if args.only in name]


def fixed(name):
    """Return whether a data set is independent of the seed."""
    return name in data.REAL or name in data.BUNDLED


TABLES = {
    "answers": answers,
    "noise": noise,
    "corpus": corpus,
    "rivals": rivals,
    "calibrate": calibrated,
    "fine": fine,
    "cost": cost,
}

if __name__ == "__main__":
    main()
