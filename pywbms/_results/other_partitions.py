"""Other partitions of the same data: the best with k clusters, and those that live long."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from sklearn.base import clone

from pywbms._data.checks import generator, require_integer
from pywbms._data.masses import drawn_by_mass, rows_stood_for
from pywbms._data.ordering import row_order
from pywbms._data.standardize import mean_variance, working_columns
from pywbms._engine.fit import fit_rows
from pywbms._engine.merge_tree import levels
from pywbms._engine.tree_levels import NoSuchPartition, cut_tree, nearest_numbers
from pywbms._selection.agreement import agreement
from pywbms._selection.choice import (
    MOST_ROWS,
    N_SUBSETS,
    rows_to_search,
    sampled_rows,
    tried_with,
)
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import SHARE, Search, SearchSpace, random_rows
from pywbms.estimator import WBMS

# Candidates of a search, and trees of finer ones, that are fitted before `at` gives up.
MOST_TRIES, MOST_TREES = 5, 3
# A level of a tree is long-lived if the iterations that it lasts are so many times those before it,
# as a logarithm. At most so many layers are returned.
LEAST_LIFETIME, MOST_LAYERS = 1.0, 8
COLUMNS = {
    "k": int, "lifetime": float, "h": float, "lam": float, "stability": float, "source": object,
    "own": bool,
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What is known of a fit, wherever it is kept.

    Attributes
    ----------
    model : WBMS
        Its parameters; need not be fitted.
    data : DataFrame of shape (n, p)
        The rows that were clustered.
    h, lam : float
        On the scale of the model.
    init : sequence of float
    n_clusters : int
        Before outliers are labelled.
    table : DataFrame or None
        Candidates of the search, if there was one, with lam on the scale of the model.
    starts : dict
        Name of a start → weights.
    row_weights : ndarray of shape (n,) or None
    """

    model: WBMS
    data: pd.DataFrame
    h: float
    lam: float
    init: tuple
    n_clusters: int
    table: pd.DataFrame | None
    starts: dict
    row_weights: np.ndarray | None = None

    @classmethod
    def of(cls, model, data):
        """Return what is known of a fitted model."""
        starts = {} if model.choice_ is None else model.choice_.starts
        return cls(
            model, data, model.h_, model.lam_, tuple(model.init_.tolist()),
            int(model._cluster_of_row.max()) + 1, model.selection_, starts, model.sample_weight_,
        )  # fmt: skip

    def of_landmarks(self):
        """Return what is known of the landmarks alone, as of an exact fit; all without them."""
        mass = self.model._landmark_mass
        if mass is None:
            return self
        unit = self.lam_unit()
        model = clone(self.model).set_params(landmarks=None)
        alone = replace(self, model=model, data=self.data[mass > 0], row_weights=mass[mass > 0])
        return replace(alone, lam=self.lam / unit * alone.lam_unit())

    @property
    def X(self):
        """The rows as a matrix."""
        return self.data.to_numpy()

    def fit(self, **params):
        """Return a model with the parameters of this one, but for some, fitted to its rows."""
        fixed = {"h": self.h, "lam": self.lam, "init": self.init, "join": False}
        model = clone(self.model).set_params(**{**fixed, "n_clusters": None, **params})
        return model.fit(self.data, sample_weight=self.row_weights)

    def lam_unit(self):
        """Return what lam on the mean scale is multiplied by to be on the scale of the model."""
        return self.model.settings().lam_unit(rows_stood_for(self.row_weights, len(self.data)))

    def sample(self, X, rng):
        """Return the indices of at most `MOST_ROWS` rows, drawn in proportion to their weights."""
        order = row_order(X, self.row_weights)
        if self.row_weights is not None:
            return order[drawn_by_mass(self.row_weights[order], MOST_ROWS, rng)]
        return order[sampled_rows(len(order), rng)] if len(order) > MOST_ROWS else order


def fit_at(found, k):
    """Return a model with k clusters: a candidate of the search, or a level of a tree.

    Parameters
    ----------
    found : Found
    k : int

    Raises
    ------
    ValueError
        If there is none; the message names the nearest that there are.
    """
    k = require_integer("k", k, least=1)
    searched = found.table is not None
    for params in tried_with(found.table, found.starts, k)[:MOST_TRIES] if searched else []:
        model = found.fit(**params)
        if model.n_clusters_ == k:
            return model
    there = set()
    for params in [{}, *(finer(found, k) if searched else [])]:
        try:
            return found.fit(**params, n_clusters=k)
        except NoSuchPartition as nothing:
            there |= set(nothing.there)
    if searched:
        there |= {*found.table["k"], *found.table["joined"]} - {k}
    raise ValueError(
        f"k = {k}: no candidate and no level of a tree has so many clusters; there are some with "
        f"{nearest_numbers(k, sorted(there))}"
    )


def finer(found, k):
    """Return the parameters of the most promising candidates with more than k groups."""
    table = found.table[found.table["k"] > k]
    promise = table["screened"].clip(lower=0) / table["k"] ** 0.25
    best = table.loc[promise.sort_values(ascending=False, kind="stable").index[:MOST_TREES]]
    return [
        {"h": one.h, "lam": one.lam, "init": found.starts[one.start]} for one in best.itertuples()
    ]


