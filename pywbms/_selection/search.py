"""The search over starts and pairs (h, lam): what is fitted, and what is looked at more closely.

Candidates are fitted in batches; what a batch holds depends on the results of earlier ones alone,
never on which of its fits ended first. So the search is the same for any number of jobs.
"""

from dataclasses import dataclass

import numpy as np

from pywbms._selection.agreement import agreement
from pywbms._selection.bandwidth_scan import H_STEP, BandwidthScan, h_at
from pywbms._selection.candidates import Candidate
from pywbms._selection.line_scans import LineScans
from pywbms._selection.runner import BudgetSpent, SearchStopped
from pywbms._selection.scoring import Scoring
from pywbms._selection.starts import lams_of

SHARE = 0.8  # of the rows in a subset
LEAST_MEAN_SIZE = 4
# A scan of some of many rows does if the best clusters have so many rows in it, on average.
LEAST_ROWS_PER_CLUSTER = 20
# So many different partitions are scored by their promise, and so many by their merit. Groups that
# agree as well as this are the same partition; among those with nearly the same promise, the middle
# one stands for all.
MOST_SCORED, ALIKE, NEARLY_EQUAL = 6, 0.92, 0.95
# A partition with this share of the best score might as well be the right one.
NEARLY_AS_GOOD, MOST_RIVALS = 0.75, 3
SAME_SCORE = 0.99
# Fits around the best candidate.
N_AROUND = 8
# The edge between one cluster and several is looked for on lines with this share of the best
# promise. Groups that agree as well as this are the same up to a few rows.
WORTH_REFINING, THE_SAME = 0.6, 0.98


@dataclass(frozen=True)
class SearchSpace:
    """The starts and the values of h and lam to try.

    Attributes
    ----------
    h, lam : list of float or None
        None lets the search find its own; lam is on the mean scale.
    unit : float
        Unit of h and lam: 1 for z-scores.
    starts : dict
        Name → weights at the start.
    """

    h: list | None
    lam: list | None
    unit: float
    starts: dict

    def lams(self, start):
        """Return the values of lam to try with a start."""
        return [lam * self.unit for lam in lams_of(start)] if self.lam is None else self.lam

    @property
    def lines(self):
        """The lines (start, lam) along which h is searched."""
        return [(start, lam) for start in self.starts for lam in self.lams(start)]


