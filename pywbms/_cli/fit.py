"""``pywbms fit``."""

import argparse
import sys

import pandas as pd

from pywbms._cli.arguments import (
    STDOUT,
    add_command,
    add_data,
    model_path,
    page_path,
    picture_path,
    tree_path,
)
from pywbms._cli.features import check_label_column, load_features
from pywbms._cli.files import PICTURES, suffix_of, write_table
from pywbms._cli.fitting import cluster, model_parameters
from pywbms._cli.labels import add_labels, label_table, scores_as_lists, with_scores, write_labels
from pywbms._cli.output import check_outputs, emit, wrote
from pywbms._cli.report import as_json, as_text
from pywbms._cli.stream import is_streamed, run_stream
from pywbms._engine.settings import OUTLIERS, Settings
from pywbms._terminal.errors import naming
from pywbms._viz.figure import save_picture


def add_fit(commands):
    """Add the command to the parser."""
    command = add_command(commands, "fit", run_fit, "cluster the rows of a file")
    add_data(command)
    command.add_argument(
        "--stream", action=argparse.BooleanOptionalAction, default=None,
        help="read the file a block of rows at a time, never all of it (default: where it is large "
        "and there are landmarks)",
    )  # fmt: skip
    output = command.add_argument_group("output")
    output.add_argument(
        "--outliers", choices=OUTLIERS, default=Settings.outliers,
        help="keep rows that are far out in their cluster (default), or label them: cluster -1",
    )  # fmt: skip
    add_labels(output)
    output.add_argument(
        "--scores", action="store_true",
        help="write with the labels how certain they are (confidence) and how far out each row is "
        "(outlier_score), both 0 to 1",
    )  # fmt: skip
    output.add_argument(
        "--plot", type=picture_path, metavar="FILE.png", help="draw clusters and feature weights"
    )
    output.add_argument(
        "--report", type=page_path, metavar="FILE.html",
        help="write the result as one page for readers who do not code",
    )  # fmt: skip
    output.add_argument(
        "--tree", type=tree_path, metavar="FILE",
        help="continue until all clusters have merged, and draw the merge tree (.png, .pdf, .svg) "
        "or write its merges (any table format)",
    )  # fmt: skip
    output.add_argument(
        "--save", type=model_path, metavar="FILE.wbms",
        help="save the fit for `pywbms predict`, Python (pywbms.load) and R (wbms_load)",
    )  # fmt: skip


def run_fit(args):
    """Cluster the rows of a file; write labels, picture and tree if asked to."""
    check_outputs(args)
    if is_streamed(args):
        run_stream(args)
        return
    if args.scores and not args.out and not args.json:
        args.usage_error("--scores needs --out or --json")
    table, features = load_features(args)
    if args.out:
        check_label_column(table, args.augment, args.scores)
    options = {"tree": args.tree is not None, "outliers": args.outliers}
    result = cluster(table, features, **options, **model_parameters(args))
    to_stdout = args.out == STDOUT
    labelled = result.augment(table) if args.augment else label_table(result.labels)
    if args.scores:
        labelled = with_scores(labelled, result)
    labelled = write_labels(labelled, args)
    if args.save:
        with naming("write", args.save):
            result.save(args.save)
    if args.plot:
        save_picture(result.plot(), args.plot)
    if args.report:
        result.report(args.report)
    if args.tree and suffix_of(args.tree) in PICTURES:
        save_picture(result.plot("tree").figure, args.tree)
    elif args.tree:
        write_table(tree_table(result), args.tree)
    # Files come first: they are complete even if the reader of standard output has gone.
    if args.json:
        emit(as_json(result, **(scores_as_lists(result) if args.scores else {})))
        return
    files = [
        *wrote("labels", None if to_stdout else args.out),
        *wrote("picture", args.plot),
        *wrote("report", args.report),
        *wrote("tree", args.tree),
        *wrote("model", args.save),
    ]
    emit(as_text(result, files), sys.stderr if to_stdout else sys.stdout)
    if to_stdout:
        emit(labelled.to_csv(index=False).rstrip("\n"))


def tree_table(result):
    """Return the merges of the tree as a table, with clusters numbered as in scipy."""
    table = pd.DataFrame(result.tree, columns=["left", "right", "height", "size"])
    table = table.astype({"left": int, "right": int, "size": int})
    return table.assign(observed=result.tree_observed)
