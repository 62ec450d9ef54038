"""The internals of pywbms before its engine had a package of its own, under today's names."""

from types import SimpleNamespace

from pywbms._cloud import Cloud
from pywbms._threads import one_blas_thread
from pywbms._units import Units
from pywbms.fit import even as uniform_weights
from pywbms.fit import row_order

__all__ = [
    "LocalPoints",
    "Settings",
    "Standardizer",
    "one_blas_thread",
    "row_order",
    "uniform_weights",
]

Standardizer = SimpleNamespace(of=Units)


class Settings:
    """The few settings that a step needs."""

    def __init__(self, h, lam, n_jobs):
        self.h, self.lam, self.n_jobs = h, lam, n_jobs


class LocalPoints:
    """A cloud that remembers its settings."""

    @classmethod
    def at_start(cls, rows, settings):
        """Return the points at the start."""
        points = cls()
        points._settings = settings
        points._cloud = Cloud(rows, True, settings.n_jobs)
        return points

    def shift(self, weights):
        """Move the points."""
        settings = self._settings
        self._cloud.shift(weights, settings.h, True, settings.lam, "mean")

    def entropy_weights(self):
        """Return the feature weights."""
        return self._cloud.weigh(self._settings.lam, "mean")
