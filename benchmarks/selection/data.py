"""The data sets of the study: name → function of the seed that returns X and the true labels.

Sets of the corpus may have several true labelings: `corpus` and `compact` return X and an array of
shape (labelings, n), and `best_agreement` scores a clustering by the best of them.
"""

from functools import partial
from pathlib import Path

import numpy as np
from sklearn import datasets as bundled
from sklearn.metrics import adjusted_rand_score

from benchmarks.selection.simulator.nulls import CURVES
from pywbms import datasets

REAL = ("zoo", "appendicitis", "mammographic", "movement_libras", "nci9")
BUNDLED = {
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast cancer": bundled.load_breast_cancer,
    "digits": bundled.load_digits,
}
# number of clusters, rows, informative columns, N(0, 1) columns, and special features
BLOBS = (
    (3, 150, 2, 0, ""), (3, 150, 2, 0, "unequal"), (5, 250, 2, 0, "spreads"),
    (2, 100, 4, 0, ""), (4, 200, 4, 16, ""), (6, 300, 3, 0, "unequal"),
    (3, 90, 10, 40, ""), (4, 200, 5, 0, "long"), (5, 300, 10, 0, "spreads tails"),
    (10, 300, 6, 0, ""), (12, 360, 4, 0, "unequal"), (2, 300, 2, 2, "tails"),
    (2, 80, 10, 10, ""), (15, 450, 6, 0, "unequal"), (3, 300, 2, 2, "long"),
)  # fmt: skip
NOISE = (
    "normal", "correlated", "factors", "uniform", "t3", "multivariate t3", "lognormal",
    "exponential", "correlated lognormal", "binary", "counts",
)  # fmt: skip
NOISE_SHAPES = ((100, 5), (200, 20), (150, 2), (60, 60), (300, 1))
CURVED = ("parabola of normal", "parabola of uniform", "ring", "banana", "S-curve", "arc")
FURTHER_COLUMNS = (0, 3, 10)
IMPURE = ("discretised", "contaminated")
IMPURE_SHAPES = ((150, 2), (100, 5), (200, 20))
MOST_ROWS = 600  # of a set of the corpus
COMPACT = (  # sets of the corpus in two or three columns whose clusters are blobs
    "fcps_engytime", "fcps_hepta", "fcps_lsun", "fcps_twodiamonds", "graves_dense", "sipu_a1",
    "sipu_r15", "sipu_s1", "wut_x2", "wut_z3",
)  # fmt: skip


def simulations():
    """Return the paper's data: a dict from a name to a function of the seed."""
    sets = {
        f"Simulation 1, k = {k}": partial(datasets.simulation1, k) for k in (2, 5, 10, 20, 35, 50)
    }
    sets |= {f"Simulation 2, p = {p}": partial(datasets.simulation2, p) for p in range(20, 201, 20)}
    sets["Simulation 3"] = datasets.simulation3
    sets["motivating example"] = datasets.data1
    sets["varied densities"] = lambda seed: datasets.varied_densities(random_state=seed)
    sets["two moons"] = lambda seed: datasets.two_moons(random_state=seed)
    return sets


def real(folder):
    """Return the paper's real data from a folder, and scikit-learn's bundled data."""
    sets = {name: lambda seed, name=name: datasets.load(name, folder) for name in REAL}
    for name, load in BUNDLED.items():
        sets[name] = lambda seed, load=load: load(return_X_y=True)
    return sets


def large():
    """Return clusters in many rows, and in many columns."""
    return {
        "5 blobs, 2,000 × 5 + 45": partial(draw_blobs, 5, 2000, 5, 45, ""),
        "3 blobs, 60 × 30 + 8,970": partial(draw_blobs, 3, 60, 30, 8970, ""),
    }


def blobs():
    """Return clusters of several kinds."""
    return {
        f"{k} blobs, {n} × {p}" + f" + {noise}" * bool(noise) + f" ({kind})" * bool(kind): partial(
            draw_blobs, k, n, p, noise, kind
        )
        for k, n, p, noise, kind in BLOBS
    }


def noise():
    """Return data without clusters."""
    return {
        f"{kind} {n} × {p}": partial(draw_noise, kind, n, p)
        for kind in NOISE
        for n, p in NOISE_SHAPES
        if p > 1 or kind in ("normal", "uniform", "t3", "lognormal", "exponential")
    }


def curved_noise():
    """Return further data without clusters: bent clouds, rounded ones, and ones with outliers."""
    sets = {
        f"{kind} 200 × 2" + f" + {q}" * bool(q): partial(draw_curve, kind, 200, q)
        for kind in CURVED
        for q in FURTHER_COLUMNS
    }
    return sets | {
        f"{kind} {n} × {p}": partial(draw_impure, kind, n, p)
        for kind in IMPURE
        for n, p in IMPURE_SHAPES
    }


