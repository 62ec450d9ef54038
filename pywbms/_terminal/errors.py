"""Error messages for the terminal."""

from contextlib import contextmanager


def reason(error):
    """Return the message of an exception, without the error number of the system."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


@contextmanager
def naming(verb, path):
    """Turn any error with a file into a ValueError that names the file."""
    try:
        yield
    except Exception as error:  # pandas, pyarrow, gzip and zlib each raise their own
        raise ValueError(f"cannot {verb} {path}: {reason(error)}") from error
