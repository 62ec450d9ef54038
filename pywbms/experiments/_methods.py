"""Every method of the experiments, told what to do in one way: data in, partitions out."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pywbms.estimator import WBMS


@dataclass(frozen=True)
class Found:
    """A partition, and how it came about.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Negative for rows that a method calls noise.
    weights : ndarray of shape (p,) or None
    settings : dict
        The parameters of this partition, those a method chose by itself among them.
    """

    labels: np.ndarray
    weights: np.ndarray | None = None
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """A way to cluster.

    Attributes
    ----------
    title : str
        As the tables write it.
    told : str
        What the method is told beyond the data.
    run : callable
        Takes the data, the true number of clusters, a seed and options; yields a `Found` for
        each setting that is tried.
    effort : float
        Seconds a setting takes on 100 rows of 20 features, roughly: only the time left is guessed
        from it.
    random : bool
        Whether the answer depends on the seed.
    """

    title: str
    told: str
    run: Callable
    effort: float
    random: bool = False


NOTHING = "nothing"
TRUE_K = "the true k"
BEST_OF_GRID = "the labels: best h of a grid"


def wbms(X, k, seed, h="auto", lam="auto"):
    """Choose h and lam, or the one that is not given, without labels."""
    model = WBMS(h, lam).fit(X)
    yield found(model)


def wbms_grid(X, k, seed, h, lam):
    """Fit the default form at every pair of a grid."""
    yield from (found(WBMS(a, b).fit(X)) for a in h for b in lam)


def wbms_released(X, k, seed, h, lam):
    """Fit what the authors' code does: kernel exp(−d²/h), lam on the sum scale."""
    yield from (found(WBMS.released(a, b).fit(X)) for a in h for b in lam)


def wbms_printed(X, k, seed, h, lam):
    """Fit Algorithm 1 as printed: kernel exp(−d²/h²) as in equation (4), lam on the mean scale."""
    for a in h:
        for b in lam:
            model = WBMS.paper(a**2, b).fit(X)
            yield Found(model.labels_, model.feature_weights_, {"h": a, "lam": b})


def found(model):
    """Return what a fitted model found."""
    settings = {"h": float(model.h_), "lam": float(model.lam_)}
    return Found(model.labels_, model.feature_weights_, settings)


def peer(name, **told):
    """Return the `run` of one of the methods the paper compares with.

    Parameters
    ----------
    name : str
        Its name in `pywbms.peers`.
    **told : str
        Parameters to hand over: "k", "seed", or a value.
    """

    def run(X, k, seed):
        from pywbms import peers  # loads much of scikit-learn: not for `pywbms --help`

        known = {"k": k, "seed": seed}
        cluster = {**peers.PEERS, **peers.ADAPTERS}[name]
        result = cluster(X, **{key: known.get(value, value) for key, value in told.items()})
        weights = None if result.weights is None else result.weights.to_numpy()
        settings = {key: value for key, value in result.params.items() if is_plain(value)}
        yield Found(result.labels.to_numpy(), weights, settings)

    return run


def each_bandwidth(name):
    """Return the `run` of a method that takes h, over a grid of it."""

    def run(X, k, seed, h):
        for value in h:
            yield from peer(name, h=value)(X, k, seed)

    return run


def one_cluster(X, k, seed):
    """Put all rows into one cluster."""
    yield Found(np.zeros(len(X), dtype=int))


def all_alone(X, k, seed):
    """Put every row into a cluster of its own."""
    yield Found(np.arange(len(X)))


def is_plain(value):
    """Tell whether a value can be written into a table."""
    return value is None or isinstance(value, bool | int | float | str | np.number)


METHODS = {
    "kmeans_gap": Method(
        "k-means + Gap", NOTHING, peer("kmeans_gap", random_state="seed"), 0.2, random=True
    ),
    "gmeans": Method("G-means", NOTHING, peer("gmeans"), 0.02),
    "wgmeans": Method("WG-means", NOTHING, peer("wgmeans"), 0.02),
    "dpmeans": Method("DP-means", TRUE_K, peer("dpmeans", k="k"), 0.01),
    "ewdp": Method("EWDP", TRUE_K, peer("ewdp", k="k"), 0.01),
    "rcc": Method("RCC", NOTHING, peer("rcc", metric="cosine"), 0.1),
    "mean_shift": Method("MS", BEST_OF_GRID, each_bandwidth("mean_shift"), 0.01),
    "bms": Method("BMS", BEST_OF_GRID, each_bandwidth("bms"), 0.02),
    "wbms": Method("WBMS, h and lam chosen without labels", NOTHING, wbms, 1),
    "wbms_grid": Method(
        "WBMS, best h and lam on a grid", "the labels: best pair of a grid", wbms_grid, 0.016
    ),
    "wbms_released": Method(
        "WBMS, released form", "h and lam of the paper", wbms_released, 0.02
    ),
    "wbms_released_grid": Method(
        "WBMS, released form, best on a grid", "the labels: best pair of a grid",
        wbms_released, 0.02,
    ),
    "wbms_printed": Method(
        "WBMS, Algorithm 1 as printed", "h and lam of the paper", wbms_printed, 0.05
    ),
    "hdbscan": Method("HDBSCAN (not in the paper)", NOTHING, peer("hdbscan"), 0.02),
    "kmeans": Method(
        "k-means (not in the paper)", TRUE_K, peer("kmeans", k="k", random_state="seed"), 0.03,
        random=True,
    ),
    "ward": Method("Ward (not in the paper)", TRUE_K, peer("ward", k="k"), 0.02),
    "one_cluster": Method("one cluster (trivial)", NOTHING, one_cluster, 0.01),
    "all_alone": Method("every row its own cluster (trivial)", NOTHING, all_alone, 0.01),
}  # fmt: skip

#: The methods the paper compares WBMS with.
PEERS = ("kmeans_gap", "gmeans", "wgmeans", "dpmeans", "ewdp", "rcc", "mean_shift", "bms")
EXTRAS = ("hdbscan", "kmeans", "ward", "one_cluster", "all_alone")
