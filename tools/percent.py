"""Execute a vignette, a script with cells, and write what it shows as Markdown.

A cell begins with ``# %%``, one of text with ``# %% [markdown]``. What a code cell prints stands
below its code, and so does the value of its last expression and what it hands to
`sys.displayhook`, as in a notebook: as HTML if it has a ``_repr_html_``. With ``tags=["fold"]``
and the like in the marker, the code is folded away (see `FOLDED`).
"""

import ast
import contextlib
import io
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

MARKER = re.compile(r"^# %%(.*)$", flags=re.MULTILINE)
# What a reader sees of a folded cell, by its tag.
FOLDED = {
    "fold": "Code",
    "figure": "Code of the figure",
    "checks": "The claims, as assertions",
}


@dataclass
class Cell:
    """A cell: its kind as in the marker, and its source."""

    kind: str
    source: str

    @property
    def is_text(self):
        """Whether it holds Markdown."""
        return "[markdown]" in self.kind

    def has(self, tag):
        """Whether it has a tag."""
        return f'"{tag}"' in self.kind


def cells(source):
    """Return the cells of a script."""
    before, *pieces = MARKER.split(source)
    if before.strip():
        raise ValueError("a vignette begins with a cell")
    found = zip(pieces[::2], pieces[1::2], strict=True)
    return [Cell(kind.strip(), text.strip("\n")) for kind, text in found]


def text_of(cell):
    """Return the Markdown of a cell of text."""
    return re.sub(r"^# ?", "", cell.source, flags=re.MULTILINE).strip()


def execute(path):
    """Execute a vignette.

    Parameters
    ----------
    path : path
        The script. Modules beside it can be imported, and it runs in the present folder.

    Returns
    -------
    markdown : str
    namespace : dict
        Its variables.
    """
    path = Path(path).absolute()
    namespace = {"__name__": "__main__", "__file__": str(path)}
    sys.path.insert(0, str(path.parent))
    try:
        parts = [
            text_of(cell) if cell.is_text else executed(cell, namespace, path)
            for cell in cells(path.read_text("utf-8"))
        ]
    finally:
        sys.path.remove(str(path.parent))
    return "\n\n".join(part for part in parts if part) + "\n", namespace


def executed(cell, namespace, path):
    """Execute a cell of code and return its Markdown."""
    output = run(cell.source, namespace, path)
    code = f"```python\n{cell.source}\n```"
    for tag, summary in FOLDED.items():
        if cell.has(tag):
            code = f'<details class="fold"><summary>{summary}</summary>\n\n{code}\n\n</details>'
    return "\n\n".join([code, *output])


def run(source, namespace, path):
    """Execute code; return what it prints and shows, each piece as Markdown."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    output = Output()
    with output.collected():
        exec(compile(tree, str(path), "exec"), namespace)
        if last is not None:
            sys.displayhook(eval(compile(ast.Expression(last.value), str(path), "eval"), namespace))
    return output.pieces


class Output:
    """What a cell prints and shows, in order."""

    def __init__(self):
        self.pieces, self.printed = [], io.StringIO()

    @contextlib.contextmanager
    def collected(self):
        """Collect what is printed and shown."""
        before, sys.displayhook = sys.displayhook, self.show
        try:
            with contextlib.redirect_stdout(self.printed):
                yield
        finally:
            sys.displayhook = before
        self.flush()

    def flush(self):
        """Make a piece of what has been printed so far."""
        if text := self.printed.getvalue().strip("\n"):
            self.pieces.append(f"```text\n{text}\n```")
        self.printed.seek(0)
        self.printed.truncate()

    def show(self, value):
        """Add a value: as HTML if it can be shown so, else as text."""
        if value is None:
            return
        self.flush()
        if hasattr(value, "_repr_html_"):
            # An empty line would end the HTML within Markdown.
            self.pieces.append(re.sub(r"\n\s*\n", "\n", value._repr_html_()).strip())
        else:
            self.pieces.append(f"```text\n{value}\n```")


def main(source, target):
    """Execute a vignette and write its Markdown."""
    os.environ.setdefault("MPLBACKEND", "agg")
    markdown, _ = execute(source)
    Path(target).write_text(markdown, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
