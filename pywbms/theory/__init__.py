"""The paper's theorems as checks on a fit or on a recorded path.

Theorem 1: the weights minimise the entropy-regularised displacement. Theorem 2: the convex hull of
the cloud shrinks. Theorem 3: from some iteration on, the diameter changes by less than any given
bound. Theorems 4 and 5: a Gaussian cloud stays Gaussian and collapses with cubic order (see
`pywbms.gaussian`, which also explains the misprint). `pywbms.theory.start` is about what the first
step tells about the features, and so about where their weights should start.
"""

from pywbms.theory.checks import check_all
from pywbms.theory.gaussian import convergence_order, gaussian_recursion, limit_weights
from pywbms.theory.hull import hull_distance
from pywbms.theory.paths import check_finite_convergence, check_shrinking_hull
from pywbms.theory.start import effective_neighbours, first_step_displacement
from pywbms.theory.weights import check_weights, entropy_objective, entropy_weights

__all__ = [
    "check_all",
    "check_finite_convergence",
    "check_shrinking_hull",
    "check_weights",
    "convergence_order",
    "effective_neighbours",
    "entropy_objective",
    "entropy_weights",
    "first_step_displacement",
    "gaussian_recursion",
    "hull_distance",
    "limit_weights",
]
