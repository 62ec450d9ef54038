"""What a fit needs of memory: as promised, known beforehand, and refused in words."""

import os
import re
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

from pywbms import WBMS, wbms
from pywbms._machine import memory
from pywbms._selection import choice, confirmation, runner


def printed_by(code):
    """What some code prints in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
@pytest.mark.parametrize("init", ["uniform", "auto"])
@pytest.mark.parametrize(("n", "p"), [(1500, 2000), (500, 8000), (30_000, 20)])
def test_a_fit_takes_no_more_than_promised(n, p, init):
    code = f"""
    import resource
    import numpy as np
    from pywbms import WBMS
    from pywbms._machine.memory import bytes_needed
    rng = np.random.default_rng(0)
    few = WBMS(0.1, 0.1).fit(rng.normal(size=(300, 5)))  # what is loaded once counts not
    X = rng.normal(size=(20, {p})).repeat({n} // 20, axis=0)
    X += 1e-3 * rng.random({p})
    X[:, 0] += 1e-9 * np.arange({n})
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    WBMS(0.5, 0.1, warmup=1, max_iter=2, stop="fixed", init="{init}").fit(X)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(1024 * (peak - before), bytes_needed(X.shape, 1, searches="{init}" == "auto"))
    """
    taken, promised = map(int, printed_by(code).split())
    assert taken <= promised


def test_too_little_is_said_before_the_start(monkeypatch):
    X = np.random.default_rng(0).normal(size=(1000, 50))
    monkeypatch.setattr(memory, "bytes_free", lambda: 65_000_000)
    model = WBMS(0.1, 0.1, init="uniform")
    with pytest.raises(MemoryError, match=r"needs 200 kB more than the 65 MB free: 65 MB besi"):
        model.fit(X)
    model.fit(X[:100])
    with pytest.raises(MemoryError, match="path of 300 iterations"):
        model.set_params(stop="fixed", record_path=True).fit(X[:100])


def test_the_search_counts(monkeypatch):
    X = np.random.default_rng(0).normal(size=(1000, 50))
    monkeypatch.setattr(memory, "bytes_free", lambda: 66_000_000)
    WBMS(0.1, 0.1, init="uniform", max_iter=3, stop="fixed").fit(X)
    for searches in (WBMS(), WBMS(0.1), WBMS(0.1, 0.1), WBMS(0.1, 0.1, init="marginal")):
        with pytest.raises(MemoryError, match="the search for h, lam and the start"):
            searches.fit(X)
    with pytest.raises(MemoryError, match="or give h, lam and init"):
        wbms(pd.DataFrame(X))


def test_what_a_search_does_is_known():
    assert memory.ROWS_SEARCHED == choice.MOST_ROWS
    assert memory.ROWS_SCANNED == confirmation.SCAN_ROWS
    assert memory.ITERATIONS_SEARCHED == runner.MAX_ITER


@pytest.mark.parametrize("free", [10**5, 4 * 10**8, 65_199_999])
def test_what_is_lacking_is_never_nothing(monkeypatch, free):
    monkeypatch.setattr(memory, "bytes_free", lambda: free)
    with pytest.raises(MemoryError) as raised:
        memory.require_memory((1000, 50_000 if free > 10**8 else 50), 1)
    amounts = r"needs ([\d.]+) [kMG]B more than the ([\d.]+) [kMG]B free"
    lacking, there = map(float, re.search(amounts, str(raised.value)).groups())
    assert lacking > 0
    assert there > 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "p", "n_jobs"), [(50, 50_000, 1), (50, 50_000, 2), (400, 2000, 1), (6000, 40, 2)]
)
def test_a_default_fit_takes_no_more_than_promised(n, p, n_jobs):
    code = f"""
    from pathlib import Path
    import numpy as np, pandas as pd
    from pywbms import wbms
    from pywbms._machine.memory import bytes_needed
    def peak():
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").open())
        return 1024 * int(status["VmHWM"].split()[0])
    rng = np.random.default_rng(0)
    for shape in ((60, 5), (40, 300)):  # what is loaded once counts not
        wbms(pd.DataFrame(rng.normal(size=shape)), n_jobs={n_jobs})
    X = rng.normal(size=({n}, {p}))
    X[: {n} // 2, : {p} // 50] += 4
    df = pd.DataFrame(X)
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    wbms(df, n_jobs={n_jobs})
    table = 2 * X.nbytes
    print(peak() - before, table + bytes_needed(X.shape, {n_jobs}, searches=True))
    """
    if not os.access("/proc/self/clear_refs", os.W_OK):
        pytest.skip("the peak of the memory cannot be reset here")
    taken, promised = map(int, printed_by(code).split())
    assert taken <= promised


def test_what_is_free_is_known():
    assert 10**6 < memory.bytes_free() < 10**15


@pytest.mark.slow
def test_a_limit_on_the_address_space_counts():
    resource = pytest.importorskip("resource")
    code = (
        "import resource, pywbms._machine.memory as m;"
        "resource.setrlimit(resource.RLIMIT_AS, (8 * 10**9, -1)); print(m.bytes_free())"
    )
    limits = resource.getrlimit(resource.RLIMIT_AS)
    if limits[1] != resource.RLIM_INFINITY:
        pytest.skip("the address space is limited here")
    assert int(printed_by(code)) < 8 * 10**9
