"""Few rows with many features: ways to take a step, and what float32 would bring.

``python -m benchmarks.wide [--data FOLDER]``; the folder holds labelled data sets as npz files.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.linalg.blas import dsyrk, dtrmm, ssyrk, strmm
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from benchmarks.cases import clusters, dense
from benchmarks.clock import interleave, seconds_of
from benchmarks.contenders import tuned_numpy, wbms
from pywbms._core import mixtures, wide
from pywbms._engine.settings import Settings

SHAPES = ((1000, 5000), (200, 16000), (60, 10000))
WARMUP, MAIN = 20, 30
FEATURES_OF_A_BLOCK = 512


def main(argv=None):
    """Print both tables; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wide", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with npz files (X, y)")
    parser.add_argument("--seconds", type=float, default=3.0, help="per contender (default 3)")
    args = parser.parse_args(sys.argv[1:] if argv is None else argv)
    with threadpool_limits(1, user_api="blas"):
        print("CPU ms of one step on one thread; of one pass over the rows in between")
        print("n x p: step, points moved, tuned NumPy; pass, by BLAS, by BLAS in float32")
        for n, p in SHAPES:
            best = interleave(contenders(dense(n, p)), args.seconds, 3, 30)
            print(f"{n} x {p}:", ", ".join(f"{1000 * t.cpu:.2f}" for t in best.values()))
        print(
            "\nThe same NumPy code in float64 and in float32: labels that differ at 100 eps, at eps"
        )
        for name, X in data_sets(args.data):
            print(f"{name}:", *(in_words(X, h) for h in (0.05, 0.2, 0.5)), flush=True)
    return 0


def contenders(case):
    """Return functions that time ways to take a step, and the pass over the rows in it."""
    rows = wbms.working_rows(case.draw()[0])
    n, p = rows.shape
    columns = mixtures.transposed(rows)
    away = np.eye(n) - np.random.default_rng(0).dirichlet(np.ones(n), size=n)
    form, lam = away.T @ away, case.lam * n
    triangle, work, D, gram = (
        mixtures.triangle(form), mixtures.workspace(n), np.empty(p), wide.square(n),
    )  # fmt: skip
    nothing = np.zeros(p)

    def step_of(contender, **how):
        step = contender.start(case, rows, **how)
        step(), step()  # the first one makes the first Gram matrix
        return lambda: seconds_of(step)

    def ours():
        mixtures.summarize(columns, triangle, nothing, nothing, lam, 1, work, D, gram)

    doubles, singles = columns[:, :n], columns[:, :n].astype(np.float32)
    return {
        "step": step_of(wbms),
        "points": step_of(wbms, mixtures=False),
        "tuned": step_of(tuned_numpy),
        "pass": lambda: seconds_of(ours),
        "blas": lambda: seconds_of(lambda: by_blas(doubles, triangle[:n, :n], lam, dtrmm, dsyrk)),
        "single": lambda: seconds_of(
            lambda: by_blas(singles, triangle[:n, :n].astype(np.float32), lam, strmm, ssyrk)
        ),
    }


def by_blas(columns, triangle, lam, trmm, syrk):
    """Do the pass of `mixtures.summarize` with BLAS, by blocks of features that stay in cache."""
    n = columns.shape[1]
    gram = np.zeros((n, n), dtype=columns.dtype, order="F")
    lower = np.asfortranarray(triangle.T)
    least = np.inf
    for start in range(0, len(columns), FEATURES_OF_A_BLOCK):
        some = np.ascontiguousarray(columns[start : start + FEATURES_OF_A_BLOCK])
        D = np.einsum("li,li->l", trmm(1, lower, some.T, lower=1).T, some) / lam
        smallest = min(least, float(D.min()))
        scale = np.exp(smallest - least) if np.isfinite(least) else 1.0
        some *= np.exp((smallest - D) / 2)[:, None]
        gram = syrk(1, some.T, beta=scale, c=gram, overwrite_c=1)
        least = smallest
    return gram


def data_sets(folder):
    """Yield names and data: those of a folder, or drawn ones."""
    if folder is None:
        for n, p, sd in ((60, 2000, 0.5), (60, 2000, 2.0), (150, 3000, 1.0)):
            yield f"{n} x {p}, sd {sd}", clusters(n, p, 5, sd)[0]
        return
    for path in sorted(folder.glob("*.npz")):
        with np.load(path, allow_pickle=False) as file:
            X = np.asarray(file["X"], dtype=float)
        if len(X) <= 700:
            yield f"{path.stem} {X.shape[0]} x {X.shape[1]}", X[:, X.std(axis=0) > 0]


def in_words(X, h):
    """Return how many labels of a fit differ in float32, and how much faster it is."""
    rows = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    found, seconds = {}, {}
    for kind in (np.float64, np.float32):

        def run(kind=kind):
            found[kind] = labels_of(rows.astype(kind), h)

        seconds[kind] = interleave({"": lambda run=run: seconds_of(run)}, 0.2, 1, 3)[""].cpu
    differ = [
        len(rows) - min(shared(*pair), shared(*pair[::-1]))
        for pair in zip(found[np.float64], found[np.float32], strict=True)
    ]
    ratio = seconds[np.float64] / seconds[np.float32]
    groups = found[np.float64][0].max() + 1
    return f"h = {h}: {groups} groups, {differ[0]} and {differ[1]} labels, x {ratio:.1f};"


def shared(one, other):
    """Return how many rows are in the largest part of their group that another partition keeps."""
    return sum(np.bincount(other[one == k]).max() for k in range(one.max() + 1))


def labels_of(X, h, lam=0.1):
    """Run WBMS, one row left out of its own mean; return the groups at 100 eps and at eps."""
    w = np.full(X.shape[1], 1 / X.shape[1], dtype=X.dtype)
    for steps in (WARMUP, MAIN):
        Y = X
        for _ in range(steps):
            scaled = Y * np.sqrt(w * X.dtype.type(2 / h))
            K = scaled @ scaled.T
            K -= K.diagonal() / 2
            np.fill_diagonal(K, -np.inf)
            K = np.exp(K - K.max(axis=1, keepdims=True))
            Y = K @ Y / K.sum(axis=1, keepdims=True)
            D = ((X - Y) ** 2).mean(axis=0)
            w = np.exp((D.min() - D) / X.dtype.type(lam))
            w /= w.sum()
    apart = cdist(Y.astype(float), Y.astype(float))
    radii = 100 * Settings.eps, Settings.eps
    return [connected_components(csr_array(apart < radius))[1] for radius in radii]


if __name__ == "__main__":
    sys.exit(main())
