"""``pywbms fit``."""

import sys

import pandas as pd

from pywbms._cli.arguments import (
    STDOUT,
    add_command,
    add_data,
    output_path,
    picture_path,
    tree_path,
)
from pywbms._cli.features import check_label_column, load_features
from pywbms._cli.files import PICTURES, suffix_of, write_table
from pywbms._cli.fitting import cluster, model_parameters
from pywbms._cli.output import check_outputs, emit, wrote
from pywbms._cli.report import as_json, as_text
from pywbms._viz.figure import save_picture


def add_fit(commands):
    """Add the command to the parser."""
    command = add_command(commands, "fit", run_fit, "cluster the rows of a file")
    add_data(command)
    output = command.add_argument_group("output")
    output.add_argument(
        "--out", type=output_path, metavar="FILE",
        help="write the labels, in the format of the suffix; - for CSV on standard output",
    )  # fmt: skip
    output.add_argument(
        "--augment", action="store_true", help="write the whole table with the labels"
    )
    output.add_argument(
        "--plot", type=picture_path, metavar="FILE.png", help="draw clusters and feature weights"
    )
    output.add_argument(
        "--tree", type=tree_path, metavar="FILE",
        help="continue until all clusters have merged, and draw the merge tree (.png, .pdf, .svg) "
        "or write its merges (any table format)",
    )  # fmt: skip


def run_fit(args):
    """Cluster the rows of a file; write labels, picture and tree if asked to."""
    check_outputs(args)
    table, features = load_features(args)
    if args.out:
        check_label_column(table, args.augment)
    result = cluster(table, features, tree=args.tree is not None, **model_parameters(args))
    to_stdout = args.out == STDOUT
    labelled = result.augment(table) if args.augment else label_table(result)
    if args.out and not to_stdout:
        write_table(labelled, args.out)
    if args.plot:
        save_picture(result.plot(), args.plot)
    if args.tree and suffix_of(args.tree) in PICTURES:
        save_picture(result.plot("tree").figure, args.tree)
    elif args.tree:
        write_table(tree_table(result), args.tree)
    # Files come first: they are complete even if the reader of standard output has gone.
    if args.json:
        emit(as_json(result))
        return
    files = [
        *wrote("labels", None if to_stdout else args.out),
        *wrote("picture", args.plot),
        *wrote("tree", args.tree),
    ]
    emit(as_text(result, files), sys.stderr if to_stdout else sys.stdout)
    if to_stdout:
        emit(labelled.to_csv(index=False).rstrip("\n"))


def label_table(result):
    """Return a table with the name or number of each row and its cluster."""
    labels = result.labels
    return labels.to_frame().reset_index(names=[name or "row" for name in labels.index.names])


def tree_table(result):
    """Return the merges of the tree as a table, with clusters numbered as in scipy."""
    table = pd.DataFrame(result.tree, columns=["left", "right", "height", "size"])
    table = table.astype({"left": int, "right": int, "size": int})
    return table.assign(observed=result.tree_observed)
