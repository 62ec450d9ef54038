"""Installs the R package ``wbms`` for this Python."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "wbms"
HOW_TO_INSTALL = f"install it with: {sys.executable} -m rbridge --install"
# What building leaves behind, and what belongs to one machine.
NOT_SOURCE = shutil.ignore_patterns("*.o", "*.so", "python-path", "*.Rcheck")


def own_library():
    """Return the folder, inside this Python environment, that may hold an R library of its own."""
    return str(Path(sys.prefix, "lib", "R"))


def install(library=None):
    """Build the R package and install it into an R library, bound to this Python.

    Parameters
    ----------
    library : path, optional
        The R library (a folder). By default R's first one, as for any R package; where that is
        not writable, the user's own, which is made if need be.

    Raises
    ------
    RuntimeError
        If there is no R, or if R could not install the package; the message says why.
    """
    if shutil.which("R") is None:
        raise RuntimeError("R is not on the PATH; on Debian or Ubuntu: apt-get install r-base-dev")
    library = Path(library or default_library())
    library.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # A copy, as the source may be where nobody may write.
        source = shutil.copytree(SOURCE, Path(folder, "wbms"), ignore=NOT_SOURCE)
        (source / "configure").chmod(0o755)  # not every way of packing files keeps this
        done = subprocess.run(
            ["R", "CMD", "INSTALL", "--no-test-load", f"--library={library}", str(source)],
            env={**os.environ, "WBMS_PYTHON": sys.executable},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        raise RuntimeError(f"R could not install the package wbms:\n{done.stdout}{done.stderr}")
    return str(library)


def default_library():
    """Return R's first library, or the user's own where that is not writable."""
    code = "cat(.libPaths()[1], Sys.getenv('R_LIBS_USER'), sep = '\\n')"
    asked = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True
    )
    first, own = asked.stdout.splitlines()[:2]
    return first if os.access(first, os.W_OK) else os.path.expanduser(own.split(os.pathsep)[0])
