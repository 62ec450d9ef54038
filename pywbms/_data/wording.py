"""Names and numbers in messages."""

import numpy as np


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


def counted(n, noun):
    """Count things in words.

    Examples
    --------
    >>> counted(1, "row"), counted(1000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
