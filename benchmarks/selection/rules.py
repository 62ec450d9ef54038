"""Rules that choose a pair (h, lam), and their comparison on the same search."""

import numpy as np
from sklearn.metrics import adjusted_rand_score

from pywbms._data.ordering import row_order
from pywbms._engine.settings import Settings
from pywbms._selection.candidates import LEAST_EVIDENCE
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace
from pywbms.select import MOST_ROWS, N_SUBSETS


def central(pairs):
    """Return the mean agreement of each partition with the others."""
    agreement = [[adjusted_rand_score(a.labels, b.labels) for b in pairs] for a in pairs]
    return np.mean(agreement, axis=1)


#: What each rule maximises, over the pairs evaluated on subsets.
RULES = {
    "stability × between halves / k^(1/4)": lambda pairs: [pair.score for pair in pairs],
    "stability × between halves / √k": lambda pairs: [
        pair.stability * max(pair.screened, 0) / np.sqrt(pair.k) for pair in pairs
    ],
    "stability × held-out gain / √k": lambda pairs: [
        pair.evidence / np.sqrt(pair.k) for pair in pairs
    ],
    "stability × held-out gain": lambda pairs: [pair.evidence for pair in pairs],
    "between halves": lambda pairs: [pair.screened for pair in pairs],
    "held-out gain": lambda pairs: [pair.gain for pair in pairs],
    "most stable": lambda pairs: [pair.stability for pair in pairs],
    "most central": central,
}
BEST = "best pair tried, labels used"


def compare(X, truth):
    """Return for each rule the (ARI, k) of its pair; every promising pair is evaluated.

    "No clusters" is decided as in `pywbms.select` for all rules.
    """
    X = np.asarray(X, dtype=float)
    X = X[:, X.std(axis=0) > 0]
    order = row_order(X)
    rng = np.random.default_rng(0)
    if len(order) > MOST_ROWS:
        order = order[np.sort(rng.permutation(len(order))[:MOST_ROWS])]
    truth = np.asarray(truth)[order]
    runner = CandidateRunner(X[order], Settings())
    search = Search(X[order], SearchSpace(None, None, 1.0), runner, N_SUBSETS, rng)
    search.run()
    search.judge(search.candidates.values(), every=True)
    tried = list(search.candidates.values())
    agreement = {id(pair): adjusted_rand_score(truth, pair.labels) for pair in tried}
    eligible = [pair for pair in tried if pair.evidence >= LEAST_EVIDENCE]
    taken = {
        rule: eligible[int(np.argmax(measure(eligible)))] if eligible else None
        for rule, measure in RULES.items()
    }
    taken[BEST] = max(tried, key=lambda pair: agreement[id(pair)])
    alone = adjusted_rand_score(truth, np.zeros(len(truth)))
    return {
        rule: (alone, 1) if pair is None else (agreement[id(pair)], pair.k)
        for rule, pair in taken.items()
    }
