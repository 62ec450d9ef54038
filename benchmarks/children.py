"""Work in a process of its own: a fresh memory, a time limit, or another build of pywbms."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(task, timeout=None, build=None, **arguments):
    """Run a task of `benchmarks.child` and return what it found.

    Parameters
    ----------
    task : str
    timeout : float, optional
        Seconds after which the child is ended.
    build : Path, optional
        Folder with the pywbms to use; the installed one by default.
    **arguments
        What the task takes, as far as JSON knows it.

    Raises
    ------
    subprocess.TimeoutExpired
    RuntimeError
        If the child failed; the message ends with what it said.
    """
    path = [str(folder) for folder in (build, ROOT) if folder is not None]
    child = subprocess.run(
        # -P: the current folder may hold another pywbms, and would come first.
        [sys.executable, "-P", "-m", "benchmarks.child", task, json.dumps(arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if child.returncode:
        raise RuntimeError(f"{task} failed in its own process:\n{child.stderr.strip()}")
    return json.loads(child.stdout)
