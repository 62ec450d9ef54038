"""The guide to large tables: its examples run as they stand there."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[1] / "docs" / "guide" / "large-data.md"


def test_examples_run():
    if not GUIDE.exists():
        pytest.skip("the guide is not part of this distribution")
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 3
    scope = {}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), scope)
