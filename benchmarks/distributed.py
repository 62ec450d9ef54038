"""An iteration on a Dask cluster of two processes, compared with one here and an estimate."""

import math
import time
from itertools import pairwise

from pywbms import WBMS

N_WORKERS = 2
#: A size that only a cluster can handle: rows, columns, workers.
ON_PAPER = (1_000_000, 100, 64)


def measure(cases, repeats, say):
    """Return the rows of the section.

    Parameters
    ----------
    cases : tuple of Case
        From small, where only the overhead of tasks is measured, to large.
    repeats : int
        Number of timed iterations; the fastest is used. Points are not merged, so that all
        iterations do the same work.
    say : callable
        Receives progress messages.
    """
    from distributed import Client, LocalCluster  # only this section needs it

    rows = []
    with (
        LocalCluster(N_WORKERS, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        for case in cases:
            say(f"distributed {case.name}")
            X, _ = case.draw()
            here = iteration_here(case, X, repeats)
            there = iteration_there(case, X, repeats, client)
            rows.append(
                {
                    "section": "distributed",
                    "case": case.name,
                    "n": case.n,
                    "p": case.p,
                    "iteration_s": here,
                    "cluster_s": there,
                    "times_here": here / there,
                }
            )
    rows.append(break_even_row(rows))
    return [*rows, on_paper(*ON_PAPER)]


def iteration_here(case, X, repeats):
    """Return the wall time of an iteration of a fit in this process, on one thread."""
    marks = []
    WBMS(
        case.h, case.lam, warmup=0, stop="fixed", max_iter=repeats + 1, merge=False,
        callback=lambda state: marks.append(time.perf_counter()),
    ).fit(X)  # fmt: skip
    return least_step(marks)


def iteration_there(case, X, repeats, client):
    """Return the wall time of an iteration on the cluster."""
    from pywbms.distributed import fit

    marks = []
    fit(
        X, case.h, case.lam, client, layout="rows", warmup=0, stop="fixed", max_iter=repeats + 1,
        merge=False, worth_sending=0, callback=lambda state: marks.append(time.perf_counter()),
    )  # fmt: skip
    return least_step(marks)


def least_step(marks):
    """Return the minimum time between two marks.

    Examples
    --------
    >>> least_step([1.0, 3.5, 5.0])
    1.5
    """
    return min(b - a for a, b in pairwise(marks))


def break_even_row(rows):
    """Return the row with the overhead of an iteration and the break-even n."""
    smallest, largest = rows[0], rows[-1]
    n = break_even([(row["n"], row["times_here"]) for row in rows])
    note = f"p = {largest['p']}, {N_WORKERS} processes"
    return {
        "section": "distributed",
        "case": "break-even",
        "overhead_s": smallest["cluster_s"] - smallest["iteration_s"],
        "break_even": n,
        "note": note if n is not None else f"{note}: none up to n = {largest['n']:,}",
    }


def break_even(measured):
    """Return the number of rows from which on an iteration is faster on the cluster, or None.

    Parameters
    ----------
    measured : list of (int, float)
        n, and the ratio of the times here and there, by increasing n. In between, both are
        interpolated on a logarithmic scale.

    Examples
    --------
    >>> break_even([(100, 0.01), (1000, 0.5), (4000, 2.0)])
    2000
    >>> break_even([(100, 0.01), (1000, 0.5)]) is None
    True
    """
    if measured[-1][1] < 1:
        return None
    last_behind = max((i for i, (_, ratio) in enumerate(measured) if ratio < 1), default=None)
    if last_behind is None:
        return measured[0][0]
    (n, behind), (more, ahead) = measured[last_behind : last_behind + 2]
    share = -math.log(behind) / (math.log(ahead) - math.log(behind))
    return round(n * (more / n) ** share)


def on_paper(n, p, n_workers):
    """Return the row of the estimate for a larger cluster."""
    from pywbms.distributed import cost

    paper = cost(n, p, n_workers, "rows")
    return {
        "section": "distributed",
        "case": "estimate",
        "n": n,
        "p": p,
        "cluster_s": paper.seconds,
        "flop": paper.flop,
        "moved_gb": paper.bytes_moved / 1e9,
        "worker_gb": paper.bytes_a_worker / 1e9,
        "note": f"an estimate, not measured: {n_workers} workers, 2e10 flop/s and 1 GB/s each",
    }
