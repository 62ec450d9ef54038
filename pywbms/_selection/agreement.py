"""The adjusted Rand index, without the checks that take most of scikit-learn's time."""

import numpy as np


def agreement(a, b):
    """Return the adjusted Rand index of two partitions with labels 0 … k − 1.

    Examples
    --------
    >>> agreement(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0]))
    1.0
    """
    n, k = len(a), int(b.max()) + 1
    together = pairs(np.unique(a * k + b, return_counts=True)[1])
    in_a, in_b = pairs(np.bincount(a)), pairs(np.bincount(b))
    expected = in_a * in_b / max(n * (n - 1) / 2, 1)
    most = (in_a + in_b) / 2
    return 1.0 if most == expected else float((together - expected) / (most - expected))


def pairs(sizes):
    """Return the number of pairs within groups of given sizes."""
    sizes = sizes.astype(float)
    return (sizes * (sizes - 1)).sum() / 2
