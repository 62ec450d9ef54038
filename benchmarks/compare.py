"""Base against head: two commits, each built separately, timed alternately."""

import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import sides
from benchmarks.children import ROOT
from benchmarks.table import lines_of, markdown_lines, milliseconds

HEADINGS = ["case", "base, ms", "head, ms", "head / base", "lowest", "highest"]


def compare(base, head, cases, rounds, seconds, say):
    """Build two commits and time them alternately.

    Both are timed with the benchmark code of this tree.

    Parameters
    ----------
    base, head : str
        Names of git commits.
    cases : list of Case
    rounds : int
        Number of times each side is timed, each time in a new process.
    seconds : float
        Time for a case in a round.
    say : callable
        Receives progress messages.

    Returns
    -------
    list of tuple
        See `ratios`.
    """
    names = {"base": commit(base), "head": commit(head)}
    with TemporaryDirectory(prefix="benchmarks-") as folder:
        builds = {}
        for side, name in names.items():
            say(f"building {side}, {name[:10]}")
            builds[side] = build(name, Path(folder, side))
        found = {"base": [], "head": []}
        for turn in range(rounds):
            say(f"round {turn + 1} of {rounds}")
            for side in order_of(turn):
                found[side].append(sides.measure(builds[side], cases, seconds))
    return ratios(found["base"], found["head"])


def order_of(turn):
    """Return the order in which the sides are timed; it alternates from round to round."""
    return ("base", "head") if turn % 2 == 0 else ("head", "base")


def ratios(base, head):
    """Return the results of the rounds, one tuple per case.

    Parameters
    ----------
    base, head : list of dict
        Seconds by name of the case, one dict per round.

    Returns
    -------
    list of (name, base, head, ratio, lowest, highest)
        Minimum seconds of each side, their ratio, and the lowest and highest ratio in one round.

    Examples
    --------
    >>> ratios([{"a": 2.0}, {"a": 4.0}, {"a": 2.0}], [{"a": 1.0}, {"a": 1.0}, {"a": 1.2}])
    [('a', 2.0, 1.0, 0.5, 0.25, 0.6)]
    """
    rows = []
    for name in base[0]:
        pairs = [(b[name], h[name]) for b, h in zip(base, head, strict=True)]
        ratio = [h / b for b, h in pairs]
        bases, heads = map(min, zip(*pairs, strict=True))
        rows.append((name, bases, heads, heads / bases, min(ratio), max(ratio)))
    return rows


def in_text(rows, markdown=False):
    """Return the ratios as a table."""
    cells = [
        [name, milliseconds(base), milliseconds(head), *(f"{value:.2f}" for value in ratio)]
        for name, base, head, *ratio in rows
    ]
    return "\n".join((markdown_lines if markdown else lines_of)(HEADINGS, cells))


def commit(name):
    """Return the hash of a commit."""
    found = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        raise ValueError(f"unknown git commit {name!r}")
    return found.stdout.strip()


def build(name, folder):
    """Check out a commit, build it and return the folder that contains its pywbms."""
    with worktree(name, folder / "source") as source:
        done = subprocess.run(
            [sys.executable, "setup.py", "-q", "build", "--build-base", folder / "build",
             "--build-lib", folder / "lib"],
            cwd=source, capture_output=True, text=True,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"building {name[:10]} failed:\n{done.stderr.strip()}")
    return folder / "lib"


@contextmanager
def worktree(name, folder):
    """Check out a commit into a folder, and remove it afterwards."""
    done = git("worktree", "add", "--detach", "--quiet", str(folder), name)
    if done.returncode:
        raise RuntimeError(f"checking out {name[:10]} failed:\n{done.stderr.strip()}")
    try:
        yield folder
    finally:
        git("worktree", "remove", "--force", str(folder))


def git(*arguments):
    """Run git on this repository."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
