"""A search that scans few rows, ends early where nothing can win, and keeps to its time."""

import os
import pty
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import yeojohnson
from sklearn.covariance import ledoit_wolf
from sklearn.metrics import adjusted_rand_score

from benchmarks.selection.data import draw_blobs, draw_noise
from pywbms import WBMS, wbms
from pywbms._engine.fit import PreparedRows
from pywbms._engine.settings import Settings
from pywbms._selection import bandwidth_scan, confirmation, heldout, line_scans, runner
from pywbms._selection.bandwidth_scan import BandwidthScan
from pywbms._selection.confirmation import MOST_CONFIRMED
from pywbms._selection.line_scans import LineScans
from pywbms._terminal import line as line_module
from pywbms._terminal.line import Line
from pywbms._terminal.progress import SearchTime
from pywbms.cli import main
from pywbms.select import select

N, SCANNED = 240, 80


@pytest.fixture
def _scan(monkeypatch):
    """Scan so few rows that the data of these tests have many."""
    monkeypatch.setattr(confirmation, "SCAN_ROWS", SCANNED)


@pytest.fixture(scope="module")
def blobs():
    return draw_blobs(3, N, 3, 2, "", seed=1)


@pytest.fixture
def sizes(monkeypatch):
    """How many rows each candidate fit is of."""
    seen = []
    fit = runner.fit_candidate

    def watched(X, rows, *args, **kwargs):
        seen.append(len(X) if rows is None else int(rows.sum()))
        return fit(X, rows, *args, **kwargs)

    monkeypatch.setattr(runner, "fit_candidate", watched)
    return seen


def same(a, b):
    pd.testing.assert_frame_equal(a.table, b.table)
    return (a.h, a.lam, a.explanation) == (b.h, b.lam, b.explanation)


@pytest.mark.usefixtures("_scan")
class TestScan:
    def test_only_what_is_close_to_the_best_is_fitted_to_all_rows(self, blobs, sizes):
        choice = select(blobs[0])
        assert set(sizes) == {N, SCANNED, round(0.8 * SCANNED)}
        assert 1 <= sizes.count(N) <= MOST_CONFIRMED
        assert choice.n_rows == N
        assert choice.n_clusters == 3

    @pytest.mark.parametrize("n_jobs", [2, 3])
    def test_the_number_of_threads_does_not_matter(self, blobs, n_jobs):
        assert same(select(blobs[0], n_jobs=n_jobs), select(blobs[0]))

    def test_nor_does_the_order_of_the_rows(self, blobs):
        order = np.random.default_rng(0).permutation(N)
        assert same(select(blobs[0][order]), select(blobs[0]))

    def test_the_clusters_of_all_rows_are_found(self, blobs):
        X, truth = blobs
        model = WBMS().fit(X)
        assert adjusted_rand_score(truth, model.labels_) > 0.95
        assert model.choice_.n_clusters == model.n_clusters_

    def test_columns_that_are_constant_in_the_scan(self, blobs):
        X = np.column_stack([blobs[0], np.zeros((N, 2))])
        X[3, 5] = X[200, 6] = 1.0
        choice = select(X, standardize=True)
        assert np.isfinite(choice.table[["screened", "refined", "score"]]).all(axis=None)
        assert choice.n_clusters == 3

    def test_noise_is_one_cluster(self):
        assert select(draw_noise("t3", N, 3, seed=0)[0]).n_clusters == 1

    def test_a_given_number_of_clusters_is_looked_for_on_all_rows(self, blobs, sizes):
        assert select(blobs[0], n_clusters=2).n_clusters == 2
        assert SCANNED not in sizes


