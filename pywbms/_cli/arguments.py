"""The options that commands share, and the conversion of their values."""

import argparse
import csv
from pathlib import Path

from pywbms._cli.excel import EXCEL
from pywbms._cli.files import PAGES, PARQUET, PICTURES, SEPARATORS, suffix_of
from pywbms._cli.reading import STDIN, add_reading
from pywbms._data.checks import positive
from pywbms._data.table import CATEGORIES, NA_ACTIONS
from pywbms._engine.settings import STARTS, Settings

STDOUT = Path("-")
MODEL = ".wbms"


def add_command(commands, name, run, text):
    """Add a command with the options that all commands have; return its parser."""
    command = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".", allow_abbrev=False
    )
    command.add_argument(
        "--json", action="store_true", help="print one JSON object instead of text"
    )
    command.set_defaults(run=run, usage_error=command.error)
    return command


def add_data(command, nargs=None, several=False):
    """Add the options for the data and the model; with `several`, h and lam may be lists."""
    command.add_argument(
        "data", type=input_path, metavar="DATA", nargs=nargs,
        help="table with a header: .csv, .tsv, .tab, .txt (each also with .gz), .parquet, .pq, "
        ".xlsx or .xlsm (its first sheet); - for text on standard input"
        + (" (default: the paper's motivating example)" if nargs else ""),
    )  # fmt: skip
    add_reading(command)
    add_model(command.add_argument_group("model"), several)
    table = command.add_argument_group("rows and columns")
    table.add_argument("--columns", type=names, metavar="A,B,C", help="columns to use")
    table.add_argument("--exclude", type=names, metavar="A,B,C", help="columns not to use")
    table.add_argument(
        "--index", metavar="COLUMN", help="column that identifies the rows (not used as a feature)"
    )
    table.add_argument(
        "--weights", metavar="COLUMN",
        help="column with the weights of the rows, numbers of at least 0 (not used as a feature)",
    )  # fmt: skip
    table.add_argument(
        "--na-action", choices=NA_ACTIONS, default="raise",
        help="stop at missing or infinite values (default), omit their rows (cluster -1), or "
        "impute them: the median of the column, or the most frequent level",
    )  # fmt: skip
    table.add_argument(
        "--categories", choices=CATEGORIES, default="error",
        help="stop at columns of texts (default), or make indicators of them: one column per "
        "level, two different levels one unit apart",
    )  # fmt: skip
    table.add_argument(
        "--numeric-only", action="store_true", help="leave out the columns that are not numeric"
    )


def add_model(model, several):
    """Add the parameters of the model to a group of options."""
    for name, text in (("h", "bandwidth"), ("lam", "entropy parameter")):
        model.add_argument(
            f"--{name}", default=getattr(Settings, name), metavar="X,Y,Z" if several else "X",
            type=positives_or_auto if several else positive_or_auto,
            help=f"{text}: a positive number{', or several,' * several} or auto (default "
            f"{getattr(Settings, name)})",
        )  # fmt: skip
    model.add_argument(
        "--k", dest="n_clusters", type=whole_number(least=1), metavar="K",
        help="exactly so many clusters (default: as many as the data show)",
    )  # fmt: skip
    model.add_argument(
        "--init", choices=STARTS, default=Settings.init,
        help=f"feature weights at the start of the fit (default {Settings.init})",
    )  # fmt: skip
    model.add_argument(
        "--plain-z-scores", dest="standardize", action="store_const", const=True,
        default=Settings.standardize,
        help="z-scores in which bad cells, bad rows and repeated columns count, as in the paper",
    )  # fmt: skip
    model.add_argument(
        "--no-standardize", dest="standardize", action="store_const", const=False,
        help="use the columns as they are instead of z-scores",
    )  # fmt: skip
    model.add_argument(
        "--max-iter", type=whole_number(least=1), default=Settings.max_iter, metavar="N",
        help=f"largest number of iterations (default {Settings.max_iter})",
    )  # fmt: skip
    model.add_argument(
        "--time-budget", type=positive_number, metavar="SECONDS",
        help="end the search for what is auto after so many seconds, with the best so far",
    )  # fmt: skip
    if not several:  # `select` has a seed of its own
        model.add_argument(
            "--seed", type=whole_number(least=0), default=Settings.random_state, metavar="N",
            help=f"seed of the search for what is auto (default {Settings.random_state})",
        )  # fmt: skip
    if not several:
        model.add_argument(
            "--landmarks", type=landmarks, default=Settings.landmarks, metavar="N",
            help="cluster a sample of N rows that the others follow; none: cluster all rows; auto "
            "(default): all unless there are too many",
        )  # fmt: skip
    model.add_argument(
        "--jobs", type=number_of_jobs, metavar="N", help="threads (default 1; -1: all cores)"
    )


def landmarks(text):
    """Read a number of landmarks, auto or none."""
    if text in ("auto", "none"):
        return None if text == "none" else text
    return whole_number(least=2)(text)


def number(convert, allowed, what):
    """Return a function that reads a number and rejects values that are not allowed."""

    def read(text):
        try:
            value = convert(text)
        except ValueError:
            value = None
        if value is None or not allowed(value):
            raise argparse.ArgumentTypeError(f"must be {what}, got {text!r}")
        return value

    return read


def whole_number(least):
    """Return a function that reads a whole number of at least `least`."""
    return number(int, lambda n: n >= least, f"a whole number of at least {least}")


number_of_jobs = number(int, lambda n: n != 0, "a whole number other than 0")


positive_number = number(float, positive, "a positive number")


def positive_or_auto(text):
    """Return a positive number, or "auto"."""
    return text if text == "auto" else number(float, positive, "a positive number or auto")(text)


def positives_or_auto(text):
    """Return comma-separated positive numbers, or "auto"."""
    return text if text == "auto" else [positive_or_auto(part) for part in text.split(",")]


def names(text):
    """Return comma-separated names; a quoted name may contain a comma.

    Examples
    --------
    >>> names('a, "b,c"')
    ['a', 'b,c']
    """
    found = next(csv.reader([text], skipinitialspace=True), [])
    if not all(found) or not found:
        raise argparse.ArgumentTypeError(f"must be names separated by commas, got {text!r}")
    return found


def input_path(text):
    """Return the path of a table to read, or "-" for standard input."""
    known = (*SEPARATORS, *PARQUET, *EXCEL)
    return STDIN if text == str(STDIN) else path_with_suffix(text, known)


def model_path(text):
    """Return the path of a saved result."""
    return path_with_suffix(text, (MODEL,))


def table_path(text):
    """Return the path of a table in a supported format."""
    return path_with_suffix(text, (*SEPARATORS, *PARQUET))


def output_path(text):
    """Return the path of a table to write, or "-" for standard output."""
    return STDOUT if text == str(STDOUT) else table_path(text)


def picture_path(text):
    """Return the path of a picture in a supported format."""
    return path_with_suffix(text, PICTURES)


def page_path(text):
    """Return the path of an HTML page."""
    return path_with_suffix(text, PAGES)


def tree_path(text):
    """Return the path of a picture or a table in a supported format."""
    return path_with_suffix(text, (*PICTURES, *SEPARATORS, *PARQUET))


def path_with_suffix(text, known):
    """Return a path that has one of the known suffixes."""
    path = Path(text)
    if suffix_of(path) not in known:
        raise argparse.ArgumentTypeError(
            f"the suffix must be one of {' '.join(known)}, got {text!r}"
        )
    return path
