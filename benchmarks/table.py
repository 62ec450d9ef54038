"""The table of all results, with one section for each kind of row."""

import csv
from typing import NamedTuple

from pywbms._data.atomic import atomic_path


class Column(NamedTuple):
    """A column of the table: its name in the CSV file, its heading and the format of its cells."""

    name: str
    heading: str
    show: callable = str


def milliseconds(seconds):
    """Return seconds as a string in milliseconds, with about three digits.

    Examples
    --------
    >>> milliseconds(0.0012345), milliseconds(12.3456)
    ('1.23', '12,346')
    """
    value = 1000 * seconds
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def number(digits=0, unit=""):
    """Return a function that formats a number with the given number of decimals."""
    return lambda value: f"{value:,.{digits}f}{unit}"


COLUMNS = (
    Column("section", "section"),
    Column("case", "case"),
    Column("n", "n", number()),
    Column("p", "p", number()),
    Column("method", "method"),
    Column("ours_s", "step, ms", milliseconds),
    Column("floor_s", "floor, ms", milliseconds),
    Column("percent_of_floor", "of floor", number(0, " %")),
    Column("numpy_s", "NumPy, ms", milliseconds),
    Column("times_numpy", "/ ours", number(1)),
    Column("tuned_s", "tuned NumPy, ms", milliseconds),
    Column("times_tuned", "/ ours", number(1)),
    Column("oracle_s", "oracle, ms", milliseconds),
    Column("one_thread_s", "1 thread, ms", milliseconds),
    Column("two_threads_s", "2 threads, ms", milliseconds),
    Column("speedup", "1 / 2 threads", number(2)),
    Column("iteration_s", "in a fit, ms", milliseconds),
    Column("times_step", "/ step", number(2)),
    Column("fit_s", "fit, s", number(3)),
    Column("k", "k", number()),
    Column("true_k", "true k", number()),
    Column("ari", "ARI", number(3)),
    Column("input_mb", "input, MB", number(1)),
    Column("peak_mb", "peak beyond input, MB", number(1)),
    Column("promise_mb", "guarantee, MB", number(1)),
    Column("percent_of_promise", "of guarantee", number(0, " %")),
    Column("exponent", "exponent", number(2)),
    Column("cluster_s", "on the cluster, ms", milliseconds),
    Column("times_here", "here / there", number(2)),
    Column("overhead_s", "overhead, ms", milliseconds),
    Column("break_even", "break-even n", number()),
    Column("flop", "flop per worker", "{:.2g}".format),
    Column("moved_gb", "transferred, GB", number(1)),
    Column("worker_gb", "GB per worker", number(1)),
    Column("note", "note"),
)
SECTIONS = {
    "step": "One step (CPU time on one thread; two threads: wall time)",
    "series": "The same on 50 well-separated clusters, and a whole fit",
    "exponent": "Growth: time ∝ n^exponent",
    "fit": "Whole fits (CPU time on one thread)",
    "busy": "Whole fits beside other processes (wall time)",
    "memory": "Peak memory of a fit",
    "distributed": "An iteration on a Dask cluster of two processes (wall time)",
}


def in_text(rows, markdown=False):
    """Return the table as text, one block per section with its nonempty columns.

    Parameters
    ----------
    rows : list of dict
        Cells by column name; missing cells are shown empty.
    markdown : bool, default False
        Format as Markdown instead of for a terminal.
    """
    blocks = []
    for section, title in SECTIONS.items():
        within = [row for row in rows if row["section"] == section]
        if within:
            lines = markdown_lines(*cells_of(within)) if markdown else lines_of(*cells_of(within))
            blocks.append("\n".join([f"**{title}**\n" if markdown else title, *lines]))
    return "\n\n".join(blocks)


def cells_of(rows):
    """Return the headings and the cells of the nonempty columns."""
    shown = [
        column
        for column in COLUMNS
        if column.name != "section" and any(row.get(column.name) is not None for row in rows)
    ]
    cells = [
        ["" if row.get(column.name) is None else column.show(row[column.name]) for column in shown]
        for row in rows
    ]
    return [column.heading for column in shown], cells


def lines_of(headings, cells):
    """Return aligned lines, the first column left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(headings, *cells, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in [headings, *cells]
    ]


def markdown_lines(headings, cells):
    """Return the lines of a Markdown table."""
    rule = ["---"] + ["---:"] * (len(headings) - 1)
    return [f"| {' | '.join(line)} |" for line in [headings, rule, *cells]]


def write_csv(rows, path):
    """Write all rows with all columns; missing cells are empty."""
    with atomic_path(path) as new, open(new, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [column.name for column in COLUMNS])
        writer.writeheader()
        for row in rows:
            writer.writerow({name: short(value) for name, value in row.items()})


def short(value):
    """Return a float as a string with six digits, and any other value unchanged."""
    return f"{value:.6g}" if isinstance(value, float) else value
