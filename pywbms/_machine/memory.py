"""How much memory a fit takes, and how much is free."""

from pathlib import Path

try:
    import resource
except ImportError:  # there are no such limits on this system
    resource = None  # type: ignore[assignment]

# Beside the points: packed tiles, or the kernel matrix of few points with many features.
BYTES_PER_THREAD = 64_000_000

# A search for h, lam or the start looks at so many rows at most (`_selection.choice.MOST_ROWS`),
# stops its fits after so many iterations (`_selection.runner.MAX_ITER`), each of which is recorded,
# and remembers the weights of so many fits.
ROWS_SEARCHED = 2000
# Of more than so many rows it scans so many first (`_selection.confirmation.SCAN_ROWS`).
ROWS_SCANNED = 600
ITERATIONS_SEARCHED = 50
FITS_REMEMBERED = 200


def require_memory(shape, n_threads, steps_recorded=0, searches=False):
    """Raise a MemoryError that says how much a fit needs, if there is less.

    Parameters
    ----------
    shape : (n, p)
    n_threads : int
    steps_recorded : int
        Iterations whose points are certain to be kept, if the path is recorded.
    searches : bool
        Whether h, lam or the start of the weights are chosen from the data.
    """
    needed, free = bytes_needed(shape, n_threads, steps_recorded, searches), bytes_free()
    if free is not None and needed > free:
        rows, columns = shape
        lacking = max(needed - free, 1000)
        path = f", the path of {steps_recorded} iterations" if steps_recorded else ""
        search = ", the search for h, lam and the start" if searches else ""
        remedy = " or give h, lam and init" if searches else ""
        raise MemoryError(
            f"a fit of {rows:,} rows × {columns:,} columns needs {in_words(lacking)} more "
            f"than the {in_words(free)} free: {in_words(needed)} beside the data (copies of "
            f"it{path}{search}, and 64 MB per thread); take fewer rows or columns{remedy}"
        )


def bytes_needed(shape, n_threads, steps_recorded=0, searches=False):
    """Return the largest amount of memory that a fit takes above its input.

    Examples
    --------
    >>> bytes_needed((100_000, 20), n_threads=2)
    176000000
    >>> bytes_needed((50, 50_000), n_threads=1, searches=True)
    344000000
    """
    copy = 8 * shape[0] * shape[1]
    # A path is gathered step by step, and then put together in one array.
    fit = (3 + 2 * steps_recorded) * copy
    search = bytes_of_search(shape, n_threads) if searches else 0
    return max(fit, search) + BYTES_PER_THREAD * n_threads


def bytes_of_search(shape, n_threads):
    """Return how much memory the choice of h, lam and the start takes, before the fit itself.

    The rows are sorted, which takes two copies of them. Of the rows that are searched there are
    three copies for all fits, and four for each of the fits at a time, one per thread; of those
    that are scanned first, four.
    """
    n, p = shape
    searched = 8 * min(n, ROWS_SEARCHED) * p
    scanned = 8 * ROWS_SCANNED * p if n > ROWS_SCANNED else 0
    weights = 8 * p * (FITS_REMEMBERED + ITERATIONS_SEARCHED * n_threads)
    return 2 * 8 * n * p + (3 + 4 * n_threads) * searched + 4 * scanned + weights


def in_words(n_bytes):
    """Return an amount of memory in the unit that suits it, at least two digits of it.

    Examples
    --------
    >>> in_words(900_000_000), in_words(12_345_678_901), in_words(450_000), in_words(9_949)
    ('900 MB', '12 GB', '450 kB', '9.9 kB')
    """
    units = (("GB", 1e9), ("MB", 1e6))
    unit, size = next((pair for pair in units if n_bytes >= pair[1]), ("kB", 1e3))
    amount = n_bytes / size
    return f"{amount:,.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"


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
