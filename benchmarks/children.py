"""Work in a separate process: with fresh memory, a time limit, or another build of pywbms."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(task, timeout=None, build=None, **arguments):
    """Run a task of `benchmarks.child` and return its result.

    Parameters
    ----------
    task : str
    timeout : float, optional
        Seconds after which the child is stopped.
    build : Path, optional
        Folder with the pywbms to use; by default the installed one.
    **arguments
        Arguments of the task, serialisable as JSON.

    Raises
    ------
    subprocess.TimeoutExpired
    RuntimeError
        If the child failed; the message ends with its error output.
    """
    path = [str(folder) for folder in (build, ROOT) if folder is not None]
    child = subprocess.run(
        # -P: the current folder may contain another pywbms, which would take precedence.
        [sys.executable, "-P", "-m", "benchmarks.child", task, json.dumps(arguments)],
        # Older builds have OpenMP: CPU time of threads that spin while waiting would be counted.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "OMP_WAIT_POLICY": "passive"},
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    if child.returncode:
        raise RuntimeError(f"{task} failed in a separate process:\n{child.stderr.strip()}")
    return json.loads(child.stdout)
