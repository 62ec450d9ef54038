"""One step, and one iteration of a fit, compared with plain NumPy and the floor."""

import os

from threadpoolctl import threadpool_limits

from benchmarks import floor
from benchmarks.clock import interleave, seconds_of
from benchmarks.contenders import oracle, plain_numpy, tuned_numpy, wbms

# NumPy needs an n × n matrix: up to 800 MB here.
MOST_ROWS_OF_A_MATRIX = 10_000


def measure(case, plan):
    """Time one case.

    Parameters
    ----------
    case : Case
    plan : Plan

    Returns
    -------
    dict of str to Seconds
        Minima of "ours" (one thread), "threads" (two, if there are two cores), "iteration",
        "numpy", "tuned" and "oracle" (if feasible), "gemm" and "exp".
    """
    X, _ = case.draw()
    rows = wbms.working_rows(X)
    contenders = {
        "ours": lambda: step_seconds(case, wbms.start(case, rows)),
        "gemm": lambda: seconds_of(floor.one_gemm),
        "exp": lambda: seconds_of(floor.many_exp),
        "iteration": lambda: wbms.iteration_of_a_fit(case, X),
    }
    if cores() > 1:
        contenders["threads"] = lambda: step_seconds(case, wbms.start(case, rows, n_threads=2))
    if case.n <= MOST_ROWS_OF_A_MATRIX:
        contenders["numpy"] = lambda: step_seconds(case, plain_numpy.start(case, rows))
        contenders["tuned"] = lambda: step_seconds(case, tuned_numpy.start(case, rows))
    if case.n**2 * case.p <= plan.most_differences:
        contenders["oracle"] = lambda: step_seconds(case, oracle.start(case, rows))
    with threadpool_limits(1, user_api="blas"):
        return interleave(contenders, plan.seconds, plan.least, plan.most)


def step_seconds(case, step):
    """Return the `Seconds` of a step after the case's untimed steps."""
    for _ in range(case.warm):
        step()
    return seconds_of(step)


def cores():
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def best_rates(measured):
    """Return the best rates of GEMM and exp in a run, in flop and exponentials per second."""
    return (
        floor.gemm_rate(min(best["gemm"].cpu for best in measured)),
        floor.exp_rate(min(best["exp"].cpu for best in measured)),
    )


def row(section, case, best, rates):
    """Return a row of a section of the table."""
    ours = best["ours"]
    lowest = floor.floor(case.n, case.p, *rates)
    cells = {
        "section": section,
        "case": case.name,
        "n": case.n,
        "p": case.p,
        "ours_s": ours.cpu,
        "iteration_s": best["iteration"].cpu,
        "times_step": best["iteration"].cpu / ours.cpu,
        "floor_s": lowest,
        "percent_of_floor": 100 * lowest / ours.cpu,
    }
    if "threads" in best:
        cells["two_threads_s"] = best["threads"].wall
        cells["speedup"] = ours.wall / best["threads"].wall
    if "numpy" in best:
        cells["numpy_s"] = best["numpy"].cpu
        cells["times_numpy"] = best["numpy"].cpu / ours.cpu
        cells["tuned_s"] = best["tuned"].cpu
        cells["times_tuned"] = best["tuned"].cpu / ours.cpu
    if "oracle" in best:
        cells["oracle_s"] = best["oracle"].cpu
    return cells
