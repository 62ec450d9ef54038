"""Execute vignettes and write them as HTML pages beside their sources.

usage: vignettes.py [--no-pages] FILE …

A `.py` vignette is a script with cells (see percent.py), an `.Rmd` one is R Markdown. What they
show is kept as Markdown in docs/_build/vignettes, for the site, until a vignette or the code behind
it changes. The R package wbms must be in R's library, and R_LIBS may name one.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = Path(__file__).resolve().parent
ROOT = TOOLS.parent
EXECUTED = ROOT / "docs" / "_build" / "vignettes"
# What the result of a vignette depends on beside its source.
CODE = (
    "pywbms/**/*.py", "pywbms/**/*.pyx", "pywbms/**/*.pxd", "pywbms/_core/simd/*",
    "vignettes/presentation/*.py", "tools/percent.py",
)  # fmt: skip
R_CODE = ("rbridge/*.py", "rbridge/wbms/R/*.R", "rbridge/wbms/src/*.c", "tools/knit.R")
# With CI set, a page whose R cannot find Python fails instead of leaving out its results.
ENVIRONMENT = {"CI": "true", "MPLBACKEND": "agg"}


def executed(source):
    """Return the path of a vignette's Markdown, executing the vignette if need be."""
    target, stamp = (EXECUTED / f"{source.stem}{suffix}" for suffix in (".md", ".key"))
    key = key_of(source)
    if not (target.exists() and stamp.exists() and stamp.read_text() == key):
        print(f"pywbms: executing {source}", flush=True)
        EXECUTED.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch, target.name)
            if source.suffix == ".py":
                run(sys.executable, TOOLS / "percent.py", source, made)
            else:
                run("Rscript", TOOLS / "knit.R", source.absolute(), made)
            shutil.move(made, target)
        stamp.write_text(key)
    return target


def key_of(source):
    """Return a hash of all that the result of a vignette depends on."""
    found = hashlib.sha256(os.environ.get("PYWBMS_DATA", "").encode())
    patterns = CODE if source.suffix == ".py" else CODE + R_CODE
    files = sorted(path for pattern in patterns for path in ROOT.glob(pattern))
    for path in [source, *files]:
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


def write_page(markdown, target):
    """Write Markdown as a page that is complete in itself, its formulas as MathML."""
    title = markdown.read_text("utf-8").splitlines()[0].removeprefix("# ")
    run(
        "pandoc", markdown, "--standalone", "--mathml", "--toc", "--toc-depth=2",
        "--from=markdown-markdown_in_html_blocks-implicit_figures-fancy_lists",
        f"--include-in-header={TOOLS / 'vignette.css.html'}", f"--metadata=pagetitle:{title}",
        f"--output={target}",
    )  # fmt: skip


def run(*command):
    """Run a command, or raise CalledProcessError."""
    subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=True)


def main():
    """Make the pages; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-pages", action="store_true", help="only execute the vignettes")
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    arguments = parser.parse_args()
    for source in arguments.files:
        try:
            markdown = executed(source)
            if not arguments.no_pages:
                # Beside the source, not where a symbolic link points.
                page = source.absolute().with_suffix(".html")
                print(f"pywbms: making {source.with_suffix('.html')}", flush=True)
                write_page(markdown, page)
        except subprocess.CalledProcessError:
            print(f"pywbms: {source} failed; see above", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
