"""Names, counts and durations in words."""

import numpy as np

# Smaller weights are not told apart in texts.
LEAST_WEIGHT = 0.001


def counted(n, noun):
    """Return a number with its noun, in the plural if need be.

    Examples
    --------
    >>> counted(1, "row"), counted(1000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def weight_text(weight, digits=2):
    """Return a feature weight with some decimals, or more where these would all be 0.

    Examples
    --------
    >>> weight_text(0.5234), weight_text(0.0021), weight_text(1.57e-8), weight_text(0.0)
    ('0.52', '0.002', '< 0.001', '0')
    """
    if 0 < weight < LEAST_WEIGHT:
        return f"< {LEAST_WEIGHT}"
    if weight == 0:
        return "0"
    return f"{weight:.{digits}f}" if weight >= 0.5 * 10**-digits else f"{weight:.3f}"


def duration(seconds):
    """Return a duration in the unit that suits it.

    Examples
    --------
    >>> duration(0.0312), duration(42.3), duration(600), duration(5400)
    ('0.031 s', '42 s', '10 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.2g} s" if seconds < 1 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def quoted(names, limit=5):
    """Return names as text, the first few of many.

    Examples
    --------
    >>> quoted(["a", 3])
    "'a', 3"
    >>> quoted(range(9))
    '0, 1, 2, 3, 4 and 4 more'
    """
    names = list(names)
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    names = [name.item() if isinstance(name, np.generic) else name for name in names[:limit]]
    return ", ".join(map(repr, names)) + more


def some(texts, limit):
    """Return the first of some texts, and how many more there are.

    Examples
    --------
    >>> some("abcd", 2)
    'a, b, … 2 more'
    """
    texts = list(texts)
    more = f", … {len(texts) - limit} more" if len(texts) > limit else ""
    return ", ".join(texts[:limit]) + more
