"""How the text of a table is read: separator, decimal mark, encoding, header; standard input."""

import argparse
import codecs
import io
import sys
from dataclasses import dataclass
from pathlib import Path

from pywbms._cli.spreadsheet import is_number
from pywbms._terminal.wording import quoted

STDIN = Path("-")
# What --sep takes beside a single character.
SEPARATOR_NAMES = {"tab": "\t", r"\t": "\t", "space": r"\s+"}
TEXT_OPTIONS = {"sep": "--sep", "decimal": "--decimal", "encoding": "--encoding"}


@dataclass(frozen=True)
class Reading:
    """How to read a table; None means the default of its format.

    Attributes
    ----------
    sep : str, optional
        What stands between columns, as a regular expression for any number of blanks.
    decimal : str, optional
        The decimal mark.
    encoding : str, optional
    header : bool
        Whether the first line has the names of the columns.
    """

    sep: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool = True

    @classmethod
    def of(cls, args):
        """Return what the command line says."""
        return cls(args.sep, args.decimal, args.encoding, args.header)


def add_reading(command):
    """Add the options that say how a table is read."""
    reading = command.add_argument_group("reading the table")
    reading.add_argument(
        "--sep", type=separator, metavar="CHAR",
        help="character between columns, tab, or space for blanks (default: comma for .csv and "
        "standard input, tab for .tsv, .tab and .txt)",
    )  # fmt: skip
    reading.add_argument(
        "--decimal", choices=(".", ","), metavar="CHAR", help="decimal mark, . or , (default .)"
    )
    reading.add_argument(
        "--encoding", type=encoding, metavar="NAME", help="encoding of a text file (default utf-8)"
    )
    reading.add_argument(
        "--no-header", dest="header", action="store_false",
        help="the first line is data; the columns are called x1, x2, …",
    )  # fmt: skip


def separator(text):
    """Return a separator from the command line."""
    if len(text) != 1 and text not in SEPARATOR_NAMES:
        raise argparse.ArgumentTypeError(f"must be one character, tab or space, got {text!r}")
    return r"\s+" if text == " " else SEPARATOR_NAMES.get(text, text)


def encoding(text):
    """Return the name of an encoding that Python knows."""
    try:
        return codecs.lookup(text).name
    except LookupError as error:
        raise argparse.ArgumentTypeError(f"unknown encoding {text!r}") from error


def check_reading(args, is_text):
    """Refuse options that contradict each other or the format of the table."""
    given = [option for name, option in TEXT_OPTIONS.items() if getattr(args, name) is not None]
    if given and not is_text:
        args.usage_error(f"{', '.join(given)}: only for text files, not for {args.data}")
    if args.decimal == "," and args.sep in (None, ",") and is_text == ",":
        args.usage_error('--decimal , needs another separator than the comma, such as --sep ";"')


def source(path):
    """Return what pandas can read, more than once: the path, or all of standard input."""
    return io.BytesIO(sys.stdin.buffer.read()) if path == STDIN else path


def called(path):
    """Return what messages call a file."""
    return "standard input" if path == STDIN else str(path)


def numbered(n_columns):
    """Return the names of columns without a header."""
    return [f"x{number + 1}" for number in range(n_columns)]


def header_of_numbers(names):
    """Return a warning if all names of columns are numbers, else None.

    Examples
    --------
    >>> header_of_numbers(["5.1", "3.5"])
    "all names in the header are numbers ('5.1', '3.5'); if the file has no header, use --no-header"
    """
    names = [str(name) for name in names]
    if not names or not all(map(is_number, names)):
        return None
    if any(names == [str(j + first) for j in range(len(names))] for first in (0, 1)):
        return None  # the numbers of the columns, which pandas writes where there are no names
    return (
        f"all names in the header are numbers ({quoted(names, 3)}); if the file has no header, use "
        "--no-header"
    )
