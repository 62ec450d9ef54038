"""How h and lam were chosen, as a notebook shows it."""

import html


def as_html(selection):
    """Return a `Selection` as HTML: the choice, the confidence, the alternatives as a table."""
    first, *others = str(selection).splitlines()
    lines = [f"<b>{html.escape(first)}</b>", *map(html.escape, others[:1])]
    lines.append(f"Confidence: {html.escape(str(selection.confidence))}")
    text = "".join(f"<p>{line}</p>" for line in lines)
    if not selection.complete:
        text += f"<p>{html.escape(selection.note.splitlines()[0])}</p>"
    found = selection.alternatives
    if not len(found):
        return text
    columns = ["k", "h", "lam", "stability", "share", "expected", "start"]
    table = found[columns].to_html(index=False, float_format=lambda x: f"{x:.3g}", border=0)
    several = selection.n_clusters > 1
    caption = "Other partitions, nearly as good:" if several else "If there are clusters after all:"
    return f"{text}<p>{caption}</p>{table}"
