"""How much memory a fit takes, and how much is free."""

from pathlib import Path

try:
    import resource
except ImportError:  # there are no such limits on this system
    resource = None  # type: ignore[assignment]

# Beside the points: packed tiles, or the kernel matrix of few points with many features.
BYTES_PER_THREAD = 64_000_000


def require_memory(shape, n_threads, steps_recorded=0):
    """Raise a MemoryError that says how much a fit needs, if there is less.

    Parameters
    ----------
    shape : (n, p)
    n_threads : int
    steps_recorded : int
        Iterations whose points are certain to be kept, if the path is recorded.
    """
    needed, free = bytes_needed(shape, n_threads, steps_recorded), bytes_free()
    if free is not None and needed > free:
        rows, columns = shape
        path = f" and the path of {steps_recorded} iterations" if steps_recorded else ""
        raise MemoryError(
            f"a fit of {rows:,} rows × {columns:,} columns needs {needed / 1e9:,.1f} GB beside the "
            f"data (three copies of it{path}, and 64 MB per thread), but only {free / 1e9:,.1f} GB "
            "are free; take fewer rows or columns"
        )


def bytes_needed(shape, n_threads, steps_recorded=0):
    """Return the largest amount of memory that a fit takes above its input.

    Examples
    --------
    >>> bytes_needed((100_000, 20), n_threads=2)
    176000000
    """
    copy = 8 * shape[0] * shape[1]
    # A path is gathered step by step, and then put together in one array.
    return (3 + 2 * steps_recorded) * copy + BYTES_PER_THREAD * n_threads


def bytes_free():
    """Return how much memory this process can still get, or None if that is unknown."""
    found = [limit for limit in (_of_the_machine(), _of_the_group(), _of_the_process()) if limit]
    return min(found, default=None)


def _of_the_machine():
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line), None)


def _of_the_group():
    """Return what is left to a control group (a container)."""
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text().strip()
        used = int((folder / "memory.current").read_text())
        # Pages of files that can be dropped count as used, too.
        lines = (folder / "memory.stat").read_text().splitlines()
    except (OSError, ValueError):
        return None
    droppable = sum(int(line.split()[1]) for line in lines if line.startswith("inactive_file "))
    return max(1, int(limit) - used + droppable) if limit.isdigit() else None


def _of_the_process():
    """Return what is left of a limit on the address space (ulimit -v)."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0] if resource else -1
    if limit < 0:  # RLIM_INFINITY
        return None
    try:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        return limit
    return max(1, limit - used)
