"""A checkpoint: all that is needed to go on with a fit, in memory or in a file."""

import copy
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from pywbms._data import container
from pywbms._distributed.checkpoint_checks import require_sound
from pywbms._distributed.remote_points import RemotePoints
from pywbms._engine.mixture_points import MixturePoints
from pywbms._engine.state import FitState

FILE = "checkpoint.pywbms"
KIND, VERSION = "checkpoint", 1
# What checkpoints were kept in before they had a format of their own.
OLDER = "state.pickle"
# Bytes of points that are kept in memory, and that are fetched or sent at a time.
IN_MEMORY = 64_000_000
AT_A_TIME = 64_000_000
# What reading a file of the right form, but without sense, may raise.
NONSENSE = (LookupError, TypeError, ValueError, AttributeError)


@dataclass(frozen=True)
class Checkpoint:
    """A fit between two iterations.

    Attributes
    ----------
    phase : str
    iteration : int
    fingerprint : dict
        Tells whose checkpoint it is: shape, checksum of the data, parameters.
    layout : str or None
        The layout of the points, None if they are local.
    content : dict or None
        The fit's ``state``, what was ``recorded``, its ``points`` and, if these are on workers,
        their ``coordinates``. None if all that is only in the file.
    path : Path or None
        The file, if there is one.
    """

    phase: str
    iteration: int
    fingerprint: dict
    layout: str | None
    content: dict | None
    path: Path | None = None

    @classmethod
    def of(cls, state, recorder, fingerprint, in_memory=True):
        """Keep a fit. If not in memory, the coordinates are fetched when they are written."""
        points, layout = state.points, None
        content = {"state": state.save(), "recorded": recorder.save(), "points": points.save()}
        if isinstance(points, RemotePoints):
            layout = points.layout
            blocks = container.Blocks(points.shape, points.slices(rows_at_a_time(points.shape)))
            content["coordinates"] = points.points if in_memory else blocks
        else:  # the fit goes on to write to these arrays
            content["points"] = copy.deepcopy(content["points"])
        return cls(state.phase, state.n_iter, fingerprint, layout, content)

    def write(self, folder):
        """Return this checkpoint, written into a folder.

        Raises
        ------
        OSError
            If it cannot be written; the one that was there stays.
        """
        path = Path(folder, FILE)
        head = {name: getattr(self, name) for name in HEAD}
        container.write(path, KIND, VERSION, {**head, **self.content})
        streamed = isinstance(self.content.get("coordinates"), container.Blocks)
        return replace(self, path=path, content=None if streamed else self.content)

    @classmethod
    def read(cls, place):
        """Return the checkpoint in a folder, or a file.

        Raises
        ------
        ValueError
            If there is none, or it cannot be used; the message says why.
        """
        path = Path(place)
        if path.is_dir():
            path = path / FILE
        if not path.is_file():
            if Path(place, OLDER).is_file():
                raise ValueError(
                    f"resume: the checkpoint in {str(place)!r} was written by an older version of "
                    "pywbms, and is no longer read: fit again without resume"
                )
            raise ValueError(f"resume: there is no checkpoint in {str(place)!r}")
        try:
            content = container.read(path, KIND, VERSION)
        except OSError as error:
            raise ValueError(f"resume: {path} cannot be read ({error.strerror})") from error
        except ValueError as error:
            raise ValueError(f"resume: {error}") from error
        try:
            head = [content.pop(name) for name in HEAD]
            require_sound(content, local=head[-1] is None, n_rows=head[2]["shape"][0])
        except NONSENSE as error:
            raise ValueError(f"resume: {path} is damaged: {error}") from error
        return cls(*head, content, path)

    def require_same(self, fingerprint):
        """Raise a ValueError if this is the checkpoint of another fit."""
        there, here = self.fingerprint, fingerprint
        if there == here:
            return
        told = "their values differ"
        if there.get("shape") != here["shape"]:
            told = " and ".join(
                f"{rows:,} rows × {columns:,} columns {where}"
                for where, (rows, columns) in (("there", there["shape"]), ("here", here["shape"]))
            )
        else:
            before, now = there.get("parameters", {}), here["parameters"]
            differ = [name for name in now if before.get(name) != now[name]]
            if differ:
                told = ", ".join(f"{n} is {before.get(n)!r} there, {now[n]!r} here" for n in differ)
        raise ValueError(f"resume: the checkpoint is of other data or parameters ({told})")

    def restore(self, start, recorder):
        """Return the `FitState` to go on with, given its points at the start.

        What was recorded so far is given back to the recorder.
        """
        if self.content is None:
            return Checkpoint.read(self.path).restore(start, recorder)
        try:
            recorder.restore(self.content["recorded"])
            state = FitState.restore(self.content["state"], None, start.settings)
        except NONSENSE as error:
            raise ValueError(f"resume: {self.path} is damaged: {error}") from error
        saved = self.content["points"]
        if self.layout is None:
            points = MixturePoints.restore(copy.deepcopy(saved), start.settings)
        else:
            coordinates = self.content["coordinates"]
            points = start.restore(saved, coordinates, rows_at_a_time(coordinates.shape))
        if points.shape[1] != start.shape[1]:
            raise ValueError(f"resume: {self.path} is damaged: it has other columns")
        return replace(state, points=points)

    @property
    def place(self):
        """What ``resume=`` takes: the folder, or a file of another name."""
        return str(self.path.parent if self.path.name == FILE else self.path)

    def __str__(self):
        return f"{self.phase} iteration {self.iteration}"


# The attributes that are written beside the content.
HEAD = ("phase", "iteration", "fingerprint", "layout")


def checkpoint_folder(folder):
    """Return a folder for checkpoints, made if need be, and cleared of what was half written."""
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        container.remove_leftovers(folder / FILE)
    except OSError as error:
        raise ValueError(
            f"checkpoint: {str(folder)!r} cannot be used as a folder ({error.strerror})"
        ) from error
    return folder


def rows_at_a_time(shape):
    """Return the number of points that are fetched or sent at a time."""
    return max(1, AT_A_TIME // (8 * max(1, shape[1])))


def remove(folder):
    """Remove a folder of checkpoints."""
    shutil.rmtree(folder, ignore_errors=True)
