"""The table of a command and the columns of it to cluster on."""

import warnings

from pywbms._cli.cells import first_text
from pywbms._cli.files import default_separator, load, require_columns
from pywbms._cli.output import say
from pywbms._cli.reading import Reading, check_reading, header_of_numbers
from pywbms._data.checks import is_numeric
from pywbms._data.table import numeric_columns
from pywbms._terminal.wording import counted, quoted

ADVICE = (
    "select columns with --columns, drop columns with --exclude, or name the column that "
    "identifies the rows with --index; --categories indicators uses texts, --numeric-only leaves "
    "them out"
)


def load_features(args):
    """Return the table of a file and the names of the columns to cluster on."""
    table = load_table(args)
    features = chosen_features(table, args)
    if args.numeric_only:
        if args.categories == "indicators":
            args.usage_error("--numeric-only leaves out what --categories indicators would use")
        features = list(numeric_columns(table[features]))
    check_values(table[features], args.na_action, args.categories)
    return table, features


def load_table(args):
    """Return the table of a file, read as the command line says."""
    check_reading(args, default_separator(args.data))
    table = load(args.data, args.index, Reading.of(args))
    note = header_of_numbers(table.columns) if args.header else None
    if note:
        say(f"warning: {note}")
    return table


def chosen_features(table, args):
    """Return the names of the columns to cluster on."""
    excluded = args.exclude or []
    weights = [args.weights] if args.weights is not None else []
    require_columns(table, [*(args.columns or []), *excluded, *weights])
    both = [name for name in args.columns or [] if name in (args.index, *excluded)]
    if both:
        args.usage_error(f"--columns has columns that --index or --exclude removes: {quoted(both)}")
    aside = [*table.index.names, *weights]
    features = args.columns or [name for name in table.columns if name not in aside]
    return [name for name in features if name not in excluded]


def check_values(table, na_action, categories="error", advice=ADVICE):
    """Raise a ValueError that says what to do if columns are not numeric or have gaps."""
    text = [name for name, column in table.items() if not is_numeric(column)]
    if text and categories == "error":
        where = first_text(table, text)
        where = f" ({where})" if where else ""
        raise ValueError(f"columns that are not numeric: {quoted(text)}{where}; {advice}")
    gaps = table.isna()
    if na_action == "raise" and gaps.to_numpy().any():
        raise ValueError(
            f"missing values in column {quoted(table.columns[gaps.any()])} "
            f"({counted(gaps.any(axis=1).sum(), 'row')}); omit these rows with --na-action omit, "
            "or fill in the values, as with --na-action impute"
        )
    # What pandas and R write first by default: row numbers without a name.
    if "Unnamed: 0" in table.columns:
        say(
            "warning: the first column has no name and is used as a feature; if it identifies the "
            'rows, use --index "Unnamed: 0"'
        )
        warnings.filterwarnings("ignore", "column 'Unnamed: 0' looks like")  # said already


def check_label_column(table, augment, scores=False):
    """Raise a ValueError if the output would have two columns of one name."""
    for name in ("cluster", *(("confidence", "outlier_score") if scores else ())):
        if name in (table.columns if augment else table.index.names):
            raise ValueError(f"the data already have a column {name!r}: rename it")
