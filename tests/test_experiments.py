"""The paper's figures and tables computed anew: every experiment, small, and what holds them up."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from pywbms import datasets
from pywbms.cli import main
from pywbms.experiments import (
    EXPERIMENTS,
    _cells,
    _findings,
    _printed,
    _run,
    _store,
    _tables,
    reproduce,
)
from pywbms.experiments._cells import MEASURES, cell, compute, key_of, scores, stamp_files
from pywbms.experiments._framework import Experiment, Report, as_rows
from pywbms.experiments._labels import COLUMNS, DIFFERENCE, NOT_MEASURED, PRINTED
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._run import Interrupted
from pywbms.experiments._tables import Group, verdict
from tests.conftest import SHARED

NAMES = (
    "motivating", "simulation1", "simulation2", "simulation3", "glioma", "real-data", "run-times",
    "ablation-h", "ablation-lam", "sensitivity", "two-moons", "varied-densities",
)  # fmt: skip
ON_REAL_DATA = ("glioma", "real-data", "run-times", "ablation-h", "ablation-lam")


@pytest.fixture
def folder(tmp_path):
    """A folder with data that have the shape of Appendicitis and of Glioma, and clusters."""
    rng = np.random.default_rng(0)
    path = tmp_path / "data"
    path.mkdir()
    classes = np.arange(106) % 2
    X = rng.normal(size=(106, 7)) + 4 * classes[:, None] * (np.arange(7) < 2)
    pd.DataFrame(X).assign(y=classes).to_csv(path / "appendicitis.csv", header=False, index=False)
    classes = np.arange(50) % 4
    X = rng.normal(size=(50, 4434))
    X[:, :400] += 3 * np.eye(4)[classes].repeat(100, axis=1)
    savemat(path / "GLIOMA.mat", {"X": X, "Y": classes[:, None] + 1})
    return path


def run(names, out, data=None, **params):
    return reproduce([EXPERIMENTS[name] for name in names], out, data, "tiny", **params)


def test_the_experiments_are_those_of_the_paper():
    assert tuple(EXPERIMENTS) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_experiment_writes_rows_tables_page_and_figure(name, folder, tmp_path):
    (outcome,) = run([name], tmp_path / "out", folder)
    out = tmp_path / "out"
    assert not outcome.failures
    assert all(file.stat().st_size > 0 for file in outcome.files)

    rows = pd.read_csv(out / f"{name}.csv")
    assert len(rows) >= outcome.n_cells - 1  # an embedding and a path are no partitions
    assert rows[["ari", "nmi", "ami", "singletons"]].notna().all(axis=None)
    assert rows["ari"].between(-0.5, 1).all()
    assert rows["nmi"].between(0, 1 + 1e-12).all()
    assert rows["singletons"].between(0, 1).all()
    assert (rows["k"] >= 1).all()
    assert (rows["seconds"] >= 0).all()
    assert {"wbms", "wbms_grid", "wbms_released"} <= set(rows["method"])

    table = pd.read_csv(out / f"{name}-table.csv", dtype=str, keep_default_na=False)
    first, *headings, last = list(table.columns)[-5:]
    assert (first, last) == (PRINTED, DIFFERENCE)
    assert headings[:2] == [COLUMNS[method][0] for method in ("wbms", "wbms_grid")]
    assert headings[2].startswith("measured: released form")
    at_the_papers_pair = name in ("motivating", "glioma", "real-data", "run-times")
    assert ("labels used" in headings[2]) != at_the_papers_pair
    if name != "run-times":
        assert set(table["measure"]) >= {"ARI", "NMI", "AMI", "k̂", "share of singletons"}
    measured = table[headings[0]] != NOT_MEASURED
    assert measured.any()
    assert measured.all() == (name not in ON_REAL_DATA[1:])

    page = (out / f"{name}.md").read_text("utf-8")
    assert outcome.experiment.claim in page
    assert outcome.report.findings
    assert all(finding in page for finding in outcome.report.findings)
    assert f"({name}.png)" in page
    assert "nan" not in page

    assert picture_has_content(out / f"{name}.png")


def picture_has_content(path):
    import matplotlib.image

    pixels = matplotlib.image.imread(path)[..., :3]
    return min(pixels.shape[:2]) > 200 and (pixels < 0.9).mean() > 0.01


def test_sets_that_are_not_there_are_listed_not_guessed(folder, tmp_path):
    (outcome,) = run(["ablation-h"], tmp_path / "out", folder)
    missing = [name for name in _printed.TITLES if name not in ("glioma", "appendicitis")]
    assert outcome.missing == missing
    table = outcome.report.tables["Printed and measured"]
    yale = table[table["data"].str.startswith("Yale")]
    assert (yale.filter(like="measured:") == NOT_MEASURED).all(axis=None)
    assert yale[PRINTED].iloc[0] == "0.485"
    page = (tmp_path / "out" / "ablation-h.md").read_text("utf-8")
    assert f"Missing, not measured: {', '.join(missing)}" in page


@pytest.mark.parametrize("name", ON_REAL_DATA)
def test_without_any_data_the_page_says_so_and_there_is_no_figure(name, tmp_path):
    (outcome,) = run([name], tmp_path)
    assert outcome.n_cells == 0
    assert not (tmp_path / f"{name}.png").exists()
    page = (tmp_path / f"{name}.md").read_text("utf-8")
    assert "No figure" in page
    assert NOT_MEASURED in page


def toy_cells(form, stamps):
    """Six cells of no weight."""
    return [
        cell({"name": "simulation3", "seed": seed}, method, **options)
        for seed in (0, 1)
        for method, options in (
            ("wbms_grid", {"h": [0.02], "lam": [0.05]}),
            ("bms", {"h": [0.1]}),
            ("all_alone", {}),
        )
    ]


def toy_report(rows):
    group = Group("toy", "simulation3")
    return Report({"Printed and measured": _tables.comparison(rows, [group], lambda *_: None)}, [])


TOY = Experiment("toy", "A toy", "It is small.", toy_cells, toy_report, lambda rows: None)


def test_several_experiments_have_an_index(tmp_path):
    reproduce([TOY, EXPERIMENTS["glioma"]], tmp_path, form="tiny")
    index = (tmp_path / "README.md").read_text("utf-8")
    assert "Real data that were not there: glioma." in index
    assert "| [toy](#a-toy) | 6 |" in index
    assert "scikit-learn" in index
    assert EXPERIMENTS["glioma"].claim in index


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, monkeypatch):
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


def test_a_process_that_is_killed_is_told_and_the_rest_is_kept(tmp_path, monkeypatch):
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
    with _store.Store(path) as store:
        assert one in store
        assert two not in store
        store.add(two, [{"k": 2}])
    with _store.Store(path) as store:
        assert store.rows([two, one]) == [{"k": 2}, {"k": 1}]


def test_cells_of_other_code_are_not_used(tmp_path, monkeypatch):
    one = cell({"name": "simulation3", "seed": 0}, "one_cluster")
    with _store.Store(tmp_path / "cells.jsonl") as store:
        store.add(one, [{"k": 1}])
    monkeypatch.setattr(_store, "code", lambda: "another")
    with _store.Store(tmp_path / "cells.jsonl") as store:
        assert one not in store


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


@pytest.fixture
def broken(monkeypatch):
    """Let BMS fail."""

    def fail(*_, **options):
        raise ValueError("no luck today")
        yield

    with monkeypatch.context() as patch:
        patch.setitem(METHODS, "bms", replace(METHODS["bms"], run=fail))
        yield patch


def test_a_method_that_fails_is_told_and_tried_again(tmp_path, broken):
    (outcome,) = reproduce([TOY], tmp_path)
    assert outcome.failures == {
        f"bms on simulation3 (seed = {seed})": "ValueError: no luck today" for seed in (0, 1)
    }
    assert "no luck today" in (tmp_path / "toy.md").read_text("utf-8")
    broken.undo()
    (outcome,) = reproduce([TOY], tmp_path)
    assert not outcome.failures
    assert "bms" in set(pd.read_csv(tmp_path / "toy.csv")["method"])


def test_an_unknown_form_is_refused(tmp_path):
    with pytest.raises(ValueError, match="form must be one of full, quick, tiny, got 'huge'"):
        reproduce([TOY], tmp_path, form="huge")


def test_a_cell_on_a_bad_file_fails_alone(folder, tmp_path):
    (folder / "zoo.csv").write_text("1,2,3\n")
    (outcome,) = run(["ablation-h"], tmp_path / "out", folder)
    assert outcome.failures
    assert all("on zoo" in what for what in outcome.failures)
    assert all("expected 101 × 16" in why for why in outcome.failures.values())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_row_with_all_measures(method):
    grids = {"h": [0.1], "lam": [10.0]}
    options = grids if method.startswith("wbms_") else {}
    options |= {"h": [0.1, 0.5]} if method in ("mean_shift", "bms") else {}
    data = {"name": "varied_densities", "n": 60, "seed": 0}
    rows = compute(cell(data, method, keep=True, **options), None)
    assert all(set(MEASURES) <= set(row) for row in rows)
    assert all(row["k_true"] == 3 for row in rows)
    kept = [row for row in rows if "labels" in row]
    assert len(kept) == 1
    assert kept[0]["ari"] == max(row["ari"] for row in rows)
    assert len(kept[0]["labels"]) == 60
    json.dumps(rows, allow_nan=False)


def test_scores_of_trivial_partitions():
    truth = np.repeat([0, 1, 2], 4)
    alone = scores(truth, np.arange(12))
    assert (alone["ari"], alone["k"], alone["singletons"]) == (0, 12, 1)
    one = scores(truth, np.zeros(12, dtype=int))
    assert (one["ari"], one["nmi"], one["k"], one["singletons"]) == (0, 0, 1, 0)
    noise = scores(truth, np.where(truth == 2, -1, truth))
    assert (noise["ari"], noise["k"], noise["singletons"]) == (1, 2, 0)


def test_the_best_of_a_grid_is_the_best_by_ari():
    shared = {"data": "zoo", "draw": 0, "run": 0, "nmi": 0, "ami": 0, "k": 1, "singletons": 0}
    rows = as_rows(
        [
            {**shared, "method": "wbms_grid", "h": h, "ari": ari, "seconds": 1.0}
            for h, ari in ((0.1, 0.2), (0.2, 0.9), (0.3, 0.9))
        ]
    )
    (best,) = _tables.best_of_each(rows).itertuples()
    assert best.h == 0.2


def test_a_difference_is_told_plainly():
    shared = {"data": "zoo", "draw": 0, "run": 0, "ami": 0.5, "k": 7, "singletons": 0.0,
              "k_true": 7, "seconds": 1.0, "nmi": 0.9}  # fmt: skip
    rows = as_rows(
        [{**shared, "method": m, "ari": a} for m, a in (("wbms", 0.877), ("wbms_released", 0.0))]
    )
    group = Group("Zoo", "zoo")
    table = _tables.comparison(rows, [group], lambda _, m: 0.953 if m == "ari" else None)
    line = table[table["measure"] == "ARI"].iloc[0]
    assert line[DIFFERENCE] == "chosen is 0.076 lower; released form is 0.953 lower"
    assert line[COLUMNS["wbms_grid"][0]] == NOT_MEASURED
    assert verdict(0.5, 0.55) == "agrees"
    assert verdict(0.5, 0.6) == "is 0.100 higher"


def test_a_better_peer_is_named():
    shared = {"data": "zoo", "draw": 0, "run": 0, "nmi": 0, "ami": 0, "k": 1, "singletons": 0.0,
              "k_true": 7, "seconds": 1.0}  # fmt: skip
    rows = as_rows(
        [{**shared, "method": m, "ari": a} for m, a in (("wbms", 0.5), ("rcc", 0.8), ("bms", 0.1))]
    )
    (sentence,) = _findings.where_best(rows, [Group("Zoo", "zoo")])
    assert sentence.startswith(
        "That WBMS is at least as good as every peer: does not hold for chosen"
    )
    assert sentence.endswith("Better are, Zoo: RCC.")


def test_an_ablation_that_changes_nothing_does_not_count_as_met():
    shared = {"draw": 0, "run": 0, "nmi": 0, "ami": 0, "k": 1, "singletons": 0.0, "k_true": 7,
              "seconds": 1.0, "method": "wbms"}  # fmt: skip
    measured = {"zoo": (0.9, 0.2, 0.1, 0.1), "yale": (0.1, 0.2, 0.9, 0.1), "nci9": (0.0,) * 4}
    rows = as_rows(
        [
            {**shared, "data": name, "h": h, "ari": ari}
            for name, values in measured.items()
            for h, ari in zip(_printed.ABLATION_H, values, strict=True)
        ]
    )
    (sentence,) = [
        text for text in EXPERIMENTS["ablation-h"].report(rows).findings if "best value" in text
    ]
    assert sentence == (
        "That the best value is the printed one: mostly does not hold for chosen, on 1 of 3 sets; "
        "another one is best on Yale; all do equally well, or badly, on nci9."
    )


def test_the_data_of_a_cell_have_the_shape_that_is_guessed():
    for data in (
        {"name": "data1", "seed": 0},
        {"name": "simulation1", "k": 4, "seed": 0},
        {"name": "simulation2", "p": 40, "seed": 0},
        {"name": "simulation3", "seed": 0},
        {"name": "two_moons", "seed": 0},
        {"name": "varied_densities", "n": 60, "seed": 0},
    ):
        assert _cells.draw(data, None)[0].shape == _cells.shape(data)


# MATLAB files


@pytest.mark.parametrize("file", ["GLIOMA.mat", "glioma.mat", "Glioma.MAT"])
@pytest.mark.parametrize("names", ["XY", "xy"])
def test_load_reads_matlab_files(tmp_path, file, names):
    X = np.random.default_rng(0).normal(size=(50, 4434))
    savemat(tmp_path / file, {names[0]: X, names[1]: np.arange(50)[:, None] % 4 + 1})
    found, truth = datasets.load("glioma", tmp_path)
    np.testing.assert_array_equal(found, X)
    assert truth.tolist() == [row % 4 for row in range(50)]


def test_load_reads_classes_that_are_texts(tmp_path):
    classes = np.array([f"kind {row % 7}" for row in range(101)], dtype=object)
    savemat(tmp_path / "Zoo.mat", {"X": np.ones((101, 16)), "Y": classes[:, None]})
    _, truth = datasets.load("zoo", tmp_path)
    assert truth.tolist() == [row % 7 for row in range(101)]


def test_load_prefers_csv_to_matlab(folder):
    savemat(folder / "appendicitis.mat", {"X": np.ones((3, 3)), "Y": np.ones(3)})
    assert datasets.load("appendicitis", folder)[0].shape == (106, 7)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"X": np.ones((101, 16))}, "has no variable Y; it has X"),
        ({"data": np.ones(3)}, "has no variable X and no Y; it has DATA"),
        ({"X": np.ones((101, 16)), "Y": np.ones(7)}, "X and Y must have the same rows"),
        ({"X": np.ones((100, 16)), "Y": np.ones(100)}, "expected 101 × 16"),
        ({"X": np.ones((101, 16)), "Y": np.ones(101)}, "1 classes .* expected 7"),
        ({"X": np.full((101, 16), np.nan), "Y": np.arange(101) % 7}, "x1 in row 1 is missing"),
    ],
)
def test_bad_matlab_file_is_named(tmp_path, content, message):
    savemat(tmp_path / "zoo.mat", content)
    with pytest.raises(ValueError, match=f"zoo.mat.*{message}"):
        datasets.load("zoo", tmp_path)


def test_file_that_is_no_matlab_file_is_named(tmp_path):
    (tmp_path / "zoo.mat").write_text("hello")
    with pytest.raises(ValueError, match=r"zoo\.mat cannot be read as a MATLAB file"):
        datasets.load("zoo", tmp_path)


# What the paper prints


@pytest.fixture(scope="module")
def paper():
    path = SHARED / "paper" / "wbms-paper.tex"
    if not path.is_file():
        pytest.skip("the paper's source is not beside this clone (../shared/paper)")
    return path.read_text(encoding="utf-8")


def tabulars(paper, caption):
    """Return the lines of cells of the table that has this in its caption."""
    tables = re.findall(r"\\begin\{table\*?\}.*?\\end\{table\*?\}", paper, flags=re.DOTALL)
    (table,) = [table for table in tables if caption in table]
    body = re.search(r"\\begin\{tabular\}\{[^}]*\}(.*?)\\end\{tabular\}", table, re.DOTALL)[1]
    body = body.replace("\\hline", "")
    clean = re.sub(r"\$|\\mathbf|\{|\}", "", body)
    return [[part.strip() for part in line.split("&")] for line in clean.split("\\\\")][1:-1]


def named(lines):
    """Return name → numbers, of lines that begin with a data set's name."""
    keys = {title: name for name, title in _printed.TITLES.items()}
    return {keys[line[0]]: tuple(map(float, line[1:])) for line in lines}


