"""wbms_install(): a Python of R's own, made from a wheel."""

import os
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
import rsession

import pywbms

# fixtures
r_library, r = rsession.r_library, rsession.r

ROOT = Path(pywbms.__file__).parents[1]
METADATA = f"""Metadata-Version: 2.1
Name: pywbms
Version: {pywbms.__version__}
Provides-Extra: r
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """A wheel made of the files that are here; building one would compile the core again."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    folder = tmp_path_factory.mktemp("wheels")
    path = folder / f"pywbms-{pywbms.__version__}-{tag}-{tag}-{platform}.whl"
    information = f"pywbms-{pywbms.__version__}.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        for package in ("pywbms", "rbridge"):
            for file in (ROOT / package).rglob("*"):
                if file.suffix in (".py", ".so"):
                    archive.write(file, file.relative_to(ROOT))
        archive.writestr(f"{information}/METADATA", METADATA)
        archive.writestr(
            f"{information}/WHEEL",
            f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: {tag}-{tag}-{platform}\n",
        )
        archive.writestr(f"{information}/RECORD", "")
    return path


@pytest.fixture
def away(tmp_path):
    """Variables of a session that knows no Python; the new one borrows numpy from here."""
    borrowed = [path for path in sys.path if path.endswith("site-packages")]
    return {
        "WBMS_PYTHON": None,
        "R_USER_DATA_DIR": str(tmp_path / "data"),
        "R_USER_CONFIG_DIR": str(tmp_path / "config"),
        "PYTHONPATH": os.pathsep.join(borrowed),
    }


@pytest.mark.parametrize("folder", [False, True], ids=["a wheel", "a folder of wheels"])
def test_it_installs_binds_and_checks(folder, wheel, away, r, tmp_path):
    source = wheel.parent if folder else wheel
    said = r(
        f"""
        said <- capture.output(type = "message", python <- wbms_install(
          "{source}", python = "{sys.executable}",
          pip_options = c("--no-index", "--no-deps")
        ))
        stopifnot(is.null(wbms:::.bridge$call)) # the check was done elsewhere
        stopifnot(grepl("creating", said[[1]]), grepl("checking it by a fit", said[[3]]))
        stopifnot(identical(wbms_python()[["python"]], python))
        module <- wbms:::requirement("{source}")$place
        cat(python)
        """,
        tmp_path,
        **away,
    )
    assert Path(said) == tmp_path / "data" / "R" / "wbms" / "python" / "bin" / "python"
    assert list(tmp_path.glob("data/R/wbms/python/lib/python*/site-packages/pywbms/__init__.py"))
    # and later sessions use it
    assert r("cat(wbms_python()[['python']])", tmp_path, **away) == said


def test_what_cannot_be_installed_is_said(away, r, tmp_path):
    (tmp_path / "empty").mkdir()
    r(
        f"""
        said <- function(...) tryCatch(
          wbms_install(..., quiet = TRUE), wbms_error = conditionMessage
        )
        stopifnot(
          grepl("'from': there is no file or folder nowhere", said("nowhere")),
          grepl("must be a wheel of pywbms, a folder with one", said("empty")),
          grepl("'from' must be the path", said(3)),
          grepl("no Python at /nowhere/python", said("index", python = "/nowhere/python")),
          grepl("on the PATH called python0.9", said("index", python = "python0.9"))
        )
        failed <- said(
          "index", python = "{sys.executable}",
          pip_options = c("--no-index", "--find-links", "empty")
        )
        stopifnot(grepl("pip could not install pywbms", failed), grepl("No matching", failed))
        stopifnot(!file.exists(wbms:::remembered()))
        """,
        tmp_path,
        **away,
    )


def test_a_name_on_the_path_is_a_python(r, tmp_path):
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "python3-of-mine"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    shim.chmod(0o755)
    said = r(
        "cat(wbms_python()[['python']])",
        tmp_path,
        WBMS_PYTHON=shim.name,
        PATH=os.pathsep.join([str(shim.parent), os.environ["PATH"]]),
    )
    assert said == sys.executable
