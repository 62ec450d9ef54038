"""Every target of the Makefile that is documented does what it says."""

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import browser
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from rbridge.install import missing_for_vignettes

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = (
    "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "benchmarks/README.md", "docs/install.md",
    "docs/guide/r.md", "docs/guide/theory.md",
)  # fmt: skip
VIGNETTES = ("vignettes/theorems.py", "vignettes/the-theorems.Rmd")
# A page of each kind of the site.
PAGES = (
    "index.html", "install.html", "guide/first-fit.html", "guide/reproducing.html",
    "api/fitting.html", "api/theory.html", "pictures/index.html", "pictures/plot_5_tree.html",
    "vignettes/theorems.html", "vignettes/the-theorems.html", "vignettes/getting-started.html",
    "r/reference/index.html", "r/reference/wbms.html", "r/reference/plot.wbms.html",
    "which-method.html", "coming-from/sparcl.html", "erratum.html", "benchmarks/selection.html",
)  # fmt: skip
# The relative luminance of a page's text and of what is behind it.
LUMINANCES = """() => {
    const luminance = colour => {
        const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = element => {
        const colour = getComputedStyle(element).backgroundColor;
        if (!/, 0\\)$/.test(colour)) return colour;
        return element.parentElement ? behind(element.parentElement) : "rgb(255, 255, 255)";
    };
    const text = document.querySelector("main p, article p, p");
    return [getComputedStyle(text).color, behind(text)].map(luminance);
}"""
# Targets that continuous integration runs itself; a test here runs any other.
IN_CI = {"lint", "test"}


def run_make(*arguments, folder=ROOT, **environment):
    """Return the finished process, its messages in the order in which they came."""
    # A make that runs these tests would hand its own flags down.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], cwd=folder, env={**inherited, **environment}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def targets_in_help():
    return re.findall(r"^make ([a-z-]+)", run_make("help").stdout, flags=re.MULTILINE)


def targets_in_documents():
    texts = [path.read_text("utf-8") for path in map(ROOT.joinpath, DOCUMENTS) if path.exists()]
    return re.findall(r"(?:^|`)make ([a-z-]+)", "\n".join(texts), flags=re.MULTILINE)


def targets_in_makefile():
    return re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)


class TestNames:
    def test_help_lists_every_target_but_the_internal_ones(self):
        listed = targets_in_help()
        assert len(listed) == len(set(listed))
        assert set(targets_in_makefile()) - set(listed) == {"install-r", "r-docs"}

    def test_documents_name_targets_that_exist(self):
        named = set(targets_in_documents())
        assert {"demo", "test", "r", "vignettes"} <= named
        assert named <= set(targets_in_makefile())

    @pytest.mark.parametrize("target", sorted(set(targets_in_help())))
    def test_every_target_is_run(self, target):
        if target in IN_CI:
            assert f"make {target}" in (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
        else:
            assert f"test_{target.replace('-', '_')}" in vars(TestTargets)


@pytest.fixture(scope="module")
def make():
    """A function that runs make in this clone, whose .venv is ready, and returns what it said."""
    if Path(sys.prefix).resolve() != (ROOT / ".venv").resolve():
        message = "the tests do not run in .venv of this clone: run them with make test"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)

    def run(*arguments, **environment):
        done = run_make(*arguments, **environment)
        assert done.returncode == 0, done.stdout
        return done.stdout

    return run


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Where experiments go: what one target has computed, the next one finds."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture
def clone(make, tmp_path):
    """A folder with what make reads, and nothing else."""
    for name in ("Makefile", "pyproject.toml", "setup.py"):
        shutil.copy2(ROOT / name, tmp_path)  # with its date: the stamps of .venv stay newer
    return tmp_path


def is_drawn(path):
    """Whether a file is a picture with something on it."""
    return plt.imread(path).std() > 0.05


def text_of(page):
    """The text of an HTML page."""
    source = re.sub(r"<(script|style).*?</\1>", "", page.read_text("utf-8"), flags=re.DOTALL)
    return html.unescape(re.sub(r"<[^>]*>", "", source))


