"""The command ``pywbms``.

A command is a function that takes the parsed arguments and raises when it fails, and a block in
`build_parser`; everything they share (exit codes, messages, warnings) is in `main`.
"""

import argparse
import csv
import os
import sys
import time
import warnings
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from pywbms import __version__, datasets, plot
from pywbms._cli.files import (
    PARQUET,
    PICTURES,
    SEPARATORS,
    load,
    reason,
    require_columns,
    require_matplotlib,
    require_output,
    require_pyarrow,
    save_picture,
    suffix_of,
    write_table,
)
from pywbms._cli.report import (
    aligned,
    as_json,
    as_text,
    headline,
    selection_as_json,
    selection_as_text,
)
from pywbms._data.checks import is_numeric, positive
from pywbms._data.wording import counted, quoted
from pywbms._terminal.line import Line
from pywbms.experiments import _command as experiments
from pywbms.frame import NA_ACTIONS, wbms
from pywbms.select import N_SUBSETS, select

STDOUT = Path("-")
SECONDS_BETWEEN_UPDATES = 0.1


def main(argv=None):
    """Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        The arguments; those of the process by default.

    Returns
    -------
    int
        The exit code: 0, 1 (the job failed), 2 (no command) or 130 (interrupted).

    Raises
    ------
    SystemExit
        From argparse: code 2 for bad usage, 0 after ``--help`` and ``--version``.
    """
    parser = build_parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help(sys.stderr)
        return 2
    try:
        with warnings_at_the_end():
            args.run(args)
    except KeyboardInterrupt as interrupt:
        say("interrupted" + f"; {interrupt}" * bool(str(interrupt)))
        return 130
    except BrokenPipeError:  # whoever reads the output has seen enough
        return 0
    except (ValueError, OSError, ImportError, MemoryError) as error:
        say(f"error: {reason(error)}")
        return 1
    return 0


