"""The fit that a partition comes from, and how its clusters follow from the groups of that fit."""

from dataclasses import dataclass, replace

import numpy as np

from pywbms._data.checks import generator
from pywbms._data.ordering import largest_first
from pywbms._engine.fit import FitResult
from pywbms._engine.settings import Settings, says_stop
from pywbms._engine.tree_levels import (
    NoSuchPartition,
    cut_tree,
    first_iteration,
    numbers_of_clusters,
)
from pywbms._selection.choice import MOST_ROWS
from pywbms._selection.engine_choice import total_rows
from pywbms._selection.joining import join_fit, merge_groups

# Whole fits that are tried before there are said to be no k clusters.
MOST_TRIES = 6


@dataclass(frozen=True)
class Partition:
    """A fit and its clusters.

    Attributes
    ----------
    settings : Settings
        Of the fit; nothing in them is "auto".
    fitted : FitResult
        Its labels are those of the clusters.
    groups : ndarray of shape (n,)
        Clusters as the fit leaves them.
    reached_by : {"fit", "join", "tree", "stop"}
        How the clusters follow from the groups: they are the same; they are joined where the
        density does not dip; they are merged as they meet after the fit; or the fit was stopped
        while there were so many.
    """

    settings: Settings
    fitted: FitResult
    groups: np.ndarray
    reached_by: str


def fit_partition(engine, settings, choice, report):
    """Fit and return a `Partition`, with exactly `n_clusters` clusters if the settings say so.

    Parameters
    ----------
    engine : LocalEngine or DaskEngine
    settings : Settings
        Resolved: nothing in them is "auto".
    choice : Selection or None
        How h and lam were chosen.
    report : callable
        Called after each iteration; returning True ends the fit.

    Raises
    ------
    NoSuchPartition
        If there is no partition with so many clusters.
    """
    partition = first_partition(engine, settings, choice, report)
    if engine.add_landmarks(partition.fitted):
        return first_partition(engine, settings, choice, report)
    return partition


def first_partition(engine, settings, choice, report):
    """Fit and return a `Partition` of the rows, or of the landmarks that there are."""
    k = settings.n_clusters
    if k is None:
        return taken(engine, settings, engine.run(settings, report))
    if choice is None or not choice.ways:
        ways = [{"way": "join"}] * settings.join + [{"way": "tree"}]
    else:
        unit = settings.lam_unit(total_rows(engine))
        ways = [{**way, "lam": way["lam"] * unit} for way in choice.ways[:MOST_TRIES]]
    there = set()
    for found in ways:
        params = {name: value for name, value in found.items() if name != "way"}
        join, tree = found["way"] == "join", settings.tree or found["way"] == "tree"
        own = replace(settings, **params, join=join, tree=tree)
        whole = engine.run(own, report)
        partition = taken(engine, own, whole, k)
        if partition.fitted.labels.max() + 1 != k and whole.tree is not None:
            partition = level_of_tree(engine, own, whole, report) or partition
            there |= set(numbers_of_clusters(whole.tree.linkage))
        there.add(int(partition.fitted.labels.max()) + 1)
        if partition.fitted.labels.max() + 1 == k:
            return replace(partition, settings=replace(partition.settings, tree=settings.tree))
    raise NoSuchPartition(k, there - {k})


def taken(engine, settings, fitted, n_clusters=None):
    """Return a fit as a `Partition`, its groups joined if the settings say so.

    They are joined where the density does not dip, and further or less far if it has to be a
    given number of clusters.
    """
    groups = fitted.labels
    if not settings.join:
        return Partition(settings, fitted, groups, "fit")
    rng = generator(settings.random_state)
    rows, labels = engine.labelled_sample(groups, MOST_ROWS, rng)
    fitted = join_fit(fitted, rows, labels, settings, engine.mass, n_clusters)
    joined = fitted.labels.max() < groups.max()
    return Partition(settings, fitted, groups, "join" if joined else "fit")


def level_of_tree(engine, settings, fitted, report):
    """Return the level of a fit's tree that has `n_clusters` clusters, or None."""
    k, linkage = settings.n_clusters, fitted.tree.linkage
    if k not in numbers_of_clusters(linkage):
        return None
    settings = replace(settings, join=False)
    if k <= fitted.labels.max():
        labels = largest_first(cut_tree(linkage, k), engine.mass)
        merged = merge_groups(fitted, labels, engine.mass)
        return Partition(settings, merged, fitted.labels, "tree")
    last = "main", round(first_iteration(linkage, k))

    def until_then(info):
        return (info.phase, info.iteration) == last or says_stop(report(info))

    earlier = engine.run(replace(settings, tree=False), until_then)
    if earlier.labels.max() + 1 != k:
        return None
    return Partition(settings, replace(earlier, tree=fitted.tree), earlier.labels, "stop")
