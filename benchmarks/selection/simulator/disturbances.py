"""What is added to simulated sets: noise columns, outliers, rounding and transformations."""

import numpy as np

from benchmarks.selection.simulator import nulls, shapes


def nuisance(rng, n, q):
    """Draw columns of which some tell two groups apart that have nothing to do with the truth."""
    shifts = rng.uniform(0, 3, q) * (rng.random(q) < 0.3)
    return rng.normal(size=(n, q)) + np.outer(rng.integers(0, 2, n), shifts)


def binary(rng, n, q):
    """Draw independent columns of zeros and ones."""
    return (rng.random((n, q)) < rng.uniform(0.1, 0.9, q)).astype(float)


def lognormal(rng, n, q):
    """Draw independent lognormal columns."""
    return np.exp(0.8 * rng.normal(size=(n, q)))


NOISE_COLUMNS = {  # form: function and weight
    "normal": (nulls.normal, 0.42),
    "factors": (nulls.factors, 0.20),
    "uniform": (nulls.uniform, 0.10),
    "t": (nulls.t, 0.10),
    "lognormal": (lognormal, 0.08),
    "binary": (binary, 0.05),
    "nuisance": (nuisance, 0.05),
}


def add_noise_columns(rng, X, p):
    """Return X with as many noise columns of one form as it lacks to p, and what was added."""
    n, informative = X.shape
    detail = {"informative": informative, "noise_columns": max(0, p - informative), "noise": ""}
    if p > informative:
        weights = {form: weight for form, (_, weight) in NOISE_COLUMNS.items()}
        detail["noise"] = shapes.pick(rng, weights)
        columns, _ = NOISE_COLUMNS[detail["noise"]]
        X = np.hstack([X, columns(rng, n, p - informative)])
    return X, detail


def blend(rng, X):
    """Rotate the columns of a quarter of the sets, and standardize those of 70 %."""
    if rng.random() < 0.25:
        X = shapes.product(X, shapes.rotation(rng, X.shape[1]))
    return shapes.standardized(X) if rng.random() < 0.7 else X


def put_outliers(rng, X, truth):
    """Replace 1 to 6 % of the rows by outliers, which get the label −1.

    They lie in a box somewhat larger than the data, or, in every third set, far away: normal with a
    standard deviation 5 to 15 times that of the data.
    """
    m = max(1, int(len(X) * rng.uniform(0.01, 0.06)))
    rows = rng.permutation(len(X))[:m]
    X, truth = X.copy(), truth.copy()
    if rng.random() < 2 / 3:
        low, high = X.min(axis=0), X.max(axis=0)
        margin = 0.2 * (high - low)
        X[rows] = rng.uniform(low - margin, high + margin, size=(m, X.shape[1]))
    else:
        far = rng.uniform(5, 15) * X.std(axis=0)
        X[rows] = X.mean(axis=0) + far * rng.normal(size=(m, X.shape[1]))
    truth[rows] = -1
    return X, truth


def discretise(rng, X):
    """Round the columns to 2, 5 or 10 steps per standard deviation."""
    return np.round(shapes.standardized(X) * rng.choice([2, 5, 10]))


def transform(rng, X):
    """Transform the columns monotonically: exponential, cubic or compressed at both ends."""
    Z = shapes.standardized(X)
    how = rng.choice(["exponential", "cubic", "compressed"], p=[0.6, 0.2, 0.2])
    if how == "exponential":
        return np.exp(rng.uniform(0.3, 0.9) * Z)
    return Z + rng.uniform(0.1, 0.5) * Z**3 if how == "cubic" else np.arcsinh(3 * Z)


def disturb(rng, X, truth):
    """Return X and truth transformed, rounded or with outliers, and what was done.

    Columns of whole numbers are left as they are.
    """
    outliers, transformed, discretised = rng.random(3) < [0.15, 0.08, 0.1]
    done = []
    if np.array_equal(X, np.round(X)):
        return X, truth, done
    if transformed:
        X = transform(rng, X)
        done.append("transformed")
    if discretised:
        X = discretise(rng, X)
        done.append("discretised")
    if outliers:
        X, truth = put_outliers(rng, X, truth)
        X = np.round(X) if discretised else X
        done.append("outliers")
    return X, truth, done
