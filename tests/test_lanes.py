"""Every test is in one lane, and a test that hangs fails."""

import importlib.util
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def conftest():
    spec = importlib.util.spec_from_file_location("root_conftest", ROOT / "conftest.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_test_is_in_one_lane_and_has_a_timeout(request, conftest):
    for item in request.session.items:
        lanes = {mark.name for mark in item.iter_markers()} & set(conftest.TIMEOUTS)
        assert len(lanes) == 1, item.nodeid
        assert item.get_closest_marker("timeout") is not None, item.nodeid


def item(path, *marks, fixtures=()):
    return SimpleNamespace(
        nodeid=path,
        path=ROOT / path,
        config=SimpleNamespace(rootpath=ROOT),
        fixturenames=list(fixtures),
        iter_markers=lambda: [SimpleNamespace(name=mark) for mark in marks],
    )


@pytest.mark.parametrize(
    ("path", "marks", "fixtures", "lane"),
    [
        ("tests/test_fit.py", [], ["tmp_path"], "fast"),
        ("tests/test_fit.py", ["parametrize", "slow"], [], "slow"),
        ("tests/test_r_session.py", [], [], "r"),
        ("tests/test_rbridge.py", [], [], "r"),
        ("tests/test_rbridge.py", ["slow"], ["embedded_r"], "slow"),
        ("tests/test_docs_examples.py", [], ["r_library", "r"], "r"),
        ("tests/test_distributed_faults.py", [], ["cluster"], "dask"),
        ("pywbms/distributed.py", [], [], "dask"),
        ("pywbms/_distributed/cost.py", [], [], "fast"),
    ],
)
def test_a_lane_comes_from_a_mark_a_file_or_a_fixture(conftest, path, marks, fixtures, lane):
    assert conftest.lane_of(item(path, *marks, fixtures=fixtures)) == lane


def test_two_lanes_are_refused(conftest):
    with pytest.raises(pytest.UsageError, match="two lanes"):
        conftest.lane_of(item("tests/test_fit.py", "slow", "r"))
