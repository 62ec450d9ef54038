"""The paper's simulations, and a loader for its real data.

Every function returns ``(X, truth)``: a DataFrame with float columns ``x1 … xp`` and a Series of
integer labels, both on the same RangeIndex. In the simulations the features that carry the
clusters come first and the N(0, 1) features that carry nothing come last. Nothing is standardised
here; the paper z-transforms all data before use.
"""

import gzip
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

from pywbms._data.checks import positive, require_integer, require_positive

__all__ = [
    "REAL_DATA",
    "Dimensions",
    "data1",
    "find_file",
    "load",
    "simulation1",
    "simulation2",
    "simulation3",
    "two_moons",
    "varied_densities",
]


class Dimensions(NamedTuple):
    """What the paper's table of data dimensions says of one data set.

    Attributes
    ----------
    n, p, k : int
        Numbers of observations, features and classes.
    n_printed : int or None
        Number of observations in the paper's table, where the public file has another one.
    """

    n: int
    p: int
    k: int
    n_printed: int | None = None


#: The real data sets of the paper, by the name that `load` takes.
REAL_DATA = {
    # The paper prints 107 rows, KEEL's file has 106: `load` takes either.
    "appendicitis": Dimensions(106, 7, 2, n_printed=107),
    "zoo": Dimensions(101, 16, 7),
    "mammographic": Dimensions(830, 5, 2),
    "movement_libras": Dimensions(360, 90, 15),
    "nci9": Dimensions(60, 9712, 9),
    "glioma": Dimensions(50, 4434, 4),
    "yale": Dimensions(165, 1024, 15),
    "lymphoma": Dimensions(62, 4026, 3),
    "gcm": Dimensions(191, 16063, 15),
}

_SOURCES = (
    "The data come from the UCI machine learning repository (https://archive.ics.uci.edu), KEEL "
    "(https://sci2s.ugr.es/keel/datasets.php), the ASU feature selection repository "
    "(https://featureselection.asu.edu) and the authors' repository "
    "(https://github.com/SaptarshiC98/WBMS)."
)
_LAYOUT = "rows are observations, the last column is the class, there is no header"

# Four means in the unit square are 6 · 0.03 apart in about every second draw; a thousand draws
# cost some milliseconds, and only run out where the distance is hardly possible at all.
_MAX_DRAWS = 1000


def data1(random_state=0):
    """Draw the motivating example: two clusters in 2 of 32 features.

    Two clusters of 100 rows lie around (−1, −1) and (1, 1) in ``x1`` and ``x2``, with a standard
    deviation of 0.35; ``x3 … x32`` are N(0, 1). The paper gives only the shape; centres and
    standard deviation are those of the authors' released example.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.

    Returns
    -------
    X : DataFrame, 200 × 32
    truth : Series of int

    Examples
    --------
    >>> X, truth = data1(0)
    >>> X.shape
    (200, 32)
    >>> X[["x1", "x2"]].groupby(truth).mean().round(1)
            x1   x2
    truth
    0     -1.0 -1.0
    1      1.0  1.0
    """
    rng = np.random.default_rng(random_state)
    truth = _balanced_labels(200, k=2)
    theta = np.array([[-1.0, -1.0], [1.0, 1.0]])
    return _draw(theta[truth], 0.35, 30, truth, rng)


def simulation1(k=5, random_state=0):
    """Draw Simulation 1: a growing number of clusters in 5 of 20 features.

    Each of the n = 20k rows draws its cluster uniformly, so clusters differ in size and a cluster
    may, rarely, have no rows: the labels are those drawn. The clusters' means are Unif(0, 1) in
    ``x1 … x5``, with a standard deviation of 0.02; ``x6 … x20`` are N(0, 1).

    Parameters
    ----------
    k : int, default 5
        Number of clusters; the paper goes from 2 to 50.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.

    Returns
    -------
    X : DataFrame, 20k × 20
    truth : Series of int

    Examples
    --------
    >>> X, truth = simulation1(k=10)
    >>> X.shape, truth.nunique()
    ((200, 20), 10)
    """
    k = require_integer("k", k, least=1)
    rng = np.random.default_rng(random_state)
    theta = rng.uniform(size=(k, 5))
    truth = rng.integers(k, size=20 * k)
    return _draw(theta[truth], 0.02, 15, truth, rng)


