"""The sensitivity heat map: NMI over h and lam on two clusters in 2 of 32 features."""

from pywbms.experiments import _findings, _grids, _printed
from pywbms.experiments._cells import cell
from pywbms.experiments._figures import heat_maps
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import FIGURE_ONLY, RELEASED_IN_MAP
from pywbms.experiments._tables import Group, comparison, method_table

#: h and lam of the default form (mean scale), and of the released form (sum scale: n times larger).
DEFAULT = {
    "full": {"h": _grids.spread(0.01, 1, 17), "lam": _grids.spread(0.01, 10, 10)},
    "quick": {"h": _grids.spread(0.01, 1, 9), "lam": _grids.spread(0.01, 10, 6)},
    "tiny": {"h": [0.05, 0.2], "lam": [0.05, 1.0]},
}
RELEASED = {
    "full": {"h": _grids.spread(0.01, 1, 17), "lam": [0.5, 1, 2, 5, 10, 20, 50, 100, 500, 2000]},
    "quick": {"h": _grids.spread(0.01, 1, 9), "lam": [1, 5, 10, 20, 100, 1000]},
    "tiny": {"h": [0.1, 0.3], "lam": [1.0, 10.0]},
}
DRAWS = {"full": 5, "quick": 1, "tiny": 1}
GROUP = Group("data1", "data1")
FORMS = {
    "wbms_grid": "default form (lam on the mean scale)",
    "wbms_released": "released form (lam on the sum scale)",
}


def cells(form, stamps):
    """Return both forms on a grid, and the choice without labels."""
    planned = []
    for seed in range(DRAWS[form]):
        data = {"name": "data1", "seed": seed}
        planned += [
            cell(data, "wbms", **_grids.choice(form)),
            cell(data, "wbms_grid", **DEFAULT[form]),
            cell(data, "wbms_released", **RELEASED[form]),
        ]
    return planned


def report(rows):
    """Report the range in which the clustering is perfect."""
    findings = []
    for method, title in FORMS.items():
        table = nmi(rows, method)
        perfect = table >= 1 - 1e-9
        share = perfect.to_numpy().mean()
        sentence = f"{title}: NMI 1 in every draw at {share:.0%} of the pairs"
        if perfect.to_numpy().any():
            h, lam = table.columns[perfect.any(axis=0)], table.index[perfect.any(axis=1)]
            sentence += (
                f", with h from {h.min():.3g} to {h.max():.3g} and lam from {lam.min():.3g} to "
                f"{lam.max():.3g}"
            )
        inside = in_range(table, method)
        if inside.size:
            sentence += (
                f"; in the range the text recommends (h 0.1–1, λ 1–20) at "
                f"{(inside >= 1 - 1e-9).mean():.0%}"
            )
        findings.append(sentence + ".")
    return Report(
        {
            "Printed and measured": comparison(
                rows, [GROUP], lambda *_: FIGURE_ONLY, released=RELEASED_IN_MAP
            ),
            "All methods": method_table(rows, [GROUP]),
        },
        [*findings, *_findings.how_close(rows, [GROUP])],
        [
            f"Means over {rows['draw'].nunique()} draws.",
            "The paper gives no h and λ for the figure: best and released form are the best pairs "
            "of the two heat maps, found with the labels.",
        ],
    )


def nmi(rows, method):
    """Return the mean NMI over draws, with lam in the rows and h in the columns."""
    mine = rows[rows["method"] == method]
    return mine.pivot_table(index="lam", columns="h", values="nmi", aggfunc="mean")


def in_range(table, method):
    """Return the values in the range of h and λ that the text recommends, λ on its own scale."""
    h, lam = table.columns, table.index
    low, high = _printed.RANGE_H
    least, most = _printed.RANGE_LAM
    return table.to_numpy()[(lam >= least) & (lam <= most)][:, (h >= low) & (h <= high)]


def draw(rows):
    """Draw the heat maps of both forms."""
    return heat_maps({title: nmi(rows, method) for method, title in FORMS.items()}, "NMI")


EXPERIMENT = Experiment(
    "sensitivity", "Sensitivity to h and lam: a heat map of NMI", _printed.CLAIMS["sensitivity"],
    cells, report, draw,
)  # fmt: skip
