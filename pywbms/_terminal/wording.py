"""Counts and durations in words."""


def counted(n, noun):
    """Return a number with its noun, in the plural if need be.

    Examples
    --------
    >>> counted(1, "row"), counted(1000, "row")
    ('1 row', '1,000 rows')
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


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
