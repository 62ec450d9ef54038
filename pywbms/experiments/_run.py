"""Running experiments: cells side by side, kept as they finish, then tables and figures."""

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
from pywbms._data.wording import counted
from pywbms._terminal.progress import BatchProgress
from pywbms._terminal.wording import duration
from pywbms._viz.figure import require_matplotlib, save_picture
from pywbms.experiments._cells import compute, guess, key_of, stamp_files
from pywbms.experiments._framework import FORMS, Experiment, Report, as_rows
from pywbms.experiments._store import Store
from pywbms.experiments._tables import markdown

CELLS = "cells.jsonl"
FORM_MEANS = {
    "full": "",
    "quick": ", with fewer draws and coarser grids than the full one",
    "tiny": ", a trial of the machinery whose numbers mean nothing",
}
NOTES = (
    "NMI is normalised by the arithmetic mean of the two entropies (the paper does not say which "
    "mean it takes). A singleton is a row that is a cluster of its own. Seconds are those of the "
    "processor, on one thread. All methods see z-scores.",
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
        What was measured, a row a partition; see `pywbms.experiments._framework.ROW`.
    files : list of Path
    missing : list of str
        Real data sets that were not there.
    failures : dict
        What a method said on a data set it failed on, by a description of the cell.
    n_cells : int
    seconds : float
        Time it took in this run; cells of earlier runs take none.
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
        """Draw it; return a matplotlib figure, or None if there is nothing to draw."""
        return self.experiment.draw(self.rows)


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with a word on how to go on."""


def reproduce(experiments, out, data=None, form="full", jobs=1):
    """Compute figures and tables of the paper anew.

    Parameters
    ----------
    experiments : iterable of Experiment
        Of `EXPERIMENTS`, which has them by name.
    out : path-like
        A folder, made if it is not there. Each experiment writes NAME.csv (all rows),
        NAME-table.csv (printed beside measured), NAME.md and NAME.png; finished cells are kept in
        ``cells.jsonl``, so that the same call goes on after an interruption.
    data : path-like, optional
        The folder with the paper's real data, see `pywbms.datasets.load`. Sets that are not there
        are listed as missing.
    form : {"full", "quick", "tiny"}
        How much to compute: an hour on two cores, minutes, or seconds, which is for tests.
    jobs : int
        Processes, counted as in joblib (−1: all cores).

    Returns
    -------
    list of Outcome

    Raises
    ------
    KeyboardInterrupt
        After Ctrl-C; what is finished is kept.
    ChildProcessError
        If one of several processes was killed (memory?); what is finished is kept.
    """
    if form not in FORMS:
        raise ValueError(f"form must be one of {', '.join(FORMS)}, got {form!r}")
    if data is not None and not Path(data).expanduser().is_dir():
        raise FileNotFoundError(f"there is no folder {data} with the real data")
    out = Path(out).expanduser()
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file, a folder is needed to write to")
    require_matplotlib()
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / CELLS).open("a").close()
    except OSError as error:
        raise OSError(f"cannot write into the folder {out}: {error.strerror}") from error
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
                    f"{out / CELLS}; the same command goes on from there"
                )
                if isinstance(error, KeyboardInterrupt):
                    raise Interrupted(kept) from error
                raise ChildProcessError(f"a process that computed was killed; {kept}") from error
    if len(outcomes) > 1:
        write_index(outcomes, out, form)
    return outcomes


def run_one(experiment, cells, missing, store, out, data, form, jobs, progress):
    """Compute an experiment's cells that are not there yet, and write its files."""
    begin = time.monotonic()
    progress.start(experiment.name)
    todo = {key_of(cell): cell for cell in cells if cell not in store}
    failures = {}
    # The longest first: a long cell at the end would keep one process busy and the others idle.
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
    """Yield each cell with its rows, or with what went wrong, as they finish."""
    jobs = min(joblib.effective_n_jobs(jobs), len(cells))
    if jobs <= 1:
        yield from (attempt(cell, data) for cell in cells)
        return
    yield from joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)(
        joblib.delayed(attempt)(cell, data) for cell in cells
    )


def attempt(cell, data):
    """Compute a cell; a method that fails on a data set must not end an hour's run."""
    if multiprocessing.parent_process() is not None:
        # Ctrl-C is for the process that keeps the results: it ends the others.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return cell, compute(cell, data), None
    except Exception as error:
        return cell, None, f"{type(error).__name__}: {error}"


def describe(cell):
    """Name a cell in a few words.

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
    # An empty column says nothing; lists are written as JSON, which any language reads.
    measured = measured.dropna(axis="columns", how="all") if len(measured) else measured
    lists = {
        column: measured[column].map(json.dumps, na_action="ignore")
        for column in ("labels", "weights")
        if column in measured
    }
    measured.assign(**lists).to_csv(files[0], index=False)
    for number, table in enumerate(report.tables.values()):
        files.append(out / f"{name}-{('table', 'methods', 'more')[number]}.csv")
        table.to_csv(files[-1], index=False)
    figure = experiment.draw(rows)
    if figure is not None:
        files.append(save_picture(figure, out / f"{name}.png"))
    page = out / f"{name}.md"
    text = section(experiment, form, report, missing, failures, files)
    page.write_text(text + "\n", "utf-8")
    return [*files, page]


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
        parts.append("No figure: there is nothing measured to draw.")
    for title, table in report.tables.items():
        parts.append(f"{level}# {title}")
        parts.append(markdown(table) if len(table) else "Nothing to show.")
    parts.append("\n".join(f"- {note}" for note in (*report.notes, *NOTES)))
    return "\n\n".join(part for part in parts if part)


def write_index(outcomes, out, form):
    """Write README.md: every table and figure, what is missing, versions and times."""
    missing = sorted({name for outcome in outcomes for name in outcome.missing})
    versions = {
        "pywbms": __version__, "Python": platform.python_version(), "NumPy": np.__version__,
        "SciPy": scipy.__version__, "pandas": pd.__version__, "scikit-learn": sklearn.__version__,
    }  # fmt: skip
    times = pd.DataFrame(
        {
            "experiment": f"[{outcome.experiment.name}](#{anchor(outcome.experiment.title)})",
            "cells": str(outcome.n_cells),
            "time of this run": duration(outcome.seconds),
            "missing data": ", ".join(outcome.missing) or "–",
            "failed cells": str(len(outcome.failures)),
        }
        for outcome in outcomes
    )
    parts = [
        "# The paper's figures and tables, computed anew",
        f"Form: {form}. " + ", ".join(" ".join(pair) for pair in versions.items()) + ".",
        f"Real data that were not there: {', '.join(missing) or 'none'}.",
        markdown(times),
        *(
            section(o.experiment, o.form, o.report, o.missing, o.failures, o.files, level="##")
            for o in outcomes
        ),
    ]
    (out / "README.md").write_text("\n\n".join(parts) + "\n", "utf-8")


def anchor(title):
    """Return the name that Markdown gives to a heading.

    Examples
    --------
    >>> anchor("Simulation 1: k grows")
    'simulation-1-k-grows'
    """
    kept = "".join(c for c in title.lower() if c.isalnum() or c in " -")
    return kept.replace(" ", "-")
