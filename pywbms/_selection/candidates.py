"""Candidates: fits at a start and a pair (h, lam), the partitions they give, and their scores."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.ordering import largest_first
from pywbms._selection.agreement import agreement
from pywbms._selection.evidence import evidence, expected_agreement, signal
from pywbms._selection.separation import Separation, joined_groups

# Partitions that agree as well as this (adjusted Rand index) count as the same.
SAME = 0.9
# Exponent of k by which the promise is divided: the more clusters, the more any data that are not
# one smooth cloud gain from them.
PENALTY_EXPONENT = 0.25
# The centrality tells a partition that nothing else comes near from the others, no more than that.
CENTRALITY_EXPONENT = 0.15
# The least centrality and the least gain that a score counts with, so that it tells partitions
# apart, too, none of which is any good.
LEAST_CENTRALITY, LEAST_GAIN = 0.01, 1e-4


@dataclass(eq=False)
class Candidate:
    """A start, a pair (h, lam), their clustering of all rows, and what is known of it so far.

    Attributes
    ----------
    start : str
        Name of the start of the weights.
    h, lam : float
    labels : ndarray of shape (n,)
        Clusters as the fit leaves them, of the rows that were scanned.
    weights : ndarray of shape (p,)
    screened : float
        Gain in log density between two halves of the rows: how much better the clusters, as they
        are in one half, predict the other half than a single cloud does. The clusters are those
        of all rows. 0 if not computed.
    centrality : float
        Mean adjusted Rand index with all different partitions of the search, each of which
        counts as much as it promises; 0 if not computed.
    refined : float
        The screened gain with clusters that have shapes of their own; 0 if not computed.
    surplus : float
        The refined gain over a single cloud that may also be bent; 0 if not computed.
    separations : list of Separation or None
        Of its neighbouring groups; None for candidates that are not among the best.
    between : list of Separation
        Of its neighbouring clusters, where these are several groups that were joined.
    may_join : bool
        Whether clusters without a dip in density between them may be joined.
    n_joined : int, optional
        Number of clusters to which groups are joined, those with the shallowest dips first.
    confirmed : bool
        Whether all rows were fitted, and all that follows measured on them; before, it is that of
        the rows that were scanned.
    agreements, gains : tuple of float
        For each subset: the adjusted Rand index with the clustering of all rows, and the gain in
        log density of the held-out rows.
    """

    start: str
    h: float
    lam: float
    labels: np.ndarray
    weights: np.ndarray
    screened: float = 0.0
    centrality: float = 0.0
    refined: float = 0.0
    surplus: float = 0.0
    separations: list[Separation] | None = None
    between: list[Separation] = field(default_factory=list)
    may_join: bool = True
    n_joined: int | None = None
    confirmed: bool = False
    _n_groups: int | None = None
    agreements: tuple = ()
    gains: tuple = ()

    @property
    def place(self):
        """What tells one candidate from another: start, h, lam."""
        return self.start, self.h, self.lam

    @property
    def n_groups(self):
        """Number of clusters as the fit leaves them."""
        return int(self.labels.max()) + 1 if self._n_groups is None else self._n_groups

    def confirm(self, labels, weights, n_groups):
        """Take what a fit of all rows has found in place of what one of the scanned rows has.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            Of the rows that were scanned: not all of the groups need be among them.
        weights : ndarray of shape (p,)
        n_groups : int
        """
        self.labels, self.weights, self._n_groups = labels, weights, n_groups
        self.confirmed = True
        self.screened = self.refined = self.surplus = 0.0
        self.separations, self.between = [], []

    @property
    def scored(self):
        """Whether its separations are known."""
        return self.separations is not None

    @property
    def joined(self):
        """Labels in which clusters without a dip in density between them are one."""
        return self.joined_labels(self.labels)

    def joined_labels(self, labels):
        """Return labels of any rows with the clusters joined between which there is no dip."""
        return largest_first(self._clusters[labels]) if self.scored else labels

    @property
    def _clusters(self):
        """Cluster of each group."""
        found = self.separations if self.scored and self.may_join else []
        return joined_groups(self.n_groups, found, self.n_joined)

    @property
    def k(self):
        """Number of clusters, joined ones counted once."""
        return int(self._clusters.max()) + 1

    @property
    def apart(self):
        """Separations of neighbouring clusters that are not joined."""
        cluster = self._clusters
        return [one for one in self.separations or [] if cluster[one.a] != cluster[one.b]]

    @property
    def valley(self):
        """Mean valley between clusters that stay apart: 0 a clear gap, 1 no dip at all.

        Each counts as many times as the smaller one has rows.
        """
        apart = self.apart
        if not apart:
            return 1.0
        rows = [one.n_rows for one in apart]
        return float(np.average([one.valley for one in apart], weights=rows))

    @property
    def strength(self):
        """Depth of the deepest dip between two clusters that stay apart, in standard errors.

        Groups that are joined are looked at as a whole, too: they have more rows.
        """
        return max((one.strength for one in self.apart + self.between), default=0.0)

    @property
    def evidence(self):
        """Log odds that there are clusters; minus infinity if all were joined."""
        return evidence(self.surplus, self.strength) if self.k > 1 else -np.inf

    @property
    def expected(self):
        """Expected agreement with the truth if there are clusters."""
        wide = len(self.weights) > len(self.labels)
        return expected_agreement(self.surplus, self.strength, self.valley, self.centrality, wide)

    @property
    def promise(self):
        """The gain between halves, less for many clusters; what a scan goes by."""
        return max(self.screened, 0.0) / self.n_groups**PENALTY_EXPONENT

    def merit(self, centrality):
        """Return what is known of the score before the separations are, given the centrality."""
        centrality = max(centrality, LEAST_CENTRALITY)
        return signal(max(self.screened, LEAST_GAIN)) * centrality

    @property
    def score(self):
        """√(refined gain) × clearness of the valleys × a power of the centrality.

        0 if it is not scored, or one cluster.
        """
        if not self.apart:
            return 0.0
        gain, centrality = max(self.refined, LEAST_GAIN), max(self.centrality, LEAST_CENTRALITY)
        return float(np.sqrt(gain) * (1.02 - self.valley) * centrality**CENTRALITY_EXPONENT)

    @property
    def judged(self):
        """Whether subsets were clustered with this candidate."""
        return len(self.gains) > 0

    @property
    def stability(self):
        """Mean agreement with the clusterings of the subsets, at least 0."""
        return max(0.0, float(np.mean(self.agreements))) if self.judged else 0.0

    @property
    def gain(self):
        """Mean gain in log density of the held-out rows, in nats per row."""
        return float(np.mean(self.gains)) if self.judged else 0.0

    def agrees_with(self, other, least=SAME):
        """Tell whether two candidates have practically the same partition."""
        return agreement(self.joined, other.joined) >= least


def candidate_table(candidates, columns):
    """Return attributes of candidates as a table, typed even if it is empty."""
    rows = [[getattr(one, name) for name in columns] for one in candidates]
    kinds = {"start": str, "k": int, "n_groups": int, "judged": bool, "scored": bool}
    return pd.DataFrame(rows, columns=columns).astype(
        {name: kinds.get(name, float) for name in columns}
    )
