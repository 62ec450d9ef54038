"""Print the requirements of an extra of pyproject.toml, one a line: requirements.py EXTRA."""

import sys
import tomllib
from pathlib import Path

text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
print(*tomllib.loads(text)["project"]["optional-dependencies"][sys.argv[1]], sep="\n")
