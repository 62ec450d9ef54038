"""The best partitions with exactly k clusters, among those that a search has come across.

There are three ways to k clusters. The groups of a fit may be k. The groups of a finer fit may be k
when those between which the density does not dip are joined. Or the groups of a finer fit, as they
go on to attract each other, are k for a while: a level of the merge tree. All are ranked by the
score of the search, `Candidate.score`.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

from pywbms._engine.fit import fit_rows
from pywbms._engine.tree_levels import (
    NoSuchPartition,
    cut_tree,
    lifetime,
    numbers_of_clusters,
)
from pywbms._selection.bandwidth_scan import H_START, H_STEP
from pywbms._selection.candidates import Candidate
from pywbms._selection.runner import MAX_ITER, SearchStopped
from pywbms._selection.search import alike, as_good, middle

# Of the fits with k groups, so many different partitions are scored. Of the finer ones, the groups
# of so many are joined, and the trees of so many grown, beside that of the coarsest among them.
MOST_SCORED, MOST_JOINED, MOST_TREES = 4, 8, 3
# Steps down in h, from the lowest that was tried, until there are k groups.
MOST_STEPS = 12
# Of a handful of rows: highest and lowest h, in steps, and lam.
FEW_ROWS_FROM, FEW_ROWS_TO, FEW_ROWS_LAM = 6, -12, 0.1


@dataclass
class TreeLevel(Candidate):
    """A level of the merge tree of a fit.

    Attributes
    ----------
    lifetime : float
        For how long there are so many clusters, in log-iterations.
    """

    lifetime: float = 0.0


def way(candidate):
    """Return how a candidate comes by its clusters: "fit", "join" or "tree"."""
    if isinstance(candidate, TreeLevel):
        return "tree"
    return "join" if candidate.k < candidate.n_groups else "fit"


class Exactly:
    """The search for the best partition with exactly k clusters, after a search for any.

    Parameters
    ----------
    k : int
        At least 2: there is only one partition with one cluster.
    search : Search
        It has ended.
    space : SearchSpace
    rows : ndarray of shape (n, p)
        Those of the search.
    settings : Settings

    Attributes
    ----------
    there : set of int
        Numbers of clusters that were seen.
    """

    def __init__(self, k, search, space, rows, settings):
        self._k = k
        self._search = search
        self._space = space
        self._rows = rows
        self._settings = replace(settings.for_candidates(MAX_ITER), tree=True)
        self._may_join = settings.join is not False
        self.there = {1}

    def ranked(self):
        """Return the candidates with k clusters, the best first.

        Raises
        ------
        NoSuchPartition
            If there is none.
        """
        found = []
        if self._rows.size:
            found = self._of_search() if self._search.candidates else self._of_few_rows()
        if not found:
            raise NoSuchPartition(self._k, self.there)
        best = self._search.best()
        found.sort(key=lambda one: (-one.score, -one.screened, -getattr(one, "lifetime", 0.0)))
        if best is not None and best.k == self._k:  # what would be chosen anyway
            same = best.place, way(best)
            found = [best, *(one for one in found if (one.place, way(one)) != same)]
        return found

    def _of_search(self):
        tried = list(self._search.candidates.values())
        if max(one.n_groups for one in tried) < self._k and self._space.h is None:
            if self._search.complete:
                with suppress(SearchStopped):
                    self._go_down(tried)
            tried = list(self._search.candidates.values())
        for one in tried:
            self.there |= {one.n_groups, one.k}
        finer = [one for one in tried if one.n_groups > self._k]
        found = [one for one in self._joined(finer) if one.k == self._k]
        same = [replace(one, may_join=False) for one in tried if one.n_groups == self._k]
        found += [self._search.score_one(one) for one in leaders(same, MOST_SCORED)]
        if self._search.complete or not found:
            found += self._levels(finer)
        return found

    def _joined(self, finer):
        """Yield fits with more than k groups, the scored and the most promising, joined."""
        if not self._may_join:
            return
        scored = [one for one in finer if one.scored]
        waiting = [one for one in leaders(finer, MOST_JOINED) if not one.scored]
        scored += [self._search.score_one(replace(one)) for one in waiting]
        for one in scored:
            self.there.add(one.k)
            yield one
            yield replace(one, n_joined=self._k)

    def _levels(self, finer):
        """Yield the levels with k clusters of trees: of the most promising and the coarsest fit."""
        coarsest = min(
            finer, key=lambda one: (one.n_groups, -one.promise, *one.place), default=None
        )
        grown = leaders(finer, MOST_TREES) + [coarsest] * (coarsest is not None)
        for place in dict.fromkeys(one.place for one in grown):
            level = self._level(*place)
            if level is not None:
                yield self._search.score_one(level)

    def _level(self, start, h, lam):
        init = self._space.starts[start]
        fitted = fit_rows(self._rows, replace(self._settings, h=h, lam=lam, init=init))
        linkage, most = fitted.tree.linkage, int(fitted.labels.max()) + 1
        levels = {k for k in numbers_of_clusters(linkage) if k < most} | {most}
        self.there |= levels
        if self._k not in levels:
            return None
        return TreeLevel(
            start, h, lam, cut_tree(linkage, self._k), fitted.weights, may_join=False,
            lifetime=lifetime(linkage, self._k),
        )  # fmt: skip

    def _go_down(self, tried):
        """Fit with lower and lower h, along the most promising line, until there are k groups."""
        best = max(tried, key=lambda one: (one.promise, one.n_groups))
        line = [one.h for one in tried if (one.start, one.lam) == (best.start, best.lam)]
        h = min(line)
        for _ in range(MOST_STEPS):
            h /= H_STEP
            if self._search.fit([(best.start, h, best.lam)])[0].n_groups >= self._k:
                break

    def _of_few_rows(self):
        """Return the level with k clusters at the highest h at which there are at least k groups.

        There are too few rows to score anything.
        """
        start = next(iter(self._space.starts))
        lams = [FEW_ROWS_LAM * self._space.unit] if self._space.lam is None else self._space.lam
        steps = range(FEW_ROWS_FROM, FEW_ROWS_TO, -1)
        hs = [H_START * H_STEP**step * self._space.unit for step in steps]
        for h in hs if self._space.h is None else self._space.h[::-1]:
            level = self._level(start, h, lams[len(lams) // 2])
            if level is not None:
                return [level]
        return []


def leaders(candidates, most):
    """Return the most promising of different partitions, each from the middle of where it is."""
    found = []
    for one in sorted(candidates, key=lambda one: (-one.promise, -one.screened, *one.place)):
        if len(found) == most:
            break
        if not any(alike(one, leader) for leader in found):
            found.append(one)
    return [middle([other for other in candidates if as_good(other, one)]) for one in found]


def asked_for(k, chosen, best):
    """Return in words why a candidate was chosen where k clusters are asked for.

    Parameters
    ----------
    k : int
    chosen : Candidate or None
        Not needed for one cluster.
    best : Candidate or None
        What the data would have decided; None for one cluster.
    """
    freely = 1 if best is None else best.k
    suggest = f" The data alone suggest k = {freely}." if freely != k else ""
    if k == 1:
        return "One cluster was asked for." + suggest
    groups = f"the groups of the fit at h = {chosen.h:.3g}, lam = {chosen.lam:.3g}"
    reached = {
        "fit": groups,
        "join": f"{groups}, joined where the density between two of them does not dip",
        "tree": f"{groups}, merged as they meet after the fit",
    }[way(chosen)]
    return (
        f"{k} clusters were asked for: {reached}. They predict held-out rows "
        f"{chosen.screened:.2g} nats per row better than a single cloud.{suggest}"
    )


def parameters(candidate, init):
    """Return the parameters of a fit that leads to the clusters of a candidate, and the way."""
    return {"h": candidate.h, "lam": candidate.lam, "init": init, "way": way(candidate)}


def ways_of(candidates, starts):
    """Return the parameters that lead to k clusters, the best first.

    Fits of a search are short, and of a sample if there are many rows. Where a whole fit has more
    groups than that, a level of its tree is the next best.

    Parameters
    ----------
    candidates : list of Candidate
    starts : dict
        Name → weights at the start, one per column.
    """
    found = []
    for one in candidates:
        direct = parameters(one, starts[one.start])
        for found_way in (direct, {**direct, "way": "tree"}):
            if found_way not in found:
                found.append(found_way)
    return tuple(found)
