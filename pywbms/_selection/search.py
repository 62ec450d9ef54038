"""The search over (h, lam): which pairs are fitted, and how each is judged.

Pairs are fitted in batches; what a batch holds depends on the results of earlier ones alone, never
on which of its fits ended first. The search is therefore the same for any number of jobs.
"""

from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.metrics import adjusted_rand_score

from pywbms._engine.loop import fit
from pywbms._selection.heldout import HeldOut

# Where the search begins, and the step from one value to the next, on z-scores. From there h goes
# up until all rows are one cluster, and down until there are more clusters than could be judged.
H_START, H_STEP = 0.07, 1.8
LOWEST_STEPS, HIGHEST_STEPS = -16, 12
# It turns back where three in a row promise less than this share of the best on the way.
WORTH_GOING_ON, HOPELESS_IN_A_ROW = 0.6, 3
LOW_ENOUGH = -4  # steps; a partition that stays the same down to here is all there is
# In the last one the weights are all but alike.
LAM_GRID = (0.015, 0.05, 0.12, 0.35, 5.0)

SHARE = 0.8  # of the rows in a subset
LEAST_MEAN_SIZE = 4
MAX_ITER = 50
# Partitions that agree as well as this (adjusted Rand index) are the same one.
SAME = 0.9
MOST_JUDGED, PAIRS_A_PARTITION, JUDGED_AT_ONCE = 12, 2, 4
# The more clusters, the more they say of any data that are not one smooth cloud.
PRICE_OF_CLUSTERS = 0.25
# A partition with this share of the best score might as well be the right one.
NEARLY_AS_GOOD, MOST_RIVALS = 0.75, 3
# A smaller gain times stability than this, in nats a row, is no evidence of clusters.
LEAST_EVIDENCE = 0.1


@dataclass
class Pair:
    """An h and a lam with the clustering of all rows, and what is known of it so far.

    Attributes
    ----------
    h, lam : float
    labels : ndarray of shape (n,)
    weights : ndarray of shape (p,)
    screened : float
        What the clusters say between halves: the gain in log density of one half of the rows from
        the clusters in the other, the clusters being those of all rows; 0 if not looked at.
    agreements, gains : list of float
        Of each subset: the adjusted Rand index with the clustering of all rows, and the gain in
        log density of the rows left out.
    """

    h: float
    lam: float
    labels: np.ndarray
    weights: np.ndarray
    screened: float = 0.0
    agreements: tuple = ()
    gains: tuple = ()

    @property
    def k(self):
        """Number of clusters."""
        return int(self.labels.max()) + 1

    @property
    def judged(self):
        """Whether subsets were clustered with this pair."""
        return len(self.gains) > 0

    @property
    def stability(self):
        """Mean agreement with the clusterings of the subsets, at least 0."""
        return max(0.0, float(np.mean(self.agreements))) if self.judged else 0.0

    @property
    def gain(self):
        """Mean gain in log density of the rows left out, nats a row."""
        return float(np.mean(self.gains)) if self.judged else 0.0

    @property
    def evidence(self):
        """Stability times gain: what speaks for clusters at all."""
        return self.stability * max(self.gain, 0.0)

    @property
    def promise(self):
        """The score of perfect stability: no subset has to be clustered to know it."""
        return max(self.screened, 0.0) / self.k**PRICE_OF_CLUSTERS

    @property
    def score(self):
        """Stability times what the clusters say between halves, at a price for their number."""
        return self.stability * self.promise


class Stopped(Exception):
    """Somebody has asked the search to end; it keeps what it has."""


