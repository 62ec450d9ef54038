"""How sure one can be of a partition: that there are clusters at all, and how right they are.

The coefficients are fitted to simulated data sets, with and without clusters, whose truth is
known. ``python -m benchmarks.selection calibrate --seeds 160`` prints those of the expected
agreement; those of the test for clusters come from a larger share of sets without any, so that it
errs towards one cluster.
"""

from typing import NamedTuple

import numpy as np

from pywbms._selection.separation import WEAK

# Of the test for clusters: log(1 + 10 · gain), strength of the strongest separation, constant.
GATE = (1.80, 0.77, -5.76)
# Of the expected agreement: the same, and the mean valley between neighbouring clusters.
EXPECTED = (0.22, 0.01, -0.44, 0.09)
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
        Gain in log density between halves, in nats per row.
    strength : float
        Depth of the deepest dip between two clusters, in standard errors.
    """
    if strength < WEAK:  # pieces of one cloud predict well, too
        return -np.inf
    return float(np.dot(GATE, (signal(gain), strength, 1)))


def expected_agreement(gain, strength, valley):
    """Return the adjusted Rand index with the truth that can be expected of a partition."""
    expected = np.dot(EXPECTED, (signal(gain), strength, valley, 1))
    return float(np.clip(expected, 0, 1))


def signal(gain):
    """Return a gain on a scale that does not let a large one outweigh everything."""
    return np.log1p(10 * max(gain, 0.0))
