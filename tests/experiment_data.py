"""A small experiment, small data and fixtures shared by the tests of the experiments."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from pywbms.experiments import (
    EXPERIMENTS,
    _tables,
    reproduce,
)
from pywbms.experiments._cells import cell
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._methods import METHODS
from pywbms.experiments._tables import Group

NAMES = (
    "motivating", "simulation1", "simulation2", "simulation3", "glioma", "real-data", "run-times",
    "ablation-h", "ablation-lam", "sensitivity", "two-moons", "varied-densities",
)  # fmt: skip

ON_REAL_DATA = ("glioma", "real-data", "run-times", "ablation-h", "ablation-lam")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with clustered data of the shapes of Appendicitis and Glioma."""
    rng = np.random.default_rng(0)
    path = tmp_path / "data"
    path.mkdir()
    classes = np.arange(106) % 2
    X = rng.normal(size=(106, 7)) + 4 * classes[:, None] * (np.arange(7) < 2)
    pd.DataFrame(X).assign(y=classes).to_csv(path / "appendicitis.csv", header=False, index=False)
    classes = np.arange(50) % 4
    X = rng.normal(size=(50, 4434))
    X[:, :400] += 3 * np.eye(4)[classes].repeat(100, axis=1)
    savemat(path / "GLIOMA.mat", {"X": X, "Y": classes[:, None] + 1})
    return path


def run(names, out, data=None, **params):
    return reproduce([EXPERIMENTS[name] for name in names], out, data, "tiny", **params)


def toy_cells(form, stamps):
    """Return six cells that take no time."""
    return [
        cell({"name": "simulation3", "seed": seed}, method, **options)
        for seed in (0, 1)
        for method, options in (
            ("wbms_grid", {"h": [0.02], "lam": [0.05]}),
            ("bms", {"h": [0.1]}),
            ("all_alone", {}),
        )
    ]


def toy_report(rows):
    group = Group("toy", "simulation3")
    return Report({"Printed and measured": _tables.comparison(rows, [group], lambda *_: None)}, [])


TOY = Experiment("toy", "A toy", "It is small.", toy_cells, toy_report, lambda rows: None)


@pytest.fixture
def broken(monkeypatch):
    """Make BMS fail."""

    def fail(*_, **options):
        raise ValueError("no luck today")
        yield

    with monkeypatch.context() as patch:
        patch.setitem(METHODS, "bms", replace(METHODS["bms"], run=fail))
        yield patch


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "toy", TOY)
