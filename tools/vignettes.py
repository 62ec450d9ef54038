"""Execute vignettes and write them as HTML pages beside their sources.

usage: vignettes.py FILE …

A `.py` vignette is a script with cells, which jupytext makes a notebook of; an `.Rmd` one is R
Markdown. The R package wbms must be in R's library, and R_LIBS may name one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

RENDER = """
arguments <- commandArgs(TRUE)
rmarkdown::render(arguments[[1]], output_dir = arguments[[2]], quiet = TRUE)
"""


def from_python(source, folder):
    """Execute a script with cells as a notebook and write its page into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        notebook = Path(scratch, f"{source.stem}.ipynb")
        run("-m", "jupytext", "--quiet", "--to", "ipynb", "--output", notebook, source)
        run("-m", "nbconvert", "--log-level=ERROR", "--execute", "--to", "html",
            "--output-dir", folder, notebook)  # fmt: skip


def from_r_markdown(source, folder):
    """Execute a page of R Markdown and write its HTML into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        # A copy, as figures are written beside the source. (With `intermediates_dir`, rmarkdown
        # reads the page once more, R code as text, and warns about the dollar signs in it.)
        copy = shutil.copy(source, scratch)
        # With CI set, a page whose R cannot find Python fails instead of leaving out its results.
        subprocess.run(
            ["Rscript", "-e", RENDER, copy, folder], env={**os.environ, "CI": "true"}, check=True
        )


def run(*arguments):
    """Run this Python, or raise CalledProcessError."""
    subprocess.run([sys.executable, *arguments], check=True)


def main(names):
    """Make the pages; return the exit code."""
    for source in map(Path, names):
        folder = source.absolute().parent  # not where a symbolic link points
        print(f"pywbms: making {source.with_suffix('.html')}", flush=True)
        try:
            (from_python if source.suffix == ".py" else from_r_markdown)(source, folder)
        except subprocess.CalledProcessError:
            print(f"pywbms: {source} failed; see above", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
