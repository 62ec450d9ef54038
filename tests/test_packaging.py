"""What is loaded, what is built, what is shipped."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from setuptools import find_packages

import pywbms

ROOT = Path(__file__).resolve().parents[1]


def run(code, folder=ROOT / "tests", **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_importing_loads_no_optional_dependency():
    loaded = run("import sys, pywbms, pywbms.cli; print(*sys.modules)").split()
    assert "pywbms.estimator" in loaded
    assert not {"matplotlib", "dask", "distributed", "rpy2"} & set(loaded)


def test_the_version_is_in_the_changelog():
    assert f"## {pywbms.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_imports_are_declared():
    """Every package that the code imports is a dependency or an extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    names = {"sklearn": "scikit-learn"}
    for package, own, more in (
        ("pywbms", {"pywbms"}, extras["plot"] + extras["dask"]),
        ("rbridge", {"pywbms", "rbridge"}, extras["r"]),
        ("benchmarks", {"pywbms", "benchmarks"}, extras["plot"] + extras["dask"]),
    ):
        declared = " ".join([*project["dependencies"], *more])
        for path in (ROOT / package).rglob("*.py"):
            for module in re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(), re.MULTILINE):
                if module not in sys.stdlib_module_names and module not in own:
                    assert names.get(module, module) in declared, (path, module)


def test_a_wheel_has_the_source_of_the_r_package_and_nothing_built(tmp_path):
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", tmp_path, "build_py",
         "--build-lib", tmp_path / "lib"],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    shipped = {
        str(path.relative_to(tmp_path / "lib" / "rbridge"))
        for path in (tmp_path / "lib" / "rbridge").rglob("*")
        if path.is_file()
    }
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT / "rbridge",
        capture_output=True,
        text=True,
    )
    if tracked.returncode:
        pytest.skip("not a git clone, so nothing tells which files are source")
    assert shipped == set(tracked.stdout.split())


def test_a_wheel_has_no_benchmarks():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    shipped = find_packages(ROOT, **project["tool"]["setuptools"]["packages"]["find"])
    assert "pywbms._core" in shipped
    assert not any(name.startswith("benchmarks") for name in shipped)


@pytest.fixture(scope="module")
def serial_build(tmp_path_factory):
    """The package as PYWBMS_NO_OPENMP=1 builds it."""
    folder = tmp_path_factory.mktemp("serial")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--build-base", folder / "build",
         "--build-lib", folder / "lib"],
        cwd=ROOT, check=True, capture_output=True,
        env={**os.environ, "PYWBMS_NO_OPENMP": "1"},
    )  # fmt: skip
    return folder / "lib"


def test_a_build_without_openmp_gives_the_same_to_the_bit(serial_build):
    code = (
        "import pywbms, pywbms.datasets; X, _ = pywbms.datasets.simulation1(10, 0);"
        "model = pywbms.WBMS(0.03, 0.1, n_jobs=2).fit(X);"
        "print(pywbms.__file__, model.modes_.tobytes().hex())"
    )
    serial_file, serial = run(code, PYTHONPATH=str(serial_build)).split()
    assert serial_file.startswith(str(serial_build))
    assert run(code).split()[1] == serial


def test_a_build_without_openmp_has_no_openmp(serial_build):
    (core,) = serial_build.glob("pywbms/_core/shift.*.so")
    assert b"GOMP_parallel" not in core.read_bytes()
