"""Figures with a caption, and with a text for readers who cannot see them."""

import base64
import html
import io
import sys

# Okabe and Ito's palette, which is safe for colour-blind readers.
BLUE, ORANGE, GREEN, SKY, RED = "#0072B2", "#E69F00", "#009E73", "#56B4E9", "#D55E00"
GREY = "#999999"


class Figure:
    """A drawn figure, which notebooks and pages show with its caption.

    Parameters
    ----------
    drawn : matplotlib.figure.Figure
    caption : str
    alt : str
        What there is to see.
    """

    def __init__(self, drawn, caption, alt):
        self.drawn, self.caption, self.alt = drawn, caption, alt

    def _repr_html_(self):
        stream = io.BytesIO()
        self.drawn.savefig(stream, format="png", dpi=110)
        picture = base64.b64encode(stream.getvalue()).decode()
        return (
            f'<figure>\n<img src="data:image/png;base64,{picture}" alt="{html.escape(self.alt)}">\n'
            f"<figcaption>{html.escape(self.caption)}</figcaption>\n</figure>"
        )


def figure(drawn, caption, alt):
    """Show a drawn figure with its caption and a text for readers who cannot see it."""
    sys.displayhook(Figure(drawn, caption, alt))


def tidy(*axes):
    """Remove the top and right spines."""
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
