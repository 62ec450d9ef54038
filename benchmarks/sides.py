"""One side of a comparison of two commits: the same quick cases with a given build of pywbms."""

from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits

import pywbms
from benchmarks import children
from benchmarks.clock import interleave
from benchmarks.contenders import wbms
from benchmarks.steps import step_seconds


def measure(build, cases, seconds):
    """Time the cases in a process that uses a build; return seconds by name of the case."""
    return children.run(
        "side", build=build, folder=str(build), cases=[asdict(case) for case in cases],
        seconds=seconds,
    )  # fmt: skip


def in_child(folder, cases, seconds):
    """Return the CPU seconds of a step and of an iteration of a fit, by name."""
    if not Path(pywbms.__file__).is_relative_to(folder):
        raise ImportError(f"pywbms was imported from {pywbms.__file__}, not from {folder}")
    found = {}
    for case in cases:
        X, _ = case.draw()
        rows = wbms.working_rows(X)
        contenders = {
            f"{case.name} step": step_repeat(case, rows),
            f"{case.name} in a fit": fit_repeat(case, X),
        }
        with threadpool_limits(1, user_api="blas"):
            best = interleave(contenders, seconds, least=2, most=10)
        found.update({name: value.cpu for name, value in best.items()})
    return found


def step_repeat(case, rows):
    """Return a function that times a step."""
    return lambda: step_seconds(case, wbms.start(case, rows))


def fit_repeat(case, X):
    """Return a function that times an iteration of a fit."""
    return lambda: wbms.iteration_of_a_fit(case, X)
