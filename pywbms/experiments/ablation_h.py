"""The ablation over h: ARI on the real data, with the best λ."""

from pywbms.experiments import _printed, real_data
from pywbms.experiments._ablation import ablation_cells, ablation_figure, ablation_report
from pywbms.experiments._framework import Experiment

CLAIM = "Average ARI values for WBMS on real-datasets for different values of h"
NOTES = [
    "Chosen without labels: lam chosen by `pywbms.select` for the given h. Best on the grid: the "
    "default form at the given h, with the best lam of the grid, labels used."
]


def cells(form, stamps):
    """Return WBMS at each h of the paper."""
    return ablation_cells(form, stamps, "h")


def report(rows):
    """Compare with the printed table."""
    return ablation_report(rows, "h", _printed.ABLATION_H, _printed.ARI_OVER_H, NOTES)


def draw(rows):
    """Draw ARI against h."""
    return ablation_figure(rows, "h", _printed.ABLATION_H, _printed.ARI_OVER_H)


EXPERIMENT = Experiment(
    "ablation-h", "Ablation over h", CLAIM, cells, report, draw, needs=real_data.EXPERIMENT.needs
)
