"""A fit with one and two threads, on a machine that is idle and on one that is busy."""

import subprocess
import sys
from contextlib import contextmanager
from statistics import median

from benchmarks.clock import seconds_of
from benchmarks.contenders import wbms
from benchmarks.steps import cores

# Should nobody end it, a busy process ends itself.
LONGEST = 300
BUSY = f"""
import time
end = time.monotonic() + {LONGEST}
print("busy", flush=True)
while time.monotonic() < end:
    pass
"""


def measure(case, plan):
    """Return two rows of the table: without and with busy processes beside the fit."""
    return [row(case, plan, n_processes) for n_processes in (0, plan.busy_processes)]


def row(case, plan, n_processes):
    """Return a row of the table. Times are medians: a minimum may miss the busy processes."""
    X, _ = case.draw()
    threads = (1, 2) if cores() > 1 else (1,)
    times = {n: [] for n in threads}
    with busy(n_processes):
        for _ in range(plan.busy_repeats):
            for n in threads:
                times[n].append(seconds_of(lambda n=n: wbms.fit(case, X, n)).wall)
    found = {
        "section": "busy",
        "case": case.name,
        "n": case.n,
        "p": case.p,
        "method": f"{n_processes} busy processes",
        "one_thread_s": median(times[1]),
    }
    if 2 in times:
        two = median(times[2])
        found |= {"two_threads_s": two, "speedup": found["one_thread_s"] / two}
    return found


@contextmanager
def busy(n_processes):
    """Keep the machine busy with so many processes."""
    processes = []
    try:
        for _ in range(n_processes):
            processes.append(subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE))
        for process in processes:
            process.stdout.readline()
        yield
    finally:
        for process in processes:
            process.kill()
        for process in processes:
            process.communicate()
