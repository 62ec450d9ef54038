"""The search over (h, lam): which candidates are fitted, and which are judged on subsets.

Candidates are fitted in batches; what a batch holds depends on the results of earlier ones alone,
never on which of its fits ended first. So the search is the same for any number of jobs.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import adjusted_rand_score

from pywbms._selection.bandwidth_scan import H_STEP, BandwidthScan, h_at
from pywbms._selection.candidates import LEAST_EVIDENCE, Candidate, by_partition
from pywbms._selection.heldout import HeldOut
from pywbms._selection.runner import SearchStopped

# At the last value all features weigh nearly the same.
LAM_GRID = (0.015, 0.05, 0.12, 0.35, 5.0)

SHARE = 0.8  # of the rows in a subset
LEAST_MEAN_SIZE = 4
MOST_JUDGED, JUDGED_AT_ONCE = 12, 4
# A partition with this share of the best score might as well be the right one.
NEARLY_AS_GOOD, MOST_RIVALS = 0.75, 3


@dataclass(frozen=True)
class SearchSpace:
    """The values of h and lam to try.

    Attributes
    ----------
    h, lam : list of float or None
        None lets the search find its own; lam is on the mean scale.
    unit : float
        Unit of h and lam: 1 for z-scores.
    """

    h: list | None
    lam: list | None
    unit: float

    @property
    def lams(self):
        """The values of lam on the grid."""
        return [value * self.unit for value in LAM_GRID] if self.lam is None else self.lam


class Search:
    """A search for the candidate whose clusters are stable and predict held-out rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows in an order of their own (`row_order`), no constant columns.
    space : SearchSpace
    runner : CandidateRunner
    n_subsets : int
    rng : numpy.random.Generator

    Attributes
    ----------
    candidates : dict
        By (h, lam).
    complete : bool
        Whether the search came to its end.
    """

    def __init__(self, X, space, runner, n_subsets, rng):
        n = len(X)
        self._space = space
        self._runner = runner
        self._heldout = HeldOut(X, rng) if X.size else None
        self._halves = random_rows(n, n // 2, rng)
        self._subsets = [random_rows(n, round(SHARE * n), rng) for _ in range(n_subsets)]
        self._most_clusters = max(2, n // LEAST_MEAN_SIZE)
        self.candidates = {}
        self.complete = False

    @property
    def n_fits(self):
        """Number of fits so far."""
        return self._runner.n_fits

    def run(self):
        """Search; `candidates` and `complete` tell the outcome."""
        try:
            self._fit_grid()
            self.judge(self.candidates.values())
            best = self.best()
            if best is not None and not self._inside_plateau(best):
                self.judge(self._fit_around(best))
            self.judge(self._rivals(), every=True)
            self.complete = True
        except SearchStopped:
            pass

    def best(self):
        """Return the candidate with the best score if there is evidence of clusters, else None."""
        judged = [one for one in self.candidates.values() if one.evidence >= LEAST_EVIDENCE]
        return max(judged, key=lambda one: one.score, default=None)

    def fit(self, places):
        """Fit all rows at the given (h, lam) that are new; return the candidates of all of them."""
        new = [place for place in dict.fromkeys(places) if place not in self.candidates]
        fits = self._runner([(place, None) for place in new])
        for (h, lam), (labels, weights) in zip(new, fits, strict=True):
            self.candidates[h, lam] = candidate = Candidate(h, lam, labels, weights)
            if 2 <= candidate.k <= self._most_clusters:
                candidate.screened = self._gain_between_halves(candidate)
        return [self.candidates[place] for place in places]

    def _fit_grid(self):
        lams = self._space.lams
        if self._space.h is not None:
            self.fit([(h, lam) for lam in lams for h in self._space.h])
            return
        scans = [BandwidthScan(lam, up) for lam in lams for up in (True, False)]
        while scans:
            fitted = self.fit([(h_at(scan.step, self._space.unit), scan.lam) for scan in scans])
            for scan, candidate in zip(scans, fitted, strict=True):
                scan.advance(candidate)
            scans = [scan for scan in scans if not scan.ended]
        self.fit([place for lam in lams for place in self._edge(lam)])

    def _edge(self, lam):
        """Return the place, if any, halfway between one cluster and several at a lam."""
        at_lam = [one for one in self.candidates.values() if one.lam == lam]
        several = [one.h for one in at_lam if one.k > 1]
        single = [one.h for one in at_lam if one.k == 1]
        if several and single and max(several) < min(single):
            yield float(np.sqrt(max(several) * min(single))), lam

    def _inside_plateau(self, candidate):
        """Tell whether the same clusters are found at a lower and a higher h and nearby lam."""
        alike = [
            (other.h, other.lam)
            for other in self.candidates.values()
            if np.array_equal(other.labels, candidate.labels)
        ]
        lams = [lam for lam in self._neighbours(candidate) if self._space.lam is None]
        sides = {int(np.sign(h - candidate.h)) for h, lam in alike if lam == candidate.lam}
        return (self._space.h is not None or {-1, 1} <= sides) and set(lams) <= {
            lam for _, lam in alike
        }

    def _neighbours(self, candidate):
        """Return the next lower and higher lam that were tried."""
        lams = np.unique([other.lam for other in self.candidates.values()])
        here = int(np.searchsorted(lams, candidate.lam))
        return [lams[i] for i in (here - 1, here + 1) if 0 <= i < len(lams)]

    def _fit_around(self, candidate):
        """Fit halfway to the neighbours of a candidate in both directions; return these."""
        hs, lams = [candidate.h], [candidate.lam]
        if self._space.h is None:
            hs += [candidate.h / np.sqrt(H_STEP), candidate.h * np.sqrt(H_STEP)]
        if self._space.lam is None:
            lams += [np.sqrt(candidate.lam * lam) for lam in self._neighbours(candidate)]
        return self.fit([(float(h), float(lam)) for h in hs for lam in lams])

    def _gain_between_halves(self, candidate):
        """Return how well the clusters of all rows, as they are in one half, predict the other."""
        return np.mean(
            [
                self._heldout.gain(half, candidate.labels[half], candidate.weights)
                for half in (self._halves, ~self._halves)
            ]
        )

    def judge(self, candidates, every=False):
        """Cluster the subsets with the candidates that may have the best score.

        The most promising come first, a few at a time and a few per partition, until even perfect
        stability would not be enough to win, unless `every` candidate is asked for.
        """
        promising = [one for one in candidates if one.screened > LEAST_EVIDENCE / 2]
        waiting = [one for one in by_partition(promising) if not one.judged]
        waiting = waiting if every else waiting[:MOST_JUDGED]
        while waiting:
            best = max((one.score for one in self.candidates.values() if one.judged), default=0.0)
            waiting = [one for one in waiting if every or one.promise > best]
            self._cluster_subsets(waiting[:JUDGED_AT_ONCE])
            waiting = waiting[JUDGED_AT_ONCE:]

    def _cluster_subsets(self, candidates):
        """Note the agreement and the gain of each candidate on each subset."""
        pairs = [(one, rows) for one in candidates for rows in self._subsets]
        fits = self._runner([((one.h, one.lam), rows) for one, rows in pairs])
        found = [self._on_subset(*pair, *fitted) for pair, fitted in zip(pairs, fits, strict=True)]
        n = len(self._subsets)
        for i, one in enumerate(candidates):
            one.agreements, one.gains = zip(*found[i * n : (i + 1) * n], strict=True)

    def _on_subset(self, candidate, rows, labels, weights):
        agreement = adjusted_rand_score(candidate.labels[rows], labels)
        return agreement, self._heldout.gain(rows, labels, weights)

    def _rivals(self):
        """Return one candidate per partition that may score nearly as well as the best one.

        They need not be judged to find the best, but to tell how clear the choice is.
        """
        best = self.best()
        if best is None:
            return []
        known = [one for one in self.candidates.values() if one.judged]
        rivals = []
        for one in sorted(self.candidates.values(), key=lambda c: (-c.promise, c.h, c.lam)):
            if one.promise < NEARLY_AS_GOOD * best.score or len(rivals) == MOST_RIVALS:
                break
            if not any(one.agrees_with(other) for other in [*known, *rivals]):
                rivals.append(one)
        return rivals


def random_rows(n, size, rng):
    """Return a mask with `size` of n rows."""
    mask = np.zeros(n, dtype=bool)
    mask[rng.permutation(n)[:size]] = True
    return mask
