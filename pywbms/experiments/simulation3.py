"""Simulation 3: the feature weights over 100 replicates."""

import numpy as np

from pywbms.experiments import _findings, _grids, _printed
from pywbms.experiments._cells import MEASURES, cell
from pywbms.experiments._figures import weight_boxes
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import FIGURE_ONLY, RELEASED_IN_RANGE, TITLES
from pywbms.experiments._methods import METHODS
from pywbms.experiments._tables import (
    Group,
    best_of_each,
    comparison,
    means,
    method_table,
    what_peers_know,
)

DRAWS = {"full": 100, "quick": 10, "tiny": 2}
WEIGHTING_PEERS = ("wgmeans", "ewdp")
GROUP = Group("Simulation 3", "simulation3")
INFORMATIVE = "informative"
#: "Almost all weights": the text gives no number.
ALMOST_ALL = 0.9


def cells(form, stamps):
    """Return the methods that weight features, on every draw."""
    planned = []
    for seed in range(DRAWS[form]):
        data = {"name": "simulation3", "seed": seed}
        planned += [
            cell(data, "wbms", keep=True, **_grids.choice(form)),
            cell(data, "wbms_grid", keep=True, **_grids.GRID[form]),
            cell(data, "wbms_released", keep=True, **_grids.PAPER_RANGE[form]),
            *(cell(data, peer, keep=True) for peer in WEIGHTING_PEERS),
        ]
    return planned


def report(rows):
    """Compare with the paper's description of the weights."""
    table = comparison(
        rows, [GROUP], lambda *_: FIGURE_ONLY, (INFORMATIVE, *MEASURES), released=RELEASED_IN_RANGE
    )
    table["measure"] = table["measure"].replace(INFORMATIVE, "weight on features 1 and 2")
    return Report(
        {"Printed and measured": table, "All methods": with_weights(rows)},
        [*weight_findings(rows), *_findings.how_close(rows, [GROUP])],
        [
            f"Means over {rows['draw'].nunique()} draws.",
            _grids.SPREAD_OF_CLUSTERS,
            _grids.IN_THE_RANGE,
            what_peers_know(),
        ],
    )


def with_weights(rows):
    """Return the table of methods with the mean weight on the two features."""
    table = method_table(rows, [GROUP])
    weights = means(rows, GROUP)[INFORMATIVE]
    table.insert(3, "weight on features 1 and 2", [f"{weight:.3f}" for weight in weights])
    return table.drop(columns=[f"{TITLES[m]} printed" for m in ("ari", "nmi")])


def weight_findings(rows):
    """Return sentences on the weight that each method puts on the informative features."""
    best = best_of_each(rows)
    sentences = []
    for method, mine in best.groupby("method", sort=False)[INFORMATIVE]:
        share = (mine >= ALMOST_ALL).mean()
        is_peer = method in WEIGHTING_PEERS
        # For the peers the paper claims the opposite.
        right = 1 - share if is_peer else share
        word = "holds" if right >= 0.95 else "holds in part" if right > 0.05 else "does not hold"
        claim = (
            "fails to find the features"
            if is_peer
            else "puts almost all weight on features 1 and 2"
        )
        sentences.append(
            f"Claim that {METHODS[method].title} {claim}: {word}; their total weight has the mean "
            f"{mine.mean():.3f} and is at least {ALMOST_ALL} in {share:.0%} of the draws."
        )
    return sentences


def draw(rows):
    """Draw box plots of the weights, one panel per method."""
    kept = rows[rows["weights"].notna()]
    return weight_boxes(
        {
            METHODS[method].title.replace(", ", ",\n"): np.array(mine["weights"].tolist())
            for method, mine in kept.groupby("method", sort=False)
        }
    )


EXPERIMENT = Experiment(
    "simulation3", "Simulation 3: feature weights over 100 replicates",
    _printed.CLAIMS["simulation3"], cells, report, draw,
)  # fmt: skip
