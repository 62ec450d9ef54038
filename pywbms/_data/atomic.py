"""Files that are written in full or not at all."""

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def atomic_path(path):
    """Yield a path to write to; on success, the file written there replaces `path`.

    The new file is written in a temporary folder beside `path`, brought to disk, and renamed. If
    anything fails, such as a full disk, `path` is as it was and nothing is left beside it. A
    symbolic link stays one: the file that it points to is replaced. What is not a regular file,
    such as a named pipe, is written to directly.

    Parameters
    ----------
    path : path-like

    Yields
    ------
    Path
        It has the name of `path`, because writers take the format from the suffix.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with atomic_path(folder / "a.txt") as new:
    ...     _ = new.write_text("all of it")
    >>> [file.name for file in folder.iterdir()]
    ['a.txt']
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        yield target
        return
    folder = Path(tempfile.mkdtemp(prefix=".pywbms-", dir=target.parent))
    try:
        new = folder / target.name
        yield new
        if target.exists():
            shutil.copymode(target, new)
        to_disk(new)
        os.replace(new, target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    to_disk(target.parent)


def to_disk(path):
    """Wait until a file, or the list of files of a folder, is on disk."""
    try:
        file = os.open(path, os.O_RDONLY)
    except PermissionError:  # a folder in which one may write but not read
        return
    try:
        os.fsync(file)
    finally:
        os.close(file)
