"""The ablation over λ: ARI on the real data, with the best h."""

from pywbms.experiments import _printed, real_data
from pywbms.experiments._ablation import ablation_cells, ablation_figure, ablation_report
from pywbms.experiments._framework import Experiment

CLAIM = "Average ARI values for WBMS on real-datasets for different values of λ"
NOTES = [
    "Chosen without labels: h chosen by `pywbms.select` for the given λ. Best on the grid: the "
    "default form at the given λ, with the best h of the grid, labels used. In both, λ is on the "
    "mean scale of equation (5), on which values of 1 or more make all weights nearly equal."
]


def cells(form, stamps):
    """Return WBMS at each λ of the paper."""
    return ablation_cells(form, stamps, "lam")


def report(rows):
    """Compare with the printed table."""
    return ablation_report(rows, "lam", _printed.ABLATION_LAM, _printed.ARI_OVER_LAM, NOTES)


def draw(rows):
    """Draw ARI against λ."""
    return ablation_figure(rows, "lam", _printed.ABLATION_LAM, _printed.ARI_OVER_LAM)


EXPERIMENT = Experiment(
    "ablation-lam", "Ablation over λ", CLAIM, cells, report, draw,
    needs=real_data.EXPERIMENT.needs,
)  # fmt: skip
