"""The layers of a result: a table that a notebook shows with bars."""

import html

import pandas as pd

LONGEST_BAR = 8  # em
LEFT = "text-align:left"


class Layers(pd.DataFrame):
    """A DataFrame of layers; what is computed from it is a plain table."""

    @property
    def _constructor(self):
        return pd.DataFrame

    def _repr_html_(self) -> str:
        return as_html(self.to_dict(orient="records"))


def as_html(layers):
    """Return layers as a table with a bar for each lifetime.

    Parameters
    ----------
    layers : list of dict
    """
    longest = max((one["lifetime"] for one in layers), default=1.0)
    cells = [
        f'<th scope="col" style="{LEFT}">{html.escape(name)}</th>'
        for name in ("clusters", "lifetime (as a logarithm)", "stability", "h", "lam", "source")
    ]
    lines = ["".join(cells)]
    for one in layers:
        name = f"<b>{one['k']} (this result)</b>" if one["own"] else f"{one['k']}"
        width = LONGEST_BAR * max(one["lifetime"], 0.0) / (longest or 1.0)
        bar = (
            f'<span style="display:inline-block;width:{width:.2f}em;height:.7em;'
            f'background:#0072B2" aria-hidden="true"></span> {one["lifetime"]:.3g}'
        )
        numbers = (f"{one['stability']:.2f}", f"{one['h']:.4g}", f"{one['lam']:.4g}")
        cells = [
            f'<td style="{LEFT}">{cell}</td>'
            for cell in (bar, *numbers, html.escape(one["source"]))
        ]
        lines.append(f'<th scope="row" style="{LEFT}">{name}</th>{"".join(cells)}')
    return (
        f'<table><caption style="{LEFT}">Partitions that live long, from coarse to fine</caption>'
        + "".join(f"<tr>{line}</tr>" for line in lines)
        + "</table>"
    )
