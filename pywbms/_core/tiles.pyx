"""The tile library: the one module that simd/tile.c is compiled into. See tiles.pxd."""

import numpy as np

cdef extern from "simd/tile.h":
    const tile_functions* tile_functions_here() nogil

simd = tile_functions_here()


def instruction_set():
    """Return the name of the instruction set in use: "avx512", "avx2" or "any"."""
    return simd.name.decode()


def exponential(const double[::1] x, double[::1] out):
    """Write exp(x) into `out`, for −707 ≤ x ≤ 709, computed as for the kernel.

    Below −707 it is exp(−707); the relative error is less than 4e-15.
    """
    if x.shape[0]:
        simd.exponential(&x[0], &out[0], x.shape[0])


cdef aligned(Py_ssize_t rows, Py_ssize_t columns):
    """Return an uninitialised matrix whose rows begin at cache lines."""
    columns = padded(columns)
    flat = np.empty(rows * columns + 8)
    cdef double[::1] view = flat
    cdef size_t into_line = <size_t> &view[0] // sizeof(double) % 8
    cdef Py_ssize_t start = (8 - into_line) % 8
    return flat[start:start + rows * columns].reshape(rows, columns)
