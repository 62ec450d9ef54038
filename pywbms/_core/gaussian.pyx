"""The standard deviations of a Gaussian cloud, and the weights, from step to step.

Everything is kept as logarithms: s itself underflows after a handful of steps.
"""

from libc.math cimport INFINITY, exp, expm1, log, log1p, sqrt


def recursion(
    const double[::1] sigma,       # IN   (p,) standard deviations at the start
    double h,
    double lam,
    double power,                  # −2 in the corrected recursion, 2 in the printed one
    double[:, ::1] shrink,         # OUT  (T + 1, p) log(s / sigma), −∞ once it underflows
    double[:, ::1] log_w,          # OUT  (T + 1, p)
):
    """Follow s ← s / (1 + h/(2w)·s^power), w_l ∝ exp(−(σ_l − s_l)²/lam) for T steps."""
    cdef Py_ssize_t p = sigma.shape[0], n_iter = shrink.shape[0] - 1, t, l
    cdef double log_half_h = log(h) - log(2.0), log_p = log(<double>p), ratio
    with nogil:
        for l in range(p):
            shrink[0, l] = 0
            log_w[0, l] = -log_p
        for t in range(n_iter):
            for l in range(p):
                if shrink[t, l] == -INFINITY:
                    shrink[t + 1, l] = -INFINITY
                else:
                    ratio = power * (log(sigma[l]) + shrink[t, l]) - log_w[t, l]
                    shrink[t + 1, l] = shrink[t, l] - log1p_exp(log_half_h + ratio)
                log_w[t + 1, l] = -sigma[l] * expm1(shrink[t + 1, l])
            weigh(&log_w[t + 1, 0], p, lam)


def log_weights(
    const double[::1] moved,       # IN   (p,) root mean squared displacements, at least 0
    double lam,
    double[::1] out,               # OUT  (p,) log w
):
    """Write into `out` the logarithms of the weights w_l ∝ exp(−moved_l² / lam)."""
    cdef Py_ssize_t l
    with nogil:
        for l in range(moved.shape[0]):
            out[l] = moved[l]
        weigh(&out[0], moved.shape[0], lam)


cdef void weigh(double* a, Py_ssize_t p, double lam) noexcept nogil:
    """Replace displacements by the logarithms of their weights."""
    cdef double smallest = a[0], root = sqrt(lam), total = 0
    cdef Py_ssize_t l
    for l in range(p):
        smallest = min(smallest, a[l])
    for l in range(p):
        # (a² − smallest²)/lam in factors, which keeps its digits and rarely overflows.
        if a[l] > smallest:
            a[l] = -((a[l] - smallest) / root) * (a[l] / root + smallest / root)
        else:
            a[l] = 0
        total += exp(a[l])
    for l in range(p):
        a[l] -= log(total)


cdef inline double log1p_exp(double x) noexcept nogil:
    """Return log(1 + exp(x)), for any x."""
    return x + log1p(exp(-x)) if x > 0 else log1p(exp(x))
