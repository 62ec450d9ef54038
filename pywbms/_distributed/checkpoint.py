"""A checkpoint: all that is needed to go on with a fit, in memory or in a folder."""

import pickle
import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pywbms._distributed.remote_points import RemotePoints
from pywbms._engine.local_points import LocalPoints

STATE = "state.pickle"
# Bytes of points that are kept in memory, and that are fetched or sent at a time.
IN_MEMORY = 64_000_000
AT_A_TIME = 64_000_000


@dataclass(frozen=True)
class Checkpoint:
    """A fit between two iterations.

    Attributes
    ----------
    phase : str
    iteration : int
    fingerprint : tuple
        Tells whose checkpoint it is: data and parameters.
    layout : str or None
        The layout of the points, None if they are local.
    state : bytes
        The fit state, what was recorded, and the points, but for coordinates on the workers.
    points : ndarray or None
        These coordinates; they may be on disk.
    """

    phase: str
    iteration: int
    fingerprint: tuple
    layout: str | None
    state: bytes
    points: np.ndarray | None = None

    @classmethod
    def of(cls, state, recorder, fingerprint, folder):
        """Keep a fit, in memory if no folder is given."""
        points = state.points
        remote = isinstance(points, RemotePoints)
        kept = pickle.dumps((replace(state, points=None), recorder.save(), points.save()))
        layout = points.layout if remote else None
        checkpoint = cls(state.phase, state.n_iter, fingerprint, layout, kept)
        if not remote:
            return checkpoint if folder is None else checkpoint.write(folder)
        if folder is None:
            return replace(checkpoint, points=points.points)
        path = Path(folder, checkpoint.points_name)
        on_disk = np.lib.format.open_memmap(path, "w+", np.float64, points.shape)
        start = 0
        for part in points.slices(rows_at_a_time(points.shape)):
            on_disk[start : start + len(part)] = part
            start += len(part)
        on_disk.flush()
        return replace(checkpoint, points=np.load(path, mmap_mode="r")).write(folder)

    @property
    def points_name(self):
        """Name of the file with the coordinates."""
        return f"points-{self.phase}-{self.iteration}.npy"

    def write(self, folder=None):
        """Return this checkpoint, written into a folder (by default a new temporary one)."""
        folder = Path(tempfile.mkdtemp(prefix="pywbms-") if folder is None else folder)
        name = None if self.points is None else self.points_name
        if name is not None and not isinstance(self.points, np.memmap):
            np.save(folder / name, self.points)
        fresh = folder / f"{STATE}.new"
        head = (self.phase, self.iteration, self.fingerprint, self.layout)
        fresh.write_bytes(pickle.dumps((*head, self.state, name)))
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
            *fields, name = pickle.loads(path.read_bytes())
            points = None if name is None else np.load(Path(folder, name), mmap_mode="r")
            return cls(*fields, points)
        except Exception as error:  # bytes that are no pickle raise anything
            raise ValueError(f"resume: {path} is not a checkpoint ({error})") from error

    def restore(self, start, recorder):
        """Return the `FitState` to go on with, given its points at the start.

        What was recorded so far is given back to the recorder.
        """
        state, recorded, saved = pickle.loads(self.state)
        recorder.restore(recorded)
        if self.layout is None:
            points = LocalPoints.restore(saved, start.settings)
        else:
            points = start.restore(saved, self.points, rows_at_a_time(self.points.shape))
        return replace(state, points=points)


def rows_at_a_time(shape):
    """Return the number of points that are fetched or sent at a time."""
    return max(1, AT_A_TIME // (8 * max(1, shape[1])))


def remove(folder):
    """Remove a folder of checkpoints."""
    shutil.rmtree(folder, ignore_errors=True)