def check_site(folder):
    """Open a page of each kind, on a screen and, in the dark, on a phone, and search."""
    with browser.running_browser() as running:
        for name in PAGES:
            for width, dark in ((1280, False), (400, True)):
                with browser.open_page(folder / name, width, dark=dark, browser=running) as opened:
                    assert opened.errors == [], name
                    assert opened.elsewhere == [], name
                    assert opened.overflow <= 0, name
                    assert is_readable(opened.page), name
        with browser.open_page(folder / "search.html", browser=running) as opened:
            opened.page.fill("form.bd-search input >> visible=true", "bandwidth")
            opened.page.keyboard.press("Enter")
            opened.page.wait_for_selector("#search-results li a")
            assert opened.errors == []
            assert opened.elsewhere == []
    theorems = (folder / "vignettes" / "theorems.html").read_text("utf-8")
    assert theorems.count("<figure") == 9
    assert theorems.count("<math") > 200
    assert len(list((folder / "pictures").glob("plot_*.html"))) >= 8


def is_readable(page):
    """Whether text stands out from its background: a contrast of 4.5, as the WCAG ask for."""
    light, dark = sorted(page.evaluate(LUMINANCES), reverse=True)
    return page.inner_text("h1") != "" and (light + 0.05) / (dark + 0.05) > 4.5


