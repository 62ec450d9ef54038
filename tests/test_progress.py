"""Progress lines: what they say, how often, and that nothing is left of them."""

import io
import sys
import time
from types import SimpleNamespace

import pytest

from pywbms._terminal.progress import BatchProgress, FitProgress

LIMITS = {"warmup": 20, "main": 300}


def a_terminal(monkeypatch):
    """Make stderr a wide terminal; a fixture could not, as pytest replaces stderr after it."""
    stream = io.StringIO()
    stream.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("COLUMNS", "200")
    return stream


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test sets."""
    now = SimpleNamespace(seconds=1000.0)
    monkeypatch.setattr(time, "monotonic", lambda: now.seconds)
    return now


def info(phase, iteration, groups=7, n_points=1500):
    return SimpleNamespace(phase=phase, iteration=iteration, groups=groups, n_points=n_points)


def shown(terminal):
    return [text.strip() for text in terminal.getvalue().split("\r")[1:]]


def test_a_fit_shows_iterations_groups_and_points(monkeypatch, clock):
    terminal = a_terminal(monkeypatch)
    with FitProgress(True, LIMITS) as progress:
        progress.tell(info("warmup", 1))
    assert shown(terminal) == ["warmup 1 of at most 20: 7 groups, 1,500 points", "", ""]


def test_one_group_is_in_the_singular():
    text = FitProgress(False, LIMITS).text(info("main", 3, groups=1, n_points=1))
    assert text == "main 3 of at most 300: 1 group, 1 point"


def test_the_time_left_is_that_of_all_iterations_allowed(monkeypatch, clock):
    terminal = a_terminal(monkeypatch)
    with FitProgress(True, LIMITS) as progress:
        for iteration in (1, 2):
            progress.tell(info("warmup", iteration))
            clock.seconds += 0.5
    last = shown(terminal)[1]
    assert last.startswith("warmup 2 of at most 20, at most 3 min left: ")  # 318 × 0.5 s
    assert last.endswith("; 0.5 s per iteration")


def test_recent_iterations_count_more(clock):
    progress = FitProgress(False, LIMITS)
    for iteration, seconds in ((1, 0.8), (2, 0.4), (3, 0.0)):
        progress.tell(info("main", iteration))
        clock.seconds += seconds
    assert progress.text(info("main", 3)).endswith("; 0.6 s per iteration")


def test_the_search_for_h_and_lam_is_not_timed(clock):
    class Trial(SimpleNamespace):
        def __str__(self):
            return "choosing h and lam"

    progress = FitProgress(False, LIMITS)
    trial = Trial(phase="select", iteration=1, fits_left=0)
    progress.tell(trial)
    clock.seconds += 60
    progress.tell(info("warmup", 1))
    assert "left" not in progress.text(info("warmup", 1))
    assert progress.text(trial) == "choosing h and lam"


def test_updates_within_a_phase_are_at_least_the_pause_apart(monkeypatch, clock):
    terminal = a_terminal(monkeypatch)
    with FitProgress(True, LIMITS, pause=0.1) as progress:
        for phase, iteration in [("warmup", 1), ("warmup", 2), ("main", 1), ("main", 2)]:
            progress.tell(info(phase, iteration))
            clock.seconds += 0.06
        progress.tell(info("main", 3))
    begins = [text.split(" of")[0] for text in shown(terminal)[:-2]]
    assert begins == ["warmup 1", "main 1", "main 3"]


def test_telling_does_not_stop_a_fit(clock):
    assert FitProgress(False, LIMITS).tell(info("main", 1)) is None


def test_a_batch_shows_a_bar_and_the_time_left(monkeypatch, clock):
    terminal = a_terminal(monkeypatch)
    with BatchProgress(total=8.0, count=3, noun="cell") as progress:
        progress.start("first")
        clock.seconds += 10
        progress.advance(2.0)
        progress.advance(6.0)
    assert shown(terminal) == [
        f"first: {'░' * 24} 0 of 3 cells",
        f"first: {'█' * 6}{'░' * 18} 1 of 3 cells, about 30 s left",
        f"first: {'█' * 24} 2 of 3 cells",
        "",
        "",
    ]


def test_a_batch_without_jobs_is_complete(monkeypatch):
    terminal = a_terminal(monkeypatch)
    with BatchProgress(total=0.0, count=0, noun="cell") as progress:
        progress.start("nothing")
    assert shown(terminal)[0] == f"nothing: {'█' * 24} 0 of 0 cells"


def test_nothing_is_written_to_a_pipe(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with FitProgress(True, LIMITS) as progress:
        progress.tell(info("main", 1))
    assert stream.getvalue() == ""


def test_a_narrow_terminal_cuts_off_the_end(monkeypatch):
    terminal = a_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    with FitProgress(True, LIMITS) as progress:
        progress.tell(info("main", 1))
    assert shown(terminal)[0] == "main 1 of at most 3"
