"""What is loaded, what is built, what is shipped."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

import pywbms

ROOT = Path(__file__).resolve().parents[1]

# Builds write the C code of the core into the clone: one at a time, and not beside those of make.
pytestmark = pytest.mark.xdist_group("make")


def run(code, folder=ROOT / "tests", **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.slow
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
        (
            "benchmarks",
            {"pywbms", "benchmarks"},
            extras["plot"] + extras["dask"] + extras["glosh"] + extras["large"] + extras["parquet"],
        ),
    ):
        declared = " ".join([*project["dependencies"], *more])
        for path in (ROOT / package).rglob("*.py"):
            for module in re.findall(r"^\s*(?:import|from) (\w+)", path.read_text(), re.MULTILINE):
                if module not in sys.stdlib_module_names and module not in own:
                    assert names.get(module, module) in declared, (path, module)


def source_files(folder):
    """The files under a folder that git has, or would have: those that are not ignored."""
    tracked = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT / folder, capture_output=True, text=True,
    )  # fmt: skip
    if tracked.returncode:
        pytest.skip("not a git clone, so nothing tells which files are source")
    return {name for name in tracked.stdout.splitlines() if (ROOT / folder / name).exists()}


def files_in(folder):
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the clone: building writes into its folder, where other processes build, too."""
    folder = tmp_path_factory.mktemp("source")
    generated = {f"pywbms/_core/{path.name}" for path in (ROOT / "pywbms" / "_core").glob("*.c")}
    for name in source_files(".") | generated:  # with their times: what is up to date stays so
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    """What a wheel has, in a folder, apart from the compiled core."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder, "build_py",
         "--build-lib", folder / "lib"],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip
    return folder / "lib"


def test_a_wheel_has_the_source_of_the_r_package_and_nothing_built(wheel):
    assert files_in(wheel / "rbridge") == source_files("rbridge")


def test_a_wheel_has_all_modules_but_no_source_of_the_core(wheel):
    shipped = files_in(wheel / "pywbms")
    assert {Path(name).suffix for name in shipped} <= {
        ".py", ".typed", ".html", ".css", ".js", ".txt",
    }  # fmt: skip
    source = source_files("pywbms")
    page = {name for name in source if name.startswith("_report/static/")}
    assert {f"_report/static/{name}" for name in ("report.html", "echarts-LICENSE.txt")} <= page
    assert shipped == page | {name for name in source if Path(name).suffix in (".py", ".typed")}


def test_the_charting_library_is_as_it_was_released():
    library = ROOT / "pywbms" / "_report" / "static" / "echarts.common.min.js"
    digest = hashlib.sha256(library.read_bytes()).hexdigest()  # of ECharts 6.1.0 on npm
    assert digest == "61f13280aba3161f77fc801bf5f9c786f55f10432153a0683fc5cc0700b013d5"


def test_a_wheel_has_no_benchmarks_and_no_tests(wheel):
    assert {path.name for path in wheel.iterdir()} == {"pywbms", "rbridge"}


@pytest.mark.slow
def test_the_compiled_core_is_small(serial_build):
    sizes = [path.stat().st_size for path in serial_build.glob("pywbms/_core/*.so")]
    # One per module, and Cython's own code that they share.
    assert len(sizes) == len(list((ROOT / "pywbms" / "_core").glob("*.pyx"))) + 1
    assert sum(sizes) < 6_000_000


@pytest.mark.slow
def test_the_tile_library_is_compiled_once(serial_build):
    """A name that only tile.c has, for the choice of the instruction set, is in one module."""
    having = [
        path.name.partition(".")[0]
        for path in serial_build.glob("pywbms/_core/*.so")
        if b"PYWBMS_SIMD" in path.read_bytes()
    ]
    assert having == ["tiles"]


@pytest.fixture(scope="module")
def sdist(source, tmp_path_factory):
    """The unpacked source distribution."""
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "--egg-base", folder, "sdist", "--dist-dir",
         folder],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(folder / "unpacked", filter="data")
    (unpacked,) = (folder / "unpacked").iterdir()
    return unpacked


def test_an_sdist_has_what_git_has(sdist):
    made = {"PKG-INFO", "setup.cfg"}
    assert files_in(sdist) - made == source_files(".") - {".gitignore"}


def test_the_tests_of_an_sdist_find_all_they_need(sdist):
    for compiled in (ROOT / "pywbms" / "_core").glob("*.so"):
        shutil.copy2(compiled, sdist / "pywbms" / "_core")
    collected = subprocess.run(
        [sys.executable, "-m", "pytest", "-qq", "--collect-only", "-p", "no:cacheprovider",
         "tests"],
        cwd=sdist, env={**os.environ, "PYTHONPATH": str(sdist)}, capture_output=True, text=True,
    )  # fmt: skip
    assert collected.returncode == 0, collected.stdout[-3000:]
    found = set(re.findall(r"^tests/(test_\w+\.py): [1-9]", collected.stdout, re.MULTILINE))
    assert found == {path.name for path in (ROOT / "tests").glob("test_*.py")}


def test_all_licences_are_named_and_shipped(sdist):
    metadata = (sdist / "PKG-INFO").read_text()
    assert (
        "License-Expression: MIT AND GPL-2.0-or-later AND Apache-2.0 AND BSD-3-Clause\n" in metadata
    )
    echarts = "pywbms/_report/static/echarts-LICENSE.txt"
    for name in ("LICENSE", "rbridge/COPYING", echarts):
        assert f"License-File: {name}\n" in metadata
        assert (sdist / name).is_file()


@pytest.fixture(scope="module")
def serial_build(tmp_path_factory):
    """The package as PYWBMS_NO_THREADS=1 builds it."""
    folder = tmp_path_factory.mktemp("serial")
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--build-base", folder / "build",
         "--build-lib", folder / "lib"],
        cwd=ROOT, check=True, capture_output=True,
        env={**os.environ, "PYWBMS_NO_THREADS": "1"},
    )  # fmt: skip
    return folder / "lib"


@pytest.mark.slow
def test_a_build_without_threads_gives_the_same_to_the_bit(serial_build):
    code = (
        "import pywbms, pywbms.datasets; X, _ = pywbms.datasets.simulation1(10, 0);"
        "model = pywbms.WBMS(0.03, 0.1, n_jobs=2).fit(X);"
        "print(pywbms.__file__, model.modes_.tobytes().hex())"
    )
    serial_file, serial = run(code, PYTHONPATH=str(serial_build)).split()
    assert serial_file.startswith(str(serial_build))
    assert run(code).split()[1] == serial


@pytest.mark.slow
def test_a_build_without_threads_has_none(serial_build):
    (pool,) = serial_build.glob("pywbms/_core/pool.*.so")
    assert b"pthread_create" not in pool.read_bytes()
    (pool,) = (ROOT / "pywbms" / "_core").glob("pool.*.so")
    assert b"pthread_create" in pool.read_bytes()


def test_no_openmp_runtime_is_loaded():
    """Its threads spin while they wait, and nobody can tell them not to."""
    for module in (ROOT / "pywbms" / "_core").glob("*.so"):
        assert not re.search(rb"lib(g|i)?omp\d*\.", module.read_bytes()), module.name
