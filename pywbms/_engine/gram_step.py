"""The step for few points with many features: one pass over the data an iteration."""

import numpy as np

from pywbms._core import wide

# The kernel matrix is stored, so there must not be too many points; and with few features there is
# nothing to be gained.
MOST_POINTS = 1000
LEAST_FEATURES = 256


class Wide:
    """What is kept between two steps of a cloud that is much wider than long.

    Parameters
    ----------
    n_points : int
    """

    @staticmethod
    def suits(points):
        """Tell whether points should take this step, and not that in tiles."""
        g, p = points.shape
        return g <= MOST_POINTS and p >= max(LEAST_FEATURES, 2 * g)

    def __init__(self, n_points):
        self.n_points = n_points
        self._work = wide.workspace(n_points)
        self._gram, self._kernel = wide.gram_in(self._work, n_points), wide.square(n_points)
        self._points = self._weights = None

    def step(
        self, points, origin, mass, within, weights, h, exclude_self, lam, n_threads, shifted,
        nearest, lengths,
    ):  # fmt: skip
        """Move the points as the core's `shift` does; return their displacement D.

        `lam` is on the scale of the sum over rows.
        """
        if self._points is not points or self._weights is not weights:
            wide.gram(points, weights, False, n_threads, self._work, self._gram)
        exact = not wide.expandable(self._gram, h)
        if exact:
            wide.gram(points, weights, True, n_threads, self._work, self._gram)
        wide.kernel(self._gram, exact, mass, h, exclude_self, n_threads, self._kernel, nearest)
        D = np.empty(points.shape[1])
        wide.advance(
            points, origin, mass, within, self._kernel, lam, n_threads, self._work, shifted, D,
            lengths, self._gram,
        )  # fmt: skip
        self._points = None
        return D

    def expect(self, points, weights):
        """Note that the Gram matrix at hand is that of these points with these weights."""
        self._points, self._weights = points, weights
