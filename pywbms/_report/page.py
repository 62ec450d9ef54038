"""The page: what is told of a result, put into the template with its style, scripts and data."""

import base64
import hashlib
import os
import re
from importlib.resources import files
from pathlib import Path

import numpy as np

from pywbms._data.atomic import atomic_path
from pywbms._engine.soft_clustering import require_rows_here
from pywbms._report.collapse import collapse_data
from pywbms._report.columns import profile_table, weight_order, weights_data, weights_table
from pywbms._report.details import missing_section, outlier_section, scores_of, theorem_section
from pywbms._report.findings import alternatives, cluster_table, findings, title_of
from pywbms._report.markup import as_json, escaped, rounded
from pywbms._report.partitions import alternatives_data, map_data
from pywbms._report.projection import Projection
from pywbms._report.refits import Refits
from pywbms._report.reproduce import reproduce_section
from pywbms._report.rows import drawn_rows
from pywbms._report.sample import Drawn
from pywbms._report.tree import tree_data
from pywbms._results.row_weights import cluster_shares
from pywbms._terminal.errors import naming
from pywbms._terminal.wording import counted
from pywbms._version import __version__
from pywbms._viz.style import COLOURS

SCRIPTS = ("echarts.common.min.js", "charts.js", "pictures.js", "map.js", "tree.js", "report.js")
GAP = re.compile(r"\{\{(\w+)\}\}")


def write_report(result, path, title=None, first=0):
    """Write a result as one HTML page; see `WBMSResult.report`.

    Parameters
    ----------
    result : WBMSResult
    path : path
    title : str, optional
    first : int, default 0
        The number of the largest cluster: R counts from 1.
    """
    path = checked_path(path)
    if title is not None and not isinstance(title, str):
        raise TypeError(f"title must be a text, got {title!r}")
    require_rows_here(result.estimator._X)
    page = page_of(result, title, first)
    with naming("write", path), atomic_path(path) as new:
        new.write_bytes(page.encode("utf-8", errors="replace"))


def checked_path(path):
    """Return a path that can be written to; raise an OSError that names it otherwise."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the path of an HTML file, got {path!r}")
    if not os.fspath(path):
        raise ValueError("path must be the path of an HTML file, got an empty text")
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"cannot write {path}: there is no folder {path.parent}")
    return path


def page_of(result, title=None, first=0):
    """Return the page of a result."""
    drawn = Drawn.of(result)
    order = result.weights.index.get_indexer(result.profile().columns)
    sizes = np.bincount(drawn.labels[drawn.labels >= 0], minlength=result.n_clusters)
    scores, confidences = scores_of(result)
    data = {**data_of(result, drawn, order, sizes, confidences), "first": first}
    parts = {
        "title": escaped(title or title_of(result)),
        "subtitle": escaped(title_of(result)) if title else "Weighted Blurring Mean Shift",
        "findings": findings(result, first),
        "alternatives": alternatives(result),
        "clusters": cluster_table(result, sizes, confidences, first),
        "weights": weights_table(result),
        "profile": profile_table(result, sizes, first),
        "outliers": missing_section(result) + outlier_section(result, scores, order, first),
        "theorems": theorem_section(result),
        "reproduce": reproduce_section(result),
        "drawn": escaped(drawn_line(drawn, data)),
        "collapsed": escaped(repeated_line(drawn, "The animation")),
        "tree": escaped(tree_line(drawn, data["tree"])),
        "map": escaped(map_line(drawn, data["map"])),
        "version": escaped(__version__),
    }
    return filled(parts, data)


def data_of(result, drawn, order, sizes, confidences):
    """Return what the scripts of the page draw."""
    projection = Projection.of(result)
    refits = Refits(result, drawn.rows[drawn.repeated])
    again = refits.again(projection)
    places = map_data(result, refits, len(drawn.repeated))
    shares = cluster_shares(result.estimator)
    return {
        "clusters": {
            "size": sizes,
            "share": rounded(shares),
            "confidence": None if confidences is None else rounded(confidences, 3),
        },
        "colours": COLOURS,
        "rows": drawn_rows(result, drawn, projection, order),
        "weights": weights_data(result),
        "collapse": collapse_data(result, again, weight_order(result)),
        "map": places,
        "alternatives": alternatives_data(result, refits),
        "tree": tree_data(result, drawn, again),
    }


def drawn_line(drawn, data):
    """Return a sentence on which rows are drawn."""
    if len(drawn.rows) < len(drawn.labels):
        return (
            f"Thinned: {len(drawn.rows):,} of {counted(len(drawn.labels), 'row')} are drawn, from "
            "each cluster in proportion to its size. Sizes, weights and tables count all rows."
        )
    return f"All {counted(len(drawn.labels), 'row')} are drawn."


def repeated_line(drawn, what):
    """Return a sentence on which rows a repeated fit has."""
    n = len(drawn.labels)
    if drawn.all_repeated:
        return f"{what} repeats the fit with all {counted(n, 'row')}."
    return (
        f"{what} repeats the fit, with the same h, lam and start of the weights, for "
        f"{len(drawn.repeated):,} of the {counted(n, 'row')}, so that it may differ a little from "
        "the fit of all rows."
    )


def tree_line(drawn, tree):
    """Return a sentence on where the tree comes from."""
    if tree is None:
        return "A single row has no tree."
    if tree["whole"]:
        return f"The tree is that of the fit of all {counted(len(drawn.labels), 'row')}."
    return repeated_line(drawn, "The tree")


def map_line(drawn, places):
    """Return a sentence on the map."""
    if places is None:
        return "There is no map, because h and lam were given: nothing was searched."
    shown = len(places["h"])
    pairs = f"{shown:,} of {places['total']:,} pairs" if shown < places["total"] else "All pairs"
    fitted = sum(place is not None for place in places["partition"])
    some = "" if fitted == shown else f" (the {fitted:,} most promising pairs have one)"
    return (
        f"{pairs} that the search tried. Choosing one shows its partition{some}. "
        + repeated_line(drawn, "Such a partition")
        .replace("repeats the fit, with the same h, lam and start of the weights,", "is a new fit")
        .replace("repeats the fit with", "is a new fit with")
    )


def filled(parts, data):
    """Return the template with all its gaps filled."""
    scripts = [static(name) for name in SCRIPTS]
    parts = {
        **parts,
        "style": static("report.css"),
        "data": as_json(data),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
        # Nothing else runs, and nothing is loaded from anywhere.
        "policy": "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; "
        "script-src " + " ".join(map(fingerprint, scripts)),
    }
    return GAP.sub(lambda gap: parts[gap[1]], static("report.html"))


def fingerprint(script):
    """Return the hash by which a browser recognizes a script that it may run."""
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def static(name):
    """Return the text of a file that comes with the package."""
    return files("pywbms._report").joinpath("static", name).read_text(encoding="utf-8")
