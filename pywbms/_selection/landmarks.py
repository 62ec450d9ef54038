"""What is to be said of landmarks: how many there are, and how well other rows follow them."""

from dataclasses import dataclass, replace

import numpy as np

from pywbms._engine.follower import Follower
from pywbms._selection.agreement import agreement
from pywbms._terminal.wording import counted

# With fewer landmarks a half of them tells nothing.
LEAST = 20


@dataclass(frozen=True)
class Landmarks:
    """The rows that were clustered in place of all.

    Attributes
    ----------
    number : int
        How many there are.
    rows : int
        Rows of the table; those that are no landmarks followed them.
    agreement : float or None
        Expected agreement (adjusted Rand index) with the exact fit of all rows: that of the
        landmarks' clusters with those that one half of them gets by following a fit of the other
        half. None if there are too few to tell, or a callback ended the fit.
    unreached : int
        Rows that no landmark reached: their kernel sums were below those of nearly all landmarks.
    added : int
        Landmarks that were added in a second round, as those were more than chance.
    """

    number: int
    rows: int
    agreement: float | None
    unreached: int
    added: int

    def __str__(self):
        found = "" if self.agreement is None else (
            f"; expected agreement with the exact fit {self.agreement:.3f}"
        )  # fmt: skip
        added = f", {self.added:,} of them added for rows out of reach" if self.added else ""
        return (
            f"{counted(self.number, 'landmark')} of {counted(self.rows, 'row')} clustered{added}, "
            f"the others follow{found}"
        )


def landmarks_of(engine, partition):
    """Return what is to be said of the landmarks of an engine; None if it fits all rows."""
    if engine.n_landmarks is None:
        return None
    return Landmarks(
        number=engine.n_landmarks,
        rows=int(engine.shape[0]),
        agreement=expected_agreement(engine, partition),
        unreached=round(engine.n_unreached),
        added=engine.n_added,
    )


def expected_agreement(engine, partition):
    """Return the agreement of a half of the landmarks, following the others, with the fit of all.

    Parameters
    ----------
    engine : LandmarkEngine
    partition : Partition
        Of the landmarks.
    """
    fitted = partition.fitted
    if engine.n_landmarks < LEAST or fitted.interrupted:
        return None
    settings = replace(partition.settings, n_clusters=None, tree=False, outliers="keep")
    (rows, mass, some), (others, _, rest) = engine.halves()
    half = engine.fit(rows, mass, settings)
    followed = Follower(half.cloud, settings.n_threads).groups(others)[0]
    if partition.reached_by != "fit":  # as these are joined, or merged, so are those of the half
        followed = mostly(half.labels, fitted.labels[some])[followed]
    return agreement(followed, fitted.labels[rest])


def mostly(groups, labels):
    """Return for each group the label that most of its rows have.

    Examples
    --------
    >>> mostly(np.array([0, 0, 0, 1]), np.array([2, 2, 1, 1])).tolist()
    [2, 1]
    """
    table = np.zeros((groups.max() + 1, labels.max() + 1))
    np.add.at(table, (groups, labels), 1)
    return table.argmax(axis=1)