def simulation2(p=20, random_state=0, *, sd=0.03):
    """Draw Simulation 2: four clusters in 5 % of a growing number of features.

    The n = 100 rows form four clusters of 25. Their means are Unif(0, 1) in the first 5 % of the
    features, at least two; the other features are N(0, 1).

    Parameters
    ----------
    p : int, default 20
        Number of features, at least 2; the paper goes from 20 to 200.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.
    sd : float, default 0.03
        Standard deviation of the clusters. The paper prints a variance of 0.3, which is
        ``sd=np.sqrt(0.3)``, and "without any overlaps". The two do not go together: with the
        printed variance the clusters lie on top of one another. The default keeps the words.

    Returns
    -------
    X : DataFrame, 100 × p
    truth : Series of int

    Notes
    -----
    The means are drawn again until every two are at least 6 `sd` apart. If a thousand draws do not
    achieve it, as with the printed variance and the paper's p, the first draw is kept.

    Examples
    --------
    >>> X, truth = simulation2(p=40)
    >>> X.shape
    (100, 40)
    >>> int((X.groupby(truth).std().max() < 0.1).sum())  # features that carry the clusters
    2
    """
    p = require_integer("p", p, least=2)
    return _four_clusters(p, max(2, round(p / 20)), sd, random_state)


def simulation3(random_state=0, *, sd=0.03):
    """Draw Simulation 3: four clusters in the first two of ten features.

    Parameters
    ----------
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.
    sd : float, default 0.03
        Standard deviation of the clusters, as in `simulation2`.

    Returns
    -------
    X : DataFrame, 100 × 10
    truth : Series of int

    See Also
    --------
    simulation2 : The same clusters in a growing number of features.

    Examples
    --------
    >>> X, truth = simulation3()
    >>> X.shape
    (100, 10)
    """
    return _four_clusters(10, 2, sd, random_state)


def two_moons(n=200, random_state=0, *, noise=0.05, n_noise_features=30):
    """Draw two interleaved half circles, followed by N(0, 1) features.

    Parameters
    ----------
    n : int, default 200
        Number of rows, at least 2; half of them, rounded up, form the upper moon.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.
    noise : float, default 0.05
        Standard deviation of the points around the half circles, which have radius 1.
    n_noise_features : int, default 30
        Number of N(0, 1) features after the two that carry the moons.

    Returns
    -------
    X : DataFrame, n × (2 + n_noise_features)
    truth : Series of int

    Examples
    --------
    >>> X, truth = two_moons()
    >>> X.shape
    (200, 32)
    """
    n = require_integer("n", n, least=2)
    if not (positive(noise) or noise == 0):
        raise ValueError(f"noise must be 0 or a positive finite number, got {noise!r}")
    n_noise_features = require_integer("n_noise_features", n_noise_features, least=0)
    rng = np.random.default_rng(random_state)
    truth = _balanced_labels(n, k=2)
    upper, lower = (np.linspace(0, np.pi, size) for size in np.bincount(truth))
    moons = np.vstack(
        [
            np.column_stack([np.cos(upper), np.sin(upper)]),
            np.column_stack([1 - np.cos(lower), 0.5 - np.sin(lower)]),
        ]
    )
    return _draw(moons, noise, n_noise_features, truth, rng)


def varied_densities(n=300, random_state=0, *, n_noise_features=30):
    """Draw three round clusters of very different spread, followed by N(0, 1) features.

    The clusters have the same number of rows, give or take one, and standard deviations of 1, 2.5
    and 0.5. They lie so far apart that they do not overlap.

    Parameters
    ----------
    n : int, default 300
        Number of rows, at least 3.
    random_state : int, numpy.random.Generator or None, default 0
        Seed or source of the random numbers; None draws differently each time.
    n_noise_features : int, default 30
        Number of N(0, 1) features after the two that carry the clusters.

    Returns
    -------
    X : DataFrame, n × (2 + n_noise_features)
    truth : Series of int

    Examples
    --------
    >>> X, truth = varied_densities()
    >>> X.shape
    (300, 32)
    >>> X["x1"].groupby(truth).std().round(1).tolist()
    [0.9, 2.4, 0.5]
    """
    n = require_integer("n", n, least=3)
    n_noise_features = require_integer("n_noise_features", n_noise_features, least=0)
    rng = np.random.default_rng(random_state)
    truth = _balanced_labels(n, k=3)
    # Every two centres are at least 4.5 times the sum of their standard deviations apart.
    theta = np.array([[-8.0, -4.0], [8.0, 0.0], [-4.0, 8.0]])
    sd = np.array([[1.0], [2.5], [0.5]])
    return _draw(theta[truth], sd[truth], n_noise_features, truth, rng)


