"""``pywbms predict``."""

import json
import sys
from pathlib import Path

import numpy as np

from pywbms._cli.arguments import STDOUT, add_command, input_path
from pywbms._cli.features import check_label_column, check_values, load_table
from pywbms._cli.files import require_columns
from pywbms._cli.labels import add_labels, label_table, write_labels
from pywbms._cli.output import check_outputs, emit, same_file, wrote
from pywbms._cli.reading import add_reading
from pywbms._data.table import NA_ACTIONS
from pywbms._engine.cluster_cloud import METHODS
from pywbms._terminal.errors import naming
from pywbms._terminal.table import aligned
from pywbms._terminal.wording import counted
from pywbms.storage import load as load_result


def add_predict(commands):
    """Add the command to the parser."""
    command = add_command(
        commands, "predict", run_predict, "give the rows of a file the clusters of a saved fit"
    )
    command.add_argument(
        "model", type=Path, metavar="MODEL", help="file of `pywbms fit --save`, .wbms"
    )
    command.add_argument(
        "data", type=input_path, metavar="DATA",
        help="table with the columns of the fit (others are ignored), or - for standard input",
    )  # fmt: skip
    command.add_argument("--index", metavar="COLUMN", help="column that identifies the rows")
    command.add_argument(
        "--na-action", choices=NA_ACTIONS,
        help="stop at rows with missing values, or omit them: cluster -1 (default: as in the fit)",
    )  # fmt: skip
    command.add_argument(
        "--method", choices=METHODS,
        help="the cluster of the nearest row of the fit, or of the mode that a row reaches when it "
        "follows these (default: nearest, and follow if the fit has landmarks)",
    )  # fmt: skip
    add_reading(command)
    output = command.add_argument_group("output")
    add_labels(output)


def run_predict(args):
    """Load a saved result, predict the clusters of the rows of a file, write and print them."""
    check_outputs(args)
    if args.out and args.out != STDOUT and same_file(args.out, args.model):
        raise ValueError(f"--out would overwrite the model: {args.out}")
    result = load_model(args.model)
    table = load_table(args)
    if args.out:
        check_label_column(table, args.augment)
    encoding = result._encoding
    columns = result.weights.index if encoding is None else encoding.columns
    names = [str(name) for name in columns]
    require_columns(table, names)
    if args.na_action is not None:
        result._na_action = with_fills(args.na_action, encoding)
    rows = table[names].set_axis(columns, axis=1)
    texts = [] if encoding is None else list(encoding.levels)
    check_values(
        rows.drop(columns=texts), result._na_action, advice="the fit needs numbers in these columns"
    )
    rows = rows.astype(dict.fromkeys(texts, object))  # levels such as 1 and 2 are read as numbers
    labels = result.predict(rows, method=args.method)
    found = table.assign(cluster=labels.to_numpy()) if args.augment else label_table(labels)
    found = write_labels(found, args)
    if args.json:
        emit(as_json(result, labels))
        return
    to_stdout = args.out == STDOUT
    files = wrote("labels", None if to_stdout else args.out)
    lines = [*summary_lines(result, labels), *[""] * bool(files), *files]
    emit("\n".join(lines), sys.stderr if to_stdout else sys.stdout)
    if to_stdout:
        emit(found.to_csv(index=False).rstrip("\n"))


def with_fills(na_action, encoding):
    """Return how to treat missing values; only a fit that has filled some in knows with what."""
    if na_action == "impute" and (encoding is None or encoding.fills is None):
        raise ValueError("--na-action impute needs a fit with --na-action impute")
    return na_action


def load_model(path):
    """Load a result; a file that cannot be opened is named."""
    try:
        return load_result(path)
    except OSError as error:
        with naming("read", path):
            raise error


def summary_lines(result, labels):
    """Return how many rows are in each cluster, as lines."""
    sizes = sizes_of(result, labels)
    shares = sizes / max(1, sizes.sum())
    rows = [
        (str(c), f"{size:,}", f"{share:.1%}")
        for c, (size, share) in enumerate(zip(sizes, shares, strict=True))
        if size
    ]
    lines = [
        f"{counted(len(labels), 'row')} in {len(rows)} of {counted(result.n_clusters, 'cluster')}"
    ]
    without = int((labels < 0).sum())
    why = "omitted: missing values"
    if result.estimator.outliers == "label":
        why = "in no cluster (-1): outliers, or omitted for missing values"
    lines += [f"{counted(without, 'row')} {why}"] * bool(without)
    return [*lines, "", *aligned([("cluster", "rows", "share"), *rows])]


def as_json(result, labels):
    """Return the prediction as a JSON object."""
    return json.dumps(
        {
            "n_clusters": result.n_clusters,
            "sizes": sizes_of(result, labels).tolist(),
            "labels": labels.to_list(),
        }
    )


def sizes_of(result, labels):
    """Return the number of rows in each cluster of the fit."""
    values = labels.to_numpy()
    return np.bincount(values[values >= 0], minlength=result.n_clusters)
