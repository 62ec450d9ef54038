"""Theorems 4 and 5 for Gaussian clouds: another name for `pywbms.theory.gaussian`."""

from pywbms.theory.gaussian import (
    ConvergenceOrder,
    convergence_order,
    follow_sample,
    gaussian_recursion,
    limit_weights,
    printed_recursion,
)

__all__ = [
    "ConvergenceOrder",
    "convergence_order",
    "follow_sample",
    "gaussian_recursion",
    "limit_weights",
    "printed_recursion",
]
