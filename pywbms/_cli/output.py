"""What commands print, and checks that their files can be written."""

import os
import sys
import warnings
from contextlib import contextmanager
from itertools import combinations

from sklearn.exceptions import ConvergenceWarning

from pywbms._cli.arguments import STDOUT
from pywbms._cli.files import PARQUET, PICTURES, require_output, require_pyarrow, suffix_of
from pywbms._viz.figure import require_matplotlib

# Options of commands that name a file to write.
OUTPUTS = ("tree", "plot", "report", "save")


def emit(text, stream=None):
    """Print a text on standard output, or on another stream."""
    stream = sys.stdout if stream is None else stream
    try:
        print(text, file=stream, flush=True)
    except OSError:
        # Python would flush the rest of the buffer at exit and fail again, with a traceback.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        raise


def say(message):
    """Print one line on standard error."""
    print(f"pywbms: {' '.join(str(message).split())}", file=sys.stderr)


def wrote(what, path):
    """Return the line, if any, that says where a file was written."""
    return [] if path is None else [f"wrote the {what} to {path}"]


@contextmanager
def warnings_at_the_end():
    """Collect warnings and print each as one line at the end, where it is seen."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            yield
        finally:
            for warning in caught:
                say(f"warning: {warning.message}")


def check_outputs(args):
    """Raise before a long fit if its output could not be written."""
    if getattr(args, "augment", False) and not args.out:
        args.usage_error("--augment needs --out")
    if args.json and args.out == STDOUT:
        args.usage_error("--json and --out - both write to standard output")
    options = {"--out": args.out}
    options |= {f"--{name}": getattr(args, name, None) for name in OUTPUTS}
    written = {option: path for option, path in options.items() if path and path != STDOUT}
    for option, path in written.items():
        require_output(path)
        if same_file(path, args.data):
            raise ValueError(f"{option} would overwrite the data: {path}")
    for (one, path), (other, other_path) in combinations(written.items(), 2):
        if same_file(path, other_path):
            args.usage_error(f"{one} and {other} would write the same file: {path}")
    suffixes = {suffix_of(path) for path in written.values()}
    if suffixes & set(PARQUET):
        require_pyarrow()
    if suffixes & set(PICTURES):
        require_matplotlib()


def same_file(path, other):
    """Tell whether two paths are one file, or would be."""
    if path.exists() and other.exists():
        return path.samefile(other)
    return os.path.realpath(path) == os.path.realpath(other)