def corpus(folder):
    """Return the sets of a folder's corpus, with all their labelings; 0 marks noise points."""
    files = sorted(Path(folder, "corpus").glob("*.npz"))
    if not files:
        raise FileNotFoundError(f"no .npz files in {Path(folder, 'corpus')}")
    return {path.stem: partial(load_corpus, path) for path in files}


def compact(folder):
    """Return the sets of the corpus with few columns and compact clusters, and iris and wine."""
    sets = corpus(folder)
    sets = {name: sets[name] for name in COMPACT}
    return sets | {name: partial(load_bundled, name) for name in ("iris", "wine")}


def with_noise_columns(draw, q):
    """Return a function like `draw` that adds q columns of N(0, 1) noise."""

    def draw_with_noise(seed):
        X, truth = draw(seed)
        return np.hstack([X, np.random.default_rng((seed, q)).normal(size=(len(X), q))]), truth

    return draw_with_noise


def best_agreement(labelings, labels):
    """Return the highest adjusted Rand index with any labeling, over its rows other than noise."""
    labels = np.asarray(labels)
    return max(
        adjusted_rand_score(truth[truth != 0], labels[truth != 0])
        for truth in np.atleast_2d(labelings)
    )


def load_corpus(path, seed):
    """Read a set of the corpus, at most 600 rows of it; the seed makes no difference."""
    with np.load(path) as file:
        X, labelings = file["X"].astype(float), file["labels"]
    rows = np.sort(np.random.default_rng(0).permutation(len(X))[:MOST_ROWS])
    return X[rows], labelings[:, rows]


def load_bundled(name, seed):
    """Read a set of scikit-learn in the form of the corpus, where labels begin with 1."""
    X, truth = BUNDLED[name](return_X_y=True)
    return X, truth[None] + 1


def draw_blobs(k, n, p, n_noise, kind, seed):
    """Draw clusters whose centres are at least five of their standard deviations apart."""
    rng = np.random.default_rng((seed, k, n, p))
    share = rng.dirichlet(np.full(k, 3.0)) if "unequal" in kind else np.full(k, 1 / k)
    share = np.maximum(share, 10 / n)
    truth = rng.choice(k, n, p=share / share.sum())
    box = 4.0 * max(1.0, k ** (1 / p))
    while True:
        centres = rng.uniform(0, box, (k, p))
        apart = np.linalg.norm(centres[:, None] - centres[None], axis=2) + np.eye(k) * 99
        if apart.min() >= 4:
            break
        box *= 1.001
    spread = rng.uniform(0.4, 1.2, k) if "spreads" in kind else np.full(k, 0.8)
    rows = rng.standard_t(4, (n, p)) / np.sqrt(2) if "tails" in kind else rng.normal(size=(n, p))
    if "long" in kind:
        for cluster in range(k):
            turn = np.linalg.qr(rng.normal(size=(p, p)))[0] * rng.uniform(0.3, 1.4, p)
            rows[truth == cluster] = rows[truth == cluster] @ turn.T
    X = np.hstack([centres[truth] + rows * spread[truth][:, None], rng.normal(size=(n, n_noise))])
    return X, truth


def draw_noise(kind, n, p, seed):
    """Draw a cloud without clusters."""
    rng = np.random.default_rng((seed, n, p))
    normal = rng.normal(size=(n, p))
    mixed = normal @ rng.normal(size=(p, p))
    X = {
        "normal": lambda: normal,
        "correlated": lambda: mixed,
        "factors": lambda: normal + 1.5 * rng.normal(size=(n, 2)) @ rng.normal(size=(2, p)),
        "uniform": lambda: rng.uniform(size=(n, p)),
        "t3": lambda: rng.standard_t(3, (n, p)),
        "multivariate t3": lambda: normal / np.sqrt(rng.chisquare(3, (n, 1)) / 3),
        "lognormal": lambda: np.exp(normal),
        "exponential": lambda: rng.exponential(size=(n, p)),
        "correlated lognormal": lambda: np.exp(0.8 * mixed / mixed.std(axis=0)),
        "binary": lambda: (rng.uniform(size=(n, p)) < 0.4) * 1.0,
        "counts": lambda: rng.poisson(3, (n, p)) * 1.0,
    }[kind]()
    return X, np.zeros(n, dtype=int)


def draw_curve(kind, n, q, seed):
    """Draw a bent cloud of random width, and q normal columns."""
    rng = np.random.default_rng((seed, n, q))
    X = CURVES[kind](rng, n, rng.uniform(0.1, 0.8))
    return np.hstack([X, rng.normal(size=(n, q))]), np.zeros(n, dtype=int)


def draw_impure(kind, n, p, seed):
    """Draw normal columns: rounded to halves, or with 3 % of the rows ten times as far out."""
    rng = np.random.default_rng((seed, n, p))
    X = rng.normal(size=(n, p))
    if kind == "discretised":
        X = np.round(2 * X) / 2
    else:
        X[: round(0.03 * n)] *= 10
    return X, np.zeros(n, dtype=int)
