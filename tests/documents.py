"""The code blocks of the pages that are written by hand: the README and the site's."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# What `make docs` writes there.
MADE = {"_build", "pictures"}
# How a page says that a block is not run, and why: an HTML comment right above it.
NOT_RUN = r"<!-- not run: [^\n]+ -->\n+"


def pages():
    """Return the site's pages."""
    return [path for path in sorted(DOCS.rglob("*.md")) if not is_made(path.relative_to(DOCS))]


def is_made(path):
    """Tell whether `make docs` writes a page; the vignettes' index is written by hand."""
    return bool(MADE & set(path.parts)) or (path.parts[0] == "vignettes" and path.stem != "index")


def blocks(path, *languages):
    """Return the code blocks of a page, in one of these languages, that are to be run."""
    text = re.sub(NOT_RUN + r"```.*?\n```", "", path.read_text("utf-8"), flags=re.DOTALL)
    found = re.findall(r"^```(\w+)\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    return [code for name, code in found if name in languages]


def languages(path):
    """Return the languages of a page's blocks; directives such as `{toctree}` are not counted."""
    return set(re.findall(r"^```(\w+)\n.*?^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE))


def commands(path, program):
    """Return what follows a program's name in the blocks for a shell."""
    return re.findall(rf"^{program} (.*)", "\n".join(blocks(path, "sh")), flags=re.MULTILINE)
