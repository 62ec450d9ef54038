"""Whether the arrays of a checkpoint fit together.

Checksums tell damage from what was written; they do not tell who wrote it. The core trusts the
indices and lengths that it is given, so those of a file are checked first.
"""

import numpy as np

NUMBERS_AT_A_TIME = 1_000_000


def require_sound(content, local, n_rows):
    """Raise a ValueError, which names the array, unless the content of a checkpoint makes sense.

    Parameters
    ----------
    content : dict
        See `Checkpoint`.
    local : bool
        Whether its points were those of the client.
    n_rows : int
    """
    state, saved = content["state"], content["points"]
    g, p = len(saved["mass"]), len(state["weights"])
    require_numbers("weights", state["weights"], (p,))
    require_numbers("moves", state["moves"], (g,))
    require_labels("groups", state["groups"], g, kind="i")
    require_pairs(state["swapping"], g)
    require_labels("member", saved["member"], n_rows, g)
    require_numbers("mass", saved["mass"], (g,))
    require("mass", np.array_equal(saved["mass"], np.bincount(saved["member"], minlength=g)))
    order = saved.get("order")
    if order is not None:
        require_labels("order", order, len(order))
        require("order", (np.bincount(order, minlength=len(order)) == 1).all())
    if local and "shares" in saved:
        require_mixtures(saved, g, p)
    elif local:
        for name, shape in (("points", (g, p)), ("origin", (g, p)), ("within", (p,))):
            require_numbers(name, saved[name], shape)
    else:
        require_numbers("coordinates", content["coordinates"], (g, p))
        require_merges(saved["merges"], g)
    require_partitions(content, n_rows)


def require_mixtures(saved, g, p):
    """Require g mixtures of rows with p features."""
    n = len(saved["row_mass"])
    shapes = {"rows": (n, p), "row_mass": (n,), "within": (p,), "shares": (g, n)}
    if saved["gram"] is not None:
        shapes |= {"gram": (n, n), "gram_weights": (p,)}
    for name, shape in shapes.items():
        require_numbers(name, saved[name], shape)
    require_labels("point_of", saved["point_of"], n, g)


def require(name, sound):
    """Raise a ValueError that names an array unless it is sound."""
    if not sound:
        raise ValueError(f"what it holds as {name!r} does not fit the rest")


def require_numbers(name, values, shape):
    """Require finite numbers of a given shape."""
    require(name, values.shape == shape and values.dtype == np.float64)
    rows = max(1, NUMBERS_AT_A_TIME // max(1, int(np.prod(shape[1:]))))
    for start in range(0, len(values), rows):
        require(name, np.isfinite(values[start : start + rows]).all())


def require_labels(name, labels, n, k=None, kind=np.intp):
    """Require n whole numbers from 0 to k − 1 (by default n − 1).

    The core takes `np.intp` only; kind "i" is any signed integer.
    """
    require(name, labels.shape == (n,) and kind in (labels.dtype, labels.dtype.kind))
    require(name, not n or (labels.min() >= 0 and labels.max() < (n if k is None else k)))


def require_pairs(pairs, g):
    """Require pairs of points."""
    sound = all(len(pair) == 2 and 0 <= min(pair) and max(pair) < g for pair in pairs)
    require("swapping pairs", sound)


def require_merges(merges, g):
    """Require merges each of which follows from the one before, the last one leaving g points."""
    for number, labels in enumerate(merges):
        require_labels("merges", labels, len(labels))
        counts = np.bincount(labels)
        require("merges", counts.all())
        last = number == len(merges) - 1
        require("merges", len(counts) == (g if last else len(merges[number + 1])))


def require_partitions(content, n_rows):
    """Require partitions of all rows."""
    rule, history = content["state"]["stop_rule"], content["recorded"]["partitions"]
    found = [] if history is None else list(history["partitions"])
    if rule is not None:
        found += [rule["first_partition"], rule["partition"]]
    for partition in found:
        if partition is not None:
            require("partitions", partition.shape == (n_rows,) and partition.dtype.kind == "i")
    if history is not None:
        require("links", len(history["links"]) == len(history["partitions"]))
        for links in history["links"]:
            require_numbers("links", links, (len(links), 3))
            require("links", not links.size or (links.min() >= 0 and links[:, :2].max() < n_rows))
