"""All methods of the experiments with a common interface: data in, partitions out."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pywbms.estimator import WBMS


@dataclass(frozen=True)
class Partition:
    """A partition and its parameters.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Negative for noise.
    weights : ndarray of shape (p,) or None
    settings : dict
        The parameters of this partition, including those that the method chose itself.
    """

    labels: np.ndarray
    weights: np.ndarray | None = None
    settings: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Method:
    """A clustering method.

    Attributes
    ----------
    title : str
        The name used in tables.
    given : str
        What the method is given besides the data.
    run : callable
        Takes the data, the true number of clusters, a seed and options; yields a `Partition` for
        each setting that is tried.
    effort : float
        Approximate seconds per setting on 100 rows of 20 features, used only to estimate the time
        left.
    random : bool
        Whether the result depends on the seed.
    """

    title: str
    given: str
    run: Callable
    effort: float
    random: bool = False


NOTHING = "nothing"
TRUE_K = "the true k"
BEST_OF_GRID = "the labels: best h of a grid"


def wbms(X, k, seed, h="auto", lam="auto"):
    """Choose h and lam, or the one that is not given, without labels."""
    model = WBMS(h, lam).fit(X)
    yield partition(model)


def wbms_grid(X, k, seed, h, lam):
    """Fit the default form at every pair of a grid."""
    yield from (partition(WBMS(a, b).fit(X)) for a in h for b in lam)


def wbms_released(X, k, seed, h, lam):
    """Fit the form of the authors' code: kernel exp(−d²/h), lam on the sum scale."""
    yield from (partition(WBMS.released(a, b).fit(X)) for a in h for b in lam)


def wbms_printed(X, k, seed, h, lam):
    """Fit Algorithm 1 as printed: kernel exp(−d²/h²) as in equation (4), lam on the mean scale."""
    for a in h:
        for b in lam:
            model = WBMS.paper(a**2, b).fit(X)
            yield Partition(model.labels_, model.feature_weights_, {"h": a, "lam": b})


def partition(model):
    """Return the partition of a fitted model."""
    settings = {"h": float(model.h_), "lam": float(model.lam_)}
    return Partition(model.labels_, model.feature_weights_, settings)


def peer(name, **given):
    """Return the `run` of one of the methods that the paper compares with.

    Parameters
    ----------
    name : str
        Its name in `pywbms.peers`.
    **given : str
        Parameters to pass: "k", "seed", or a value.
    """

    def run(X, k, seed):
        from pywbms import peers  # loads much of scikit-learn, which `pywbms --help` does not need

        known = {"k": k, "seed": seed}
        cluster = {**peers.PEERS, **peers.ADAPTERS}[name]
        result = cluster(X, **{key: known.get(value, value) for key, value in given.items()})
        weights = None if result.weights is None else result.weights.to_numpy()
        settings = {key: value for key, value in result.params.items() if is_plain(value)}
        yield Partition(result.labels.to_numpy(), weights, settings)

    return run


def each_bandwidth(name):
    """Return the `run` of a method that takes h, over a grid of values."""

    def run(X, k, seed, h):
        for value in h:
            yield from peer(name, h=value)(X, k, seed)

    return run


def one_cluster(X, k, seed):
    """Put all rows into one cluster."""
    yield Partition(np.zeros(len(X), dtype=int))


def all_alone(X, k, seed):
    """Put every row into a cluster of its own."""
    yield Partition(np.arange(len(X)))


def is_plain(value):
    """Return whether a value can be written into a table."""
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

#: The methods that the paper compares WBMS with.
PEERS = ("kmeans_gap", "gmeans", "wgmeans", "dpmeans", "ewdp", "rcc", "mean_shift", "bms")
EXTRAS = ("hdbscan", "kmeans", "ward", "one_cluster", "all_alone")
