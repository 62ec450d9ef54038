"""Running experiments: parallel cells, stored as they finish, then tables and figures."""

import json
import multiprocessing
import platform
import signal
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import scipy
import sklearn

from pywbms import __version__
from pywbms._data.atomic import atomic_path
from pywbms._terminal.progress import BatchProgress
from pywbms._terminal.wording import counted, duration
from pywbms._viz.figure import require_matplotlib, save_picture
from pywbms.experiments._cells import compute, guess, key_of, stamp_files
from pywbms.experiments._framework import FORMS, Experiment, Report, as_rows
from pywbms.experiments._store import Store
from pywbms.experiments._tables import markdown

CELLS = "cells.jsonl"
FORM_MEANS = {
    "full": "",
    "quick": ", with fewer draws and coarser grids than the full form",
    "tiny": ", a test of the machinery with meaningless numbers",
}
NOTES = (
    "NMI is normalised by the arithmetic mean of the two entropies (the paper does not say which "
    "mean it uses). A singleton is a row in a cluster of its own. Seconds are CPU time on one "
    "thread. All methods are given z-scores.",
)


@dataclass(frozen=True)
class Outcome:
    """A finished experiment.

    Attributes
    ----------
    experiment : Experiment
    form : str
    report : Report
    rows : DataFrame
        The measurements, one row per partition; see `pywbms.experiments._framework.ROW`.
    files : list of Path
    missing : list of str
        Real data sets that were not available.
    failures : dict
        Error messages of failed cells, by a description of the cell.
    n_cells : int
    seconds : float
        Time of this run, without cells of earlier runs.
    """

    experiment: Experiment
    form: str
    report: Report
    rows: pd.DataFrame
    files: list[Path]
    missing: list[str]
    failures: dict[str, str]
    n_cells: int
    seconds: float

    def draw(self):
        """Return a matplotlib figure, or None if there is nothing to draw."""
        return self.experiment.draw(self.rows)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with a message on how to resume."""


def reproduce(experiments, out, data=None, form="full", jobs=1):
    """Recompute figures and tables of the paper.

    Parameters
    ----------
    experiments : iterable of Experiment
        Values of `EXPERIMENTS`.
    out : path-like
        The output folder, created if necessary. Each experiment writes NAME.csv (all rows),
        NAME-table.csv (printed and measured values), NAME.md and NAME.png; finished cells are
        stored in ``cells.jsonl``, so that the same call resumes after an interruption.
    data : path-like, optional
        The folder with the paper's real data, see `pywbms.datasets.load`. Missing data sets are
        reported as missing.
    form : {"full", "quick", "tiny"}
        How much to compute: an hour on two cores, minutes, or seconds (for tests).
    jobs : int
        Number of processes, as in joblib (−1: all cores).

    Returns
    -------
    list of Outcome

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C; finished cells are kept.
    ChildProcessError
        If a worker process was killed (out of memory?); finished cells are kept.
    """
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    if data is not None and not Path(data).expanduser().is_dir():
        raise FileNotFoundError(f"the data folder {data} does not exist")
    out = Path(out).expanduser()
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file; the output must be a folder")
    require_matplotlib()
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / CELLS).open("a").close()
    except OSError as error:
        raise OSError(f"cannot write to the folder {out}: {error.strerror}") from error
    plans = []
    for experiment in experiments:
        stamps, missing = stamp_files(data, experiment.needs)
        plans.append((experiment, experiment.cells(form, stamps), missing))
    with Store(out / CELLS) as store:
        todo = {key_of(cell): cell for _, cells, _ in plans for cell in cells if cell not in store}
        total = sum(map(guess, todo.values()))
        with BatchProgress(total, len(todo), "cell") as progress:
            try:
                outcomes = [
                    run_one(experiment, cells, missing, store, out, data, form, jobs, progress)
                    for experiment, cells, missing in plans
                ]
            except (KeyboardInterrupt, BrokenProcessPool) as error:
                left = sum(cell not in store for cell in todo.values())
                kept = (
                    f"{len(todo) - left} of {counted(len(todo), 'cell')} are kept in "
                    f"{out / CELLS}; run the same command again to resume"
                )
                if isinstance(error, KeyboardInterrupt):
                    raise Interrupted(kept) from error
                raise ChildProcessError(f"a worker process was killed; {kept}") from error
    if len(outcomes) > 1:
        write_index(outcomes, out, form)
    return outcomes


def run_one(experiment, cells, missing, store, out, data, form, jobs, progress):
    """Compute an experiment's unfinished cells, and write its files."""
    begin = time.monotonic()
    progress.start(experiment.name)
    todo = {key_of(cell): cell for cell in cells if cell not in store}
    failures = {}
    # Longest first: a long cell at the end would leave the other processes idle.
    for cell, rows, error in attempts(sorted(todo.values(), key=guess, reverse=True), data, jobs):
        if error is None:
            store.add(cell, rows)
        else:
            failures[describe(cell)] = error
        progress.advance(guess(cell))
    rows = as_rows(store.rows(cells))
    report = experiment.report(rows)
    files = write_files(experiment, form, rows, report, missing, failures, out)
    seconds = time.monotonic() - begin
    return Outcome(experiment, form, report, rows, files, missing, failures, len(cells), seconds)


