"""The vignettes run from top to bottom, and are shown as their readers should see them."""

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import browser
import matplotlib.pyplot as plt
import numpy as np
import pytest

from pywbms.experiments import EXPERIMENTS
from tools import percent, vignettes

VIGNETTES = Path(__file__).parents[1] / "vignettes"
REAL_DATA = VIGNETTES.parents[1] / "shared" / "data"


# Each vignette is run once, by one test process.
pytestmark = pytest.mark.xdist_group("vignettes")


@pytest.fixture(scope="module", params=sorted(path.name for path in VIGNETTES.glob("*.py")))
def vignette(request):
    return VIGNETTES / request.param


@pytest.fixture(scope="module")
def cells(vignette):
    return percent.cells(vignette.read_text(encoding="utf-8"))


@dataclass
class Executed:
    """A vignette that was executed: its variables, its Markdown, and what its folder holds."""

    names: dict
    markdown: str
    figures: list
    files: list
    page: Path


@contextmanager
def executed_in(folder, name, **environment):
    """Execute a vignette in an empty folder, and make its page in another one."""
    here, backend = folder / "empty", plt.get_backend()
    here.mkdir()
    plt.switch_backend("Agg")
    plt.close("all")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        for variable, value in environment.items():
            patch.setenv(variable, value)
        markdown, names = percent.execute(VIGNETTES / name)
    source = folder / "page.md"
    source.write_text(markdown, encoding="utf-8")
    vignettes.write_page(source, folder / "page.html")
    yield Executed(names, markdown, plt.get_fignums(), os.listdir(here), folder / "page.html")
    plt.close("all")
    plt.switch_backend(backend)


@pytest.fixture(scope="module")
def executed(tmp_path_factory):
    with executed_in(tmp_path_factory.mktemp("vignette"), "theorems.py") as found:
        yield found


@pytest.fixture(scope="module")
def names(executed):
    return executed.names


def check_pictures(executed, number):
    """Check that so many pictures are shown, each with a caption and alternative text."""
    found = re.findall(r"<figure>.*?</figure>", executed.markdown, flags=re.DOTALL)
    assert len(found) == number
    for figure in found:
        assert len(re.search(r'alt="([^"]*)"', figure)[1]) > 40
        assert len(re.search(r"<figcaption>(.*?)</figcaption>", figure)[1]) > 10
    assert "<Figure" not in executed.markdown


def check_in_browser(page, n_pictures):
    """Check that a page is complete in itself and can be read on a phone, in the dark, too."""
    for width, dark in ((1280, False), (400, True)):
        with browser.open_page(page, width=width, dark=dark) as opened:
            assert opened.errors == []
            assert opened.elsewhere == []
            assert opened.overflow <= 0
            drawn = opened.page.evaluate(
                "[...document.images].filter(i => i.complete && i.naturalWidth > 100).length"
            )
            assert drawn == n_pictures
            prose = opened.page.evaluate(
                "[...document.querySelectorAll('h2, p, li, td')].map(e => e.innerText).join(' ')"
            )
            assert not re.search(r"\$|\\(frac|sum|lambda|exp)", prose)


class TestFormat:
    def test_cells_are_code_or_markdown(self, cells):
        kinds = {cell.kind for cell in cells}
        assert kinds <= {"", "[markdown]", *(f'tags=["{tag}"]' for tag in percent.FOLDED)}

    def test_a_title_comes_first(self, cells):
        assert cells[0].is_text
        assert cells[0].source.startswith("# # ")

    def test_markdown_is_commented_and_says_something(self, cells):
        for source in (cell.source for cell in cells if cell.is_text):
            lines = source.rstrip().splitlines()
            assert all(line == "#" or line.startswith("# ") for line in lines), source
            assert any(line.removeprefix("#").strip() for line in lines)

    def test_formulas_are_closed(self, cells):
        for source in (cell.source for cell in cells if cell.is_text):
            prose = source.replace("$$", "")
            assert source.count("$$") % 2 == 0, source
            assert prose.count("$") % 2 == 0, source

    def test_code_compiles_cell_by_cell(self, vignette, cells):
        code = [cell.source for cell in cells if not cell.is_text]
        assert len(code) > 5
        for source in code:
            assert source.strip()
            compile(source, vignette.name, "exec")

    def test_imports_are_in_the_first_code_cell(self, cells):
        _, *rest = [cell.source for cell in cells if not cell.is_text]
        assert not re.search(r"^\s*(import|from) ", "\n".join(rest), flags=re.MULTILINE)

    @pytest.mark.parametrize("number", range(1, 6))
    def test_every_theorem_has_a_section(self, number):
        text = (VIGNETTES / "theorems.py").read_text(encoding="utf-8")
        assert f"\n# ## Theorem {number}: " in text