def build_parser():
    """Return the parser; each command sets `run`, the function that does its work."""
    parser = argparse.ArgumentParser(
        prog="pywbms",
        description="Weighted Blurring Mean Shift: clusters, how many there are, and which "
        "features matter.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"pywbms {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    command = add_command(commands, "demo", run_demo, "cluster the paper's motivating example")
    command.add_argument(
        "--seed", type=number(int, lambda n: n >= 0, "a whole number of at least 0"), default=0,
        metavar="N", help="seed of the random data (default 0)",
    )  # fmt: skip
    command.add_argument(
        "--out", type=picture_path, default="demo.png", metavar="FILE.png",
        help="where the picture goes (default demo.png)",
    )  # fmt: skip

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
        help="follow the clusters until they have met, and draw the tree (.png, .pdf, .svg) or "
        "write its merges (any format of a table)",
    )  # fmt: skip

    command = add_command(commands, "select", run_select, "choose h and lam for the rows of a file")
    add_data(command, several=True)
    search = command.add_argument_group("search")
    search.add_argument(
        "--subsets", type=number(int, lambda n: n >= 2, "a whole number of at least 2"),
        default=N_SUBSETS, metavar="N",
        help=f"random subsets on which a pair is judged (default {N_SUBSETS})",
    )  # fmt: skip
    search.add_argument(
        "--seed", type=number(int, lambda n: n >= 0, "a whole number of at least 0"), default=0,
        metavar="N", help="seed of the random subsets (default 0)",
    )  # fmt: skip
    output = command.add_argument_group("output")
    output.add_argument(
        "--out", type=table_path, metavar="FILE", help="write the pairs tried, with their scores"
    )
    output.add_argument(
        "--plot", type=picture_path, metavar="FILE.png", help="draw stability and k over h and lam"
    )

    command = add_command(
        commands, "theory", run_theory, "check the paper's theorems on a fit of a file"
    )
    add_data(command, nargs="?")

    command = add_command(
        commands, "reproduce", run_reproduce, "compute the paper's figures and tables anew"
    )
    experiments.add_arguments(command, number(int, lambda n: n != 0, "a whole number other than 0"))
    return parser


def add_command(commands, name, run, text):
    """Add a command with what all commands have, and return its parser."""
    command = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    command.add_argument("--json", action="store_true", help="print one JSON object, no table")
    command.set_defaults(run=run, usage_error=command.error)
    return command


def add_data(command, nargs=None, several=False):
    """Add the arguments that say which data to fit, and how; several values of h, lam if asked."""
    command.add_argument(
        "data", type=table_path, metavar="DATA", nargs=nargs,
        help="table with a header: .csv, .tsv, .tab, .txt (each also with .gz), .parquet or .pq"
        + (" (default: the paper's motivating example)" if nargs else ""),
    )  # fmt: skip
    model = command.add_argument_group("model")
    for option, text in (("--h", "bandwidth"), ("--lam", "entropy parameter")):
        model.add_argument(
            option, default="auto", metavar="X,Y,Z" if several else "X",
            type=positives_or_auto if several else positive_or_auto,
            help=f"{text}: a positive number{', or several,' * several} or auto (default)",
        )  # fmt: skip
    model.add_argument(
        "--no-standardize", dest="standardize", action="store_false",
        help="work on the columns as they are, not on z-scores",
    )  # fmt: skip
    model.add_argument(
        "--max-iter", type=number(int, lambda n: n >= 1, "a whole number of at least 1"),
        default=300, metavar="N", help="largest number of iterations (default 300)",
    )  # fmt: skip
    model.add_argument(
        "--jobs", type=number(int, lambda n: n != 0, "a whole number other than 0"), metavar="N",
        help="threads (default 1; -1: all)",
    )  # fmt: skip
    table = command.add_argument_group("rows and columns")
    table.add_argument("--columns", type=names, metavar="A,B,C", help="the columns to use")
    table.add_argument("--exclude", type=names, metavar="A,B,C", help="the columns not to use")
    table.add_argument(
        "--index", metavar="COLUMN", help="the column that identifies the rows (it is not used)"
    )
    table.add_argument(
        "--na-action", choices=NA_ACTIONS, default="raise",
        help="refuse rows with missing values (default), or leave them out: cluster -1",
    )  # fmt: skip


def run_demo(args):
    """Cluster the paper's motivating example and draw how its cloud collapses."""
    require_output(args.out)
    data, truth = datasets.data1(args.seed)
    result = cluster(data, record_path=True)
    ari = adjusted_rand_score(truth, result.labels)
    picture = None
    try:
        require_matplotlib()
        picture = save_picture(plot.collapse(result), args.out)
    except ImportError as error:
        say(reason(error))
    if args.json:
        emit(as_json(result, ari=ari))
    else:
        score = f"ARI {ari:.3f} (adjusted Rand index against the truth; 1 is a perfect match)"
        emit(as_text(result, [score, *wrote("picture", picture)]))


def run_fit(args):
    """Cluster the rows of a file; write the labels and a picture if asked to."""
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
    # Files come first: they are there even if whoever reads the standard output has gone.
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


def run_select(args):
    """Choose h and lam; write the pairs that were tried and a picture if asked to."""
    check_outputs(args)
    table, features = load_features(args)
    rows = table[features]
    selection = select(
        rows.dropna() if args.na_action == "omit" else rows,
        None if args.h == "auto" else args.h,
        None if args.lam == "auto" else args.lam,
        args.subsets,
        args.seed,
        args.jobs,
        verbose=True,
        standardize=args.standardize,
        max_iter=args.max_iter,
    )
    if args.out:
        write_table(selection.table, args.out)
    if args.plot:
        save_picture(plot.selection_map(selection), args.plot)
    if args.json:
        emit(selection_as_json(selection))
        return
    files = [*wrote("pairs", args.out), *wrote("picture", args.plot)]
    emit("\n".join([selection_as_text(selection), *[""] * bool(files), *files]))


def run_theory(args):
    """Check every theorem that applies to a fit of a file, or of the motivating example."""
    if args.data is None:
        table, _ = datasets.data1(0)
        features = chosen_features(table, args)
    else:
        table, features = load_features(args)
    result = cluster(table, features, record_path=True, **model_parameters(args))
    checks = result.check_theory(progress=True)
    if args.json:
        emit(checks.to_json(orient="records"))
        return
    rows = [
        (row.theorem, row.checked, f"{row.deviation:.1e}", "yes" if row.holds else "NO")
        for row in checks.itertuples()
    ]
    lines = aligned([("theorem", "checked", "worst deviation", "holds"), *rows])
    emit("\n".join([*headline(result), "", *lines]))


def run_reproduce(args):
    """Compute figures and tables of the paper; print them beside what was printed."""
    text, failures = experiments.run(args)
    emit(text)
    if failures:
        raise ValueError(f"{counted(failures, 'cell')} failed; the pages written say which")


def load_features(args):
    """Return the table of a file and the names of the columns to cluster on."""
    table = load(args.data, args.index)
    features = chosen_features(table, args)
    check_values(table[features], args.na_action)
    return table, features


def model_parameters(args):
    """Return the parameters of `wbms` that the command line sets."""
    return {
        "h": args.h,
        "lam": args.lam,
        "na_action": args.na_action,
        "standardize": args.standardize,
        "max_iter": args.max_iter,
        "n_jobs": args.jobs,
    }


def number(convert, allowed, what):
    """Return a function that reads numbers and refuses those that are not allowed."""

    def read(text):
        try:
            value = convert(text)
        except ValueError:
            value = None
        if value is None or not allowed(value):
            raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")
        return value

    return read


def positive_or_auto(text):
    """Return a positive number, or "auto"."""
    return text if text == "auto" else number(float, positive, "a positive number or auto")(text)


def positives_or_auto(text):
    """Return positive numbers with commas between them, or "auto"."""
    return text if text == "auto" else [positive_or_auto(part) for part in text.split(",")]


def names(text):
    """Return the names in a line of CSV, so that a quoted name may have a comma.

    Examples
    --------
    >>> names('a, "b,c"')
    ['a', 'b,c']
    """
    found = next(csv.reader([text], skipinitialspace=True), [])
    if not all(found) or not found:
        raise argparse.ArgumentTypeError(f"must be names with commas between them, got {text!r}")
    return found


def table_path(text):
    """Return the path of a table in a format that is known."""
    return path_with_suffix(text, (*SEPARATORS, *PARQUET))


def output_path(text):
    """Return the path of a table to write, or "-" for the standard output."""
    return STDOUT if text == str(STDOUT) else table_path(text)


def picture_path(text):
    """Return the path of a picture in a format that is known."""
    return path_with_suffix(text, PICTURES)


def tree_path(text):
    """Return the path of a picture or a table in a format that is known."""
    return path_with_suffix(text, (*PICTURES, *SEPARATORS, *PARQUET))


def path_with_suffix(text, known):
    """Return a path whose suffix is one of those known."""
    path = Path(text)
    if suffix_of(path) not in known:
        raise argparse.ArgumentTypeError(
            f"the suffix must be one of {' '.join(known)}, got {text!r}"
        )
    return path


def check_outputs(args):
    """Raise if the output could not be written in the end: a long fit would be lost."""
    if getattr(args, "augment", False) and not args.out:
        args.usage_error("--augment needs --out")
    if args.json and args.out == STDOUT:
        args.usage_error("--json and --out - both write to the standard output")
    outputs = (args.out, getattr(args, "tree", None), args.plot)
    written = [path for path in outputs if path and path != STDOUT]
    for path in written:
        require_output(path)
        if path.exists() and args.data.exists() and path.samefile(args.data):
            option = "--out" if path == args.out else "--tree"
            raise ValueError(f"{option} would overwrite the data: {path}")
    if any(suffix_of(path) in PARQUET for path in written):
        require_pyarrow()
    if any(suffix_of(path) in PICTURES for path in written):
        require_matplotlib()


def chosen_features(table, args):
    """Return the names of the columns to cluster on."""
    excluded = args.exclude or []
    require_columns(table, [*(args.columns or []), *excluded])
    both = [name for name in args.columns or [] if name in (args.index, *excluded)]
    if both:
        args.usage_error(f"--columns names what --index or --exclude takes away: {quoted(both)}")
    features = args.columns or [name for name in table.columns if name not in table.index.names]
    return [name for name in features if name not in excluded]


def check_values(table, na_action):
    """Raise a ValueError that names the option to use if columns are text or have gaps."""
    text = [name for name, column in table.items() if not is_numeric(column)]
    if text:
        raise ValueError(
            f"columns that are not numeric: {quoted(text)}; choose columns with --columns, leave "
            "some out with --exclude, or name the one that identifies the rows with --index"
        )
    gaps = table.isna()
    if na_action == "raise" and gaps.to_numpy().any():
        raise ValueError(
            f"missing values in column {quoted(table.columns[gaps.any()])} "
            f"({counted(gaps.any(axis=1).sum(), 'row')}); leave these rows out with "
            "--na-action omit, or fill them in"
        )
    # What pandas and R write first by default: row numbers without a name.
    if "Unnamed: 0" in table.columns:
        say(
            "warning: the first column has no name and is used like the others; if it names the "
            'rows, say so: --index "Unnamed: 0"'
        )


def check_label_column(table, augment):
    """Raise a ValueError if the output would have two columns of the labels' name."""
    if "cluster" in (table.columns if augment else table.index.names):
        raise ValueError("the data already have a column 'cluster': rename it")


def label_table(result):
    """Return a table with a row's name, or number, and its cluster."""
    labels = result.labels
    return labels.to_frame().reset_index(names=[name or "row" for name in labels.index.names])


def tree_table(result):
    """Return the merges of the tree as a table, clusters numbered as scipy does."""
    table = pd.DataFrame(result.tree, columns=["left", "right", "height", "size"])
    table = table.astype({"left": int, "right": int, "size": int})
    return table.assign(observed=result.tree_observed)


def cluster(data, columns=None, **params):
    """Cluster as `wbms` does, with a line of progress if someone is looking."""
    if not sys.stderr.isatty():
        return wbms(data, columns, **params)
    with Progress() as progress:
        progress.show("starting …")
        result = wbms(data, columns, callback=progress, **params)
    # A terminal can be neither copied nor saved; a result can, so it must not hold one.
    result.estimator.set_params(callback=None)
    return result


class Progress(Line):
    """The state of a fit on a line of the terminal, at most ten times a second."""

    def __init__(self):
        super().__init__()
        self._next_update = 0.0
        self._phase = None

    def __call__(self, state):
        """Show the state of a fit, if the last one has been there for long enough."""
        now = time.monotonic()
        if now < self._next_update and state.phase == self._phase:
            return
        self._phase = state.phase
        self._next_update = now + SECONDS_BETWEEN_UPDATES
        if state.phase == "select":
            self.show(str(state))
            return
        phase = "warm-up" if state.phase == "warmup" else "main"
        points, groups = counted(state.n_points, "point"), counted(state.groups, "group")
        self.show(f"{phase} iteration {state.iteration}: {points}, {groups}")


def wrote(what, path):
    """Return the line, if any, that says where a file is."""
    return [] if path is None else [f"wrote the {what} to {path}"]


def emit(text, stream=None):
    """Print a text on the standard output, or on another stream."""
    stream = sys.stdout if stream is None else stream
    try:
        print(text, file=stream, flush=True)
    except OSError:
        # What is left in the buffer would fail a second time, with a traceback, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def say(message):
    """Print a line on the standard error."""
    print(f"pywbms: {' '.join(str(message).split())}", file=sys.stderr)


@contextmanager
def warnings_at_the_end():
    """Collect warnings and print each as a line at the end, where it is seen."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            yield
        finally:
            for warning in caught:
                say(f"warning: {warning.message}")