def layers_of(found):
    """Return the long-lived partitions, from coarse to fine; see `WBMSResult.layers`.

    Parameters
    ----------
    found : Found
    """
    found = found.of_landmarks()
    table = tree_layers(found) if found.table is None else search_layers(found)
    return table[list(COLUMNS)].astype(COLUMNS).sort_values("k").reset_index(drop=True)


def tree_layers(found):
    """Return the long-lived levels of the tree of a fit, as a table."""
    model = found.model
    if getattr(model, "tree_", None) is None:
        model = found.fit(tree=True)
    linkage = model.tree_
    numbers, begins, ends = levels(linkage[:, 2])
    table = pd.DataFrame({"k": numbers, "lifetime": ends - begins})
    own = table["k"] == found.n_clusters
    lasting = (table["lifetime"] >= LEAST_LIFETIME) & (begins > 0) | own
    table = longest_lived(table[lasting & (table["k"] > 1)], own)
    partitions = {k: cut_tree(linkage, k) for k in table["k"]}
    return table.assign(
        h=found.h, lam=found.lam, source="tree", own=table["k"] == found.n_clusters,
        stability=stability_of_levels(found, partitions),
    )  # fmt: skip


def longest_lived(table, own):
    """Return at most `MOST_LAYERS` rows of a table, those with the longest life and the own one."""
    rank = table["lifetime"].where(~own.reindex(table.index), np.inf)
    return table.loc[rank.sort_values(ascending=False, kind="stable").index[:MOST_LAYERS]]


def stability_of_levels(found, partitions):
    """Return how well levels of the tree recur in subsets of the rows, one number per level.

    Parameters
    ----------
    found : Found
    partitions : dict
        k → labels of all rows.
    """
    X, rng = found.X, generator(0)
    order = found.sample(X, rng)
    settings = replace(
        found.model.settings(), h=found.h, lam=found.lam / found.lam_unit(), init=found.init,
        lam_scale="mean", record_path=False, tree=True, n_clusters=None,
    )  # fmt: skip
    agreements = []
    for _ in range(N_SUBSETS):
        some = order[random_rows(len(order), max(1, round(SHARE * len(order))), rng)]
        linkage = fit_rows(X[some], settings).tree.linkage
        there = levels(linkage[:, 2])[0]
        agreements.append(
            [
                agreement(labels[some], cut_tree(linkage, there[there <= k].max()))
                for k, labels in partitions.items()
            ]
        )
    return np.maximum(np.mean(agreements, axis=0), 0.0)


def search_layers(found):
    """Return the candidates of a search that stay the same over a range of h, as a table."""
    table = found.table
    rows = []
    for k in sorted({*table["k"], *table["joined"]} - {1}):
        way = tried_with(table, found.starts, k)
        if not way or k > len(found.data) // 4:
            continue
        start = next(name for name, init in found.starts.items() if init == way[0]["init"])
        line = table[(table["start"] == start) & (table["lam"] == way[0]["lam"])].sort_values("h")
        same = (line["joined"] if way[0]["join"] else line["k"]).to_numpy() == k
        here = int(np.flatnonzero(line["h"] == way[0]["h"])[0])
        lasts, number = plateau(np.log(line["h"].to_numpy()), same, here)
        one = line.iloc[here]
        rows.append((k, lasts, number, start, one.h, one.lam, one.stability, bool(one.judged)))
    columns = ["k", "lifetime", "number", "start", "h", "lam", "stability", "judged"]
    result = pd.DataFrame(rows, columns=columns)
    own = result["k"] == found.n_clusters
    result = longest_lived(result[(result["number"] > 1) | own], own)
    result["stability"] = stability_of_candidates(found, result)
    return result.assign(source="search", own=result["k"] == found.n_clusters)


def plateau(log_h, same, here):
    """Return how long the stretch around a value of h is, on a log scale, and of how many values.

    It ends halfway to the next values outside.

    Examples
    --------
    >>> plateau(np.array([0.0, 1.0, 2.0, 3.0]), np.array([True, True, True, False]), 1)
    (2.5, 3)
    """
    first = last = here
    while first > 0 and same[first - 1]:
        first -= 1
    while last < len(same) - 1 and same[last + 1]:
        last += 1
    low = (log_h[first] + log_h[max(first - 1, 0)]) / 2
    high = (log_h[last] + log_h[min(last + 1, len(same) - 1)]) / 2
    return float(high - low), last - first + 1


def stability_of_candidates(found, table):
    """Return the stability of candidates of a search, clustering subsets where it is not known."""
    waiting = table[~table["judged"]]
    if waiting.empty:
        return table["stability"]
    settings, rng = found.model.settings(), generator(0)
    X, mass = found.X, found.row_weights
    varying = working_columns(X, settings.standardize, mass, settings.indicators)
    inner = replace(settings.for_columns(varying), n_clusters=None)
    rows = rows_to_search(X[:, varying], inner, mass, rng)
    starts = {name: tuple(np.asarray(x)[varying].tolist()) for name, x in found.starts.items()}
    runner = CandidateRunner(rows, inner, settings.n_threads)
    scale = 1.0 if settings.standardize else mean_variance(rows)
    search = Search(rows, SearchSpace(None, None, scale, starts), runner, N_SUBSETS, rng)
    unit = found.lam_unit()
    places = [(one.start, one.h, one.lam / unit) for one in waiting.itertuples()]
    candidates = search.fit(places)
    search.judge(candidates)
    known = table["stability"].copy()
    known.loc[waiting.index] = [one.stability for one in candidates]
    return known
