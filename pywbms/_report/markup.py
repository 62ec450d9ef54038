"""HTML from texts that may contain anything: tables, attributes, and JSON inside a page."""

import html
import json
import math

import numpy as np

# What would end a script, or begin a comment in it; and line ends that older JavaScript has.
RISKY = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
DIGITS = 4


def escaped(text):
    """Return a text as HTML shows it, in attributes as well.

    Examples
    --------
    >>> escaped('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(str(text).replace("\0", "\ufffd"), quote=True)


def as_json(value):
    r"""Return data as JSON that may stand in an element of a page.

    Numbers that are not finite become null.

    Examples
    --------
    >>> as_json({"name": "</script>", "value": float("nan")})
    '{"name":"\\u003c/script\\u003e","value":null}'
    """
    text = json.dumps(plain(value), separators=(",", ":"), allow_nan=False)
    for character, code in RISKY.items():
        text = text.replace(character, code)
    return text


def plain(value):
    """Return nested data in the types of JSON, numbers that are not finite as None."""
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def rounded(values, digits=DIGITS):
    """Return an array of numbers with so many significant digits, as a list.

    Examples
    --------
    >>> rounded(np.array([123456.0, 0.000123456, 0.0]))
    [123500.0, 0.0001235, 0.0]
    """
    return [float(f"{value:.{digits}g}") for value in np.asarray(values, dtype=float).tolist()]


def number(value):
    """Return a number as a table shows it.

    Examples
    --------
    >>> number(12345), number(0.123456), number(float("nan"))
    ('12,345', '0.1235', '–')
    """
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.{DIGITS}g}".replace("-", "−") if math.isfinite(value) else "–"


def table(caption, head, rows, *, attributes=None, numeric_from=1):
    """Return a table whose first column names the rows.

    Parameters
    ----------
    caption : str
    head : sequence of str
    rows : iterable of sequence
        Texts, or numbers; a cell that is a tuple is a text with HTML attributes.
    attributes : sequence of str, optional
        HTML attributes of each row.
    numeric_from : int, default 1
        The columns from this one on are aligned as numbers.
    """
    top = "".join(f'<th scope="col">{escaped(name)}</th>' for name in head)
    lines = []
    for i, row in enumerate(rows):
        cells = "".join(cell(value, j, numeric_from) for j, value in enumerate(row))
        lines.append(f"<tr{' ' + attributes[i] if attributes else ''}>{cells}</tr>")
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(caption)}"><table>'
        f"<caption><span>{escaped(caption)}</span></caption><thead><tr>{top}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def cell(value, column, numeric_from):
    """Return a cell of a table."""
    value, more = value if isinstance(value, tuple) else (value, "")
    text = value if isinstance(value, str) else number(value)
    if column == 0:
        return f'<th scope="row"{more}>{escaped(text)}</th>'
    kind = ' class="number"' if column >= numeric_from else ""
    return f"<td{kind}{more}>{escaped(text)}</td>"
