"""Shared by the two classic data sets with 30 noise features."""

import numpy as np

from pywbms.experiments import _findings, _grids
from pywbms.experiments._cells import cell
from pywbms.experiments._cells import draw as draw_data
from pywbms.experiments._figures import IN_RANGE, LABELS, partitions
from pywbms.experiments._framework import Report
from pywbms.experiments._labels import PRINTED, RELEASED_IN_RANGE
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import comparison, means, method_table, what_peers_know

#: The paper mentions "classical centroid-based algorithms" that fail.
CLASSICAL = ("kmeans",)


def noise_feature_cells(name, sizes, form):
    """Return every method on every draw of a classic data set with noise features."""
    planned = []
    for seed in range(_grids.DRAWS[form]):
        data = {"name": name, "seed": seed, **({"n": sizes[form]} if form in sizes else {})}
        first = {"keep": True} if seed == 0 else {}
        planned += [
            cell(data, "wbms", **_grids.choice(form), **first),
            cell(data, "wbms_grid", **_grids.FINE_GRID[form], **first),
            cell(data, "wbms_released", **_grids.PAPER_RANGE[form], **first),
            *(cell(data, peer, **_grids.peer_options(peer, form)) for peer in (*PEERS, *CLASSICAL)),
        ]
    return planned


def noise_feature_report(rows, group):
    """Compare with “perfect”, that is ARI and NMI of 1."""
    table = means(rows, group)
    perfect = {"ari": 1.0, "nmi": 1.0, "ami": 1.0, "k": None}
    compared = comparison(
        rows, [group], lambda _, measure: perfect.get(measure), released=RELEASED_IN_RANGE
    )
    compared[PRINTED] = compared[PRINTED].replace("1.000", "figure only: “perfect”")
    findings = _findings.how_close(rows, [group])
    findings.append(
        "Peers, mean ARI: "
        + ", ".join(
            f"{METHODS[method].title} {table.loc[method, 'ari']:z.3f}"
            for method in (*PEERS, *CLASSICAL)
            if method in table.index
        )
        + "."
    )
    return Report(
        {"Printed and measured": compared, "All methods": method_table(rows, [group])},
        findings,
        [f"Means over {rows['draw'].nunique()} draws; the figure shows the first.",
         _grids.IN_THE_RANGE, what_peers_know()],
    )  # fmt: skip


def noise_feature_figure(rows, name):
    """Draw the truth and the three partitions of WBMS on the first draw."""
    kept = rows[rows["labels"].notna()]
    if kept.empty:
        return None
    n = len(kept["labels"].iloc[0])
    X, truth = draw_data({"name": name, "seed": 0, "n": n}, None)
    panels = {f"truth ({truth.nunique()} clusters)": truth.to_numpy()}
    for line in kept.itertuples():
        form = IN_RANGE if line.method == "wbms_released" else LABELS[line.method]
        scores = f"k̂ = {line.k:g}, ARI {line.ari:z.2f}"
        panels[",\n".join(form.rsplit(", ", 1)) + f"\n{scores}"] = np.array(line.labels)
    return partitions(X.to_numpy()[:, :2], panels, ("x1", "x2"))
