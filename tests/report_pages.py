"""Results whose reports are tested, and what their pages hold."""

import functools
import json
import re

import numpy as np
import pandas as pd

from pywbms import datasets, wbms


def clouds(k, n, p, far=0, seed=0):
    """Return a table of k clouds of rows, the first `far` of them far outside."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(0, 10, (k, p))[np.arange(n) % k] + rng.normal(0, 0.2, (n, p))
    X[:far] = 1e3
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(p)])


@functools.cache
def searched():
    """A result for which h and lam were chosen."""
    return wbms(datasets.simulation1(4, random_state=0)[0].iloc[:, :6])


@functools.cache
def uncertain():
    """A result of three clusters, each of which may be two: there is an alternative."""
    rng = np.random.default_rng(2)
    centres = np.array([[0, 0], [0, 4], [9, 0], [9, 4], [4.5, 12], [4.5, 16]])
    X = centres.repeat(30, axis=0) + rng.normal(size=(180, 2))
    return wbms(pd.DataFrame(X, columns=["a", "b"]))


def hostile():
    """A result of a table whose texts try to break out, with a gap and a broken value."""
    frame = clouds(3, 90, 3)
    frame.columns = [
        "<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>",
        '"quoted" & \u2028 {{title}} {a|b} \0',
    ]  # fmt: skip
    frame.index = [f"</script><b>{i}" for i in range(len(frame))]
    frame.iloc[3, 0] = np.nan
    frame.iloc[4, 1] = 1e300
    return wbms(frame, h=0.02, lam=0.3, na_action="omit")


def many_columns():
    """A result of 10,000 columns, 300 of which tell two clusters apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 10_000))
    X[:20, :300] += 4
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(10_000)])
    return wbms(frame, h=0.02, lam=0.3, init="uniform")


def of_many_rows(n, p, k, index=None):
    """A result of many rows in k clusters, in little time: most rows are equal to others."""
    frame = clouds(k, 500, p)
    frame = pd.concat([frame] * (n // 500), ignore_index=True)
    frame.index = frame.index if index is None else [f"{index} {i}" for i in range(n)]
    return wbms(frame, h=0.02, lam=0.3, init="uniform")


def page_of(result, folder):
    """Return the text of the report of a result."""
    path = folder / "report.html"
    result.report(path)
    return path.read_text(encoding="utf-8")


def data_of(text):
    """Return the data that the scripts of a page draw."""
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    return json.loads(found)
