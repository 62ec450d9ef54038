"""Build the site from docs/ into docs/_build/html, and check it.

usage: build_site.py [--r-library FOLDER] [VIGNETTE …]

The vignettes that are named must have been executed (vignettes.py --no-pages); of the others only
the title and the beginning are shown. Warnings are errors: a broken link, a missing docstring, an
example of the gallery that fails.
"""

import argparse
import html
import os
import re
import subprocess
import sys
from pathlib import Path

import check_site
import percent

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = DOCS / "_build"
SUFFIXES = {".py", ".Rmd"}
ABSENT = """
```{note}
This copy of the site was built without executing this vignette: `make docs` does so.
```
"""

sys.path.insert(0, str(DOCS / "extensions"))


def main():
    """Build and check the site; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--r-library", metavar="FOLDER")
    parser.add_argument("vignettes", metavar="VIGNETTE", nargs="*")
    arguments = parser.parse_args()
    place_vignettes({Path(name).stem for name in arguments.vignettes})
    site = BUILD / "html"
    sphinx = ["-m", "sphinx", "-q", "-b", "html", "-W", "--keep-going", DOCS, site]
    if subprocess.run([sys.executable, *sphinx], check=False).returncode:
        return 1
    if subprocess.run(r_reference(site / "r", arguments.r_library), check=False).returncode:
        print("pywbms: the reference for R failed; see above", file=sys.stderr)
        return 1
    for page in (site / "r").rglob("*.html"):
        page.write_text(finished(page.read_text("utf-8"), page.stem), encoding="utf-8")
    return check_site.main(site)


def place_vignettes(wanted):
    """Write a page for each vignette into docs/vignettes."""
    for source in sorted((ROOT / "vignettes").glob("*.*")):
        if source.suffix in SUFFIXES:
            made = BUILD / "vignettes" / f"{source.stem}.md"
            text = made.read_text("utf-8") if source.stem in wanted else beginning(source)
            place(text, DOCS / "vignettes" / made.name)


def place(text, path):
    """Write a page unless it is the same: Sphinx reads again what is newer."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def beginning(source):
    """Return the title of a vignette and its first paragraph."""
    text = source.read_text("utf-8")
    if source.suffix == ".py":
        title, _, rest = percent.text_of(percent.cells(text)[0]).partition("\n")
    else:
        title = "# " + re.search(r'^title: "?(.*?)"?$', text, flags=re.MULTILINE)[1]
        rest = re.sub(r"^---.*?^---$|^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    paragraph = rest.strip().split("\n\n")[0]
    return f"{title}\n{ABSENT}\n{paragraph}\n"


def r_reference(folder, library):
    """Return the command that makes the reference for R."""
    script = ROOT / "tools" / "r_reference.R"
    if library:
        os.environ["R_LIBS"] = str(Path(library).absolute())
    folder.mkdir(exist_ok=True)
    return ["Rscript", script, ROOT / "rbridge" / "wbms", DOCS / "pkgdown", folder]


def finished(page, name):
    """Return a page of pkgdown with its formulas as MathML and texts for its pictures."""
    from mathml import to_mathml

    def formula(found):
        inline, block = found.groups()
        display = "inline" if inline is not None else "block"
        return to_mathml(html.unescape(inline if inline is not None else block), display)

    # Not in code, where \(x) is a function.
    parts = re.split(r"(<pre.*?</pre>|<code.*?</code>)", page, flags=re.DOTALL)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\\\((.*?)\\\)|\$\$(.*?)\$\$", formula, parts[i], flags=re.DOTALL)
    page = re.sub(r'<img src="" class="logo" alt="">', "", "".join(parts))
    return page.replace('alt=""', f'alt="The picture that the example of {name} draws"')


if __name__ == "__main__":
    sys.exit(main())
