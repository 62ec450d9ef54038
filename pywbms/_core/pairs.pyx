"""Pairs of points that change places.

A row left out of its own mean goes to where the others are. Two rows that have only each other
do so for ever: period two.
"""

import numpy as np

from pywbms._core.components import project

from libc.math cimport INFINITY, sqrt

# How far from its partner's old place, in units of their distance, a point may end up. The tenth
# leaves room for the slow drift of such a pair towards the rest of the cloud.
cdef double SLACK = 0.1


def swapping_pairs(
    const double[:, ::1] old,          # IN  (g, p) before the step
    const double[:, ::1] new,          # IN  (g, p) after it
    const double[::1] moves,           # IN  (g,) ‖new − old‖
    const Py_ssize_t[::1] candidates,  # IN  (c,) points that may be half of a pair, ascending
    double eps,
):
    """Return the list of pairs (i, j), i < j, at least eps apart, that changed places."""
    old_key, slack = project(np.asarray(old)[candidates])
    new_key, _ = project(np.asarray(new)[candidates])
    order = np.argsort(old_key, kind="stable")
    # ‖new_i − old_j‖ ≤ SLACK · ‖old_i − old_j‖ implies ‖new_i − old_j‖ ≤ reach · move_i.
    reach = SLACK / (1 - SLACK)
    width = reach * np.asarray(moves)[candidates] + slack
    cdef const Py_ssize_t[::1] nearby = order
    cdef const Py_ssize_t[::1] lower = np.searchsorted(old_key[order], new_key - width, "left")
    cdef const Py_ssize_t[::1] upper = np.searchsorted(old_key[order], new_key + width, "right")
    cdef Py_ssize_t c, position, i, j
    pairs = []
    for c in range(candidates.shape[0]):
        i = candidates[c]
        for position in range(lower[c], upper[c]):
            j = candidates[nearby[position]]
            if i < j and swapped(old, new, i, j, reach * moves[i], eps):
                pairs.append((i, j))
    return pairs


cdef bint swapped(
    const double[:, ::1] old, const double[:, ::1] new, Py_ssize_t i, Py_ssize_t j,
    double reach, double eps,
) noexcept nogil:
    cdef double missed = distance(new, i, old, j, reach)
    cdef double apart
    if missed > reach:
        return False
    apart = distance(old, i, old, j, INFINITY)
    return (
        apart >= eps
        and missed <= SLACK * apart
        and distance(new, j, old, i, SLACK * apart) <= SLACK * apart
    )


cdef double distance(
    const double[:, ::1] A, Py_ssize_t a, const double[:, ::1] B, Py_ssize_t b, double limit
) noexcept nogil:
    """‖A_a − B_b‖, or something above the limit as soon as that is certain."""
    cdef double total = 0, difference, limit2 = limit * limit
    cdef Py_ssize_t l
    for l in range(A.shape[1]):
        difference = A[a, l] - B[b, l]
        total += difference * difference
        if total > limit2 * (1 + 1e-12):
            break
    return sqrt(total)
