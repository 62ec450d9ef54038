"""The table of a command and the columns of it to cluster on."""

from pywbms._cli.files import load, require_columns
from pywbms._cli.output import say
from pywbms._data.checks import is_numeric
from pywbms._terminal.wording import counted, quoted


def load_features(args):
    """Return the table of a file and the names of the columns to cluster on."""
    table = load(args.data, args.index)
    features = chosen_features(table, args)
    check_values(table[features], args.na_action)
    return table, features


def chosen_features(table, args):
    """Return the names of the columns to cluster on."""
    excluded = args.exclude or []
    require_columns(table, [*(args.columns or []), *excluded])
    both = [name for name in args.columns or [] if name in (args.index, *excluded)]
    if both:
        args.usage_error(f"--columns has columns that --index or --exclude removes: {quoted(both)}")
    features = args.columns or [name for name in table.columns if name not in table.index.names]
    return [name for name in features if name not in excluded]


def check_values(table, na_action):
    """Raise a ValueError that names the option to use if columns are not numeric or have gaps."""
    text = [name for name, column in table.items() if not is_numeric(column)]
    if text:
        raise ValueError(
            f"columns that are not numeric: {quoted(text)}; select columns with --columns, drop "
            "columns with --exclude, or name the column that identifies the rows with --index"
        )
    gaps = table.isna()
    if na_action == "raise" and gaps.to_numpy().any():
        raise ValueError(
            f"missing values in column {quoted(table.columns[gaps.any()])} "
            f"({counted(gaps.any(axis=1).sum(), 'row')}); omit these rows with --na-action omit, "
            "or fill in the values"
        )
    # What pandas and R write first by default: row numbers without a name.
    if "Unnamed: 0" in table.columns:
        say(
            "warning: the first column has no name and is used as a feature; if it identifies the "
            'rows, use --index "Unnamed: 0"'
        )


def check_label_column(table, augment):
    """Raise a ValueError if the output would have two columns named "cluster"."""
    if "cluster" in (table.columns if augment else table.index.names):
        raise ValueError("the data already have a column 'cluster': rename it")
