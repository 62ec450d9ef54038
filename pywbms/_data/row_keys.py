"""Keys of rows: numbers that depend on their values alone, as if drawn at random for each value."""

import numpy as np

# Numbers that are looked at together: what is computed from them stays in the cache.
BLOCK = 2**15

# Of splitmix64, a generator whose single steps are good hash functions.
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def row_keys(rows, seed=0):
    """Return a key for each row; equal rows have the same, all others (almost) surely not.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        Finite float64 numbers.
    seed : int
        Other seeds give other keys.

    Returns
    -------
    ndarray of shape (n,), uint64

    Examples
    --------
    >>> keys = row_keys(np.array([[0.0, 1.0], [1.0, 0.0], [-0.0, 1.0]]))
    >>> keys[0] == keys[2], keys[0] == keys[1]
    (np.True_, np.False_)
    """
    n = len(rows)
    keys = np.full(n, mixed(np.array([seed], dtype=np.uint64))[0])
    step = max(1, BLOCK // 8)
    for start in range(0, n, step):
        some = slice(start, start + step)
        bits = np.ascontiguousarray((rows[some] + 0.0).T).view(np.uint64)
        key = keys[some]
        for column in bits:
            key = mixed(key ^ column)
        keys[some] = key
    return keys


def halves_of(keys):
    """Return keys as pairs of whole numbers below 2³², which all languages can keep.

    Examples
    --------
    >>> keys = np.array([2**63 + 5], dtype=np.uint64)
    >>> joined_keys(halves_of(keys)) == keys
    array([ True])
    """
    low = keys & np.uint64(2**32 - 1)
    return np.column_stack([keys >> np.uint64(32), low]).astype(np.float64)


def joined_keys(halves):
    """Return the keys of which `halves_of` has made pairs."""
    high, low = halves.astype(np.uint64).T
    return (high << np.uint64(32)) | low


def mixed(x):
    """Return numbers that look random, one for each number of 64 bits."""
    x = x + GAMMA
    x = (x ^ (x >> np.uint64(30))) * FIRST
    x = (x ^ (x >> np.uint64(27))) * SECOND
    return x ^ (x >> np.uint64(31))
