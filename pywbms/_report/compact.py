"""The short form of a report that notebooks show: no scripts, no style sheet, no fits."""

from pywbms._report.markup import escaped, number
from pywbms._results.row_weights import cluster_shares
from pywbms._results.words import headline, remarks
from pywbms._terminal.names import shortened
from pywbms._terminal.wording import counted, weight_text
from pywbms._viz.style import COLOURS

MOST_CLUSTERS, MOST_COLUMNS, CENTRE_COLUMNS, NAME_LENGTH = 12, 8, 5, 30
# Colours that can be read on light and on dark ground; lines take the colour of the text.
WORDS = {"high": "#0f8a5f", "medium": "#b87800", "low": "#d1492f"}
CELL = "padding:.2em .6em;text-align:{};"


def compact(result):
    """Return a result as a notebook shows it, also where scripts are not trusted."""
    return "".join(
        [
            '<div class="wbms" style="max-width:60em">',
            f"<p><b>{escaped(headline(result))}</b></p>",
            confidence_line(result),
            cluster_table(result),
            weight_table(result),
            *(f"<p>{escaped(line)}</p>" for line in remarks(result)),
            alternative_list(result),
            "<p><small><code>result.report(&quot;report.html&quot;)</code> writes the full report: "
            "rows, collapse, tree and other pairs (h, lam).</small></p>",
            "</div>",
        ]
    )


def confidence_line(result):
    """Return how sure the choice is, if there was one."""
    found = result.confidence
    if found is None:
        return ""
    badge = (
        f'<b style="color:{WORDS[found.word]};border:1px solid;border-radius:.3em;'
        f'padding:0 .4em">{found.word}</b>'
    )
    return f"<p>Confidence: {badge} (expected agreement with the truth {found.expected:.2f})</p>"


def cluster_table(result):
    """Return the clusters with size, share and centre."""
    summary = result.summary(CENTRE_COLUMNS)
    shares = cluster_shares(result.estimator)
    names = shortened(summary.columns[2:], NAME_LENGTH)
    rows = []
    for c in range(min(result.n_clusters, MOST_CLUSTERS)):
        swatch = f'<span style="color:{COLOURS[c % len(COLOURS)]}" aria-hidden="true">■</span>'
        cells = [
            number(int(summary.iloc[c, 0])), bar(shares[c], f"{shares[c]:.1%}", shares[0]),
            *map(number, summary.iloc[c, 2:]),
        ]  # fmt: skip
        rows.append((f"{swatch} {c}", *cells))
    caption = "Clusters: sizes, shares and centres in the heaviest columns"
    hidden = result.n_clusters - len(rows)
    if hidden > 0:
        caption += f" ({hidden} smaller ones are not shown)"
    return table(caption, ("cluster", "rows", "share", *names), rows)


def weight_table(result):
    """Return the heaviest columns with bars."""
    weights = result.weights.sort_values(ascending=False, kind="stable")
    shown = weights.iloc[:MOST_COLUMNS]
    names = shortened(shown.index, NAME_LENGTH)
    rows = [
        (escaped(name), bar(w, weight_text(w), shown.iloc[0]))
        for name, w in zip(names, shown, strict=True)
    ]
    caption = "Weights of the columns"
    hidden = len(weights) - len(shown)
    if hidden > 0:
        caption += f" ({counted(hidden, 'lighter one')} not shown)"
    return table(caption, ("column", "weight"), rows)


def alternative_list(result):
    """Return the note on the choice, folded away."""
    if not result.note:
        return ""
    lines = "<br>".join(map(escaped, result.note.splitlines()))
    return f"<details><summary>The choice of h and lam</summary><p>{lines}</p></details>"


def bar(value, text, largest):
    """Return a bar with its value behind it."""
    width = 6 * value / largest if largest > 0 else 0
    return (
        f'<span style="display:inline-block;width:{width:.2f}em;height:.7em;'
        f'background:{COLOURS[0]}" aria-hidden="true"></span> {escaped(text)}'
    )


def table(caption, head, rows):
    """Return a table of cells that are HTML."""
    top = "".join(
        f'<th scope="col" style="{CELL.format("left" if i == 0 else "right")}">{escaped(name)}</th>'
        for i, name in enumerate(head)
    )
    lines = "".join(
        f'<tr><th scope="row" style="{CELL.format("left")}">{first}</th>'
        + "".join(
            f'<td style="{CELL.format("left" if "<span" in cell else "right")}">{cell}</td>'
            for cell in cells
        )
        + "</tr>"
        for first, *cells in rows
    )
    return (
        '<table style="margin:.4em 0"><caption style="text-align:left">'
        f"{escaped(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table>"
    )
