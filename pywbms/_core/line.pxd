"""Points on a line, and one blurring step of theirs."""

cdef struct Line:
    Py_ssize_t n
    double total       # mass of all points together
    double* at         # (n,) where the points are, ascending, in units of √h
    double* mass       # (n,) how many rows each point stands for
    double* moved      # (n,) where the points go
    # What a step needs besides.
    double* box        # (n,) number of each box that has points, ascending
    Py_ssize_t* first  # (n + 1,) the first point of each such box
    double* scratch    # (SCRATCH,)

cdef enum:
    # Polynomials that describe the points of a box, and the sums there.
    TERMS = 16
    # Boxes whose moments are at hand: a power of two, and at least 2 REACH + 1.
    SLOTS = 32
    # Room for a tile, and for its sums, norms and maxima and the masses of its rows; the moments
    # in the slots; the coefficients in a box.
    SCRATCH = (128 + 8) * (128 + 8) + SLOTS * TERMS + 3 * TERMS
    # Points that may be read beyond the last one: they must be finite.
    MARGIN = 8


cdef void blur(Line* line) noexcept nogil
