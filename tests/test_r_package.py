"""The R package as R's own tools see it: R CMD check, with its testthat tests and vignettes."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pywbms

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
from news_rd import news_rd  # noqa: E402

SOURCE = ROOT / "rbridge" / "wbms"
VIGNETTES = sorted((ROOT / "vignettes").glob("*.Rmd"))
MISSING_R = "there is no R here; on Debian: apt-get install r-base-dev r-cran-testthat r-cran-knitr"

# The first test waits for R CMD check, which takes minutes on an idle machine: one process does it.
pytestmark = [pytest.mark.timeout(7200), pytest.mark.xdist_group("r-package")]

# What the check says where these tools, which are no part of R, are not installed.
WITHOUT_TOOLS = (
    "A complete check needs the 'checkbashisms' script.",
    "‘qpdf’ is needed for checks on size reduction of PDFs",
)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The folder in which R CMD check has left what it found, vignettes included."""
    if shutil.which("R") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING_R)
    folder = tmp_path_factory.mktemp("check")
    shutil.copytree(SOURCE, folder / "wbms", ignore=shutil.ignore_patterns("*.o", "*.so", "*-path"))
    environment = {
        **os.environ,
        "WBMS_PYTHON": sys.executable,
        "WBMS_TEST": "1",  # a test that cannot reach Python fails instead of skipping
        # Only these look things up on the web.
        "_R_CHECK_CRAN_INCOMING_": "false",
        "_R_CHECK_SYSTEM_CLOCK_": "false",
    }
    checks = ["check", "--as-cran", "--no-manual", f"wbms_{version()}.tar.gz"]
    for command in (["build", "wbms"], checks):
        done = subprocess.run(
            ["R", "CMD", *command], cwd=folder, env=environment, capture_output=True, text=True
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:] + failures(folder)
    return folder / "wbms.Rcheck"


def failures(folder):
    """What testthat wrote, if it failed."""
    return "".join(path.read_text()[-5000:] for path in folder.rglob("testthat.Rout.fail"))


def version():
    return re.search(r"^Version: (.*)$", (SOURCE / "DESCRIPTION").read_text(), re.MULTILINE)[1]


def test_check_finds_nothing(checked):
    log = (checked / "00check.log").read_text()
    absent = sum(warning in log for warning in WITHOUT_TOOLS)
    status = {0: "OK", 1: "1 WARNING", 2: "2 WARNINGs"}[absent]
    assert f"\nStatus: {status}\n" in log, log


def test_every_testthat_test_ran(checked):
    said = (checked / "tests" / "testthat.Rout").read_text()
    counts = re.search(r"\[ FAIL (\d+) \| WARN (\d+) \| SKIP (\d+) \| PASS (\d+) \]", said)
    fail, warn, skip, passed = map(int, counts.groups())
    assert (fail, warn, skip) == (0, 0, 0), said
    assert passed > 100


def test_tests_leave_no_pictures(checked):
    assert list((checked / "tests").rglob("Rplots.pdf")) == []


def test_vignettes_were_made_and_executed(checked):
    assert [page.stem for page in VIGNETTES] == [
        "choosing-h-and-lambda", "from-kmeans-to-wbms", "getting-started", "the-theorems",
    ]  # fmt: skip
    for page in VIGNETTES:
        made = (checked / "wbms" / "doc" / f"{page.stem}.html").read_text()
        assert made.count("data:image/png") >= 4


def test_the_version_is_that_of_the_python_package():
    assert version() == pywbms.__version__
    assert f"# wbms {version()}" in (SOURCE / "NEWS.md").read_text()


def test_the_news_that_r_reads_are_those_of_the_markdown():
    """Write them anew with: make r-docs."""
    source = (SOURCE / "NEWS.md").read_text()
    assert (SOURCE / "inst" / "NEWS.Rd").read_text() == news_rd(source)
    assert news_rd("# wbms 1.0\n\n* `a%b` is {x}\n  now\n") == (
        "\\name{NEWS}\n\\title{News of the package wbms}\n"
        "\\section{Changes in wbms version 1.0}{\n  \\itemize{\n"
        "    \\item \\code{a\\%b} is \\{x\\} now\n  }\n}\n"
    )


def test_news_are_read_by_r(checked):
    code = 'x <- news(package = "wbms"); cat(nrow(x) > 10, attr(x, "bad"), unique(x$Version))'
    libraries = os.pathsep.join([str(checked), os.environ.get("R_LIBS", "")])
    said = subprocess.run(
        ["Rscript", "-e", code], env={**os.environ, "R_LIBS": libraries},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert said.stdout.split() == ["TRUE", version()]


def test_every_exported_function_is_documented():
    exported = re.findall(r"^export\((\w+)\)", (SOURCE / "NAMESPACE").read_text(), re.MULTILINE)
    pages = "".join(path.read_text() for path in (SOURCE / "man").glob("*.Rd"))
    for name in exported:
        assert f"\\alias{{{name}}}" in pages
