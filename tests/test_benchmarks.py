"""The benchmarks run, and their arithmetic is correct. Nothing is asserted about times."""

import contextlib
import csv
import importlib
import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmarks.run
from benchmarks import cli, compare, fits, memory, scaling, sides, steps, table
from benchmarks.cases import FULL, QUICK, TINY, Case, dense, fifty
from benchmarks.clock import Seconds, TookTooLong, interleave, time_limit
from benchmarks.contenders import oracle, plain_numpy, tuned_numpy, wbms
from benchmarks.floor import floor

ROOT = Path(__file__).resolve().parents[1]
PNG = b"\x89PNG"


def silent(message):
    pass


def called(*arguments):
    """Return the exit code and the printed text."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = cli.main([str(argument) for argument in arguments])
    return code, printed.getvalue()


@pytest.fixture(scope="module")
def tiny_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "new"
    code, printed = called("--tiny", "--out", folder)
    assert code == 0
    with open(folder / "benchmarks.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return folder, printed, rows


@pytest.mark.slow
def test_a_run_writes_table_figure_and_machine(tiny_run):
    folder, printed, _ = tiny_run
    assert (folder / "benchmarks.png").read_bytes().startswith(PNG)
    described = (folder / "machine.txt").read_text()
    for word in ("CPU: ", "cores: ", "BLAS: ", "numpy ", "load: "):
        assert word in printed
        assert word in described
    assert "floor: GEMM" in described
    for title in table.SECTIONS.values():
        assert title in printed


@pytest.mark.slow
def test_the_csv_has_all_columns_and_every_section(tiny_run):
    *_, rows = tiny_run
    assert list(rows[0]) == [column.name for column in table.COLUMNS]
    counts = dict.fromkeys(table.SECTIONS, 0)
    for row in rows:
        counts[row["section"]] += 1
    assert counts == {
        "step": 2,
        "series": 2,
        "exponent": 3,
        "fit": 3,
        "busy": 2,
        "memory": 1,
        "distributed": 4,
    }


@pytest.mark.slow
def test_steps_are_compared_with_numpy_and_the_floor(tiny_run):
    *_, rows = tiny_run
    timed = [row for row in rows if row["section"] in ("step", "series")]
    for row in timed:
        value = {name: float(cell) for name, cell in row.items() if cell and name[-2:] == "_s"}
        assert value.keys() >= {"ours_s", "floor_s", "numpy_s", "tuned_s", "iteration_s"}
        assert all(seconds > 0 for seconds in value.values())
        percent = 100 * value["floor_s"] / value["ours_s"]
        assert float(row["percent_of_floor"]) == pytest.approx(percent, rel=1e-4)
        times = value["numpy_s"] / value["ours_s"]
        assert float(row["times_numpy"]) == pytest.approx(times, rel=1e-4)
        times = value["iteration_s"] / value["ours_s"]
        assert float(row["times_step"]) == pytest.approx(times, rel=1e-4)
        assert bool(row["two_threads_s"]) == (steps.cores() > 1)
        assert bool(row["fit_s"]) == (row["section"] == "series")
    in_reach = [int(row["n"]) ** 2 * int(row["p"]) <= TINY.most_differences for row in timed]
    assert [bool(row["oracle_s"]) for row in timed] == in_reach
    assert set(in_reach) == {True, False}


@pytest.mark.slow
def test_fits_and_memory_are_measured(tiny_run):
    *_, rows = tiny_run
    found = {row["method"]: row for row in rows if row["section"] == "fit"}
    assert list(found) == ["WBMS", "MeanShift", "HDBSCAN"]
    assert float(found["WBMS"]["ari"]) == 1
    assert (found["WBMS"]["k"], found["WBMS"]["true_k"]) == ("2", "2")
    (row,) = [row for row in rows if row["section"] == "memory"]
    assert float(row["peak_mb"]) >= 0
    assert float(row["promise_mb"]) == pytest.approx(64 + 3 * 50 * 20 * 8 / 1e6)


@pytest.mark.slow
def test_a_cluster_is_compared_with_this_process_and_an_estimate(tiny_run):
    *_, rows = tiny_run
    *measured, even, estimate = [row for row in rows if row["section"] == "distributed"]
    for row in measured:
        assert float(row["cluster_s"]) > 0
        ratio = float(row["iteration_s"]) / float(row["cluster_s"])
        assert float(row["times_here"]) == pytest.approx(ratio, rel=1e-4)
    overhead = float(measured[0]["cluster_s"]) - float(measured[0]["iteration_s"])
    assert float(even["overhead_s"]) == pytest.approx(overhead, rel=1e-4)
    assert estimate["note"].startswith("an estimate, not measured")
    assert float(estimate["moved_gb"]) == pytest.approx(51.2, rel=1e-3)


def test_only_one_case_as_markdown(tmp_path):
    code, printed = called("--tiny", "--only", "20x60", "--markdown", "--out", tmp_path)
    assert code == 0
    heading, rule, *body = [line for line in printed.splitlines() if line.startswith("|")]
    assert heading.startswith("| case | n | p | step, ms | floor, ms |")
    assert len(body) == 1
    assert body[0].startswith("| 20x60 | 20 | 60 |")
    assert heading.count("|") == rule.count("|") == body[0].count("|")
    assert "- CPU: " in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ["--only", "6000x6"],
        ["--only"],
        ["--fast"],
        ["compare"],
        ["compare", "a", "b", "c"],
        ["compare", "HEAD", "--rounds", "0"],
        ["compare", "HEAD", "--rounds", "many"],
    ],
)
def test_bad_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as exit_info:
        cli.main(arguments)
    assert exit_info.value.code == 2
    assert "usage: python -m benchmarks" in capsys.readouterr().err


def test_a_folder_that_cannot_be_created_exits_with_1(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert cli.main(["--tiny", "--out", str(tmp_path / "file" / "results")]) == 1
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    "case",
    [
        Case("five", "simulation1", 100, 20, h=0.02, lam=0.1),
        replace(fifty(300), lam=0.001),  # so small that the weights differ
    ],
    ids=lambda case: case.name,
)
@pytest.mark.parametrize("contender", [wbms, plain_numpy, tuned_numpy])
def test_contenders_take_the_same_steps_as_the_oracle(contender, case):
    rows = wbms.working_rows(case.draw()[0])
    step, expected = contender.start(case, rows), oracle.start(case, rows)
    before = rows.copy()
    for _ in range(3):
        weights = expected()
        assert np.ptp(weights) > 0.01
        np.testing.assert_allclose(step(), weights, rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(rows, before)


def test_data_are_reproducible_and_have_the_size_of_their_case():
    for case in {*QUICK.steps[-1:], *QUICK.series[:1], *FULL.fits[:2]}:
        (X, truth), (again, _) = case.draw(), case.draw()
        assert X.shape == (case.n, case.p)
        assert truth.shape == (case.n,)
        np.testing.assert_array_equal(X, again)


def test_the_standard_cases_are_measured():
    wanted = ["5000x50", "5000x5", "1000x5000", "200x16000", "60x10000"]
    for plan in (FULL, QUICK):
        assert [case.name for case in plan.steps] == wanted
    assert [(case.n, case.p) for case in FULL.series] == [
        (10_000, 20), (20_000, 20), (40_000, 20), (80_000, 20)
    ]  # fmt: skip


def test_an_older_build_is_timed_under_the_names_of_today(monkeypatch):
    """`compare` times commits from before the engine had a package of its own, too."""

    class Cloud:
        def __init__(self, rows, merge, n_threads):
            assert (rows, merge, n_threads) == ("rows", True, 2)

        def shift(self, weights, h, exclude_self, lam, lam_scale):
            assert (weights, h, exclude_self, lam, lam_scale) == ("w", 2.0, True, 3.0, "mean")

        def weigh(self, lam, lam_scale):
            return lam, lam_scale

    old = {
        "pywbms._cloud": {"Cloud": Cloud},
        "pywbms._threads": {"one_blas_thread": None},
        "pywbms._units": {"Units": None},
        "pywbms.fit": {"even": None, "row_order": None},
    }
    for name, contents in old.items():
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(**contents))
    monkeypatch.delitem(sys.modules, "benchmarks.contenders.wbms_0_1", raising=False)
    older = importlib.import_module("benchmarks.contenders.wbms_0_1")
    points = older.LocalPoints.at_start("rows", older.Settings(2.0, 3.0, n_jobs=2))
    points.shift("w")
    assert points.entropy_weights() == (3.0, "mean")


@given(
    power=st.floats(0.5, 3),
    factor=st.floats(1e-9, 1e3),
    n=st.lists(st.integers(10, 10**6), min_size=2, max_size=6, unique=True),
)
def test_the_exponent_of_a_power_is_found(power, factor, n):
    seconds = [factor * size**power for size in n]
    assert scaling.exponent(n, seconds) == pytest.approx(power, abs=1e-6)


def test_one_size_has_no_exponent():
    with pytest.raises(ValueError, match="at least two sizes, got 1"):
        scaling.exponent([10], [1.0])


@given(n=st.integers(1, 10**5), p=st.integers(1, 10**5))
def test_the_floor_counts_flop_and_exponentials(n, p):
    flop = (2 if p > n else 3) * n * n * p  # what has to be done, however it is done
    assert floor(n, p, gemm=1e10, exp=1e30) == pytest.approx(1e-10 * flop)
    assert floor(n, p, gemm=1e30, exp=1e9) == pytest.approx(0.5e-9 * n * n)


def test_the_best_rates_of_a_run_are_used():
    slow = {"gemm": Seconds(2.0, 9.0), "exp": Seconds(1.0, 9.0)}
    fast = {"gemm": Seconds(1.0, 9.0), "exp": Seconds(4.0, 9.0)}
    gemm, exp = steps.best_rates([slow, fast])
    assert gemm == pytest.approx(2 * 1024**3)
    assert exp == pytest.approx(200 * 2**14)


def test_contenders_are_interleaved_and_minima_are_used():
    order, times = [], iter([3.0, 10.0, 1.0, 20.0, 2.0, 30.0])

    def contender(name):
        def repeat():
            order.append(name)
            value = next(times)
            return Seconds(value, 100 - value)

        return repeat

    best = interleave({"a": contender("a"), "b": contender("b")}, 60.0, least=1, most=3)
    assert order == ["a", "b"] * 3
    assert best == {"a": Seconds(1.0, 97.0), "b": Seconds(10.0, 70.0)}


def test_a_slow_contender_drops_out_after_the_minimum_number_of_repeats():
    order = []
    contenders = {
        name: lambda name=name: order.append(name) or Seconds(1.0, 1.0) for name in ("a", "b")
    }
    interleave(contenders, -1.0, least=2, most=9)
    assert order == ["a", "b", "a", "b"]


def forever(*arguments):
    while True:
        pass


def test_a_time_limit_stops_code_that_takes_too_long():
    with pytest.raises(TookTooLong), time_limit(0.02):
        forever()
    with time_limit(60.0):
        pass


def test_a_fit_that_takes_too_long_is_noted(monkeypatch):
    monkeypatch.setattr(fits.CONTENDERS["MeanShift"], "fit", forever)
    row = fits.measure(TINY.fits[0], "MeanShift", replace(TINY, longest_fit=0.02))
    assert row["note"] == "stopped after 0 s"
    assert "fit_s" not in row
    assert "stopped after 0 s" in table.in_text([row])


def test_sizes_that_would_take_too_long_are_skipped(monkeypatch):
    step = {10: 1.0, 20: 1.5, 40: 4.0}
    best = {name: Seconds(1.0, 1.0) for name in ("gemm", "exp", "iteration")}
    monkeypatch.setattr(
        steps, "measure", lambda case, plan: {**best, "ours": Seconds(step[case.n], 1.0)}
    )
    monkeypatch.setattr(scaling, "fit_seconds", lambda case, plan: Seconds(7.0, 7.0))
    series = tuple(fifty(n) for n in (10, 20, 40, 80))
    plan = replace(TINY, series=series, longest_step=10.0, longest_fit=20.0)
    said = []
    rows, _ = benchmarks.run.run(plan, ["series"], said.append)
    timed = [row for row in rows if row["section"] == "series"]
    assert [row["n"] for row in timed] == [10, 20, 40]  # 80: 4 · 4 s > 10 s
    assert [row["fit_s"] for row in timed] == [7.0, None, None]  # 20: 4 · 7 s > 20 s
    assert [row["case"] for row in rows if row["section"] == "exponent"] == ["step", "in a fit"]
    assert sum(line.startswith("skipped: ") for line in said) == 3


def test_memory_counts_memory_that_was_released_again():
    before = memory.forget_the_peak()
    size = 80_000_000
    block = np.full(size // 8, 1.0)
    del block
    memory_now = memory.peak_memory()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("this system does not let a process reset its peak")
    # The system counts resident pages in batches, and other memory may be released meanwhile.
    assert 0.95 * size <= memory_now - before < 1.1 * size


def test_ratios_of_two_commits():
    base = [{"a": 2.0, "b": 1.0}, {"a": 4.0, "b": 1.0}]
    head = [{"a": 1.0, "b": 1.0}, {"a": 1.0, "b": 3.0}]
    rows = compare.ratios(base, head)
    assert rows == [("a", 2.0, 1.0, 0.5, 0.25, 0.5), ("b", 1.0, 1.0, 1.0, 1.0, 3.0)]
    shown = compare.in_text(rows).splitlines()
    assert shown[0].split("  ")[0] == "case"
    assert shown[1].split() == ["a", "2,000", "1,000", "0.50", "0.25", "0.50"]
    assert compare.in_text(rows, markdown=True).splitlines()[1].startswith("| --- | ---:")


def test_commits_are_built_once_and_timed_alternately(monkeypatch, tmp_path):
    calls = []

    def measure(build, cases, seconds):
        calls.append(build)
        return {"a": 1.0 if build == "lib of a" else 2.0}

    monkeypatch.setattr(compare, "commit", lambda name: name)
    monkeypatch.setattr(compare, "build", lambda name, folder: f"lib of {name}")
    monkeypatch.setattr(sides, "measure", measure)
    rows = compare.compare("a", "b", [], rounds=2, seconds=1.0, say=silent)
    assert calls == ["lib of a", "lib of b", "lib of b", "lib of a"]
    assert rows == [("a", 1.0, 2.0, 2.0, 2.0, 2.0)]


@pytest.fixture
def clone():
    found = compare.git("rev-parse", "--verify", "HEAD")
    if found.returncode:
        pytest.skip("not a git clone")
    return found.stdout.strip()


def test_a_worktree_contains_the_commit_and_is_removed(clone, tmp_path):
    assert compare.commit("HEAD") == clone
    with compare.worktree(clone, tmp_path / "source") as source:
        assert (source / "setup.py").exists()
        head = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=source, capture_output=True, text=True, check=True
        )
        assert head.stdout.strip() == clone
    assert not (tmp_path / "source").exists()
    assert str(tmp_path) not in compare.git("worktree", "list").stdout


def test_an_unknown_commit_exits_with_1(clone, capsys):
    assert cli.main(["compare", "no-such-commit"]) == 1
    assert "unknown git commit 'no-such-commit'" in capsys.readouterr().err


@pytest.mark.slow
def test_a_side_uses_its_own_build(tmp_path):
    found = sides.measure(ROOT, [dense(30, 4)], seconds=0.0)
    assert list(found) == ["30x4 step", "30x4 in a fit"]
    assert min(found.values()) > 0
    with pytest.raises(RuntimeError, match="not from"):
        sides.measure(tmp_path, [dense(30, 4)], seconds=0.0)
