"""An engine whose rows are read a block at a time; only the landmarks are in memory."""

import tempfile
import weakref
from dataclasses import replace

import numpy as np

from pywbms._data.ordering import largest_first
from pywbms._engine.follower import Follower
from pywbms._engine.landmark_engine import LandmarkEngine, one_of_each

# Groups on disk are of this type; −1 for rows that were omitted.
GROUP = np.dtype(np.int32)


class StreamEngine(LandmarkEngine):
    """Fits landmarks of a stream.

    Parameters
    ----------
    stream : Stream
    settings : Settings
    number : int
        Of landmarks.
    tell : callable
        Called with a word on what is done and the number of rows that have been seen.
    """

    def __init__(self, stream, settings, number, tell):
        self._stream, self._tell = stream, tell
        self._every = np.empty((0, len(stream.columns)))
        self._mass_of_rows = self.weights = None
        self._settings = settings.seeded()
        self._n_threads, self._seed = settings.n_threads, self._settings.random_state
        self._doing, self._private = "reading", True
        self._draw(number)
        if not self.total:
            raise ValueError(f"{stream.name} has no rows without missing values")
        self._followed = self._followed_in = self.sizes = None

    def _blocks(self):
        done = self.n_omitted = 0
        for rows, kept in self._stream.blocks():
            if len(rows):
                yield rows, None
            done += len(kept)
            self.n_omitted += int((~kept).sum())
            self._tell(self._doing, done)
        self.n_rows = done

    @property
    def shape(self):
        """Number of rows and columns, landmarks or not."""
        return int(self.total), self._every.shape[1]

    def _follow(self, cloud, found=None):
        """Write the group that each row follows to into a temporary file."""
        follower, self._doing = Follower(cloud, self._n_threads), "following"
        sizes = np.zeros(cloud.groups.max() + 1)
        spool = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as this engine)
        weakref.finalize(self, spool.close)
        done = 0
        for rows, kept in self._stream.blocks():
            groups = np.full(len(kept), -1, dtype=GROUP)
            if len(rows):
                groups[kept], log_sums = follower.groups(rows)
                sizes += np.bincount(groups[kept], minlength=len(sizes))
                if found is not None:
                    found.add(rows, log_sums)
            spool.write(groups.tobytes())
            done += len(kept)
            self._tell("following", done)
        self._followed, self._followed_in, self._sizes = spool, cloud, sizes

    def for_caller(self, fitted, groups):
        """Return the fit of the landmarks; the largest cluster of all rows is the first."""
        self._require_followed(fitted.cloud)
        one = one_of_each(fitted.cloud.groups)
        of_group = fitted.labels[one]
        sizes = np.bincount(of_group, self._sizes, minlength=int(fitted.labels.max()) + 1)
        order = np.argsort(-sizes, kind="stable")
        rank = np.empty(len(order), dtype=fitted.labels.dtype)
        rank[order] = np.arange(len(order))
        self.sizes, self.label_of_group = sizes[order].astype(np.int64), rank[of_group]
        fitted = replace(fitted, labels=rank[fitted.labels], centers=fitted.centers[order])
        return fitted, largest_first(groups, self.mass)

    def label_blocks(self):
        """Yield the labels of all rows, block by block; −1 for omitted ones."""
        self._followed.seek(0)
        size = self._stream.block * GROUP.itemsize
        labels = np.append(self.label_of_group, -1)
        while content := self._followed.read(size):
            yield labels[np.frombuffer(content, dtype=GROUP)]

    def outliers(self, fitted):
        """Tell of each landmark whether it is an outlier."""
        return fitted.standardizer.outliers(self._X, fitted.weights)

    def training_rows(self):
        """Return the landmarks."""
        return self._X

    @property
    def landmark_mass(self):
        """The masses of the landmarks."""
        return np.ones(self.n_landmarks) if self.mass is None else self.mass