def load(name, folder):
    """Load one of the paper's real data sets from a folder of CSV or MATLAB files.

    Parameters
    ----------
    name : str
        A key of `REAL_DATA`, in upper or lower case; a space may stand for an underscore.
    folder : str or path-like
        Where ``NAME.csv``, ``NAME.csv.gz`` or ``NAME.mat`` is found, in upper or lower case. Rows
        of a CSV file are observations, the last column is the class, there is no header. A MATLAB
        file has the features in ``X``, a row an observation, and the classes in ``Y``.

    Returns
    -------
    X : DataFrame
    truth : Series of int
        The classes, numbered from 0 in the order of the sorted original ones.

    Raises
    ------
    ValueError
        If the name is unknown, or the file does not hold the numbers of rows, features and classes
        of `REAL_DATA`, or an entry is missing or not a finite number.
    FileNotFoundError
        If the folder or the file is missing; the message says where the data come from.

    Examples
    --------
    >>> REAL_DATA["zoo"].n, REAL_DATA["zoo"].p, REAL_DATA["zoo"].k
    (101, 16, 7)
    >>> X, truth = load("Zoo", "my_data")  # doctest: +SKIP
    """
    key = str(name).lower().replace(" ", "_")
    if key not in REAL_DATA:
        raise ValueError(f"unknown data set {name!r}; the names are {', '.join(REAL_DATA)}")
    file = find_file(key, folder)
    table = _read_matlab(file) if file.suffix.lower() == ".mat" else _read_csv(file)
    expected = REAL_DATA[key]
    _check_shape(table, expected, file)
    X, classes = table.iloc[:, :-1], table.iloc[:, -1]
    X.columns = _feature_names(expected.p)
    numbers = _as_numbers(X, file)
    if classes.isna().any():
        raise ValueError(f"{file}: the last column, the class, has missing entries")
    truth, found = pd.factorize(classes, sort=True)
    if len(found) != expected.k:
        raise ValueError(
            f"{file} has {len(found)} classes in its last column, expected {expected.k}"
        )
    return _as_pair(numbers, truth)


def _four_clusters(p, n_informative, sd, random_state):
    """Draw the data of Simulations 2 and 3."""
    require_positive("sd", sd)
    rng = np.random.default_rng(random_state)
    theta = _separated_means(4, n_informative, 6 * sd, rng)
    truth = _balanced_labels(100, k=4)
    return _draw(theta[truth], sd, p - n_informative, truth, rng)


def _separated_means(k, n_features, distance, rng):
    """Draw k means from Unif(0, 1), again until every two are `distance` apart."""
    first = theta = rng.uniform(size=(k, n_features))
    for _ in range(_MAX_DRAWS):
        if pdist(theta).min() >= distance:
            return theta
        theta = rng.uniform(size=(k, n_features))
    return first


def _balanced_labels(n, k):
    """Labels 0 … k−1 in blocks of equal size, the first ones longer where n is no multiple."""
    return np.arange(n) * k // n


def _draw(means, sd, n_noise_features, truth, rng):
    """Draw a normal row around each row of `means`, and N(0, 1) features after it."""
    n, n_informative = means.shape
    X = rng.standard_normal((n, n_informative + n_noise_features))
    X[:, :n_informative] = means + sd * X[:, :n_informative]
    return _as_pair(X, truth)


def _as_pair(X, truth):
    """Put data and labels in the form that every function here returns."""
    X = pd.DataFrame(X, columns=_feature_names(X.shape[1]))
    return X, pd.Series(truth, name="truth", dtype="int64")


