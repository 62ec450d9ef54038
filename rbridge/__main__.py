"""``python -m rbridge script.R [args]``: run an R script with the package ``wbms`` attached.

The script runs in an ordinary Rscript whose ``wbms`` uses this Python, and its exit code becomes
the command's. ``python -m rbridge --install [LIBRARY]`` installs the R package for this Python;
``--vignettes`` also builds its vignettes.
"""

import os
import shutil
import subprocess
import sys

from rbridge.install import HOW_TO_INSTALL, install, missing_for_vignettes, own_library

USAGE = """usage: python -m rbridge script.R [args]
       python -m rbridge --install [--vignettes] [LIBRARY]"""
DEFAULT_PACKAGES = "datasets,utils,grDevices,graphics,stats,methods,wbms"


def main(arguments):
    """Install the R package, or replace this process by Rscript; return an exit code otherwise."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0] == "--install":
        given = [argument for argument in arguments[1:] if argument != "--vignettes"]
        if len(given) > 1 or (given[:1] and given[0].startswith("-")):
            print(USAGE, file=sys.stderr)
            return 2
        try:
            library = install(*given, vignettes="--vignettes" in arguments)
        except (RuntimeError, OSError) as error:
            print(error, file=sys.stderr)
            return 1
        missing = missing_for_vignettes() if "--vignettes" in arguments else []
        print(f"wbms is installed in {library}; in R: library(wbms)")
        if missing:
            print(f"its vignettes were not built: R found no {' and no '.join(missing)}")
        return 0
    return run_script(arguments)


def run_script(arguments):
    """Replace this process by Rscript."""
    if arguments[0].startswith("-"):
        print(f"unknown option {arguments[0]}\n{USAGE}", file=sys.stderr)
        return 2
    if not os.path.isfile(arguments[0]):
        print(f"no such script: {arguments[0]}", file=sys.stderr)
        return 2
    rscript = shutil.which("Rscript")
    if rscript is None:
        print("Rscript is not on the PATH; on Debian or Ubuntu: apt-get install r-base-core",
              file=sys.stderr)  # fmt: skip
        return 1
    os.environ["WBMS_PYTHON"] = sys.executable
    os.environ["R_DEFAULT_PACKAGES"] = DEFAULT_PACKAGES
    if os.path.isdir(own_library()):
        libraries = [own_library(), os.environ.get("R_LIBS", "")]
        os.environ["R_LIBS"] = os.pathsep.join(filter(None, libraries))
    found = 'quit(status = !requireNamespace("wbms", quietly = TRUE))'
    if subprocess.run([rscript, "--no-init-file", "-e", found], capture_output=True).returncode:
        print(f"the R package wbms is not installed; {HOW_TO_INSTALL}", file=sys.stderr)
        return 1
    os.execv(rscript, [rscript, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
