"""Runs of experiments: resuming, stored cells, failures, processes."""

from concurrent.futures.process import BrokenProcessPool

import experiment_data
import pandas as pd
import pytest
from experiment_data import TOY, run

from pywbms.experiments import (
    _run,
    _store,
    reproduce,
)
from pywbms.experiments._cells import cell, compute, key_of, stamp_files
from pywbms.experiments._run import Interrupted

folder, broken = experiment_data.folder, experiment_data.broken  # fixtures


def test_an_interrupted_run_resumes_where_it_stopped(tmp_path, monkeypatch):
    computed = []

    def count(cell, folder):
        if len(computed) == 4:
            raise KeyboardInterrupt
        computed.append(key_of(cell))
        return compute(cell, folder)

    monkeypatch.setattr(_run, "compute", count)
    with pytest.raises(Interrupted, match=r"4 of 6 cells are kept in .*cells.jsonl"):
        reproduce([TOY], tmp_path)
    assert not (tmp_path / "toy.md").exists()

    first = list(computed)
    computed.append("the interrupt is over")
    (outcome,) = reproduce([TOY], tmp_path)
    second = computed[5:]
    assert len(first) + len(second) == outcome.n_cells == 6
    assert not set(first) & set(second)

    (again,) = reproduce([TOY], tmp_path)
    assert computed[5:] == second
    title = "Printed and measured"
    pd.testing.assert_frame_equal(again.report.tables[title], outcome.report.tables[title])


def test_a_killed_process_is_reported_and_finished_cells_are_kept(tmp_path, monkeypatch):
    def killed(cells, data, jobs):
        yield _run.attempt(cells[0], data)
        raise BrokenProcessPool("SIGKILL")

    with monkeypatch.context() as patch:
        patch.setattr(_run, "attempts", killed)
        with pytest.raises(ChildProcessError, match=r"was killed; 1 of 6 cells are kept in"):
            reproduce([TOY], tmp_path)
    (outcome,) = reproduce([TOY], tmp_path)
    assert outcome.n_cells == 6


def test_a_line_cut_short_is_computed_again(tmp_path):
    one, two = (cell({"name": "simulation3", "seed": seed}, "one_cluster") for seed in (0, 1))
    path = tmp_path / "cells.jsonl"
    with _store.Store(path) as store:
        store.add(one, [{"k": 1}])
        store.add(two, [{"k": 1}])
    path.write_text(path.read_text()[:-10])
    with pytest.warns(UserWarning, match="line 2 is skipped"):
        store = _store.Store(path)
    with store:
        assert one in store
        assert two not in store
        store.add(two, [{"k": 2}])
    with pytest.warns(UserWarning, match="line 2 is skipped"):
        store = _store.Store(path)
    with store:
        assert store.rows([two, one]) == [{"k": 2}, {"k": 1}]


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff\xfe not UTF-8",
        b"\x00",
        b"[1, 2]",
        b'{"code": CODE}',
        b'{"code": CODE, "key": "k"}',
        b'{"code": CODE, "key": "k", "rows": 3}',
        b'{"code": CODE, "key": "k", "rows": ["a"]}',
        b'{"code": CODE, "key": ["k"], "rows": []}',
        b'{"code": CODE, "key": "k", "rows": [' + b"[" * 100_000,
    ],
)
def test_a_bad_line_is_skipped_with_a_warning(tmp_path, bad):
    one = cell({"name": "simulation3", "seed": 0}, "one_cluster")
    path = tmp_path / "cells.jsonl"
    path.write_bytes(bad.replace(b"CODE", f'"{_store.code()}"'.encode()) + b"\n")
    for _ in range(2):
        with pytest.warns(UserWarning, match=r"cells.jsonl: line 1 is skipped, its cell is"):
            store = _store.Store(path)
        with store:
            store.add(one, [{"k": 1}])
            assert store.rows([one]) == [{"k": 1}]


