"""The scans along h on all lines, a line being a start of the weights and a lam.

Where clusters are clear, most lines lead to the same ones. A scan that has found twice in a row
what an earlier line has found at the same h waits: it only goes on if that line finds something
better further on, where the two may part.
"""

from dataclasses import dataclass

from pywbms._selection.agreement import agreement

# As many groups that agree as well as this (adjusted Rand index) are those of another line.
FOLLOWS, IN_A_ROW = 0.98, 2
# A line finds something better if it promises so many times as much.
BETTER = 1.02


@dataclass
class Waiting:
    """A scan that waits, the one that it follows, and what that had promised."""

    scan: object
    leader: object
    promise: float


class LineScans:
    """Scans that are advanced together, one step of each at a time.

    Parameters
    ----------
    scans : list of BandwidthScan
        Earlier ones lead, later ones may follow them.
    """

    def __init__(self, scans):
        self._active = list(scans)
        self._all = list(scans)
        self._waiting = []

    def run(self, fit):
        """Advance all scans to their ends.

        Parameters
        ----------
        fit : callable
            Given scans, fits the next step of each; returns the candidates and the best promise
            so far.
        """
        while self._active:
            candidates, best = fit(self._active)
            for scan, candidate in zip(self._active, candidates, strict=True):
                scan.advance(candidate, best)
            self._active = [scan for scan in self._active if not scan.ended]
            self._let_wait()
            self._wake()

    def _let_wait(self):
        for scan in list(self._active):
            leader = next(filter(lambda other: follows(scan, other), self._before(scan)), None)
            if leader is not None:
                self._active.remove(scan)
                self._waiting.append(Waiting(scan, leader, leader.promise))

    def _before(self, scan):
        waiting = [one.scan for one in self._waiting]
        before = self._all[: self._all.index(scan)]
        return [one for one in before if one.up == scan.up and one not in waiting]

    def _wake(self):
        """Let those go on whose leader has found something better since."""
        awake = [one for one in self._waiting if one.leader.promise > BETTER * one.promise]
        self._waiting = [one for one in self._waiting if one not in awake]
        self._active += [one.scan for one in awake]


def follows(scan, other):
    """Tell whether the last candidates of a scan have the groups that another one has there."""
    if len(scan.tried) < IN_A_ROW:
        return False
    there = dict(other.tried)
    return all(
        one.n_groups > 1
        and step in there
        and one.n_groups == there[step].n_groups
        and agreement(one.labels, there[step].labels) >= FOLLOWS
        for step, one in scan.tried[-IN_A_ROW:]
    )
