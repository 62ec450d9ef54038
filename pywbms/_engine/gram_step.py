"""The step for few points with many features: one pass over the data per iteration."""

import numpy as np

import pywbms._core.wide as wide

# The kernel matrix is stored, so there must not be too many points; and with few features there
# is nothing to be gained.
MOST_POINTS = 1000
LEAST_FEATURES = 256


class GramStep:
    """What is kept between two steps of points with many more features than points.

    One pass over blocks of features gives the new points, their displacement and the weighted
    Gram matrix that the next kernel follows from.

    Parameters
    ----------
    n_points : int
    gram : ndarray, optional
        A Gram matrix that is known already,
    points : ndarray, optional
        of these points.
    """

    @staticmethod
    def suits(shape):
        """Tell whether points of a given shape should take this step, and not that in tiles."""
        g, p = shape
        return g <= MOST_POINTS and p >= max(LEAST_FEATURES, 2 * g)

    def __init__(self, n_points, gram=None, points=None):
        self.n_points = n_points
        self._work = wide.workspace(n_points)
        self._gram, self._kernel = wide.gram_in(self._work, n_points), wide.square(n_points)
        self._points = self._weights = None
        if gram is not None:
            self._gram[:] = gram[0]
            self.expect(points, gram[1])

    def take(self, cloud, weights, step):
        """Move the points of a `LocalPoints` as the core's `shift` does; return D on the sum scale.

        Parameters
        ----------
        cloud : LocalPoints
        weights : ndarray of shape (p,)
        step : Step
            Is written to.
        """
        points, settings, n_threads = cloud.points, cloud.settings, cloud.n_threads
        if self._points is not points or not np.array_equal(self._weights, weights):
            wide.gram(points, weights, False, n_threads, self._work, self._gram)
        exact = not wide.expandable(self._gram, settings.h)
        if exact:
            wide.gram(points, weights, True, n_threads, self._work, self._gram)
        wide.kernel(
            self._gram, exact, cloud.mass, settings.h, settings.exclude_self, n_threads,
            self._kernel, step.nearest, cloud.left,
        )  # fmt: skip
        D = np.empty(points.shape[1])
        wide.advance(
            points, cloud.origin, cloud.mass, cloud.within, self._kernel, cloud.lam_sum, n_threads,
            self._work, step.points, D, step.moves, self._gram,
        )  # fmt: skip
        self._points = None
        return D

    def expect(self, points, weights):
        """Note that the Gram matrix at hand is that of these points with these weights."""
        self._points, self._weights = points, weights

    def known_for(self, points):
        """Return the Gram matrix at hand and its weights, or None if it is not of these points."""
        return (np.array(self._gram), self._weights) if self._points is points else None
