"""Print requirements of pyproject.toml, one per line.

usage: requirements.py NAME …

A NAME is `build` (what building needs), `run` (what running needs) or an extra; where an extra
refers to others, as in ``pywbms[plot]``, theirs are printed in its place.
"""

import re
import sys
import tomllib
from pathlib import Path


def requirements(pyproject, name):
    """Yield the requirements of `build`, `run` or an extra."""
    project = pyproject["project"]
    if name == "build":
        yield from pyproject["build-system"]["requires"]
    elif name == "run":
        yield from project["dependencies"]
    else:
        for requirement in project["optional-dependencies"][name]:
            own = re.fullmatch(rf"{project['name']}\[(.*)\]", requirement)
            if own is None:
                yield requirement
            else:
                for extra in own[1].split(","):
                    yield from requirements(pyproject, extra.strip())


if __name__ == "__main__":
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8")
    for name in sys.argv[1:]:
        print(*requirements(tomllib.loads(text), name), sep="\n")
