"""The memory a fit takes at its peak, above its input."""

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
    """Return the bytes that no fit may exceed: three times its input, and 64 MB a thread.

    Examples
    --------
    >>> promise(1000, 1000, 1) / MB
    88.0
    """
    return 3 * n * p * 8 + PER_THREAD * n_threads


def measure(case, n_threads=1):
    """Fit in a process of its own and return a row of the table."""
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
    """Return the bytes that a fit takes at most, above what there was before it."""
    tiny = dense(50, 3)
    wbms.few_iterations(tiny, tiny.draw()[0], n_threads)  # loads what is loaded once
    X, _ = case.draw()
    give_back_what_is_free()
    before = forget_the_peak()
    wbms.few_iterations(case, X, n_threads)
    return peak_memory() - before


def forget_the_peak():
    """Make the present memory the peak where the system can, and return the peak."""
    # Where it cannot, the peak so far counts, and the difference is at most too small.
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def peak_memory():
    """Return the largest resident memory of this process since its peak was forgotten."""
    status = Path("/proc/self/status")
    if status.exists():
        lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back_what_is_free():
    """Let the C library hand back freed memory, lest the fit takes it without being counted."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