@pytest.mark.slow
class TestTheorems:
    def test_it_draws_and_leaves_the_figures_open(self, executed):
        assert len(executed.figures) == 9
        for number in executed.figures:
            for ax in plt.figure(number).axes:
                assert ax.has_data()

    def test_each_picture_is_shown_with_words(self, executed):
        check_pictures(executed, 9)

    def test_tables_are_tables(self, executed):
        assert executed.markdown.count("<table") > 20

    def test_a_reader_sees_formulas_and_pictures(self, executed):
        assert executed.page.read_text("utf-8").count("<math") > 200
        check_in_browser(executed.page, 9)

    def test_claims_and_plumbing_are_folded_away(self, executed):
        assert executed.markdown.index("## Theorem 1") < 6000
        assert executed.markdown.count('<details class="fold">') > 9

    def test_it_writes_no_files(self, executed):
        assert executed.files == []

    def test_theorem_1_holds(self, names):
        checks = names["weight_checks"]
        assert (checks[["KKT residual", "duality gap"]] < 1e-12).all(axis=None)
        assert (checks["max |SLSQP − closed|"] < 1e-4).all()

    def test_theorem_2_holds_and_a_tampered_path_is_caught(self, names):
        assert names["steps"].holds.all()
        assert names["wide_steps"].holds.all()
        caught = names["caught"]
        assert caught.iteration[~caught.holds].tolist() == [names["when"]]

    def test_theorem_3_fires_too_early_between_outliers(self, names):
        by_rule = names["outliers"].set_index("stop")
        assert by_rule.iterations["diameter"] == 1
        assert by_rule.clusters["diameter"] == len(names["rows"])
        assert by_rule.clusters["settled"] == 6

    def test_groups_coalesce_before_movement_ends(self, names):
        assert names["trace"].movement.min() > 1e-8
        assert names["settled"].n_clusters > names["long"].n_clusters

    def test_theorem_4_samples_follow_the_corrected_recursion(self, names):
        by_size = names["by_size"]
        assert by_size.index.tolist() == [500, 2000, 8000]
        assert (np.diff(by_size, axis=0) < 0).all()
        assert (names["errors"].printed > 1).all()

    def test_theorem_5_order_and_rate(self, names):
        order = names["order"]
        np.testing.assert_allclose(order["order"], 3, atol=1e-3)
        np.testing.assert_allclose(order["constant"], order["2w/h"], rtol=1e-3)

    def test_first_steps_agree_with_the_proposition_while_there_are_neighbours(self, names):
        enough, lonely = names["enough"], names["lonely"]
        assert len(enough) >= 10
        assert len(lonely) >= 5
        np.testing.assert_allclose(enough["D inf"], enough["predicted inf"], rtol=0.03)
        np.testing.assert_allclose(enough["D noise"], enough["predicted noise"], rtol=0.01)
        assert (lonely["D inf"] > 1.1 * lonely["predicted inf"]).all()

    def test_without_neighbours_rows_move_to_any_cluster(self, names):
        by_p = names["by_p"]
        limits = names["limits"]
        np.testing.assert_allclose(limits["exact"], limits["first order"], rtol=0.03)
        for design, k in (("nearest", 4), ("nearest, shared", 2)):
            own = by_p.loc[design, "own"]
            assert own[10] > 0.85
            assert own[1000] < 1 / k + 0.15

    def test_the_first_step_from_the_marginal_start_does_not_depend_on_p(self, names):
        difference = names["by_p"]["difference"]
        np.testing.assert_allclose(difference["marginal"], 0.99, atol=0.03)
        assert difference["h = 0.3"][1000] < 0.02

    def test_no_column_shows_parallel_clusters_on_a_diagonal(self, names):
        found = names["hidden"]["ARI"]
        assert found["known"] > 0.6
        assert found["marginal"] < 0.2

    def test_the_marginal_start_finds_what_equal_weights_lose(self, names):
        recovered = names["recovered"]
        assert (recovered["marginal"] > 0.95).all()
        assert (recovered.loc["2 informative"].loc[60:, "uniform"] < 0.3).all()

    def test_theorems_1_to_3_hold_for_any_start(self, names):
        by_start = names["by_start"]
        assert set(by_start.start) == {"uniform", "marginal", "arbitrary"}
        assert by_start.holds.all()

    def test_all_checks_hold_on_the_fit(self, names):
        assert names["table"].holds.all()
        assert {"1", "2", "3", "5"} <= set(names["table"].theorem)


@pytest.mark.slow
def test_the_paper_is_reproduced(tmp_path):
    """What the vignette says of the results, it asserts itself."""
    real_data = {"PYWBMS_DATA": str(REAL_DATA)} if REAL_DATA.is_dir() else {}
    with executed_in(tmp_path, "reproducing-the-paper.py", **real_data) as executed:
        assert executed.files == []
        results = executed.names["results"]
        assert list(results) == list(EXPERIMENTS)
        assert all(len(result.rows) for name, result in results.items() if not result.missing)
        assert ("zoo" in results["real-data"].missing) == (not real_data)
        drawn = sum(file.suffix == ".png" for result in results.values() for file in result.files)
        assert len(executed.figures) == drawn >= 7
        for number in executed.figures:
            assert any(ax.has_data() for ax in plt.figure(number).axes)
        check_pictures(executed, drawn)
        check_in_browser(executed.page, drawn)
