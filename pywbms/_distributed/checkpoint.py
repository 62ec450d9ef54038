"""A checkpoint: all it takes to go on with a fit, in memory or in a folder."""

import pickle
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pywbms._distributed.remote_points import RemoteCloud

STATE = "state.pickle"
# Bytes of points that are kept in memory, and that are fetched or sent at a time.
IN_MEMORY = 64_000_000
AT_A_TIME = 64_000_000


@dataclass(frozen=True)
class Checkpoint:
    """A journey between two iterations.

    Attributes
    ----------
    phase : str
    iteration : int
    of : tuple
        What the fit is of: data and parameters.
    state : bytes
        The journey and its cloud, but for points that are on the workers.
    points : ndarray or None
        These points; they may be on disk.
    """

    phase: str
    iteration: int
    of: tuple
    state: bytes
    points: np.ndarray | None

    @classmethod
    def of_journey(cls, journey, of, folder):
        """Keep a journey, its points in memory if no folder is given."""
        cloud = journey.cloud.inner
        remote = isinstance(cloud, RemoteCloud)
        state = pickle.dumps((replace(journey, cloud=None), cloud.kept() if remote else cloud))
        iteration = journey.trace.n_iter
        saved = cls(journey.phase, iteration, of, state, None)
        if not remote:
            return saved if folder is None else saved.written(folder)
        if folder is None:
            return replace(saved, points=cloud.points)
        path = Path(folder, f"points-{journey.phase}-{iteration}.npy")
        points = np.lib.format.open_memmap(path, "w+", np.float64, cloud.shape)
        start = 0
        for part in cloud.slices(rows_at_a_time(cloud.shape)):
            points[start : start + len(part)] = part
            start += len(part)
        points.flush()
        return replace(saved, points=np.load(path, mmap_mode="r")).written(folder)

    def written(self, folder=None):
        """Return this checkpoint, written into a folder (a new one of the system's)."""
        folder = Path(tempfile.mkdtemp(prefix="pywbms-") if folder is None else folder)
        points, name = self.points, None
        if points is not None:
            name = f"points-{self.phase}-{self.iteration}.npy"
            if not isinstance(points, np.memmap):
                np.save(folder / name, points)
        fresh = folder / f"{STATE}.new"
        fresh.write_bytes(pickle.dumps((self.phase, self.iteration, self.of, self.state, name)))
        fresh.replace(folder / STATE)  # at any moment there is a whole one
        for old in folder.glob("points-*.npy"):
            if old.name != name:
                old.unlink()
        object.__setattr__(self, "_folder", folder)
        return self

    @property
    def folder(self):
        """Where it was written, or None."""
        return getattr(self, "_folder", None)

    @classmethod
    def read(cls, folder):
        """Return the checkpoint in a folder.

        Raises
        ------
        ValueError
            If there is none.
        """
        path = Path(folder, STATE)
        if not path.is_file():
            raise ValueError(f"resume: there is no checkpoint in {str(folder)!r}")
        try:
            phase, iteration, of, state, name = pickle.loads(path.read_bytes())
        except Exception as error:  # bytes that are no pickle raise anything
            raise ValueError(f"resume: {path} is no checkpoint ({error})") from error
        points = None if name is None else np.load(Path(folder, name), mmap_mode="r")
        return cls(phase, iteration, of, state, points)

    @property
    def layout(self):
        """The layout of its cloud, None if it has come home."""
        kept = pickle.loads(self.state)[1]
        return kept["layout"] if isinstance(kept, dict) else None

    def journey(self, start, wrapped):
        """Return the journey to go on with, given its cloud at the start."""
        journey, kept = pickle.loads(self.state)
        if self.points is not None:
            kept = start.inner.replay(kept, self.points, rows_at_a_time(self.points.shape))
        return replace(journey, cloud=wrapped(kept))


def rows_at_a_time(shape):
    """Return how many points are fetched or sent at a time."""
    return max(1, AT_A_TIME // (8 * max(1, shape[1])))


def remove(folder):
    """Remove a folder of checkpoints."""
    shutil.rmtree(folder, ignore_errors=True)