def _feature_names(p):
    return [f"x{feature}" for feature in range(1, p + 1)]


def find_file(name, folder):
    """Return the path of a data set's file, as `load` finds it.

    Parameters
    ----------
    name : str
        A key of `REAL_DATA`.
    folder : str or path-like

    Raises
    ------
    FileNotFoundError
        If the folder or the file is missing; the message says where the data come from.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}, where {name}.csv or {name}.csv.gz should be, or a "
            f"{name}.mat with X and Y. {_SOURCES}"
        )
    # Sorted, lest the answer depend on the file system where two names differ in case only.
    files = {_plain(file.name): file for file in sorted(folder.iterdir(), reverse=True)}
    for suffix in (".csv", ".csv.gz", ".mat"):
        file = files.get(name + suffix)
        if file is not None and file.is_file():
            return file
    raise FileNotFoundError(
        f"neither {name}.csv nor {name}.csv.gz is in {folder}; save the data there: {_LAYOUT}. "
        f"A {name}.mat with X and Y will do, too. {_SOURCES}"
    )


def _plain(name):
    """Write a file's name as `REAL_DATA` writes names: "Movement Libras.csv" has many spellings."""
    return name.lower().replace(" ", "_").replace("-", "_")


def _read_csv(file):
    try:
        # low_memory=False reads each column in one piece: it has one type, and no DtypeWarning.
        return pd.read_csv(file, header=None, skipinitialspace=True, low_memory=False)
    except (
        pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError, gzip.BadGzipFile,
        EOFError, zlib.error,
    ) as error:  # fmt: skip
        raise ValueError(f"{file} cannot be read as a table ({_LAYOUT}): {error}") from error


def _read_matlab(file):
    """Return the table of a MATLAB file: the columns of X, then Y."""
    from scipy.io import loadmat
    from scipy.sparse import issparse

    try:
        found = loadmat(file)
    # A file cut short, one of version 7.3 and one that is something else each raise their own.
    except Exception as error:
        raise ValueError(f"{file} cannot be read as a MATLAB file: {error}") from error
    variables = {name.upper(): value for name, value in found.items() if name[:2] != "__"}
    lacking = [name for name in "XY" if name not in variables]
    if lacking:
        raise ValueError(
            f"{file} has no variable {' and no '.join(lacking)}; "
            f"it has {', '.join(sorted(variables)) or 'none'}"
        )
    X, Y = variables["X"], variables["Y"]
    X = X.toarray() if issparse(X) else X
    # MATLAB keeps texts of different length in cells: arrays of objects that hold one text each.
    classes = [entry.item() if isinstance(entry, np.ndarray) else entry for entry in Y.ravel()]
    if X.ndim != 2 or len(classes) != len(X):
        shapes = " and ".join(" × ".join(map(str, values.shape)) for values in (X, Y))
        raise ValueError(f"{file}: X and Y must have the same rows, they are {shapes}")
    return pd.concat([pd.DataFrame(X), pd.Series(classes, name="class")], axis=1)


def _check_shape(table, expected, file):
    n, p = len(table), table.shape[1] - 1
    if n not in (expected.n, expected.n_printed) or p != expected.p:
        rows = " or ".join(str(rows) for rows in (expected.n, expected.n_printed) if rows)
        raise ValueError(
            f"{file} has {n} rows × {p} features and a class column, "
            f"expected {rows} × {expected.p} ({_LAYOUT})"
        )


def _as_numbers(X, file):
    """Turn features as they were read into a float array; refuse the first entry that is none."""
    text = X.columns[~X.dtypes.map(pd.api.types.is_numeric_dtype)]
    numbers = X.assign(**{column: pd.to_numeric(X[column], errors="coerce") for column in text})
    numbers = numbers.to_numpy(dtype=float)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        column = wrong.any(axis=0).argmax()
        row = wrong[:, column].argmax()
        entry = X.iloc[row, column]
        what = "is missing" if pd.isna(entry) else f"is '{entry}', not a finite number"
        raise ValueError(f"{file}: the entry of column {X.columns[column]} in row {row + 1} {what}")
    return numbers
