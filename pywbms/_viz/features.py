"""The features that a picture shows, and the labels of its axes."""

import numpy as np

from pywbms._terminal.wording import quoted
from pywbms._viz.style import elided, weight_text


def heaviest_first(result):
    """Return the positions of the columns by decreasing weight, equal weights in column order."""
    return np.argsort(-result.weights.to_numpy(), kind="stable")


def shown_columns(result, features):
    """Return the positions of the one or two columns to draw, by default the heaviest."""
    if features is None:
        return heaviest_first(result)[:2]
    one = isinstance(features, str) or not np.iterable(features)
    names = [features] if one else list(features)
    if len(names) not in (1, 2):
        raise ValueError(f"features must name one or two columns, got {len(names)}")
    positions = result.weights.index.get_indexer(names)
    unknown = [name for name, place in zip(names, positions, strict=True) if place < 0]
    if unknown:
        raise ValueError(f"features not among the columns: {quoted(unknown)}")
    return positions


def axis_labels(result, columns):
    """Return the names of the columns of a picture, each with its weight."""
    names = elided(result.weights.index[columns])
    weights = result.weights.iloc[columns]
    pairs = zip(names, weights, strict=True)
    return [f"{name} (weight {weight_text(weight)})" for name, weight in pairs]
