"""``pywbms fit`` of a file that is read a block of rows at a time."""

import json
import sys
from itertools import chain

from pywbms._cli.arguments import STDOUT
from pywbms._cli.files import suffix_of
from pywbms._cli.fitting import model_parameters
from pywbms._cli.output import emit, wrote
from pywbms._cli.report import TOP_CLUSTERS, feature_lines, landmarks_as_json
from pywbms._streams.fit import StreamProgress, fit_stream, landmarks_of_stream
from pywbms._streams.label_file import write_labels
from pywbms._streams.sources import CSV, IPC, PARQUET, Stream, arrow
from pywbms._terminal.errors import naming
from pywbms._terminal.table import aligned
from pywbms._terminal.wording import counted
from pywbms.estimator import WBMS

# Files from this size on are read in blocks, in bytes, if there are landmarks.
LARGE = 200_000_000
# What a Parquet file may be smaller than its numbers.
MOST_COMPRESSED = 20

# What needs the whole table: an option and the value that it has if it is not used.
WHOLE = {
    "index": None, "weights": None, "exclude": None, "categories": "error", "scores": False,
    "plot": None, "tree": None, "augment": False, "outliers": "keep",
}  # fmt: skip


def is_streamed(args):
    """Tell whether a file is to be read in blocks."""
    if args.stream is not None:
        return args.stream
    whole = any(getattr(args, name) != value for name, value in WHOLE.items())
    if whole or args.landmarks is None or str(args.data) == "-":
        return False
    if not args.data.is_file() or args.data.stat().st_size < LARGE // MOST_COMPRESSED:
        return False
    if suffix_of(args.data) in PARQUET:
        with naming("read", args.data), arrow("parquet").ParquetFile(args.data) as file:
            shape = file.metadata.num_rows, file.metadata.num_columns
        return 8 * shape[0] * shape[1] >= LARGE
    return suffix_of(args.data) in (*CSV, *IPC) and args.data.stat().st_size >= LARGE


def run_stream(args):
    """Cluster the rows of a file in blocks; write labels and the model if asked to."""
    for name, value in WHOLE.items():
        if getattr(args, name) != value:
            args.usage_error(f"--{name} needs the whole table in memory: use --no-stream")
    stream = Stream(args.data, args.columns, args.na_action, args.numeric_only, args.sep)
    model = WBMS(**{k: v for k, v in model_parameters(args).items() if k not in OF_TABLES})
    number = landmarks_of_stream(stream, model.settings())
    if number is None:
        args.usage_error("--stream is for tables with landmarks: give fewer of them (--landmarks)")
    with StreamProgress(True, stream.n_rows) as progress:
        result = fit_stream(stream, model, number, progress.tell)
    if args.out and args.out != STDOUT:
        write_labels(result.label_blocks(), args.out)
    if args.save:
        with naming("write", args.save):
            result.save(args.save)
    if args.json:
        emit(as_json(result))
        return
    to_stdout = args.out == STDOUT
    files = [*wrote("labels", None if to_stdout else args.out), *wrote("model", args.save)]
    emit(as_text(result, files), sys.stderr if to_stdout else sys.stdout)
    if to_stdout:
        print_labels(result)


# Parameters of `wbms` that a stream has instead.
OF_TABLES = ("na_action", "categories", "weights")


def print_labels(result):
    """Print the labels as CSV."""
    first = True
    start = 0
    for labels in result.label_blocks():
        rows = (f"{start + i},{label}" for i, label in enumerate(labels.tolist()))
        emit("\n".join(chain(["row,cluster"] * first, rows)))
        first, start = False, start + len(labels)


def as_text(result, notes):
    """Return a result as a short table, with notes below it."""
    converged = "converged" if result.converged else "not converged"
    sizes = result.sizes.tolist()
    total = max(1, sum(sizes))
    rows = [(str(label), f"{size:,}", f"{size / total:.1%}") for label, size in enumerate(sizes)]
    if len(rows) > TOP_CLUSTERS:
        rest = sum(sizes[TOP_CLUSTERS:])
        others = counted(len(rows) - TOP_CLUSTERS, "other")
        rows[TOP_CLUSTERS:] = [(others, f"{rest:,}", f"{rest / total:.1%}")]
    omitted = [f"{counted(result.n_omitted, 'row')} omitted: missing values"]
    lines = [
        f"k = {result.n_clusters} in {counted(result.n_rows - result.n_omitted, 'row')} × "
        f"{counted(len(result.weights), 'column')}",
        f"h = {result.h:.4g}, lam = {result.lam:.4g}; "
        f"{converged} after {counted(result.n_iter, 'iteration')}",
        str(result.landmarks),
        *omitted * bool(result.n_omitted),
        "",
        *aligned([("cluster", "rows", "share"), *rows]),
        "",
        *feature_lines(result),
        *["", result.note] * bool(result.note),
        *["", *notes] * bool(notes),
    ]
    return "\n".join(lines)


def as_json(result):
    """Return a result, without the labels, as a JSON object."""
    choice = result.choice
    return json.dumps(
        {
            "n_clusters": result.n_clusters,
            "h": result.h,
            "lam": result.lam,
            "n_iter": result.n_iter,
            "converged": result.converged,
            "reached_by": result.reached_by,
            "start": None if choice is None else choice.start,
            "confidence": None if choice is None else choice.confidence._asdict(),
            "landmarks": landmarks_as_json(result.landmarks),
            "sizes": result.sizes.tolist(),
            "weights": result.weights.to_dict(),
            "omitted": result.n_omitted,
        },
        ensure_ascii=False,
    )
