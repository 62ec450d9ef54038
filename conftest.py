"""Lanes: each test, doctests included, belongs to exactly one and has a timeout.

`pytest -m fast` (or `r`, `dask`, `slow`) runs one lane. A test is in the lane that it is marked
with, else in that of its file, else in `fast`.
"""

import sysconfig
from fnmatch import fnmatch

import pytest

# Seconds after which a test of the lane has hung. An idle machine needs a twentieth of them.
TIMEOUTS = {"fast": 300, "r": 1800, "dask": 1800, "slow": 3600}
LANE_OF_FILE = {
    "tests/test_r_*.py": "r",
    "tests/test_rbridge*.py": "r",
    "tests/test_distributed*.py": "dask",
    "pywbms/distributed.py": "dask",
}
R_FIXTURES = {"r_library", "r", "session", "terminal", "embedded_r"}


def lane_of(item):
    """Return the lane of a test."""
    marked = {mark.name for mark in item.iter_markers() if mark.name in TIMEOUTS}
    if len(marked) > 1:
        raise pytest.UsageError(f"{item.nodeid} is marked with two lanes: {sorted(marked)}")
    if marked:
        return marked.pop()
    path = path_of(item)
    for pattern, lane in LANE_OF_FILE.items():
        if fnmatch(path, pattern):
            return lane
    return "r" if R_FIXTURES & set(getattr(item, "fixturenames", ())) else "fast"


def path_of(item):
    """Return the path of a test in the clone; that of an installed module is the same."""
    for folder in (sysconfig.get_path("platlib"), item.config.rootpath):
        if item.path.is_relative_to(folder):
            return item.path.relative_to(folder).as_posix()
    raise pytest.UsageError(f"{item.path} is neither in the clone nor installed")


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by -m
def pytest_collection_modifyitems(items):
    """Give each test its lane and its timeout."""
    for item in items:
        lane = lane_of(item)
        item.add_marker(lane)
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TIMEOUTS[lane]))
