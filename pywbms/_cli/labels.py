"""Labels as a table, in a file or on standard output."""

import argparse

import numpy as np

from pywbms._cli.arguments import STDOUT, output_path
from pywbms._cli.files import write_table
from pywbms._cli.output import say
from pywbms._cli.spreadsheet import without_formulas
from pywbms._terminal.wording import counted


def add_labels(output):
    """Add the options for the file with the labels to a group of a parser."""
    output.add_argument(
        "--out", type=output_path, metavar="FILE",
        help="write the labels, in the format of the suffix; - for CSV on standard output",
    )  # fmt: skip
    output.add_argument(
        "--augment", action="store_true", help="write the whole table with the labels"
    )
    output.add_argument(
        "--safe-csv", action=argparse.BooleanOptionalAction, default=True,
        help="put ' before texts that a spreadsheet would run as formulas, such as =A1 (default; "
        "Parquet files keep them)",
    )  # fmt: skip


def label_table(labels):
    """Return a table with the name or number of each row and its cluster."""
    return labels.to_frame().reset_index(names=[name or "row" for name in labels.index.names])


def with_scores(table, result):
    """Return a table, one row per row of the data, with the scores; omitted rows have none."""
    for name, scores in (
        ("confidence", result.row_confidence),
        ("outlier_score", result.outlier_score),
    ):
        values = np.full(len(table), np.nan)
        values[result._kept] = scores
        table = table.assign(**{name: values})
    return table


def scores_as_lists(result):
    """Return the scores of the rows that were clustered, for JSON."""
    return {
        "row_confidence": result.row_confidence.tolist(),
        "outlier_score": result.outlier_score.tolist(),
    }


def write_labels(labelled, args):
    """Write a table with labels to the file of --out, if any; return it as it is to be printed."""
    n_quoted = 0
    if args.out and args.out != STDOUT:
        n_quoted = write_table(labelled, args.out, args.safe_csv)
    elif args.out and args.safe_csv:
        labelled, n_quoted = without_formulas(labelled)
    if n_quoted:
        say(
            f"note: put ' before {counted(n_quoted, 'text')} that a spreadsheet would take for a "
            "formula; --no-safe-csv writes texts as they are"
        )
    return labelled
