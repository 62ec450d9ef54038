"""What `make wheel` and a release look at; `test_make.py` builds and installs a real wheel."""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
NAME = "pywbms-0.1.0-cp311-abi3-manylinux_2_34_x86_64.whl"
INFO = "pywbms-0.1.0.dist-info"


def load(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build_wheel = load("build_wheel")


@pytest.fixture
def files():
    """The files of a wheel without fault, by their names."""
    return {
        "pywbms/": "",  # auditwheel lists folders, too
        "pywbms/__init__.py": "",
        "pywbms/py.typed": "",
        "rbridge/wbms/src/init.c": "",  # the source of the R package
        **{f"pywbms/_core/{name}.abi3.so": "" for name in build_wheel.MODULES},
        "pywbms/_report/static/report.js": "",
        f"{INFO}/METADATA": f"License-Expression: {build_wheel.LICENCE}\n",
        **{f"{INFO}/licenses/{name}": "" for name in build_wheel.LICENCES},
    }


def problems(files, folder, name=NAME):
    with zipfile.ZipFile(folder / name, "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return build_wheel.look_at(folder / name)


def test_a_good_wheel_has_no_problem(files, tmp_path):
    assert problems(files, tmp_path) == []


@pytest.mark.parametrize(
    "name",
    [
        "pywbms-0.1.0-cp311-abi3-linux_x86_64.whl",
        "pywbms-0.1.0-cp312-cp312-manylinux_2_34_x86_64.whl",
    ],
)
def test_a_wheel_for_one_python_or_one_system_is_refused(files, name, tmp_path):
    assert problems(files, tmp_path, name) == [f"{name} is no abi3 wheel for manylinux"]


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ("pywbms/_core/shift.c", "does not belong"),
        ("pywbms/_core/shift.pyx", "does not belong"),
        ("pywbms/_core/shift.cpython-311-x86_64-linux-gnu.so", "one version of Python only"),
        ("pywbms.libs/libgomp.so.1", "no library but"),
    ],
)
def test_what_does_not_belong_into_a_wheel_is_named(files, more, problem, tmp_path):
    found = problems({**files, more: ""}, tmp_path)
    assert any(more in said and problem in said for said in found)


def test_a_missing_module_is_named(files, tmp_path):
    del files["pywbms/_core/shift.abi3.so"]
    assert problems(files, tmp_path) == ["modules missing or too many: ['shift']"]


def test_a_large_wheel_is_refused(files, tmp_path):
    files["pywbms/large.py"] = os.urandom(3_000_000)
    (found,) = problems(files, tmp_path)
    assert "more than 3000000" in found


@pytest.mark.parametrize("name", ["LICENSE", "rbridge/COPYING"])
def test_a_missing_licence_is_named(files, name, tmp_path):
    del files[f"{INFO}/licenses/{name}"]
    assert problems(files, tmp_path) == [f"{name} is not among the licences"]


def test_a_wrong_licence_is_named(files, tmp_path):
    files[f"{INFO}/METADATA"] = "License-Expression: MIT\n"
    assert problems(files, tmp_path) == [f"the licence is not said to be {build_wheel.LICENCE}"]


def test_the_compiled_core_serves_every_python():
    built = [path.name for path in (ROOT / "pywbms" / "_core").glob("*.so")]
    assert built
    assert all(name.endswith(".abi3.so") for name in built)


def run_pythons(**environment):
    return subprocess.run(
        [sys.executable, ROOT / "tools" / "pythons"],
        env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip


def test_pythons_are_found_once_and_are_new_enough():
    found = run_pythons().stdout.split()
    assert len(found) == len(set(found)) >= 1
    for path in found:
        said = subprocess.run([path, "-c", "import sys; print(sys.version_info >= (3, 11))"],
                              capture_output=True, text=True, check=True).stdout  # fmt: skip
        assert said == "True\n", path


def test_pythons_that_are_old_or_broken_are_left_out(tmp_path):
    (tmp_path / "old").mkdir()
    for name, script in (
        ("old/python3.9", "#!/bin/sh\necho 3 9 1 0 /old\n"),
        ("old/python3.13", "#!/bin/sh\nexit 1\n"),
        ("old/python3.14", "#!/bin/sh\necho 3 14 1 1 /free-threaded\n"),
        ("old/python3.12", "#!/bin/sh\necho 3 12 99 0 /new\n"),
    ):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    found = run_pythons(PATH=f"{tmp_path / 'old'}:{os.environ['PATH']}").stdout.split()
    assert [path for path in found if path.startswith(str(tmp_path))] == [
        str(tmp_path / "old" / "python3.12")
    ]


def test_the_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    texts = {name: (ROOT / name).read_text("utf-8") for name in ("setup.py", "tools/pythons")}
    assert f"OLDEST_PYTHON = ({oldest.replace('.', ', ')})" in texts["setup.py"]
    assert f"OLDEST = ({oldest.replace('.', ', ')})" in texts["tools/pythons"]
    assert PROJECT["tool"]["mypy"]["python_version"] == oldest


class TestRelease:
    """What runs on a host only, as far as it can be looked at here."""

    def test_cibuildwheel_understands_its_settings(self):
        program = Path(sys.executable).parent / "cibuildwheel"
        if not program.exists():
            absent = pytest.fail if os.environ.get("CI") else pytest.skip
            absent("cibuildwheel is not installed")
        options = ["--print-build-identifiers", "--platform", "linux", "--archs", "x86_64"]
        said = subprocess.run(
            [program, *options, ROOT], capture_output=True, text=True, check=True
        ).stdout.split()
        assert "cp311-manylinux_x86_64" in said
        assert said == [name for name in said if re.match(r"cp31[123]-", name)]

    def test_the_workflow_names_files_that_exist(self):
        text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
        named = re.findall(r"\b(?:tools|pywbms)/\w+\.py", text)
        assert {"tools/prove_wheel.py", "pywbms/_version.py"} <= set(named)
        assert all((ROOT / name).is_file() for name in named)
        assert json.dumps(pythons()) in text


def pythons():
    """The versions of Python that the metadata names."""
    found = re.findall(r":: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))
    assert found
    return found
