"""Tables and lists as HTML, so that no number is broken over two lines."""

import html
import sys


class Table:
    """A table that notebooks and pages show without its index.

    Parameters
    ----------
    frame : DataFrame
    caption : str
    digits : int
        Significant digits of the numbers.
    """

    def __init__(self, frame, caption, digits):
        self.frame, self.caption, self.digits = frame, caption, digits

    def _repr_html_(self):
        made = self.frame.to_html(
            index=False, border=0, na_rep="", float_format=lambda value: f"{value:.{self.digits}g}",
        )  # fmt: skip
        if self.caption:
            made = made.replace(
                "<thead>", f"<caption>{html.escape(self.caption)}</caption>\n<thead>", 1
            )
        return made


def show(frame, digits=4, caption=""):
    """Show a table, its numbers with so many significant digits."""
    sys.displayhook(Table(frame, caption, digits))


class Bullets:
    """A sentence and a list below it."""

    def __init__(self, sentence, items):
        self.sentence, self.items = sentence, items

    def _repr_html_(self):
        items = "\n".join(f"<li>{html.escape(str(item))}</li>" for item in self.items)
        return f"<p>{html.escape(self.sentence)}</p>\n<ul>\n{items}\n</ul>"


def bullets(sentence, items):
    """Show a sentence and a list below it."""
    sys.displayhook(Bullets(sentence, items))
