"""Tables of text."""


def aligned(rows):
    """Return rows of texts as lines, the first column left-aligned and the others right-aligned.

    Examples
    --------
    >>> aligned([("feature", "weight"), ("x1", "1.000")])
    ['feature  weight', 'x1        1.000']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    ]