class TestEarlyEnd:
    def test_lines_that_lead_to_the_same_clusters_save_fits(self, blobs, monkeypatch):
        short = select(blobs[0])
        monkeypatch.setattr(line_scans, "IN_A_ROW", 99)
        monkeypatch.setattr(bandwidth_scan, "FAR_BEHIND", 0.0)
        long = select(blobs[0])
        assert short.n_fits < long.n_fits
        assert short.n_clusters == long.n_clusters == 3

    def candidate(self, labels, promise):
        labels = np.asarray(labels)
        k = int(labels.max()) + 1
        return SimpleNamespace(labels=labels, n_groups=k, k=k, promise=promise)

    def run(self, promises, follower):
        """Scan down on two lines that find the same; return the steps that the second one took."""
        scans = [BandwidthScan((name, 0.1), False, 50) for name in ("first", "second")]
        labels = [np.arange(24) // (24 // k) for k in (2, 3, 4, 6, 8, 12)]

        def fit(active):
            found = []
            for scan in active:
                step = -scan.step
                own = promises if scan is scans[0] else follower
                found.append(self.candidate(labels[min(step, 5)], own[min(step, 5)]))
            return found, max(promises)

        LineScans(scans).run(fit)
        return [step for step, _ in scans[1].tried]

    def test_a_scan_waits_for_the_one_that_it_follows(self):
        fading = [1.0, 0.5, 0.5, 0.5, 0.5, 0.5]
        assert self.run(fading, fading) == [0, -1]

    def test_and_goes_on_if_that_finds_something_better(self):
        rising = [1.0, 1.0, 1.5, 0.1, 0.1, 0.1]
        assert self.run(rising, rising)[:3] == [0, -1, -2]

    def test_a_scan_far_behind_ends(self):
        scan = BandwidthScan(("uniform", 0.1), False, 50)
        while not scan.ended:
            k = 2 + len(scan.tried)
            scan.advance(self.candidate(np.arange(60) % k, 0.01), best=1.0)
        assert len(scan.tried) <= 4

    def test_more_clusters_than_could_be_judged_end_a_scan_down(self):
        scan = BandwidthScan(("uniform", 0.1), False, 5)
        scan.advance(self.candidate(np.arange(6), 0.0), best=0.0)
        assert scan.ended

    @pytest.mark.parametrize("h", [0.02, 0.1, 2.0])
    def test_short_fits_give_the_clusters_of_whole_ones(self, blobs, h):
        settings = replace(Settings().for_candidates(50), h=h, lam=0.1, init="uniform")
        rows = PreparedRows(blobs[0], settings)
        labels, _ = rows.labels_and_weights(settings)
        np.testing.assert_array_equal(rows.labels_and_weights(settings, short=True)[0], labels)


class TestDensities:
    @pytest.mark.parametrize("shape", [(50, 3), (8, 20), (3, 2)])
    def test_the_covariance_is_that_of_ledoit_and_wolf(self, shape):
        X = np.random.default_rng(0).normal(size=shape)
        X -= X.mean(axis=0)
        expected = ledoit_wolf(X, assume_centered=True)[0]
        np.testing.assert_allclose(heldout.shrunk_covariance(X), expected, atol=1e-12)
        np.testing.assert_array_equal(heldout.shrunk_covariance(0 * X), np.zeros(2 * shape[1:]))

    def test_the_transforms_are_those_of_yeo_and_johnson(self):
        x = 3 * np.random.default_rng(0).normal(size=40)
        found = heldout.yeo_johnson(np.sign(x) * np.log1p(np.abs(x)))
        expected = [yeojohnson(x, exponent) for exponent in heldout.EXPONENTS]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


class TestBudget:
    @pytest.fixture
    def _a_second_per_fit(self, monkeypatch):
        """Let a clock of the search advance by a second each time that it is looked at."""
        ticks = iter(range(10_000))
        clock = SimpleNamespace(monotonic=lambda: float(next(ticks)))
        monkeypatch.setattr(runner, "time", clock)
        monkeypatch.setattr("pywbms._selection.choice.time", clock)

    @pytest.mark.usefixtures("_a_second_per_fit")
    def test_the_best_so_far_is_taken(self, blobs):
        choice = select(blobs[0], time_budget=20)
        assert choice.n_fits == 20
        assert not choice.complete
        assert choice.time_budget == 20
        assert "ended after 20 fits, with its time budget of 20 s" in choice.note
        assert choice.table["chosen"].sum() == 1

    @pytest.mark.usefixtures("_a_second_per_fit")
    def test_results_say_so(self, blobs):
        result = wbms(blobs[0], time_budget=20)
        assert result.choice.n_fits == 20
        assert "time budget" in str(result)

    def test_time_enough_changes_nothing(self, blobs):
        choice = select(blobs[0], time_budget=1e6)
        assert choice.complete
        assert choice.time_budget is None
        assert same(choice, select(blobs[0]))

    def test_on_the_command_line(self, blobs, tmp_path, monkeypatch, capsys):
        monkeypatch.chdir(tmp_path)
        pd.DataFrame(blobs[0], columns=list("abcde")).to_csv("data.csv", index=False)
        assert main(["select", "data.csv", "--time-budget", "1e-9"]) == 0
        assert "ended after 1 fit, with its time budget" in capsys.readouterr().out
        with pytest.raises(SystemExit):
            main(["fit", "data.csv", "--time-budget", "0"])
        assert "--time-budget: must be a positive number" in capsys.readouterr().err

    @pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, "long", True])
    def test_bad_values_are_named(self, blobs, bad):
        for ask in (select, wbms, lambda X, **budget: WBMS(**budget).fit(X)):
            with pytest.raises(ValueError, match="time_budget must be a positive number"):
                ask(blobs[0], time_budget=bad)


