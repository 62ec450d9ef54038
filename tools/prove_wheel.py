"""Install the wheel in dist into clean environments and run the fast lane of the tests there.

usage: prove_wheel.py [--python PATH]… [--versions oldest|newest]… [--short] [PYTEST ARGUMENT…]

By default every Python that tools/pythons finds, each with the oldest numpy, scipy, pandas,
scikit-learn, … that pyproject.toml allows (and that have a wheel for this Python), and with the
newest. The tests come from the source distribution, without its package: what they import is what
was installed. Tests of the source itself and of building are left out.
"""

import argparse
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

from build_wheel import ROOT, tool_path
from requirements import requirements

# They look at the source, at make, or build.
NOT_OF_THE_WHEEL = ("test_architecture.py", "test_packaging.py", "test_make.py", "test_wheel.py")
# A few files that use every module of the core and every dependency.
SHORT = ("test_core.py", "test_save.py", "test_compat.py")
SHOWN = ("numpy", "scipy", "pandas", "scikit-learn")
WHERE = "import pywbms, sys; print(*sys.version_info[:3], sep='.'); print(pywbms.__file__)"


def main(argv=None):
    """Prove the wheel; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--python", action="append", metavar="PATH", help="by default all")
    parser.add_argument("--versions", action="append", choices=["oldest", "newest"])
    parser.add_argument("--short", action="store_true", help="a few test files only")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", metavar="FOLDER")
    args, of_pytest = parser.parse_known_args(argv)
    wheel, sdist = newest(args.dist, "*.whl"), newest(args.dist, "*.tar.gz")
    failed = []
    with tempfile.TemporaryDirectory(prefix="pywbms-proof-") as folder:
        tests = unpack_tests(sdist, Path(folder))
        for python in args.python or all_pythons():
            for versions in args.versions or ["oldest", "newest"]:
                environment = Path(folder) / "environment"
                name = install(wheel, python, versions, environment)
                print(f"pywbms: {name}", flush=True)
                if run_tests(tests, environment, args.short, of_pytest):
                    failed.append(name)
                shutil.rmtree(environment)
    for name in failed:
        print(f"pywbms: failed with {name}")
    return 1 if failed else 0


def newest(folder, pattern):
    """Return the only file of a kind."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        sys.exit(f"pywbms: {folder} has {len(found)} files {pattern}, not one: run make wheel")
    return found[0]


def all_pythons():
    """Return the interpreters that tools/pythons finds."""
    command = [sys.executable, ROOT / "tools" / "pythons"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def unpack_tests(sdist, folder):
    """Unpack a source distribution and remove what a wheel brings; return where the tests are."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (tests,) = folder.glob("pywbms-*")
    for package in ("pywbms", "rbridge"):
        shutil.rmtree(tests / package)
    return tests


def install(wheel, python, versions, environment):
    """Make an environment with the wheel and the tests' requirements; return what is in it."""
    uv("venv", "--quiet", "--python", python, environment)
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    pinned = environment / "pinned.txt"
    if versions == "oldest":
        runs = environment / "run.txt"
        runs.write_text("\n".join(requirements(pyproject, "run")))
        uv("pip", "compile", "--quiet", "--python", environment, "--resolution", "lowest-direct",
           "--only-binary", ":all:", "--output-file", pinned, runs)  # fmt: skip
    else:
        pinned.touch()
    uv("pip", "install", "--quiet", "--python", environment, "--only-binary", ":all:",
       "--constraints", pinned, wheel, *requirements(pyproject, "test"))  # fmt: skip
    said = subprocess.run(
        [environment / "bin" / "python", "-c", WHERE],
        cwd=environment, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    if not Path(said[1]).is_relative_to(environment):
        sys.exit(f"pywbms: {said[1]} is not the installed package")
    listed = uv("pip", "freeze", "--python", environment).splitlines()
    shown = [line.replace("==", " ") for line in listed if line.split("==")[0] in SHOWN]
    return f"Python {said[0]}, {', '.join(shown)} ({versions})"


def run_tests(tests, environment, short, arguments):
    """Run the fast lane with an environment; return pytest's exit code."""
    if short:
        chosen = [f"tests/{name}" for name in SHORT]
    else:
        chosen = ["tests", "benchmarks", "--pyargs", "pywbms"]
        chosen += [f"--ignore=tests/{name}" for name in NOT_OF_THE_WHEEL]
    command = [environment.absolute() / "bin" / "python", "-m", "pytest", "-q", "-m", "fast",
               "-p", "no:cacheprovider", *chosen, *arguments]  # fmt: skip
    return subprocess.run(command, cwd=tests).returncode


def uv(*arguments):
    """Run uv; return what it said."""
    done = subprocess.run([tool_path("uv"), *arguments], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"pywbms: uv {' '.join(map(str, arguments))} failed")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
