"""Write the R package's news as Rd, which R reads without further packages.

usage: news_rd.py NEWS.md inst/NEWS.Rd

R's ``news()`` reads Markdown only with the packages commonmark and xml2. The Markdown has headings
``# wbms VERSION``, paragraphs and one level of ``*`` items, with code in backticks.
"""

import re
import sys
from pathlib import Path


def news_rd(markdown):
    """Return news in Markdown as an Rd page."""
    lines = [r"\name{NEWS}", r"\title{News of the package wbms}"]
    for section in re.split(r"^# ", markdown, flags=re.MULTILINE)[1:]:
        heading, _, body = section.partition("\n")
        package, version = heading.split()[:2]
        lines += [rf"\section{{Changes in {package} version {version}}}{{", r"  \itemize{"]
        lines += [rf"    \item {rd(item)}" for item in items(body)]
        lines += ["  }", "}"]
    return "\n".join(lines) + "\n"


def items(body):
    """Return the paragraphs and items of a section, each on one line."""
    blocks = re.split(r"\n\s*\n|\n(?=\* )", body.strip())
    return [re.sub(r"\s+", " ", block.removeprefix("* ")) for block in blocks if block.strip()]


def rd(text):
    """Return a text with its code marked and R's special characters escaped."""
    parts = re.split(r"`([^`]*)`", text)
    parts = [re.sub(r"([\\%{}])", r"\\\1", part) for part in parts]
    return "".join(rf"\code{{{part}}}" if i % 2 else part for i, part in enumerate(parts))


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(news_rd(source.read_text(encoding="utf-8")), encoding="utf-8")
