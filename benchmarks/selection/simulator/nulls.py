"""Data with one cluster: clouds of many forms, and curved ones.

A cloud is drawn by a function of a generator, a number of rows and a number of columns. A curve is
drawn by a function of a generator, a number of rows and a width, and lies in the plane; `embedded`
takes it into more columns. The width is the standard deviation of the noise around the curve, in
standard deviations of the curve itself.
"""

import numpy as np

from benchmarks.selection.simulator import shapes

# --------------------------------------------------------------------------------- clouds


def mixing(rng, p):
    """Return a random matrix that correlates p columns."""
    return rng.normal(size=(p, p)) / np.sqrt(p) + np.eye(p) * rng.uniform(0, 1)


def normal(rng, n, p):
    """Draw independent normal columns."""
    return rng.normal(size=(n, p))


def correlated(rng, n, p):
    """Draw correlated normal columns."""
    return shapes.product(rng.normal(size=(n, p)), mixing(rng, p))


def factors(rng, n, p):
    """Draw normal columns that share a few factors."""
    shared = int(rng.integers(1, 6))
    loadings = rng.uniform(0.3, 1.5) * rng.normal(size=(shared, p))
    return rng.normal(size=(n, p)) + shapes.product(rng.normal(size=(n, shared)), loadings)


def t(rng, n, p):
    """Draw independent columns with heavy tails."""
    return rng.standard_t(3, size=(n, p))


def multivariate_t(rng, n, p):
    """Draw a scale mixture: one cloud of correlated columns with heavy tails in all of them."""
    freedom = rng.choice([1.5, 2, 3, 5])
    return correlated(rng, n, p) * np.sqrt(freedom / rng.chisquare(freedom, size=(n, 1)))


def two_scales(rng, n, p):
    """Draw a scale mixture of two normal clouds with the same centre."""
    wide = rng.random((n, 1)) < rng.uniform(0.1, 0.5)
    return rng.normal(size=(n, p)) * np.where(wide, rng.uniform(2, 5), 1)


def lognormal(rng, n, p):
    """Draw independent lognormal columns."""
    return np.exp(rng.uniform(0.3, 1) * rng.normal(size=(n, p)))


def correlated_lognormal(rng, n, p):
    """Draw correlated lognormal columns."""
    return np.exp(0.7 * correlated(rng, n, p))


def exponential(rng, n, p):
    """Draw exponential columns."""
    return rng.exponential(size=(n, p))


def uniform(rng, n, p):
    """Draw uniform columns."""
    return rng.uniform(size=(n, p))


def sums(rng, n, p):
    """Draw partial sums of uniform columns: a prism with oblique sides."""
    return rng.uniform(size=(n, p)).cumsum(axis=1)


def binary(rng, n, p):
    """Draw independent columns of zeros and ones, at least five."""
    p = max(p, 5)
    return (rng.random((n, p)) < rng.uniform(0.1, 0.9, p)).astype(float)


def counts(rng, n, p):
    """Draw Poisson columns."""
    return rng.poisson(rng.uniform(0.5, 8, p), size=(n, p)).astype(float)


NULLS = {
    "normal": normal,
    "correlated": correlated,
    "factors": factors,
    "t": t,
    "multivariate t": multivariate_t,
    "two scales": two_scales,
    "lognormal": lognormal,
    "correlated lognormal": correlated_lognormal,
    "exponential": exponential,
    "uniform": uniform,
    "sums": sums,
    "binary": binary,
    "counts": counts,
}

# --------------------------------------------------------------------------------- curves


def thick(rng, curve, width):
    """Return a curve with normal noise of the given width around it."""
    return curve + width * curve.std(axis=0).mean() * rng.normal(size=curve.shape)


def parabola(rng, n, width, x=None):
    """Draw y = x² + noise; by default x is normal or uniform."""
    if x is None:
        x = rng.normal(size=n) if rng.random() < 0.5 else rng.uniform(-2, 2, n)
    y = x**2
    return np.column_stack([x, y + width * y.std() * rng.normal(size=n)])


def parabola_of_normal(rng, n, width):
    """Draw y = x² + noise with normal x."""
    return parabola(rng, n, width, rng.normal(size=n))


def parabola_of_uniform(rng, n, width):
    """Draw y = x² + noise with uniform x."""
    return parabola(rng, n, width, rng.uniform(-2, 2, n))


def parabolas(rng, n, width):
    """Draw two to six columns that depend on x by a quadratic function each."""
    x = rng.normal(size=(n, 1)) if rng.random() < 0.5 else rng.uniform(-2, 2, size=(n, 1))
    q = int(rng.integers(2, 7))
    bent = x**2 * np.append(1, rng.normal(size=q - 1)) + 0.5 * x * rng.normal(size=q)
    return np.hstack([x, bent + width * rng.normal(size=(n, q))])


def ring(rng, n, width):
    """Draw a circle."""
    angle = rng.uniform(0, 2 * np.pi, n)
    return thick(rng, np.column_stack([np.cos(angle), np.sin(angle)]), width)


def arc(rng, n, width):
    """Draw a quarter to three quarters of a circle."""
    angle = rng.uniform(0, 2 * np.pi * rng.uniform(0.25, 0.75), n)
    return thick(rng, np.column_stack([np.cos(angle), np.sin(angle)]), width)


def s_curve(rng, n, width):
    """Draw two half circles that form an S."""
    angle = rng.uniform(-1.5 * np.pi, 1.5 * np.pi, n)
    return thick(rng, np.column_stack([np.sin(angle), np.sign(angle) * (np.cos(angle) - 1)]), width)


def banana(rng, n, width):
    """Draw a normal cloud that is bent; it is more bent the smaller the width."""
    x, y = rng.normal(size=(2, n))
    return np.column_stack([x, y + (1.1 - width) * (x**2 - 1)])


CURVES = {
    "parabola of normal": parabola_of_normal,
    "parabola of uniform": parabola_of_uniform,
    "parabolas": parabolas,
    "ring": ring,
    "arc": arc,
    "S-curve": s_curve,
    "banana": banana,
}


def embedded(rng, X, p):
    """Return X in p columns: with further normal columns, or rotated with thin ones.

    Only up to 30 columns are rotated: the curve is lost in more.
    """
    n, d = X.shape
    if p <= d:
        return X, "alone"
    if p <= 30 and rng.random() < 0.4:
        thin = rng.uniform(0, 0.3) * X.std() * rng.normal(size=(n, p - d))
        return shapes.product(np.hstack([X, thin]), shapes.rotation(rng, p)), "rotated"
    return np.hstack([X, rng.normal(size=(n, p - d))]), "noise columns"
