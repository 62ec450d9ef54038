"""How many landmarks there are, and when a fit is exact."""

from pywbms._data.checks import require_integer

# A fit is exact while rows² × columns is at most this: 20,000 × 20, seconds per iteration.
BUDGET = 20_000**2 * 20

# Landmarks of a larger table, fewer if it is wide: as many as hold so many numbers, but not fewer
# than the smallest number.
USUAL, NUMBERS, SMALLEST = 8_000, 1_000_000, 2_000


def require_landmarks(landmarks):
    """Raise a ValueError unless a value can be that of the parameter."""
    if landmarks is None or (isinstance(landmarks, str) and landmarks == "auto"):
        return
    if isinstance(landmarks, str):
        raise ValueError(f"landmarks must be 'auto', None or an integer, got {landmarks!r}")
    require_integer("landmarks", landmarks, least=2)


def number_of_landmarks(landmarks, shape, tree=False, record_path=False):
    """Return how many landmarks there are, or None if all rows are fitted.

    Parameters
    ----------
    landmarks : "auto", int or None
    shape : (n, p)
    tree, record_path : bool
        Parameters of the fit that need all rows: "auto" then means None.

    Examples
    --------
    >>> number_of_landmarks("auto", (20_000, 20)), number_of_landmarks("auto", (1_000_000, 20))
    (None, 8000)
    >>> number_of_landmarks("auto", (100_000, 400)), number_of_landmarks(5000, (4000, 2))
    (2500, None)
    """
    n, p = shape
    if landmarks is None:
        return None
    if isinstance(landmarks, str):
        number = max(SMALLEST, min(USUAL, NUMBERS // max(p, 1)))
        exact = tree or record_path or n <= 2 * number or float(n) * n * p <= BUDGET
        return None if exact else number
    if landmarks >= n:
        return None
    for name, asked in (("tree", tree), ("record_path", record_path)):
        if asked:
            raise ValueError(
                f"{name}=True needs a fit of all {n} rows: use landmarks=None (got {landmarks})"
            )
    return int(landmarks)
