"""Labels as a table, in a file or on standard output."""

import numpy as np

from pywbms._cli.arguments import STDOUT
from pywbms._cli.files import write_table
from pywbms._cli.output import say
from pywbms._cli.spreadsheet import without_formulas
from pywbms._terminal.wording import counted


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
