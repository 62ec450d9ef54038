"""Hypothesis strategies: clouds, and whole clustering problems, from benign to nasty."""

import numpy as np
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)


def log_uniform(low, high):
    return st.floats(np.log10(low), np.log10(high)).map(lambda exponent: 10.0**exponent)


@st.composite
def clouds(draw, max_points=40, max_features=40):
    """Points of any spread, some of them equal, some very close, some far out."""
    rng = np.random.default_rng(draw(seeds))
    g = draw(st.sampled_from([1, 2, 3]) | st.integers(4, max_points))
    p = draw(st.sampled_from([1, 2]) | st.integers(3, max_features))
    points = rng.normal(size=(g, p)) * draw(log_uniform(1e-3, 1e3))
    if draw(st.booleans()):
        points = points[rng.integers(g, size=g)]
    if draw(st.booleans()):
        points = points + 1e-7 * rng.normal(size=(g, p))
    if draw(st.booleans()):
        points[rng.integers(g)] *= 1e3
    return points


@st.composite
def simplex(draw, p):
    """Feature weights: anything from all alike to nearly all on one feature."""
    rng = np.random.default_rng(draw(seeds))
    exponents = rng.normal(size=p) * draw(st.sampled_from([0.0, 1.0, 30.0]))
    weights = np.exp(exponents - exponents.max())
    return weights / weights.sum()


@st.composite
def tables(draw, max_rows=30):
    """Data as users have them: units of any size, duplicate rows, constant columns, p ≫ n."""
    rng = np.random.default_rng(draw(seeds))
    n = draw(st.sampled_from([1, 2, 3]) | st.integers(4, max_rows))
    p = draw(st.sampled_from([1, 2, 3, 8, 60]))
    X = rng.normal(size=(n, p))
    if draw(st.booleans()):  # clusters in some of the features
        k = int(rng.integers(1, 5))
        X[:, : (p + 1) // 2] += 6 * rng.normal(size=(k, (p + 1) // 2))[rng.integers(k, size=n)]
    if draw(st.booleans()):
        X = X[rng.integers(n, size=n)]
    if draw(st.booleans()):
        X[:, rng.integers(p)] = rng.normal()
    if draw(st.booleans()):
        X = X * 10.0 ** rng.integers(-150, 150, size=p)
    if draw(st.booleans()):
        X = X.astype(np.float32) if np.abs(X).max() < 1e30 else X
    return np.asfortranarray(X) if draw(st.booleans()) else X


@st.composite
def dirty_tables(draw):
    """Data with bad cells, bad rows, and columns that repeat others in other units."""
    rng = np.random.default_rng(draw(seeds))
    n, p = draw(st.integers(8, 40)), draw(st.integers(1, 12))
    X = rng.normal(size=(n, p)) + 6 * rng.integers(2, size=(n, 1)) * rng.integers(2, size=p)
    if draw(st.booleans()):
        X[:, rng.integers(p)] = rng.integers(2, size=n)
    spread = X.max(axis=0) - X.min(axis=0)  # exactly 0 for constant columns
    for _ in range(draw(st.integers(0, 3))):
        row, column = rng.integers(n), rng.integers(p)
        X[row, column] += spread[column] * rng.choice([-1, 1]) * 10 ** rng.uniform(0, 3)
    if draw(st.booleans()):
        X[rng.integers(n)] += spread * rng.choice([-1, 1], size=p) * 10 ** rng.uniform(0, 3, size=p)
    if draw(st.booleans()):
        X = np.column_stack([X, 2.54 * X[:, rng.integers(p)]])
    return X


# The algorithm's forms: parameters of WBMS other than h and lam.
FORMS = [
    {"max_iter": 60, "warmup": 8, **form}
    for form in (
        {},
        {"warmup": 0},
        {"stop": "movement"},
        {"stop": "diameter"},
        {"exclude_self": False},
        {"exclude_self": False, "warmup": 0, "stop": "diameter"},  # WBMS.paper
        {"lam_scale": "sum", "stop": "fixed", "max_iter": 30},  # WBMS.released
    )
]


def forms():
    """One of the algorithm's forms."""
    return st.sampled_from(FORMS)


@st.composite
def blobs(draw, max_rows=40, max_features=6):
    """Points in general position: no two sums are equal."""
    rng = np.random.default_rng(draw(seeds))
    n, p = draw(st.integers(2, max_rows)), draw(st.integers(1, max_features))
    centers = 3 * rng.normal(size=(draw(st.integers(1, 5)), p))
    return centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, p))
