"""Hardware limits: the rates of GEMM and exp, and the resulting lower bound for a step."""

from functools import cache

import numpy as np
from scipy.linalg.blas import dgemm

try:
    from pywbms._core.tiles import exponential

    EXP = "the core's"
except ImportError:  # an older core without its own exp

    def exponential(x, out):
        """Write exp(x) into out."""
        np.exp(x, out=out)

    EXP = "NumPy's"

# Far larger than any cache; takes a few hundredths of a second.
GEMM_SIZE = 1024
# Two such arrays stay in the L2 cache, like a tile of kernel values; repeated to be measurable.
EXP_SIZE, EXP_TIMES = 1 << 14, 200


@cache
def _gemm_arrays():
    a, b = np.random.default_rng(0).random((2, GEMM_SIZE, GEMM_SIZE))
    return np.asfortranarray(a), np.asfortranarray(b), np.zeros_like(a, order="F")


@cache
def _exp_arrays():
    x = np.random.default_rng(0).uniform(-20, 0, EXP_SIZE)
    return x, np.empty_like(x)


def one_gemm():
    """Multiply two large matrices with the BLAS that the core uses."""
    a, b, c = _gemm_arrays()
    dgemm(1.0, a, b, 0.0, c, overwrite_c=True)


def many_exp():
    """Compute many exponentials, as a step does."""
    x, out = _exp_arrays()
    for _ in range(EXP_TIMES):
        exponential(x, out)


def gemm_rate(seconds):
    """Return flop per second, given the seconds of `one_gemm`."""
    return 2 * GEMM_SIZE**3 / seconds


def exp_rate(seconds):
    """Return exponentials per second, given the seconds of `many_exp`."""
    return EXP_SIZE * EXP_TIMES / seconds


def floor(n, p, gemm, exp):
    """Return a lower bound on the seconds of one exact step on one thread.

    Half of the n² distances (n² p flop, the other half follows by symmetry), all of the means
    (2 n² p flop) and half of the n² exponentials, at the rates `gemm` and `exp`. With more features
    than rows the means need not be computed, only displacements (n² p flop).

    Examples
    --------
    >>> floor(1000, 10, gemm=30e6, exp=1e6)
    1.5
    """
    return (2 if p > n else 3) * n**2 * p / gemm + n**2 / 2 / exp
