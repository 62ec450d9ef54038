"""The case study on Glioma: t-SNE, coloured by the partition of each method."""

import numpy as np

from pywbms.experiments import _printed, real_data
from pywbms.experiments._cells import cell, real
from pywbms.experiments._figures import label, partitions
from pywbms.experiments._framework import Experiment
from pywbms.experiments._labels import COLUMNS
from pywbms.experiments._methods import PEERS
from pywbms.experiments._tables import best_of_each

NAME = "glioma"


def cells(form, stamps):
    """Return every method on Glioma, and its embedding."""
    if NAME not in stamps:
        return []
    return [cell(real(NAME, stamps), "tsne"), *real_data.set_cells(NAME, form, stamps)]


def report(rows):
    """Compare with the line of the printed table."""
    return real_data.real_report(rows[rows["ari"].notna()], real_data.groups([NAME]))


def draw(rows):
    """Draw the embedding, coloured by the classes and by each method."""
    embedding = rows[rows["method"] == "tsne"]
    if embedding.empty:
        return None
    points = np.array(embedding["points"].iloc[0])
    panels = {"true classes": np.array(embedding["labels"].iloc[0])}
    best = best_of_each(rows[rows["ari"].notna()])
    for method in (*PEERS, *COLUMNS):
        mine = best[(best["method"] == method) & best["labels"].notna()]
        if len(mine):
            line = mine.iloc[0]
            title = f"{label(method)}\nk̂ = {line['k']:g}, ARI {line['ari']:z.2f}"
            panels[title] = np.array(line["labels"])
    return partitions(points, panels, columns=4)


EXPERIMENT = Experiment(
    "glioma", "Case study: Glioma under t-SNE", _printed.CLAIMS["glioma"], cells, report, draw,
    needs=(NAME,),
)  # fmt: skip
