"""Installation of the R package ``wbms`` for this Python."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).parent / "wbms"
HOW_TO_INSTALL = f"install it with: {sys.executable} -m rbridge --install"
# Build products and machine-specific files.
NOT_SOURCE = shutil.ignore_patterns("*.o", "*.so", "*-path", "*.Rcheck")


def own_library():
    """Return the folder of this Python environment that may contain its own R library."""
    return str(Path(sys.prefix, "lib", "R"))


def install(library=None, vignettes=False):
    """Build the R package and install it into an R library, bound to this Python.

    Parameters
    ----------
    library : path, optional
        The R library (a folder). By default R's first one, as for any R package; if that is not
        writable, the user's own, which is created if necessary.
    vignettes : bool, default False
        Build the vignettes as well, which takes a minute, unless something that R needs for them
        is missing (see `missing_for_vignettes`).

    Returns
    -------
    str
        The library.

    Raises
    ------
    RuntimeError
        If R is not installed, or if R could not install the package; the message says why.
    """
    if shutil.which("R") is None:
        raise RuntimeError("R is not on the PATH; on Debian or Ubuntu: apt-get install r-base-dev")
    library = Path(library or default_library()).absolute()
    library.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        # Build a copy, as the source may be read-only.
        source = shutil.copytree(SOURCE, Path(folder, "wbms"), ignore=NOT_SOURCE)
        for script in ("configure", "cleanup"):
            (source / script).chmod(0o755)  # not every archive format keeps this
        run_r_cmd(["INSTALL", "--no-test-load", f"--library={library}", "wbms"], folder)
        if vignettes and not missing_for_vignettes():
            # Use the package just installed: another one of that name may come first elsewhere.
            libraries = os.pathsep.join([str(library), os.environ.get("R_LIBS", "")])
            run_r_cmd(["build", "wbms"], folder, R_LIBS=libraries)
            (built,) = Path(folder).glob("wbms_*.tar.gz")
            run_r_cmd(["INSTALL", "--no-test-load", f"--library={library}", built.name], folder)
    return str(library)


def run_r_cmd(arguments, folder, **environment):
    """Run R CMD with this Python recorded; raise an error with its output if it fails."""
    done = subprocess.run(
        ["R", "CMD", *arguments],
        cwd=folder,
        env={**os.environ, "WBMS_PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"R could not install the package wbms:\n{done.stdout}{done.stderr}")


def missing_for_vignettes():
    """Return what R lacks for building the vignettes: of knitr, rmarkdown and pandoc."""
    code = """
        has <- vapply(c("knitr", "rmarkdown"), requireNamespace, NA, quietly = TRUE)
        has["pandoc"] <- nzchar(Sys.which("pandoc")) ||
          has[["rmarkdown"]] && rmarkdown::pandoc_available()
        cat(names(has)[!has])
    """
    asked = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    return asked.stdout.split()


def default_library():
    """Return R's first library, or the user's own if that is not writable."""
    code = "cat(.libPaths()[1], Sys.getenv('R_LIBS_USER'), sep = '\\n')"
    asked = subprocess.run(
        ["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=True
    )
    first, own = asked.stdout.splitlines()[:2]
    return first if os.access(first, os.W_OK) else os.path.expanduser(own.split(os.pathsep)[0])
