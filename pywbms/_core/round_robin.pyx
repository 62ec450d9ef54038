"""A schedule in which every tile meets every other one once, always in the same order.

It is the circle method for a round-robin tournament with an odd number of players: in round c,
player c rests and c + m meets c − m, for m = 1 … (players − 1) / 2, modulo the number of players.
If the number of tiles is even, the last player is absent.

In a round no player has two matches, and each plays its matches in the order of the rounds. So
threads that take matches in turn never write to the same tile, and the sums of a tile come together
in the same order however many threads there are.
"""

import numpy as np

from pywbms._core.pool cimport one_more_done, wait_until_done

cdef extern from *:
    """
    static inline Py_ssize_t take_turn(Py_ssize_t *next) {
        return __atomic_fetch_add(next, 1, __ATOMIC_RELAXED);
    }
    """
    Py_ssize_t take_turn(Py_ssize_t* next) nogil


cdef class RoundRobin:
    """The schedule for a number of tiles.

    Parameters
    ----------
    tiles : int

    Examples
    --------
    >>> schedule = RoundRobin(4)
    >>> schedule.players, schedule.matches
    (5, 2)
    >>> [schedule.match(number) for number in range(4)]  # player 4 is absent
    [(1, 4), (2, 3), (0, 2), (3, 4)]
    >>> [schedule.opponent(0, round) for round in range(5)]  # it rests in round 0
    [0, 2, 4, 1, 3]
    """

    def __init__(self, Py_ssize_t tiles):
        self.players = tiles + 1 - tiles % 2
        self.matches = self.players // 2
        self.played = np.zeros(self.players, dtype=np.intp)
        self.restart()

    cpdef (Py_ssize_t, Py_ssize_t) match(self, Py_ssize_t number) noexcept nogil:
        """Return who meets in a match, the lower player first; rounds × matches are numbered."""
        cdef Py_ssize_t resting = number // self.matches, m = number % self.matches + 1
        cdef Py_ssize_t i = (resting + m) % self.players
        cdef Py_ssize_t j = (resting + self.players - m) % self.players
        return min(i, j), max(i, j)

    cpdef Py_ssize_t opponent(self, Py_ssize_t player, Py_ssize_t round) noexcept nogil:
        """Return whom a player meets in a round: itself if it rests."""
        return (2 * round - player + self.players) % self.players

    cdef void restart(self) noexcept nogil:
        """Begin again with the first match."""
        self.played[:] = 0
        self.next = self.stop = 0

    cdef bint next_batch(self, Py_ssize_t matches) noexcept nogil:
        """Open the next matches to be taken; return whether there are any."""
        self.next = self.stop
        self.stop = min(self.next + matches, self.players * self.matches)
        return self.next < self.stop

    cdef bint take(self, Py_ssize_t* first, Py_ssize_t* second) noexcept nogil:
        """Take a match and wait until both players are free; return False if the batch is over."""
        cdef Py_ssize_t number = take_turn(&self.next), resting
        if number >= self.stop:
            return False
        resting = number // self.matches
        first[0], second[0] = self.match(number)
        # Each has met one other in every earlier round, except for the one in which it rested.
        wait_until_done(&self.played[first[0]], resting - (1 if first[0] < resting else 0))
        wait_until_done(&self.played[second[0]], resting - (1 if second[0] < resting else 0))
        return True

    cdef void finish(self, Py_ssize_t first, Py_ssize_t second) noexcept nogil:
        """Note that a match is over."""
        one_more_done(&self.played[first])
        one_more_done(&self.played[second])
