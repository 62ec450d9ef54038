"""The peak memory of a fit, beyond its input."""

import ctypes
import resource
import sys
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

from benchmarks import children
from benchmarks.cases import dense
from benchmarks.contenders import wbms

MB = 1e6
PER_THREAD = 64 * MB


def promise(n, p, n_threads):
    """Return the guaranteed bound in bytes: three times the input, plus 64 MB per thread.

    Examples
    --------
    >>> promise(1000, 1000, 1) / MB
    88.0
    """
    return 3 * n * p * 8 + PER_THREAD * n_threads


def measure(case, n_threads=1):
    """Fit in a separate process and return a row of the table."""
    peak = children.run("memory", case=asdict(case), n_threads=n_threads)
    most = promise(case.n, case.p, n_threads)
    return {
        "section": "memory",
        "case": case.name,
        "n": case.n,
        "p": case.p,
        "input_mb": case.n * case.p * 8 / MB,
        "peak_mb": peak / MB,
        "promise_mb": most / MB,
        "percent_of_promise": 100 * peak / most,
    }


def in_child(case, n_threads):
    """Return the peak memory of a fit in bytes, beyond the memory in use before it."""
    tiny = dense(50, 3)
    wbms.few_iterations(tiny, tiny.draw()[0], n_threads)  # load everything that is loaded once
    X, _ = case.draw()
    give_back_what_is_free()
    before = forget_the_peak()
    wbms.few_iterations(case, X, n_threads)
    return peak_memory() - before


def forget_the_peak():
    """Reset the peak to the current memory, if the system supports it, and return the peak."""
    # Otherwise the peak so far is returned, and the difference may be too small.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory():
    """Return the peak resident memory of this process since the last reset."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back_what_is_free():
    """Let the C library release freed memory, which the fit could otherwise reuse uncounted."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
