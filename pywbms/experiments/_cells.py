"""The cells of an experiment: one data set, one method, one seed.

A cell is a dict of plain values, so that it can be serialised, sent to another process and
looked up again: ``data`` (a name, and the arguments of its function in `pywbms.datasets`),
``method``, ``run`` (the seed of the method) and ``options`` (further arguments of the method, and
what to keep).
"""

import json
import time
import warnings
import zlib
from math import prod

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    normalized_mutual_info_score,
)
from threadpoolctl import threadpool_limits

from pywbms import datasets
from pywbms.datasets import REAL_DATA
from pywbms.experiments._methods import METHODS
from pywbms.experiments._views import VIEWS

MEASURES = ("ari", "nmi", "ami", "k", "singletons")


def cell(data, method, run=0, **options):
    """Return a cell.

    Examples
    --------
    >>> cell({"name": "simulation1", "k": 5, "seed": 0}, "gmeans", run=3)["run"]
    3
    """
    return {"data": data, "method": method, "run": run, "options": options}


def key_of(cell):
    """Return the key of a cell, a string."""
    return json.dumps(cell, sort_keys=True)


def real(name, stamps):
    """Return the ``data`` of a cell on a real data set, with the stamp of its file."""
    return {"name": name, "file": stamps[name]}


def stamp_files(folder, names):
    """Return the stamps of the files of real data sets, and which data sets are missing.

    Parameters
    ----------
    folder : path-like or None
    names : sequence of str

    Returns
    -------
    stamps : dict
        Name → file name and checksum, so that results of another file are not reused.
    missing : list of str
    """
    stamps, missing = {}, []
    for name in names:
        try:
            if folder is None:
                raise FileNotFoundError
            file = datasets.find_file(name, folder)
        except FileNotFoundError:
            missing.append(name)
        else:
            stamps[name] = f"{file.name} {zlib.crc32(file.read_bytes()):08x}"
    return stamps, missing


def draw(data, folder):
    """Return the data of a cell: a DataFrame and the true labels."""
    rest = {key: value for key, value in data.items() if key not in ("name", "seed", "file")}
    if data["name"] in REAL_DATA:
        return datasets.load(data["name"], folder)
    return getattr(datasets, data["name"])(random_state=data["seed"], **rest)


def informative(data):
    """Return the number of informative features, which come first; None if unknown."""
    if data["name"] == "simulation2":
        return max(2, round(data["p"] / 20))
    known = {"data1": 2, "simulation1": 5, "simulation3": 2, "two_moons": 2, "varied_densities": 2}
    return known.get(data["name"])


def shape(data):
    """Return the numbers of rows and features of a cell's data, without drawing them."""
    name = data["name"]
    if name in REAL_DATA:
        return REAL_DATA[name].n, REAL_DATA[name].p
    return {
        "data1": (200, 32),
        "simulation1": (20 * data.get("k", 5), 20),
        "simulation2": (100, data.get("p", 20)),
        "simulation3": (100, 10),
        "two_moons": (data.get("n", 200), 32),
        "varied_densities": (data.get("n", 300), 32),
    }[name]


def guess(cell):
    """Return the approximate number of seconds a cell takes, to estimate the time left."""
    n, p = shape(cell["data"])
    if cell["method"] in VIEWS:
        return 1.0
    tried = [len(value) for value in cell["options"].values() if isinstance(value, list)]
    effort = METHODS[cell["method"]].effort * prod(tried)
    return effort * (0.5 + n / 200) * (0.9 + p / 200)


def compute(cell, folder):
    """Compute a cell on one thread.

    Parameters
    ----------
    cell : dict
    folder : path-like or None
        The folder of the real data.

    Returns
    -------
    list of dict
        One row per partition: the cell's data, method and run, the settings, the measures of
        `scores`, ``seconds`` of CPU time, and ``informative``, the weight on the informative
        features. With the option ``keep``, also the labels and weights of the best row.
    """
    options = dict(cell["options"])
    keep = options.pop("keep", False)
    X, truth = draw(cell["data"], folder)
    # Results that have not converged are scored like any other.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        if cell["method"] in VIEWS:
            return VIEWS[cell["method"]](X, truth, **options)
        n_informative = informative(cell["data"])
        rows, partitions = [], []
        begin = time.process_time()
        for found in METHODS[cell["method"]].run(X, truth.nunique(), cell["run"], **options):
            seconds = time.process_time() - begin
            row = {
                **identity(cell),
                "k_true": int(truth.nunique()),
                **{name: found.settings[name] for name in ("h", "lam") if name in found.settings},
                **scores(truth.to_numpy(), found.labels),
                "seconds": seconds,
                "settings": json.dumps(found.settings, default=float),
            }
            if n_informative and found.weights is not None:
                row["informative"] = float(found.weights[:n_informative].sum())
            rows.append(row)
            partitions.append(found)
            begin = time.process_time()
    if keep:
        best = max(range(len(rows)), key=lambda i: rows[i]["ari"])
        rows[best]["labels"] = [int(label) for label in partitions[best].labels]
        if partitions[best].weights is not None:
            rows[best]["weights"] = [float(w) for w in partitions[best].weights]
    return rows


def identity(cell):
    """Return the columns of a row that identify its cell."""
    data = cell["data"]
    varied = {name: data[name] for name in ("k", "p") if name in data}
    return {
        "data": data["name"],
        **({"setting": next(iter(varied.values()))} if varied else {}),
        "draw": data.get("seed", 0),
        "method": cell["method"],
        "run": cell["run"],
    }


def scores(truth, labels):
    """Return scores of the labels against the truth, and the kind of partition.

    Returns
    -------
    dict
        ``ari``; ``nmi``, normalised by the arithmetic mean of the entropies; ``ami``; ``k``, the
        number of clusters; ``singletons``, the share of rows in a cluster of their own. Noise
        counts as one more group in the first three, and not as a cluster in the others.

    Examples
    --------
    >>> scores(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2]))["singletons"]
    0.5
    """
    sizes = np.bincount(labels[labels >= 0]) if (labels >= 0).any() else np.zeros(0, dtype=int)
    return {
        "ari": float(adjusted_rand_score(truth, labels)),
        "nmi": float(normalized_mutual_info_score(truth, labels)),
        "ami": float(adjusted_mutual_info_score(truth, labels)),
        "k": int((sizes > 0).sum()),
        "singletons": float((sizes == 1).sum() / len(labels)),
    }
