"""Build the core with sanitizers, and run its tests and random cases with each instruction set.

AddressSanitizer finds accesses out of bounds and after free, UndefinedBehaviorSanitizer overflows,
bad shifts and misaligned pointers. The first one found ends the run with its place in the code.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The tests of the core.
TESTS = ("test_core.py", "test_nonfinite.py", "test_tiles.py", "test_marginal.py", "test_hull.py")
SKIPPED = "not packaging"
INSTRUCTION_SETS = ("avx512", "avx2", "any")
OPTIONS = {
    # Python keeps memory until its end, which counts as a leak.
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    "PYTHONMALLOC": "malloc",  # otherwise small objects share blocks, and nothing lies between them
}

# Reads past the end of an array: if nobody notices that, nobody notices anything.
CANARY = """
import numpy as np
from pywbms._core.nearest import nearest
rows = np.zeros((3, 2))
nearest(rows, rows, np.ones(2), np.array([0, 6]), 1, np.empty(3, dtype=np.intp))
"""


def main(argv=None):
    """Build, then run everything; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "sanitize", metavar="FOLDER")
    parser.add_argument("--cases", type=int, default=200, metavar="N", help="random cases")
    parser.add_argument(
        "--tiny", action="store_true", help="ten cases and a few tests, to see that it works"
    )
    args = parser.parse_args(argv)
    folder = build(args.build)
    environment = {**os.environ, **OPTIONS, "LD_PRELOAD": runtime(), "PYTHONPATH": str(folder)}
    require_sanitizer(folder, environment)
    tests = ["-k", "TestShift or TestComponents"] if args.tiny else ["-k", SKIPPED]
    files = [f"tests/{name}" for name in (TESTS[:1] if args.tiny else TESTS)]
    for name in available(folder, environment):
        environment["PYWBMS_SIMD"] = name
        print(f"pywbms: sanitizing with {name}", flush=True)
        for command in (
            ["-m", "pytest", "-q", "-m", "fast", "-p", "no:cacheprovider", *tests, *files],
            ["tests/fuzz.py", str(10 if args.tiny else args.cases)],
        ):
            code = subprocess.run(
                [sys.executable, *command], cwd=folder, env=environment
            ).returncode
            if code:
                return code
    return 0


def build(folder):
    """Build pywbms with sanitizers; return a folder with it and its tests, and no other pywbms."""
    lib = folder / "lib"
    shutil.rmtree(lib, ignore_errors=True)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build", "--build-base", folder / "base",
         "--build-lib", lib],
        cwd=ROOT, check=True, env={**os.environ, "PYWBMS_SANITIZE": "1"},
    )  # fmt: skip
    for name in ("pyproject.toml", "conftest.py"):
        shutil.copy2(ROOT / name, lib)
    shutil.copytree(ROOT / "tests", lib / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    return lib


def runtime():
    """Return the libraries that must be loaded before Python is."""
    compiler = os.environ.get("CC", "gcc")
    # The C++ library, too: otherwise the sanitizer cannot see its exceptions, which some of the
    # packages that the tests import throw.
    names = ("libasan.so", "libubsan.so", "libstdc++.so.6")
    found = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in names
    ]
    return " ".join(path for path in found if os.path.isabs(path))


def require_sanitizer(folder, environment):
    """Raise a RuntimeError if an access out of bounds goes unnoticed."""
    done = subprocess.run(
        [sys.executable, "-c", CANARY], cwd=folder, env=environment, capture_output=True, text=True
    )
    if "heap-buffer-overflow" not in done.stderr:
        raise RuntimeError(f"the sanitizer does not see an access out of bounds:\n{done.stderr}")


def available(folder, environment):
    """Return the instruction sets that this machine has."""
    code = "from pywbms._core.tiles import instruction_set; print(instruction_set())"
    return [
        name
        for name in INSTRUCTION_SETS
        if subprocess.run(
            [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True,
            env={**environment, "PYWBMS_SIMD": name},
        ).stdout.strip() == name
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