class Search:
    """A search for the pair whose clusters are stable and foretell rows left out.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows in an order of their own (`fit.row_order`), no constant columns.
    h, lam : sequence of float or None
        Values to try; None lets the search find its own.
    unit : float
        What h and lam are measured in: 1 for z-scores.
    settings : dict
        The other parameters of `fit.fit`.
    n_subsets : int
    rng : numpy.random.Generator
    n_jobs : int
    report : callable
        Called after each fit with the number of fits so far and the number of clusters found;
        returning True ends the search.
    run : callable, optional
        Given rows, tasks ((h, lam), rows or None) and settings, yields labels and weights of their
        fits in order; by default they are done here.
    """

    def __init__(self, X, h, lam, unit, settings, n_subsets, rng, n_jobs, report, run=None):
        n = len(X)
        self._X = X
        self._h = h
        self._lam = lam
        self._unit = unit
        self._settings = {**settings, "max_iter": min(settings["max_iter"], MAX_ITER)}
        self._n_jobs = n_jobs
        self._report = report
        self._run = run
        self._heldout = HeldOut(X, rng) if X.size else None
        self._halves = random_rows(n, n // 2, rng)
        self._subsets = [random_rows(n, round(SHARE * n), rng) for _ in range(n_subsets)]
        self._most_clusters = max(2, n // LEAST_MEAN_SIZE)
        self.pairs = {}
        self.n_fits = 0
        self.complete = False

    def run(self):
        """Search; `pairs` and `complete` tell what came of it."""
        try:
            self._fit_grid()
            self.judge(self.pairs.values())
            best = self.best()
            if best is not None and not self._in_the_middle(best):
                self.judge(self._fit_around(best))
            self.judge(self._rivals(), every=True)
            self.complete = True
        except Stopped:
            pass

    def best(self):
        """Return the pair with the best score if there is evidence of clusters, else None."""
        judged = [pair for pair in self.pairs.values() if pair.evidence >= LEAST_EVIDENCE]
        return max(judged, key=lambda pair: pair.score, default=None)

    def fit_pairs(self, places):
        """Fit all rows at the given (h, lam) that are new; return the pairs of all of them."""
        new = [place for place in dict.fromkeys(places) if place not in self.pairs]
        fits = self._fits([(place, None) for place in new])
        for (h, lam), (labels, weights) in zip(new, fits, strict=True):
            self.pairs[h, lam] = pair = Pair(h, lam, labels, weights)
            if 2 <= pair.k <= self._most_clusters:
                pair.screened = self._screen(pair)
        return [self.pairs[place] for place in places]

    def _fit_grid(self):
        lams = [value * self._unit for value in LAM_GRID] if self._lam is None else self._lam
        if self._h is not None:
            self.fit_pairs([(h, lam) for lam in lams for h in self._h])
            return
        walks = [Walk(lam, up) for lam in lams for up in (True, False)]
        while walks:
            pairs = self.fit_pairs([(self._h_at(walk.step), walk.lam) for walk in walks])
            for walk, pair in zip(walks, pairs, strict=True):
                walk.go_on(pair)
            walks = [walk for walk in walks if not walk.ended]
        self.fit_pairs([place for lam in lams for place in self._edge(lam)])

    def _h_at(self, step):
        return H_START * H_STEP**step * self._unit

    def _edge(self, lam):
        """Return the place, if any, halfway between one cluster and several at a lam."""
        several = [pair.h for pair in self.pairs.values() if pair.lam == lam and pair.k > 1]
        single = [pair.h for pair in self.pairs.values() if pair.lam == lam and pair.k == 1]
        if several and single and max(several) < min(single):
            yield float(np.sqrt(max(several) * min(single))), lam

    def _in_the_middle(self, pair):
        """Tell whether the same clusters are found at a lower and a higher h and nearby lam."""
        alike = [
            (other.h, other.lam)
            for other in self.pairs.values()
            if np.array_equal(other.labels, pair.labels)
        ]
        lams = [lam for lam in self._neighbours(pair) if self._lam is None]
        return (
            self._h is not None
            or {-1, 1} <= {int(np.sign(h - pair.h)) for h, lam in alike if lam == pair.lam}
        ) and set(lams) <= {lam for _, lam in alike}

    def _neighbours(self, pair):
        """Return the next lower and higher lam that were tried."""
        lams = np.unique([other.lam for other in self.pairs.values()])
        here = int(np.searchsorted(lams, pair.lam))
        return [lams[i] for i in (here - 1, here + 1) if 0 <= i < len(lams)]

    def _fit_around(self, pair):
        """Fit halfway to the neighbours of a pair in both directions; return these pairs."""
        hs, lams = [pair.h], [pair.lam]
        if self._h is None:
            hs += [pair.h / np.sqrt(H_STEP), pair.h * np.sqrt(H_STEP)]
        if self._lam is None:
            lams += [np.sqrt(pair.lam * lam) for lam in self._neighbours(pair)]
        return self.fit_pairs([(float(h), float(lam)) for h in hs for lam in lams])

    def _screen(self, pair):
        """Return what the clusters of all rows say in one half about the other."""
        return np.mean(
            [
                self._heldout.gain(half, pair.labels[half], pair.weights)
                for half in (self._halves, ~self._halves)
            ]
        )

    def judge(self, pairs, every=False):
        """Cluster the subsets with the pairs that may have the best score.

        The most promising come first, a few at a time, and few of each partition. It ends where
        even perfect stability would not be enough to win, unless every pair is asked for.
        """
        promising = [pair for pair in pairs if pair.screened > LEAST_EVIDENCE / 2]
        waiting = [pair for pair in by_partition(promising) if not pair.judged]
        waiting = waiting if every else waiting[:MOST_JUDGED]
        while waiting:
            best = max((pair.score for pair in self.pairs.values() if pair.judged), default=0.0)
            waiting = [pair for pair in waiting if every or pair.promise > best]
            now, waiting = waiting[:JUDGED_AT_ONCE], waiting[JUDGED_AT_ONCE:]
            tasks = [((pair.h, pair.lam), rows) for pair in now for rows in self._subsets]
            owners = [pair for pair in now for _ in self._subsets]
            found = {}
            for pair, (_, rows), fitted in zip(owners, tasks, self._fits(tasks), strict=True):
                labels, weights = fitted
                agreement = adjusted_rand_score(pair.labels[rows], labels)
                gain = self._heldout.gain(rows, labels, weights)
                found.setdefault(id(pair), []).append((agreement, gain))
            for pair in now:
                pair.agreements, pair.gains = zip(*found[id(pair)], strict=True)

    def _rivals(self):
        """Return a pair of each partition that may score nearly as well as the best one.

        They need not be judged to find the best, but to tell how clear the choice is.
        """
        best = self.best()
        if best is None:
            return []
        known = [pair for pair in self.pairs.values() if pair.judged]
        rivals = []
        for pair in sorted(self.pairs.values(), key=lambda pair: (-pair.promise, pair.h, pair.lam)):
            if pair.promise < NEARLY_AS_GOOD * best.score or len(rivals) == MOST_RIVALS:
                break
            if all(adjusted_rand_score(pair.labels, o.labels) < SAME for o in [*known, *rivals]):
                rivals.append(pair)
        return rivals

    def _fits(self, tasks):
        """Yield labels and weights of fits at ((h, lam), rows), in the order of the tasks."""
        for labels, weights in (self._run or self._run_here)(self._X, tasks, self._settings):
            self.n_fits += 1
            if self._report(self.n_fits, int(labels.max()) + 1):
                raise Stopped
            yield labels, weights

    def _run_here(self, X, tasks, settings):
        one = self._n_jobs == 1 or len(tasks) == 1
        calls = (delayed(labels_and_weights)(X, rows, *place, settings) for place, rows in tasks)
        if one:
            return (function(*args) for function, args, _ in calls)
        return Parallel(self._n_jobs, prefer="threads", return_as="generator")(calls)


class Walk:
    """A way along h at one lam, up to one cluster or down to too many."""

    def __init__(self, lam, up):
        self.lam = lam
        self.step = 0
        self.ended = False
        self._sign = 1 if up else -1
        self._last = None
        self._best = 0.0
        self._hopeless = 0

    def go_on(self, pair):
        """Take the next step after a pair was fitted; it is twice as long where nothing changes."""
        same = self._last is not None and np.array_equal(self._last, pair.labels)
        self._last = pair.labels
        if self._sign > 0:
            self.ended = pair.k == 1
        else:
            self._best = max(self._best, pair.promise)
            hopeless = pair.k > 1 and pair.promise <= WORTH_GOING_ON * self._best
            self._hopeless = self._hopeless + 1 if hopeless else 0
            self.ended = self._hopeless == HOPELESS_IN_A_ROW or (same and self.step <= LOW_ENOUGH)
        self.step += self._sign * (2 if same and pair.k > 1 else 1)
        self.ended |= not LOWEST_STEPS <= self.step <= HIGHEST_STEPS


def labels_and_weights(X, rows, h, lam, settings):
    """Return labels and feature weights of a fit of some rows, or of all."""
    fitted = fit(
        X if rows is None else X[rows], h, lam, record_path=False, callback=None, **settings
    )
    return fitted.labels, fitted.weights


def random_rows(n, size, rng):
    """Return a mask with `size` of n rows."""
    mask = np.zeros(n, dtype=bool)
    mask[rng.permutation(n)[:size]] = True
    return mask


def by_partition(pairs):
    """Return pairs by falling promise, few of each partition, and those from the middle of it."""
    groups = []
    for pair in sorted(pairs, key=lambda pair: (-pair.promise, pair.h, pair.lam)):
        for group in groups:
            if adjusted_rand_score(pair.labels, group[0].labels) >= SAME:
                group.append(pair)
                break
        else:
            groups.append([pair])
    chosen = [pair for group in groups for pair in middle(group, PAIRS_A_PARTITION)]
    return sorted(chosen, key=lambda pair: -pair.promise)


def middle(pairs, number):
    """Return the few of nearly the best promise that lie in the middle of them, on log scales."""
    near = [pair for pair in pairs if pair.promise >= 0.95 * pairs[0].promise]
    places = np.log([(pair.h, pair.lam) for pair in near])
    distance = ((places - places.mean(axis=0)) ** 2).sum(axis=1)
    return [near[i] for i in np.argsort(distance, kind="stable")[:number]]
