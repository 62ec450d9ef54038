"""How sure one can be of a partition: that there are clusters at all, and how right they are.

The coefficients are fitted to simulated data sets, with and without clusters, whose truth is
known: ``python -m benchmarks.selection calibrate`` prints them, and how well they do.
"""

from typing import NamedTuple

import numpy as np

# There are clusters if signal(gain) and signal(gain) + DIP · strength reach these bounds. The gain
# alone would let pass some curved clouds, the dips alone rounded values.
LEAST_SIGNAL, DIP, LEAST_TOTAL = 1.1, 0.3, 2.2
# Log odds per unit of signal beyond the bounds.
SLOPE = 3.2
# Deeper dips, in standard errors, do not count for more: they only come from more rows.
STRONG = 5.0
# Of the expected agreement: signal of the gain, strength of the deepest dip, mean valley between
# neighbouring clusters, centrality, constant.
EXPECTED = (0.056, 0.117, -1.133, 0.5, -0.126)
# With more columns than rows, real data disappoint more than simulated ones: what is found there
# is at best of low confidence.
WIDE = 0.45
# Where clusters and none are equally likely beforehand, so many of the answers "one cluster" are
# given to data whose clusters overlap too much to be seen.
UNSEEN = 0.2
WORDS = ((0.75, "high"), (0.45, "medium"), (0.0, "low"))


class Confidence(NamedTuple):
    """How right a clustering can be expected to be.

    Attributes
    ----------
    expected : float
        Expected agreement with the truth: the mean adjusted Rand index of such results on
        simulated data.
    word : str
        The same as "high", "medium" or "low".
    """

    expected: float
    word: str

    @classmethod
    def of(cls, expected):
        """Return the confidence for an expected agreement.

        Examples
        --------
        >>> print(Confidence.of(0.62))
        medium (expected agreement with the truth 0.62)
        """
        return cls(expected, next(word for least, word in WORDS if expected >= least))

    def __str__(self):
        return f"{self.word} (expected agreement with the truth {self.expected:.2f})"


def evidence(gain, strength):
    """Return the evidence for clusters: log odds, at least 0 where there are some.

    Parameters
    ----------
    gain : float
        Gain in log density between halves over a single cloud, in nats per row.
    strength : float
        Depth of the deepest dip between two clusters, in standard errors.

    Examples
    --------
    >>> evidence(gain=1.0, strength=4.0) > 0 > evidence(gain=0.1, strength=4.0)
    True
    """
    found = signal(gain)
    total = found + DIP * min(strength, STRONG)
    return float(SLOPE * min(found - LEAST_SIGNAL, total - LEAST_TOTAL))


def expected_agreement(gain, strength, valley, centrality, wide):
    """Return the adjusted Rand index with the truth that can be expected of a partition."""
    features = (signal(gain), min(strength, STRONG), valley, centrality, 1)
    expected = float(np.clip(np.dot(EXPECTED, features), 0, 1))
    return expected * WIDE if wide else expected


def expected_of_one_cluster(log_odds, unsure):
    """Return the probability that data in which no clusters were found have none.

    Parameters
    ----------
    log_odds : float
        Evidence for the likeliest clusters, below 0; -inf if no candidate has any.
    unsure : bool
        Whether clusters would be hard to see: few rows, or more columns than rows.

    Examples
    --------
    >>> round(expected_of_one_cluster(-np.inf, unsure=False), 2)
    0.8
    """
    expected = (1 - UNSEEN) / (1 + np.exp(log_odds))
    return float(expected * WIDE if unsure else expected)


def signal(gain):
    """Return a gain on a scale that does not let a large one outweigh everything."""
    return np.log1p(10 * max(gain, 0.0))
