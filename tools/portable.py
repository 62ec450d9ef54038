"""Build the core with other compilers and for other processors, and run its tests there.

gcc, clang    this machine's processor
noavx         compiled without AVX, run on an emulated processor that has none (qemu-user)
aarch64       cross-compiled for 64-bit ARM, run with an emulated processor (qemu-user) on a Python
              and libraries of that architecture, from Debian's packages and wheels

Not tried here, as nothing of it can be had on Linux: macOS and Windows. The core needs gcc or clang
and POSIX threads.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from build_wheel import ROOT, tool_path
from requirements import requirements

TESTS = ("test_core.py", "test_nonfinite.py", "test_marginal.py")
TESTERS = ("pytest>=8", "pytest-timeout>=2.3", "hypothesis>=6.100")
NEEDS = {  # the program that a build needs, and the Debian package that has it
    "gcc": {"gcc": "gcc"},
    "clang": {"clang": "clang"},
    "noavx": {"gcc": "gcc", "qemu-x86_64": "qemu-user"},
    "aarch64": {
        "aarch64-linux-gnu-gcc": "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        "qemu-aarch64": "qemu-user",
        "apt-get": "apt",
    },
}
COMPILERS = {
    "gcc": ("gcc", ""),
    "clang": ("clang", ""),
    "noavx": ("gcc", "-march=x86-64 -mno-avx"),
}
NO_AVX = "Nehalem"  # the last of its kind without
ARM = "aarch64-linux-gnu"
ARM_PYTHON = "3.11"  # of Debian 12


def main(argv=None):
    """Build and test everywhere; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("where", nargs="*", metavar="WHERE", help=f"of {', '.join(NEEDS)}")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "portable", metavar="FOLDER")
    parser.add_argument("--cases", type=int, default=40, metavar="N", help="random cases")
    args = parser.parse_args(argv)
    wanted = args.where or list(NEEDS)
    for name in wanted:
        if name not in NEEDS:
            parser.error(f"{name} is none of {', '.join(NEEDS)}")
    require({tool: package for name in wanted for tool, package in NEEDS[name].items()})
    failed = []
    for name in wanted:
        print(f"pywbms: {name}: building", flush=True)
        folder = args.build.absolute() / name
        shutil.rmtree(folder, ignore_errors=True)
        python = arm_python(folder) if name == "aarch64" else native_python(name, folder)
        if any(run(python, *command) for command in checks(args.cases)):
            failed.append(name)
    print("pywbms: " + (f"failed: {', '.join(failed)}" if failed else f"passed: {wanted}"))
    print("pywbms: not tried: macOS, Windows")
    return 1 if failed else 0


def require(programs):
    """Exit if programs are missing, and say where they are."""
    missing = {package for name, package in programs.items() if shutil.which(name) is None}
    if missing:
        sys.exit(f"pywbms: missing; on Debian: apt-get install {' '.join(sorted(missing))}")


def checks(cases):
    """Yield the arguments of Python for each check."""
    which = "from pywbms._core.tiles import instruction_set as s; import platform as p; "
    yield ["-c", which + "print('pywbms: on', p.machine(), 'with the instruction set', s())"]
    yield ["tests/fuzz.py", str(cases)]
    yield ["-m", "pytest", "-q", "-m", "fast", "-p", "no:cacheprovider", "-p", "no:xdist",
           "-k", "not packaging", *(f"tests/{name}" for name in TESTS)]  # fmt: skip


def run(python, *arguments):
    """Run a Python, which is (command, folder, environment); return its exit code."""
    command, folder, environment = python
    environment = {**os.environ, **environment}
    return subprocess.run([*command, *arguments], cwd=folder, env=environment).returncode


def native_python(name, folder):
    """Build with a compiler of this machine; return how to run Python with it."""
    compiler, flags = COMPILERS[name]
    build(folder, {"CC": compiler, "LDSHARED": f"{compiler} -shared", "CFLAGS": flags})
    environment = {"PYTHONPATH": str(folder / "lib")}
    if name != "noavx":
        return [sys.executable], folder / "lib", environment
    # NumPy's OpenBLAS takes the emulated processor for another one, unless told.
    environment["OPENBLAS_CORETYPE"] = NO_AVX
    return ["qemu-x86_64", "-cpu", NO_AVX, sys.executable], folder / "lib", environment


def arm_python(folder):
    """Build for 64-bit ARM; return how to run Python with it."""
    root = folder / "root"
    arm_packages(folder / "apt", root)
    headers = root / "usr" / "include"
    include = f"-I{headers}/python{ARM_PYTHON} -I{headers}"  # before those of this machine's Python
    compiler = f"{ARM}-gcc"
    build(folder, {"CC": f"{compiler} {include}", "LDSHARED": f"{compiler} -shared", "CFLAGS": ""})
    libraries = folder / "site-packages"
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    subprocess.run(
        [tool_path("uv"), "pip", "install", "--quiet", "--target", libraries, "--only-binary",
         ":all:", "--python-version", ARM_PYTHON, "--python-platform", "aarch64-manylinux_2_28",
         *requirements(pyproject, "run"), *TESTERS],
        check=True,
    )  # fmt: skip
    python = [f"qemu-{ARM.partition('-')[0]}", "-L", root, root / f"usr/bin/python{ARM_PYTHON}"]
    path = os.pathsep.join([str(folder / "lib"), str(libraries)])
    return python, folder / "lib", {"PYTHONPATH": path, "PYTHONHOME": str(root / "usr")}


def arm_packages(state, root):
    """Unpack a Python for 64-bit ARM from Debian's packages; this machine's stay as they are."""
    archives = state / "archives"
    for path in (state / "lists" / "partial", archives / "partial"):
        path.mkdir(parents=True)
    (state / "status").touch()  # nothing is installed there: all that is needed is downloaded
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Install-Recommends": "0",
        "APT::Sandbox::User": "root",
        "Debug::NoLocking": "1",
        "Dir::State::lists": state / "lists",
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Dir::Cache::archives": archives,
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in options.items())]
    subprocess.run([*apt, "update"], check=True)
    packages = ["python3-minimal", "libpython3-stdlib", "libstdc++6"]
    subprocess.run([*apt, "-y", "--download-only", "install", *packages], check=True)
    subprocess.run([*apt, "download", f"libpython{ARM_PYTHON}-dev"], check=True, cwd=archives)
    for package in sorted(archives.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)


def build(folder, environment):
    """Build the package with an environment, and put its tests beside it, into lib."""
    lib = folder / "lib"
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--build-base", folder / "base",
         "--build-lib", lib],
        cwd=ROOT, check=True, env={**os.environ, **environment},
    )  # fmt: skip
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy2(ROOT / name, lib)
    shutil.copytree(ROOT / "tests", lib / "tests", ignore=shutil.ignore_patterns("__pycache__"))


if __name__ == "__main__":
    sys.exit(main())