class TestProgress:
    PROGRAM = (
        "import numpy as np, pywbms._terminal.progress as progress\n"
        "progress.DELAY = 0.0\n"
        "from pywbms import wbms\n"
        "X = np.random.default_rng(0).normal(size=(60, 2)); X[:30] += 9\n"
        "print(wbms(X{}).n_clusters)\n"
    )

    def run(self, stderr, arguments=""):
        environment = {**os.environ, "COLUMNS": "200"}
        environment.pop("PYTEST_CURRENT_TEST", None)
        command = [sys.executable, "-c", self.PROGRAM.format(arguments)]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment
        )

    def on_a_terminal(self, arguments=""):
        ours, theirs = pty.openpty()
        with self.run(theirs, arguments) as process:
            os.close(theirs)
            seen = ""
            while True:
                try:
                    seen += os.read(ours, 4096).decode()
                except OSError:  # how Linux says that the other side has closed the terminal
                    break
            os.close(ours)
            assert process.stdout.read() == "2\n"
        return seen

    @pytest.mark.slow
    def test_a_terminal_shows_the_search_and_its_time_left(self):
        shown = self.on_a_terminal().split("\r")
        assert any(
            text.startswith("choosing h and lam, fit ") and text.rstrip().endswith(" left")
            for text in shown
        )
        assert any(text.startswith("main 1 of at most 300") for text in shown)
        assert shown[-2].strip() == shown[-1] == ""

    @pytest.mark.slow
    def test_nothing_if_it_is_not_wanted(self):
        assert self.on_a_terminal(", verbose=False") == ""

    @pytest.mark.slow
    def test_nothing_in_a_pipe(self):
        with self.run(subprocess.PIPE) as process:
            assert process.communicate() == ("2\n", "")

    def test_nothing_while_tests_run(self, monkeypatch, capsys):
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        monkeypatch.setattr("pywbms._terminal.progress.DELAY", 0.0)
        wbms(np.random.default_rng(0).normal(size=(20, 2)), h=1.0, lam=1.0)
        assert capsys.readouterr().err == ""

    def test_a_notebook_shows_it_in_its_cell(self, monkeypatch, capsys):
        shell = type("ZMQInteractiveShell", (), {})()
        notebook = SimpleNamespace(get_ipython=lambda: shell)
        monkeypatch.setitem(sys.modules, "IPython", notebook)
        with Line() as line:
            line.show("choosing")
        assert capsys.readouterr().out.startswith("\rchoosing")

    def test_what_is_quick_shows_nothing(self, monkeypatch, capsys):
        now = SimpleNamespace(seconds=5.0)
        clock = SimpleNamespace(monotonic=lambda: now.seconds)
        monkeypatch.setattr(line_module, "time", clock)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
        with Line(delay=1.0) as line:
            line.show("quick")
        assert capsys.readouterr().err == ""
        with Line(delay=1.0) as line:
            now.seconds = 7.0
            line.show("slow")
        assert "slow" in capsys.readouterr().err

    def test_the_time_left_is_that_of_the_fits_left_or_of_the_budget(self, monkeypatch):
        now = SimpleNamespace(seconds=0.0)
        clock = SimpleNamespace(monotonic=lambda: now.seconds)
        monkeypatch.setattr("pywbms._terminal.progress.time", clock)
        free, bound = SearchTime(), SearchTime(budget=15)
        now.seconds = 10.0
        assert free.left(10, 30) == ", about 30 s left"
        assert bound.left(10, 30) == ", about 5 s left"
        assert free.left(10, 0) == ""

    def test_a_bad_verbose_is_named(self):
        with pytest.raises(ValueError, match="verbose must be"):
            select(np.eye(12), verbose="loud")