def attempts(cells, data, jobs):
    """Yield each cell with its rows, or with an error message, as they finish."""
    jobs = min(joblib.effective_n_jobs(jobs), len(cells))
    if jobs <= 1:
        yield from (attempt(cell, data) for cell in cells)
        return
    yield from joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
        joblib.delayed(attempt)(cell, data) for cell in cells
    )


def attempt(cell, data):
    """Compute a cell; a method that fails on a data set must not end the whole run."""
    if multiprocessing.parent_process() is not None:
        # Ctrl-C is handled by the main process, which stores the results and ends the workers.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return cell, compute(cell, data), None
    except Exception as error:
        return cell, None, f"{type(error).__name__}: {error}"


def describe(cell):
    """Return a short description of a cell.

    Examples
    --------
    >>> describe({"data": {"name": "zoo"}, "method": "rcc", "run": 2, "options": {}})
    'rcc on zoo, run 2'
    """
    data = ", ".join(f"{k} = {v}" for k, v in cell["data"].items() if k not in ("name", "file"))
    run = f", run {cell['run']}" if cell["run"] else ""
    return f"{cell['method']} on {cell['data']['name']}" + f" ({data})" * bool(data) + run


def write_files(experiment, form, rows, report, missing, failures, out):
    """Write an experiment's files; return their paths."""
    name = experiment.name
    files = [out / f"{name}.csv"]
    measured = rows[rows["ari"].notna()].drop(columns=["points", "iteration"])
    # Drop empty columns; write lists as JSON, which any language can read.
    measured = measured.dropna(axis="columns", how="all") if len(measured) else measured
    lists = {
        column: measured[column].map(json.dumps, na_action="ignore")
        for column in ("labels", "weights")
        if column in measured
    }
    write_csv(measured.assign(**lists), files[0])
    for number, table in enumerate(report.tables.values()):
        files.append(out / f"{name}-{('table', 'methods', 'more')[number]}.csv")
        write_csv(table, files[-1])
    figure = experiment.draw(rows)
    if figure is not None:
        files.append(save_picture(figure, out / f"{name}.png"))
    page = out / f"{name}.md"
    text = section(experiment, form, report, missing, failures, files)
    write_page(text, page)
    return [*files, page]


def write_csv(table, path):
    """Write a table."""
    with atomic_path(path) as new:
        table.to_csv(new, index=False)


def write_page(text, path):
    """Write a page in Markdown."""
    with atomic_path(path) as new:
        new.write_text(text + "\n", "utf-8")


def section(experiment, form, report, missing, failures, files, level="#"):
    """Return an experiment's page in Markdown."""
    pictures = [file for file in files if file.suffix == ".png"]
    parts = [f"{level} {experiment.title}", f"The paper: “{experiment.claim}”"]
    parts.append(f"Form: {form}{FORM_MEANS[form]}.")
    parts.append("\n".join(f"- {finding}" for finding in report.findings))
    if missing:
        parts.append(f"**Missing, not measured: {', '.join(missing)}.**")
    if failures:
        parts.append("\n".join(f"- Failed: {what}: {why}" for what, why in failures.items()))
    if pictures:
        parts += [f"![{experiment.title}]({picture.name})" for picture in pictures]
    else:
        parts.append("No figure: no measurements to draw.")
    for title, table in report.tables.items():
        parts.append(f"{level}# {title}")
        parts.append(markdown(table) if len(table) else "Nothing to show.")
    parts.append("\n".join(f"- {note}" for note in (*report.notes, *NOTES)))
    return "\n\n".join(part for part in parts if part)


def write_index(outcomes, out, form):
    """Write README.md: all tables and figures, missing data, versions and times."""
    missing = sorted({name for outcome in outcomes for name in outcome.missing})
    versions = {
        "pywbms": __version__, "Python": platform.python_version(), "NumPy": np.__version__,
        "SciPy": scipy.__version__, "pandas": pd.__version__, "scikit-learn": sklearn.__version__,
    }  # fmt: skip
    times = pd.DataFrame(
        {
            "experiment": f"[{outcome.experiment.name}](#{anchor(outcome.experiment.title)})",
            "cells": str(outcome.n_cells),
            "time in this run": duration(outcome.seconds),
            "missing data": ", ".join(outcome.missing) or "–",
            "failed cells": str(len(outcome.failures)),
        }
        for outcome in outcomes
    )
    parts = [
        "# The paper's figures and tables, recomputed",
        f"Form: {form}. " + ", ".join(" ".join(pair) for pair in versions.items()) + ".",
        f"Missing real data: {', '.join(missing) or 'none'}.",
        markdown(times),
        *(
            section(o.experiment, o.form, o.report, o.missing, o.failures, o.files, level="##")
            for o in outcomes
        ),
    ]
    write_page("\n\n".join(parts), out / "README.md")


def anchor(title):
    """Return the Markdown anchor of a heading.

    Examples
    --------
    >>> anchor("Simulation 1: k grows")
    'simulation-1-k-grows'
    """
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")
