"""Check the pages of a built site: no broken link, nothing that loads from another host.

usage: check_site.py FOLDER
"""

import re
import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Elements whose address a browser fetches by itself, and the attributes that hold it.
LOADS = {
    "audio": "src", "embed": "src", "iframe": "src", "img": "src", "link": "href", "script": "src",
    "source": "src", "video": "src",
}  # fmt: skip
# Links of these kinds are only names, which nothing is loaded for.
NAMES = {"canonical", "next", "prev", "index", "search", "author", "help"}


@dataclass
class Page(HTMLParser):
    """The anchors of a page, what it links to, and what it loads."""

    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    pictures_without_text: list[str] = field(default_factory=list)

    def __post_init__(self):
        super().__init__()
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag, attrs):
        """Note what an element is called, links to and loads."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        # A thumbnail of the gallery stands beside its title: its text is empty on purpose.
        source = found.get("src", "")
        if tag == "img" and not found.get("alt") and "_thumb." not in source:
            self.pictures_without_text.append(source[:60])
        if found.get(LOADS.get(tag)) and not NAMES & set(found.get("rel", "").split()):
            self.loads.append(found[LOADS[tag]])


def problems(folder):
    """Yield a sentence for each problem of the site."""
    # Below _static there are a theme's own files.
    found = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): Page(path) for path in found}
    if not pages:
        yield f"there are no pages in {folder}"
    for page in pages.values():
        name = page.path.relative_to(folder)
        for address in page.loads:
            if is_elsewhere(address):
                yield f"{name} loads {address}"
        for picture in page.pictures_without_text:
            yield f"{name} has a picture without alternative text: {picture}"
        for address in {*page.links, *page.loads}:
            if reason := broken(address, page, pages):
                yield f"{name}: {address} {reason}"
    for path in folder.rglob("*.css"):
        for address in re.findall(r"url\(['\"]?([^'\")]+)", path.read_text("utf-8")):
            if is_elsewhere(address):
                yield f"{path.relative_to(folder)} loads {address}"


def is_elsewhere(address):
    """Whether an address is on another host."""
    return bool(urlsplit(address).netloc)


def broken(address, page, pages):
    """Return why a link within the site leads nowhere, or None."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    target = target.resolve()
    if not target.exists():
        return "is not there"
    anchors = pages[target].anchors if target in pages else None
    if parts.fragment and anchors is not None and unquote(parts.fragment) not in anchors:
        return "has no such section"
    return None


def main(folder):
    """Print the problems of a site; return the exit code."""
    found = list(problems(Path(folder)))
    for problem in found:
        print(f"pywbms: {problem}", file=sys.stderr)
    return min(len(found), 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
