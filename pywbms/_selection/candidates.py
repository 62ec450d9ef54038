"""Candidates: pairs (h, lam) with the partitions they give, and their scores."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

# Partitions that agree as well as this (adjusted Rand index) count as the same.
SAME = 0.9
CANDIDATES_PER_PARTITION = 2
# Exponent of k by which the score is divided: the more clusters, the more any data that are not one
# smooth cloud gain from them.
PENALTY_EXPONENT = 0.25
# Stability times gain, in nats per row, below which there is no evidence of clusters.
LEAST_EVIDENCE = 0.1


@dataclass
class Candidate:
    """A pair (h, lam) with its clustering of all rows, and what is known of it so far.

    Attributes
    ----------
    h, lam : float
    labels : ndarray of shape (n,)
    weights : ndarray of shape (p,)
    screened : float
        Gain in log density between two halves of the rows: how much better the clusters, as they
        are in one half, predict the other half than a single cloud does. The clusters are those
        of all rows. 0 if not computed.
    agreements, gains : tuple of float
        For each subset: the adjusted Rand index with the clustering of all rows, and the gain in
        log density of the held-out rows.
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
        """Mean gain in log density of the held-out rows, in nats per row."""
        return float(np.mean(self.gains)) if self.judged else 0.0

    @property
    def evidence(self):
        """Stability times gain: the evidence that there are clusters at all."""
        return self.stability * max(self.gain, 0.0)

    @property
    def promise(self):
        """The score if stability were perfect: it takes no further fit to know it."""
        return max(self.screened, 0.0) / self.k**PENALTY_EXPONENT

    @property
    def score(self):
        """Stability times the gain between halves, with a penalty on the number of clusters."""
        return self.stability * self.promise

    def agrees_with(self, other):
        """Tell whether two candidates have practically the same partition."""
        return adjusted_rand_score(self.labels, other.labels) >= SAME


def by_partition(candidates):
    """Return candidates by decreasing promise, a few per partition from the middle of its range."""
    groups = []
    for one in sorted(candidates, key=lambda c: (-c.promise, c.h, c.lam)):
        for group in groups:
            if one.agrees_with(group[0]):
                group.append(one)
                break
        else:
            groups.append([one])
    chosen = [one for group in groups for one in middle(group, CANDIDATES_PER_PARTITION)]
    return sorted(chosen, key=lambda c: -c.promise)


def middle(candidates, number):
    """Return a few with nearly the best promise from the middle of their range, on log scales."""
    near = [c for c in candidates if c.promise >= 0.95 * candidates[0].promise]
    places = np.log([(c.h, c.lam) for c in near])
    distance = ((places - places.mean(axis=0)) ** 2).sum(axis=1)
    return [near[i] for i in np.argsort(distance, kind="stable")[:number]]


def candidate_table(candidates, columns):
    """Return attributes of candidates as a table, typed even if it is empty."""
    rows = [[getattr(one, name) for name in columns] for one in candidates]
    kinds = {"k": int, "judged": bool}
    return pd.DataFrame(rows, columns=columns).astype(
        {name: kinds.get(name, float) for name in columns}
    )
