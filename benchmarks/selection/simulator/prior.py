"""The prior over data sets: how often each kind is drawn, its size, and its disturbances."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from benchmarks.selection.simulator import classes, disturbances, manifolds, nulls, shapes

STREAM = 2026  # so that nobody else's default_rng(seed) gives the same numbers
WIDE_SHARE = 0.12
NO_NOISE_COLUMNS = 0.45


@dataclass(frozen=True, eq=False)
class SimulatedSet:
    """A data set whose clusters are known.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        The data, without constant columns. The informative columns come first.
    truth : ndarray of shape (n,)
        The clusters, 0, 1, ...; all 0 in a set without clusters. Outliers have −1 and are not to
        be scored.
    kind : str
        A key of `KINDS`.
    detail : dict
        What was drawn: always "form", "wide" (whether p ≫ n), "done" (a list of disturbances),
        "informative", "noise_columns" (numbers of columns) and "noise" (their form, or "").
    """

    X: np.ndarray
    truth: np.ndarray
    kind: str
    detail: dict = field(default_factory=dict)

    @property
    def n_clusters(self):
        """Number of clusters, outliers apart; 1 in a set without clusters."""
        return len(np.unique(self.truth[self.truth >= 0]))


def draw(seed, kind=None):
    """Draw a data set with known truth.

    Parameters
    ----------
    seed : int
        A seed, at least 0. The same seed gives the same set with the same NumPy (on another kind of
        processor up to rounding errors).
    kind : str, optional
        A key of `KINDS`; by default one is drawn with `PROBABILITIES`. The kind that would be drawn
        gives the same set as None.

    Returns
    -------
    SimulatedSet

    Examples
    --------
    >>> from benchmarks.selection import simulator
    >>> drawn = simulator.draw(0, kind="manifold")
    >>> len(drawn.X) == len(drawn.truth)
    True
    """
    rng = np.random.default_rng((seed, STREAM))
    wide = rng.random() < WIDE_SHARE
    drawn = shapes.pick(rng, weights(wide))
    kind = drawn if kind is None else kind
    wide = bool(wide and KINDS[kind].weight_if_wide)
    size = draw_size(rng, wide)
    while True:
        X, truth, detail = KINDS[kind].draw(rng, *size)
        X, truth, done = disturbances.disturb(rng, X, truth)
        detail |= {"wide": wide, "done": done}
        found = shuffled(rng, SimulatedSet(X, truth, kind, detail))
        if found.X.shape[1] > 1 and (found.n_clusters > 1 or KINDS[kind].one_cluster):
            return found


def shuffled(rng, drawn):
    """Return the rows of a set in random order, without constant columns."""
    order = rng.permutation(len(drawn.X))
    varying = drawn.X.std(axis=0) > 1e-9
    informative = int(varying[: drawn.detail["informative"]].sum())
    counts = {"informative": informative, "noise_columns": int(varying.sum()) - informative}
    X, truth = drawn.X[order][:, varying], drawn.truth[order]
    return replace(drawn, X=X, truth=truth, detail=drawn.detail | counts)


def draw_size(rng, wide):
    """Return numbers of rows and columns: mostly 60–600 × 2–300, wide sets 40–150 × 150–800."""
    if wide:
        return int(rng.integers(40, 151)), int(shapes.loguniform(rng, 150, 800))
    many_rows = rng.random() < 0.18
    n = rng.integers(330, 601) if many_rows else shapes.loguniform(rng, 60, 330)
    columns = rng.choice(["few", "some", "many"], p=[0.38, 0.37, 0.25])
    low, high = {"few": (2, 6), "some": (6, 31), "many": (30, 301)}[columns]
    p = shapes.loguniform(rng, low, high) if columns == "many" else rng.integers(low, high)
    return int(n), int(p)


def informative_columns(rng, p):
    """Return how many of p columns, at least two, tell the clusters apart."""
    noise = 0 if rng.random() < NO_NOISE_COLUMNS else rng.uniform(0.1, 0.95)
    return max(2, round(p * (1 - noise)))


# ---------------------------------------------------------------------------------- kinds
# Each takes a generator and the numbers of rows and columns and returns X, truth and detail.


def mixture(rng, n, p):
    """Draw 2 to 30 clouds of several forms in up to 60 columns, and noise columns."""
    d = min(60, informative_columns(rng, p))
    k = shapes.cluster_count(rng, min(30, n // 9))
    return finished(rng, p, *shapes.mixture(rng, n, k, d))


def buried(rng, n, p):
    """Draw compact clusters in two to five columns, among 20 to 200 noise columns."""
    d, q = int(rng.integers(2, 6)), int(shapes.loguniform(rng, 20, 201))
    k = shapes.cluster_count(rng, min(15, n // 12))
    separation = shapes.loguniform(rng, 4, 12)
    X, truth, form = shapes.mixture(rng, n, k, d, separation, shapes.COMPACT)
    return finished(rng, d + q, X, truth, form)


def manifold(rng, n, p):
    """Draw moons, rings and the like in the plane; 30 % of the sets have noise columns."""
    form = shapes.pick(rng, dict.fromkeys(manifolds.MANIFOLDS, 1))
    X, truth = manifolds.draw_manifold(rng, int(rng.integers(150, 501)), form)
    p = p if rng.random() < 0.3 else X.shape[1]
    X = shapes.standardized(X) if rng.random() < 0.7 else X
    X, detail = disturbances.add_noise_columns(rng, X, p)
    return X, truth, detail | {"form": form}


def hierarchy(rng, n, p):
    """Draw clusters in groups, and noise columns."""
    d = min(20, informative_columns(rng, p))
    return finished(rng, p, *classes.hierarchy(rng, n, d))


def categorical(rng, n, p):
    """Draw 5 to 40 columns of a few levels, and noise columns."""
    d = min(max(5, informative_columns(rng, p)), 40)
    X, truth, form = classes.categorical(rng, n, d)
    X, detail = disturbances.add_noise_columns(rng, X, p)
    return X, truth, detail | {"form": form}


def genes(rng, n, p):
    """Draw at least 20 columns with factors, part of which a class shifts."""
    X, truth, form = classes.genes(rng, n, max(p, 20))
    X, detail = disturbances.add_noise_columns(rng, X, X.shape[1])
    return X, truth, detail | {"form": form}


def warped(rng, n, p):
    """Draw a mixture warped by a network, and noise columns."""
    d = max(3, informative_columns(rng, p))
    return finished(rng, p, *classes.warped(rng, n, d))


def rough(rng, n, p):
    """Draw classes of several close blobs in up to 25 columns, and noise columns."""
    d = min(25, informative_columns(rng, p))
    return finished(rng, p, *classes.rough(rng, n, d))


def null(rng, n, p):
    """Draw one cloud."""
    form = shapes.pick(rng, dict.fromkeys(nulls.NULLS, 1))
    X = nulls.NULLS[form](rng, n, p)
    return X, *one_cluster(X, form)


def curved_null(rng, n, p):
    """Draw one curved cloud; about half of the sets have no further columns."""
    form = shapes.pick(rng, dict.fromkeys(nulls.CURVES, 1))
    X = nulls.CURVES[form](rng, n, rng.uniform(0.1, 0.8))
    p = 2 if p < 100 and rng.random() < 0.5 else p
    X, place = nulls.embedded(rng, X, p)
    return X, *one_cluster(X, f"{form}, {place}")


def finished(rng, p, X, truth, form):
    """Rotate and scale the informative columns, and add noise columns to reach p."""
    X, detail = disturbances.add_noise_columns(rng, disturbances.blend(rng, X), p)
    return X, truth, detail | {"form": form}


def one_cluster(X, form):
    """Return truth and detail of a set without clusters."""
    columns = {"informative": 0, "noise_columns": X.shape[1], "noise": form}
    return np.zeros(len(X), dtype=int), columns | {"form": form}


class Kind(NamedTuple):
    """A function that draws sets, and how often it is taken, also among sets with p ≫ n."""

    draw: Callable
    weight: float
    weight_if_wide: float
    one_cluster: bool = False


KINDS = {  # a new kind needs its function and a line here; the weights need not add up to 1
    "mixture": Kind(mixture, 0.26, 0.15),
    "buried": Kind(buried, 0.08, 0.0),
    "manifold": Kind(manifold, 0.12, 0.0),
    "hierarchy": Kind(hierarchy, 0.07, 0.0),
    "categorical": Kind(categorical, 0.06, 0.0),
    "genes": Kind(genes, 0.06, 0.55),
    "warped": Kind(warped, 0.08, 0.06),
    "rough": Kind(rough, 0.07, 0.04),
    "null": Kind(null, 0.11, 0.15, one_cluster=True),
    "curved null": Kind(curved_null, 0.09, 0.05, one_cluster=True),
}


def weights(wide):
    """Return the weights of the kinds among sets of the usual size, or among wide ones."""
    return {name: kind.weight_if_wide if wide else kind.weight for name, kind in KINDS.items()}


def probabilities():
    """Return the probability of each kind, sets of either size taken together."""
    usual, wide = (
        {name: weight / sum(table.values()) for name, weight in table.items()}
        for table in (weights(False), weights(True))
    )
    return {name: (1 - WIDE_SHARE) * usual[name] + WIDE_SHARE * wide[name] for name in KINDS}


PROBABILITIES = probabilities()