def test_printed_scores_are_those_of_the_paper(paper):
    lines = tabulars(paper, "Performance Analysis on Real Life Datasets")
    assert [line[1] for line in lines] == ["NMI", "ARI"] * 9
    for name, nmi, ari in zip(_printed.TITLES, lines[::2], lines[1::2], strict=True):
        # Long names are broken into two lines.
        title = (nmi[0].rstrip("-") + " " + ari[0]).strip()
        assert title.replace(" ", "") == _printed.TITLES[name].replace(" ", "")
        assert _printed.NMI[name] == tuple(map(float, nmi[2:]))
        assert _printed.ARI[name] == tuple(map(float, ari[2:]))


@pytest.mark.parametrize(
    ("caption", "table"),
    [
        ("Optimal Parameter Values", _printed.PARAMETERS),
        ("for different values of $h$", _printed.ARI_OVER_H),
        (r"for different values of $\lambda$", _printed.ARI_OVER_LAM),
        ("Runtime Analysis", _printed.SECONDS),
    ],
)
def test_printed_table_is_that_of_the_paper(paper, caption, table):
    assert named(tabulars(paper, caption)) == table


def test_printed_headings_are_those_of_the_paper(paper):
    order = "$k$-Means & G-Means & WG-Means & DP-Means & EWDP & RCC & MS & BMS & WBMS"
    assert paper.count(order) == 2
    assert "$h=0.1$ & $h=0.5$ & $h=0.8$ & $h=1$" in paper
    assert r"$\lambda=1$ & $\lambda=5$ & $\lambda=10$ & $\lambda=20$" in paper


