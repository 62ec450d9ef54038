"""Results to draw, and what can be read off the artists that were drawn."""

from types import SimpleNamespace

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PathCollection


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def fake_result(sizes=(6, 4), weights=(0.1, 0.6, 0.3), n_iter=8, columns=None, **changes):
    """Make what plotting needs of a result: clusters of these sizes that shrink to their means."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(len(sizes)), sizes)
    columns = [f"x{j + 1}" for j in range(len(weights))] if columns is None else columns
    cloud = 10 * labels[:, None] + rng.normal(size=(len(labels), len(weights)))
    data = pd.DataFrame(cloud, columns=columns)
    centers = data.groupby(labels).mean()
    left = 0.5 ** np.arange(n_iter + 1)[:, None, None]
    path = left * cloud + (1 - left) * centers.to_numpy()[labels]
    fields = {
        "labels": pd.Series(labels),
        "weights": pd.Series(weights, index=data.columns, dtype=float),
        "data": data,
        "centers": centers,
        "h": 0.1,
        "scale": data.std(ddof=0).replace(0, 1),
        "path": path,
    }
    return SimpleNamespace(**fields | changes)


def with_first_column_constant(value):
    result = fake_result(weights=(0.7, 0.3))
    result.data["x1"] = value
    result.centers["x1"] = value
    result.path[..., 0] = value
    result.scale["x1"] = 0.0
    return result


def bar_names(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def bar_lengths(ax):
    return [bar.get_width() for bar in ax.patches]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def scattered(ax):
    """Return the positions of the points in each scatter that was drawn, in order."""
    return [np.asarray(c.get_offsets()) for c in ax.collections if isinstance(c, PathCollection)]


def titles(figure):
    return [ax.get_title() for ax in figure.axes]