@pytest.mark.slow
@pytest.mark.xdist_group("make")
class TestTargets:
    def test_help(self, make):
        assert make() == make("help")
        assert all(len(line) <= 100 for line in make("help").splitlines())

    def test_demo(self, make):
        picture, page = ROOT / "demo.png", ROOT / "demo.html"
        for path in (picture, page):
            path.unlink(missing_ok=True)
        said = make("demo")
        # Before it stands what make installs first where only the tests' needs are there.
        assert "pywbms: clustering the motivating example\n" in said
        assert "k = 2 in 200 rows" in said
        assert is_drawn(picture)
        assert "What was found" in page.read_text(encoding="utf-8")

    def test_demo_r(self, make):
        picture = ROOT / "demo-r.png"
        picture.unlink(missing_ok=True)
        assert "2 clusters" in make("demo-r")
        assert is_drawn(picture)

    def test_r(self, make, tmp_path):
        said = make("r", R_LIBS=str(tmp_path))
        assert f"wbms is installed in {tmp_path}; in R: library(wbms)" in said
        assert "not built" not in said
        assert len(list((tmp_path / "wbms" / "doc").glob("*.html"))) > 3  # vignettes and an index
        asked = subprocess.run(
            ["Rscript", "-e", "cat(wbms::wbms_python())"],
            env={**os.environ, "R_LIBS": str(tmp_path)}, capture_output=True, text=True,
        )  # fmt: skip
        assert str(ROOT / ".venv") in asked.stdout

    def test_vignettes(self, make):
        pages = [(ROOT / name).with_suffix(".html") for name in VIGNETTES]
        for page in pages:
            page.unlink(missing_ok=True)
        said = make("vignettes", f"VIGNETTES={' '.join(VIGNETTES)}")
        assert "Could not convert" not in said
        for page in pages:
            assert page.read_text("utf-8").count("<img") >= 6
            text = text_of(page)
            assert all(f"Theorem {number}" in text for number in range(1, 6))
            assert "Traceback" not in text
            assert "without its results" not in text

    def test_docs(self, make):
        said = make("docs", f"VIGNETTES={' '.join(VIGNETTES)}")
        assert "pywbms: building the site in docs/_build/html" in said
        assert "WARNING" not in said
        check_site(ROOT / "docs" / "_build" / "html")

    def test_bench(self, make, results):
        make("bench", f"RESULTS={results}", "FORM=--tiny")
        assert len(pd.read_csv(results / "benchmarks.csv")) > 10
        assert is_drawn(results / "benchmarks.png")
        self.check_reproduction(results / "reproduce")

    def test_bench_quick(self, make, tmp_path):
        make("bench-quick", f"RESULTS={tmp_path}", "ARGS=--only data1")
        table = pd.read_csv(tmp_path / "benchmarks.csv").set_index("method")
        assert table.loc["WBMS", "k"] == table.loc["WBMS", "true_k"] == 2
        assert is_drawn(tmp_path / "benchmarks.png")

    def test_sanitize(self, make):
        said = make("sanitize", "FORM=--tiny")
        sets = re.findall(r"pywbms: sanitizing with (\w+)", said)
        assert sets[-1] == "any"
        assert re.findall(r"10 cases with (\w+), 0 failed", said) == sets
        assert len(re.findall(r"\d+ passed", said)) == len(sets)

    @pytest.mark.skipif(sys.platform != "linux", reason="auditwheel is for Linux")
    def test_wheel(self, make):
        said = make("wheel", f"ARGS=--short --versions oldest -n 0 --python {sys.executable}")
        assert re.search(
            r"^pywbms: pywbms-.*-cp311-abi3-manylinux_\S+\.whl, \d\.\d+ MB$", said, re.M
        )
        assert re.search(r"^pywbms: Python 3.*numpy 2\.[01].*\(oldest\)$", said, re.M)
        assert re.search(r"^\d+ passed", said, re.M)

    def test_portable(self, make):
        compiler = "clang" if shutil.which("clang") else "gcc"
        said = make("portable", f"ARGS={compiler} --cases 5")
        assert "5 cases with" in said
        assert ", 0 failed" in said
        assert f"pywbms: passed: ['{compiler}']" in said

    def test_reproduce(self, make, results):
        make("reproduce", f"PAPER={results / 'reproduce'}", "FORM=--tiny")
        self.check_reproduction(results / "reproduce")

    def check_reproduction(self, folder):
        assert len(list(folder.rglob("*.png"))) >= 7
        assert list(folder.rglob("*.csv"))

    def test_test_fast(self, make):
        said = make("test-fast", "ARGS=-n 0 tests/test_make.py")
        assert re.search(r"\d+ passed, \d+ deselected", said)
        assert "failed" not in said

    def test_soak(self, make):
        said = make("soak", "ARGS=--fits 2 --seed 1")
        assert re.search(r"^seed 1, .*: 2 fits, .* 0 failures$", said, flags=re.MULTILINE)

    def test_format(self, make, clone):
        script = clone / "script.py"
        script.write_text('"""A script."""\n\nimport sys\nx = [ 1,2 ]\n')
        make("format", f"VENV={ROOT / '.venv'}", folder=clone)
        assert script.read_text() == '"""A script."""\n\nx = [1, 2]\n'

    def test_clean(self, make, clone):
        core = clone / "pywbms" / "_core"
        kept = [core / "shift.pyx", core / "simd" / "tile.c", clone / "Makefile"]
        built = [core / "shift.c", core / "shift.so", clone / ".venv" / "x", clone / "build" / "x"]
        for path in (*kept[:2], *built):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        make("clean", folder=clone)
        assert all(path.exists() for path in kept)
        assert not any(path.exists() for path in built)


@pytest.mark.slow
class TestFailures:
    def test_lint_fails_on_an_unused_import(self, make, clone):
        (clone / "script.py").write_text('"""A script."""\n\nimport sys\n')
        done = run_make("lint", f"VENV={ROOT / '.venv'}", folder=clone)
        assert done.returncode != 0
        assert "F401" in done.stdout

    def test_a_vignette_that_fails_is_named(self, make, tmp_path):
        page = tmp_path / "broken.Rmd"
        page.write_text("---\noutput: rmarkdown::html_vignette\n---\n\n```{r}\nstop('no')\n```\n")
        done = run_make("vignettes", f"VIGNETTES={page}")
        assert done.returncode != 0
        assert f"{page} failed" in done.stdout


@pytest.mark.r
def test_what_the_vignettes_lack_is_named(monkeypatch, tmp_path):
    assert missing_for_vignettes() == []
    for folder in filter(os.path.isdir, os.environ["PATH"].split(os.pathsep)):
        for program in Path(folder).iterdir():
            if program.name != "pandoc" and not (tmp_path / program.name).is_symlink():
                (tmp_path / program.name).symlink_to(program)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_for_vignettes() == ["pandoc"]