@pytest.mark.parametrize("claim", _printed.CLAIMS.values())
def test_claims_are_quoted_from_the_paper(paper, claim):
    def plain(text):
        return " ".join(re.sub(r"\$|\\textit|\{|\}", "", text).split())

    assert plain(claim) in plain(paper)


# The command


@pytest.fixture
def toy(monkeypatch):
    monkeypatch.setitem(EXPERIMENTS, "toy", TOY)


@pytest.mark.usefixtures("toy")
def test_command_prints_one_experiment_with_its_table(tmp_path, capsys):
    assert main(["reproduce", "toy", "--tiny", "--jobs", "1", "--out", str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "toy: A toy" in out
    assert re.search(r"^toy +ARI +– +not measured +\d\.\d{3} +not measured$", out, re.MULTILINE)
    assert "C: measured: released form at the paper's h and lam" in out
    assert f"wrote tables and toy.md to {tmp_path}" in out
    assert "tiny form: 6 cells" in out


@pytest.mark.usefixtures("toy")
def test_command_prints_json(tmp_path, capsys):
    argv = ["reproduce", "glioma", "toy", "--tiny", "--json", "--out", str(tmp_path)]
    assert main([*argv, "--jobs", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["glioma", "toy"]
    assert found["glioma"]["missing"] == ["glioma"]
    assert found["toy"]["tables"]["Printed and measured"][0]["data"] == "toy"


def test_command_lists_the_names(capsys):
    assert main(["reproduce", "--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(NAMES)
    assert main(["reproduce", "--list", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == list(NAMES)


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nonsense"], "there is no nonsense; the names are all, motivating, simulation1"),
        ([], "a NAME is needed; the names are all, motivating"),
        (["all", "--jobs", "0"], "must be a whole number other than 0"),
        (["all", "--quick", "--tiny"], "not allowed with"),
    ],
)
def test_bad_usage_is_refused_with_the_names(argv, message, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["reproduce", *argv])
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_folder_of_data_that_is_not_there_is_refused(tmp_path, capsys):
    argv = ["reproduce", "glioma", "--data", str(tmp_path / "absent"), "--out", str(tmp_path / "o")]
    assert main(argv) == 1
    assert "there is no folder" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_a_file_is_no_folder_to_write_to(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert main(["reproduce", "glioma", "--out", str(tmp_path / "file")]) == 1
    assert "file is a file, a folder is needed" in capsys.readouterr().err


@pytest.mark.usefixtures("toy", "broken")
def test_a_failed_cell_is_a_failed_job(tmp_path, capsys):
    assert main(["reproduce", "toy", "--jobs", "1", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert "failed: bms on simulation3 (seed = 0): ValueError: no luck today" in out
    assert "2 cells failed" in err


def test_the_command_line_loads_no_pictures():
    code = (
        "import sys, pywbms.cli; "
        "loaded = [m for m in ('matplotlib', 'sklearn.manifold', 'pywbms.peers') "
        "if m in sys.modules]; sys.exit(str(loaded) if loaded else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(tmp_path):
    # A test runner may ignore SIGINT, and what it starts then does, too.
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "from pywbms.cli import main; sys.exit(main())"
    )
    argv = ["reproduce", "simulation1", "--quick", "--jobs", "2", "--out", str(tmp_path)]
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *argv], stderr=slave, stdout=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    cells = tmp_path / "cells.jsonl"
    deadline = time.monotonic() + 240
    while not (cells.exists() and cells.read_text().count("\n") >= 2):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # What a terminal does: the whole group gets it, the workers, too.
    os.killpg(process.pid, signal.SIGINT)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # the other end is closed
        pass
    os.close(master)
    assert process.wait(timeout=240) == 130
    process.stdout.close()
    shown = shown.decode()
    assert re.search(r"simulation1: █*░+ \d+ of 33 cells, about \d+ (s|min) left", shown)
    assert re.search(r"interrupted; \d+ of 33 cells are kept in \S+cells.jsonl", shown)
    assert "Traceback" not in shown
    for line in cells.read_text().splitlines():
        json.loads(line)
    assert list(tmp_path.iterdir()) == [cells]


def test_peers_of_the_paper_are_the_peers_here():
    assert (*PEERS, "wbms") == _printed.METHODS