def test_cells_of_other_code_are_not_used(tmp_path, monkeypatch):
    one = cell({"name": "simulation3", "seed": 0}, "one_cluster")
    with _store.Store(tmp_path / "cells.jsonl") as store:
        store.add(one, [{"k": 1}])
    monkeypatch.setattr(_store, "code", lambda: "another")
    with _store.Store(tmp_path / "cells.jsonl") as store:
        assert one not in store


def test_the_code_version_covers_every_source_that_can_change_a_number():
    package = _store.PACKAGE
    found = set(_store.sources(package))
    in_core = {file for file in found if file.is_relative_to(package / "_core")}
    assert {file.suffix for file in in_core} == {".py", ".pyx", ".pxd", ".c", ".h"}
    for pattern in ("*.pyx", "*.pxd", "*.h"):
        assert set(package.rglob(pattern)) <= found
    for name in ("estimator.py", "_engine/loop.py", "peers/rcc.py", "experiments/_methods.py"):
        assert package / name in found
    for name in ("experiments/_figures.py", "experiments/_tables.py"):
        assert package / name not in found


@pytest.mark.parametrize(
    "name", ["_core/a.pyx", "_core/a.pxd", "_core/simd/b.c", "_core/simd/b.h", "room/c.py"]
)
def test_a_changed_source_changes_the_code_version(name, tmp_path, monkeypatch):
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    monkeypatch.setattr(_store, "PACKAGE", tmp_path)
    versions = []
    for content in ("one", "two"):
        file.write_text(content)
        versions.append(_store.code.__wrapped__())
    assert versions[0] != versions[1]


@pytest.mark.parametrize("name", ["_core/a.c", "experiments/_figures.py", "_core/a.so"])
def test_generated_and_reporting_files_do_not_change_the_code_version(name, tmp_path, monkeypatch):
    file = tmp_path / name
    file.parent.mkdir(parents=True)
    file.with_suffix(".pyx").write_text("source")
    monkeypatch.setattr(_store, "PACKAGE", tmp_path)
    versions = []
    for content in ("one", "two"):
        file.write_text(content)
        versions.append(_store.code.__wrapped__())
    assert versions[0] == versions[1]


def test_cells_of_another_file_are_not_used(folder):
    before, missing = stamp_files(folder, ["appendicitis", "zoo"])
    assert list(before) == ["appendicitis"]
    assert missing == ["zoo"]
    table = pd.read_csv(folder / "appendicitis.csv", header=None)
    table.iloc[::-1].to_csv(folder / "appendicitis.csv", header=False, index=False)
    after, _ = stamp_files(folder, ["appendicitis"])
    assert after != before


def test_two_processes_find_what_one_does(tmp_path):
    one, two = (reproduce([TOY], tmp_path / str(jobs), jobs=jobs)[0] for jobs in (1, 2))
    title = "Printed and measured"
    pd.testing.assert_frame_equal(one.report.tables[title], two.report.tables[title])


def test_a_method_that_fails_is_reported_and_retried(tmp_path, broken):
    (outcome,) = reproduce([TOY], tmp_path)
    assert outcome.failures == {
        f"bms on simulation3 (seed = {seed})": "ValueError: no luck today" for seed in (0, 1)
    }
    assert "no luck today" in (tmp_path / "toy.md").read_text("utf-8")
    broken.undo()
    (outcome,) = reproduce([TOY], tmp_path)
    assert not outcome.failures
    assert "bms" in set(pd.read_csv(tmp_path / "toy.csv")["method"])


def test_an_unknown_form_is_rejected(tmp_path):
    with pytest.raises(ValueError, match="form must be one of full, quick, tiny, got 'huge'"):
        reproduce([TOY], tmp_path, form="huge")


@pytest.mark.slow
def test_a_cell_on_a_bad_file_fails_alone(folder, tmp_path):
    (folder / "zoo.csv").write_text("1,2,3\n")
    (outcome,) = run(["ablation-h"], tmp_path / "out", folder)
    assert outcome.failures
    assert all("on zoo" in what for what in outcome.failures)
    assert all("expected 101 × 16" in why for why in outcome.failures.values())
