"""Execute vignettes and write them as pages.

usage: vignettes.py [--markdown FOLDER] FILE …

The pages are HTML beside their sources, each complete in itself; with --markdown they are Markdown
for the site, in a folder. A `.py` vignette is a script with cells (see percent.py), an `.Rmd` one
is R Markdown. The R package wbms must be in R's library, and R_LIBS may name one.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).parent
RENDER = """
arguments <- commandArgs(TRUE)
rmarkdown::render(arguments[[1]], output_dir = arguments[[2]], quiet = TRUE)
"""
# With CI set, a page whose R cannot find Python fails instead of leaving out its results.
ENVIRONMENT = {"CI": "true", "MPLBACKEND": "agg"}


def to_markdown(source, folder):
    """Execute a vignette and write its Markdown into a folder; return its path."""
    target = Path(folder, f"{source.stem}.md").absolute()
    with tempfile.TemporaryDirectory() as scratch:
        made = Path(scratch, target.name)
        if source.suffix == ".py":
            run(sys.executable, TOOLS / "percent.py", source, made)
        else:
            run("Rscript", TOOLS / "knit.R", source.absolute(), made)
        shutil.move(made, target)
    return target


def to_html(source, folder):
    """Execute a vignette and write its HTML into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        if source.suffix == ".py":
            write_page(to_markdown(source, scratch), Path(folder, f"{source.stem}.html"))
            return
        # A copy, as figures are written beside the source. (With `intermediates_dir`, rmarkdown
        # reads the page once more, R code as text, and warns about the dollar signs in it.)
        copy = shutil.copy(source, scratch)
        run("Rscript", "-e", RENDER, copy, folder)


def write_page(markdown, target):
    """Write Markdown as a page that is complete in itself, its formulas as MathML."""
    title = markdown.read_text("utf-8").splitlines()[0].removeprefix("# ")
    run(
        "pandoc", markdown, "--from=markdown-markdown_in_html_blocks-implicit_figures-fancy_lists",
        "--standalone", "--mathml", "--toc", "--toc-depth=2", f"--metadata=pagetitle:{title}",
        f"--include-in-header={TOOLS / 'vignette.css.html'}", f"--output={target}",
    )  # fmt: skip


def run(*command):
    """Run a command, or raise CalledProcessError."""
    subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=True)


def main():
    """Make the pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--markdown", metavar="FOLDER", type=Path)
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    arguments = parser.parse_args()
    for source in arguments.files:
        # Not where a symbolic link points.
        folder = arguments.markdown or source.absolute().parent
        folder.mkdir(parents=True, exist_ok=True)
        suffix = ".md" if arguments.markdown else ".html"
        print(f"pywbms: making {folder / source.with_suffix(suffix).name}", flush=True)
        try:
            (to_markdown if arguments.markdown else to_html)(source, folder)
        except subprocess.CalledProcessError:
            print(f"pywbms: {source} failed; see above", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