class Search:
    """A search for the candidate whose clusters are separated and predict held-out rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows in an order of their own (`row_order`), no constant columns.
    space : SearchSpace
    runner : CandidateRunner
    n_subsets : int
    rng : numpy.random.Generator
    confirmation : Confirmation, optional
        Looks at the best candidates on more rows than these.
    many_clusters : bool, default False
        Whether there are so many clusters that candidates which are much alike may lack some.

    Attributes
    ----------
    candidates : dict
        By (start, h, lam).
    complete : bool
        Whether the search came to its end.
    needs_more_rows : bool
        Whether these rows, where they are some of many, are too few for so many clusters: then
        it ended early.
    out_of_time : bool
        Whether it ended because its time was over.
    """

    def __init__(self, X, space, runner, n_subsets, rng, confirmation=None, many_clusters=False):
        n = len(X)
        self._many_clusters = many_clusters
        self._confirmation = confirmation
        self._space = space
        self._runner = runner
        self._scoring = Scoring(X, runner.settings, rng)
        self._may_join = runner.settings.join is not False
        self._subsets = [random_rows(n, round(SHARE * n), rng) for _ in range(n_subsets)]
        self._most_clusters = max(2, n // LEAST_MEAN_SIZE)
        self._leaders = []  # different partitions, when they were last scored
        self.candidates = {}
        self.complete = self.out_of_time = self.needs_more_rows = False

    @property
    def n_fits(self):
        """Number of fits so far."""
        return self._runner.n_fits

    def run(self):
        """Search; `candidates` and `complete` tell the outcome."""
        try:
            self._fit_grid()
            self.score()
            best = self.best()
            if best is not None and not self._inside_plateau(best):
                self._fit_around(best)
                self.score()
            if self._confirmation is not None:
                self.needs_more_rows = self._clusters_are_small()
                if self.needs_more_rows:
                    return
                self._confirmation.run(self, self._runner)
            self.judge([one for one in (self.best(), *self.rivals()) if one is not None])
            self.complete = True
        except SearchStopped as stopped:
            self.out_of_time = isinstance(stopped, BudgetSpent)
            self.score()

    def _clusters_are_small(self):
        best = self.likeliest()
        return best is not None and best.k * LEAST_ROWS_PER_CLUSTER > len(best.labels)

    def best(self):
        """Return the candidate with the best score if there is evidence of clusters, else None."""
        best = self.likeliest()
        return best if best is not None and best.evidence >= 0 else None

    def likeliest(self):
        """Return the candidate with the best score, clusters or not; None if none is scored.

        Of those with practically the same score, the one whose clusters, as they are, predict
        held-out rows best.
        """
        scored = self.scored()
        if not scored:
            return None
        best = max(scored, key=lambda one: one.score)
        same = [one for one in scored if one.score >= SAME_SCORE * best.score]
        return max(same, key=lambda one: one.screened)

    def scored(self):
        """Return the candidates with several clusters that are scored.

        If any are confirmed, what is known of the others does not count.
        """
        scored = [one for one in self.candidates.values() if one.scored]
        scored = [one for one in scored if one.confirmed] or scored
        return [one for one in scored if one.k > 1]

    def rivals(self):
        """Return the candidates of other partitions that score nearly as well as the best one.

        Where there is no evidence of clusters, the best partitions all the same.
        """
        best, likeliest = self.best(), self.likeliest()
        least = 0.0 if likeliest is None else NEARLY_AS_GOOD * likeliest.score
        others = self.distinct(lambda one: one.scored and one.k > 1, [best] if best else [])
        return [one for one in others if one.score >= least][:MOST_RIVALS]

    def distinct(self, eligible, known=()):
        """Return the eligible candidates of different partitions, the highest score first.

        Parameters
        ----------
        eligible : callable
            Tells of a candidate whether it is.
        known : list of Candidate
            Those whose partitions are left out.
        """
        found = list(known)
        able = [one for one in self.candidates.values() if eligible(one) and one not in found]
        # Of the same partition, the one that is confirmed stands for the others.
        for one in sorted(able, key=lambda one: (-one.confirmed, -one.score)):
            if not any(one.agrees_with(other) for other in found):
                found.append(one)
        return sorted(found[len(known) :], key=lambda one: -one.score)

    def fit(self, places):
        """Fit all rows at the given (start, h, lam) that are new; return all their candidates."""
        new = [place for place in dict.fromkeys(places) if place not in self.candidates]
        fits = self._runner([(self.task(*place), None) for place in new])
        for place, (labels, weights) in zip(new, fits, strict=True):
            candidate = Candidate(*place, labels, weights, may_join=self._may_join)
            self.candidates[place] = candidate
            if 2 <= candidate.n_groups <= self._most_clusters:
                self._scoring.screen(candidate)
        return [self.candidates[place] for place in places]

    def task(self, start, h, lam):
        """Return what a runner is told to fit."""
        return h, lam, self._space.starts[start]

    def _fit_grid(self):
        lines = self._space.lines
        if self._space.h is not None:
            self._expect(len(lines) * len(self._space.h))
            self.fit([(start, h, lam) for start, lam in lines for h in self._space.h])
            return
        scans = [
            BandwidthScan(line, up, self._most_clusters) for line in lines for up in (True, False)
        ]
        LineScans(scans).run(self._fit_steps)
        self.fit([place for line in lines for place in self._edge(*line)])

    def _fit_steps(self, scans):
        """Fit the next step of some scans; return the candidates and the best promise so far."""
        self._expect(len(scans) + sum(one.typically_left for one in scans))
        places = [(one.line[0], h_at(one.step, self._space.unit), one.line[1]) for one in scans]
        return self.fit(places), self._best_promise()

    def _expect(self, n_fits):
        """Tell the runner of so many fits, and of those that look more closely at the best."""
        closely = N_AROUND + 2 * len(self._subsets)
        self._runner.expected = self.n_fits + n_fits + closely

    def _best_promise(self):
        return max((one.promise for one in self.candidates.values()), default=0.0)

    def _edge(self, start, lam):
        """Return the place, if any, halfway between one cluster and several on a line."""
        line = [one for one in self.candidates.values() if (one.start, one.lam) == (start, lam)]
        if max(one.promise for one in line) < WORTH_REFINING * self._best_promise():
            return
        several = [one.h for one in line if one.n_groups > 1]
        single = [one.h for one in line if one.n_groups == 1]
        if several and single and max(several) < min(single):
            yield start, float(np.sqrt(max(several) * min(single))), lam

    def _inside_plateau(self, candidate):
        """Tell whether the same clusters are found at a lower and a higher h and nearby lam."""
        alike = [
            (other.h, other.lam)
            for other in self.candidates.values()
            if other.start == candidate.start and the_same(other, candidate)
        ]
        lams = [lam for lam in self._neighbours(candidate) if self._space.lam is None]
        sides = {int(np.sign(h - candidate.h)) for h, lam in alike if lam == candidate.lam}
        return (self._space.h is not None or {-1, 1} <= sides) and set(lams) <= {
            lam for _, lam in alike
        }

    def _neighbours(self, candidate):
        """Return the next lower and higher lam that were tried with the same start."""
        lams = np.unique(
            [other.lam for other in self.candidates.values() if other.start == candidate.start]
        )
        here = int(np.searchsorted(lams, candidate.lam))
        return [lams[i] for i in (here - 1, here + 1) if 0 <= i < len(lams)]

    def _fit_around(self, candidate):
        """Fit halfway to the neighbours of a candidate in both directions."""
        hs, lams = [candidate.h], [candidate.lam]
        if self._space.h is None:
            hs += [candidate.h / np.sqrt(H_STEP), candidate.h * np.sqrt(H_STEP)]
        if self._space.lam is None:
            lams += [np.sqrt(candidate.lam * lam) for lam in self._neighbours(candidate)]
        self.fit([(candidate.start, float(h), float(lam)) for h in hs for lam in lams])

    def score(self):
        """Look more closely at the best of the different partitions."""
        several = [
            one for one in self.candidates.values() if 2 <= one.n_groups <= self._most_clusters
        ]
        leaders = different(sorted(several, key=lambda one: (-one.promise, *one.place)))
        merit = {one: one.merit(centrality(one.labels, leaders)) for one in leaders}
        by_merit = sorted(leaders, key=lambda one: (-merit[one], *one.place))
        for leader in dict.fromkeys(leaders[:MOST_SCORED] + by_merit[:MOST_SCORED]):
            one = middle([other for other in several if as_good(other, leader)])
            # In the middle of a wide range, one of many clusters may be missing.
            for look in (one, leader) if self._many_clusters else (one,):
                if not look.scored:
                    self._scoring.look_closely(look)
                look.centrality = centrality(look.joined, leaders)
        self._leaders = leaders

    def weigh(self, candidate):
        """Compute the centrality of a candidate whose clusters are new."""
        candidate.centrality = centrality(candidate.joined, self._leaders or [candidate])

    def score_one(self, candidate):
        """Score a candidate that need not be among those that were fitted; return it."""
        self._scoring.screen(candidate)
        self._scoring.look_closely(candidate)
        self.weigh(candidate)
        return candidate

    def judge(self, candidates):
        """Cluster the subsets with some candidates."""
        waiting = [one for one in candidates if not one.judged]
        pairs = [(one, rows) for one in waiting for rows in self._subsets]
        self._runner.expected = self.n_fits + len(pairs)
        fits = self._runner([(self.task(*one.place), rows) for one, rows in pairs])
        found = [self._on_subset(*pair, *fitted) for pair, fitted in zip(pairs, fits, strict=True)]
        n = len(self._subsets)
        for i, one in enumerate(waiting):
            one.agreements, one.gains = zip(*found[i * n : (i + 1) * n], strict=True)

    def _on_subset(self, candidate, rows, labels, weights):
        recurring = agreement(candidate.labels[rows], labels)
        return recurring, self._scoring.gain(rows, labels, weights)


def different(candidates):
    """Return the candidates whose groups differ from those of all before them."""
    found = []
    for one in candidates:
        if not any(alike(one, other) for other in found):
            found.append(one)
    return found


def centrality(labels, leaders):
    """Return how well a partition agrees with those of different candidates.

    Each counts as much as it promises, so that those that are no good have no vote.
    """
    promise = np.array([one.promise for one in leaders])
    vote = promise if promise.any() else np.ones(len(leaders))
    agreements = [agreement(labels, one.labels) for one in leaders]
    return float(np.dot(agreements, vote) / vote.sum())


def alike(a, b):
    """Tell whether two fits have practically the same groups."""
    return agreement(a.labels, b.labels) >= ALIKE


def the_same(a, b):
    """Tell whether two fits have the same groups up to a few rows."""
    return a.n_groups == b.n_groups and agreement(a.labels, b.labels) >= THE_SAME


def as_good(one, leader):
    """Tell whether a candidate has the groups of a leader, and nearly its promise."""
    return one.promise >= NEARLY_EQUAL * leader.promise and alike(one, leader)


def middle(candidates):
    """Return the candidate in the middle of their range of h and lam, on log scales."""
    places = np.log([(one.h, one.lam) for one in candidates])
    distance = ((places - places.mean(axis=0)) ** 2).sum(axis=1)
    return candidates[int(np.argmin(distance))]


def random_rows(n, size, rng):
    """Return a mask with `size` of n rows."""
    mask = np.zeros(n, dtype=bool)
    mask[rng.permutation(n)[:size]] = True
    return mask
