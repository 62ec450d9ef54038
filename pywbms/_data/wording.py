"""Names and numbers in messages."""

import numpy as np

from pywbms._terminal.wording import counted

__all__ = ["counted", "quoted"]


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
