"""Two moons with 30 noise features."""

from pywbms.experiments import _printed
from pywbms.experiments._framework import Experiment
from pywbms.experiments._noise_features import (
    noise_feature_cells,
    noise_feature_figure,
    noise_feature_report,
)
from pywbms.experiments._tables import Group

N = {"tiny": 80}


def cells(form, stamps):
    """Return every method on every draw."""
    return noise_feature_cells("two_moons", N, form)


def report(rows):
    """Compare with “perfect”."""
    return noise_feature_report(rows, Group("two moons", "two_moons"))


def draw(rows):
    """Draw the clusters found in the two features that carry them."""
    return noise_feature_figure(rows, "two_moons")


EXPERIMENT = Experiment(
    "two-moons", "Two moons with 30 noise features", _printed.CLAIMS["noise-features"],
    cells, report, draw,
)  # fmt: skip
