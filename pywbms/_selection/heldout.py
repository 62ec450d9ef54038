"""How much better clusters predict held-out rows than a single cloud does."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular
from scipy.special import gammaln

# A cluster of fewer rows does not tell where further rows lie.
LEAST_ROWS = 3
MOST_COLUMNS = 20
LEAST_VARIANCE = 1e-3
# Clusters differ in spread; the prior on it counts as much as this number of rows.
PRIOR_ROWS = 5
# The prior on a covariance counts as much as this number of rows, for so many columns and one more.
PRIOR_ROWS_PER_COLUMN = 2
# A single cloud may be skewed (one Yeo–Johnson exponent per column) and heavy-tailed (a t).
EXPONENTS = np.arange(-3, 5.01, 0.25)
# It may also be bent: the other columns are polynomials of this degree in one of the heaviest.
BEND_DEGREE, MOST_BENDING = 3, 6
DEGREES_OF_FREEDOM = (3.0, 4.0, 6.0, 10.0, 20.0, np.inf)


class View(NamedTuple):
    """Coordinates in which a density is learned, and the tails that it has.

    Attributes
    ----------
    rows : ndarray of shape (n, q)
    log_derivative : ndarray of shape (n,) or float
        Log of how much the coordinates stretch, for densities in the original ones.
    freedom : float
        Degrees of freedom of a t distribution; infinite for a Gaussian.
    """

    rows: np.ndarray
    log_derivative: np.ndarray | float
    freedom: float


class HeldOut:
    """Scores partitions of some rows by how well they predict the other rows.

    Two densities are learned from the rows that were clustered, in the heaviest columns, and
    compared on the held-out rows. One is a Gaussian around each cluster, with a covariance that
    all share up to a factor, or one of its own, shrunk towards that. The other is a single cloud
    that may be correlated, skewed, heavy-tailed and, if asked for, bent, as data without clusters
    may be. It takes clusters, not merely a shape other than a Gaussian, to do better than that.
    And as clusters may be skewed and heavy-tailed, too, theirs may have the skewness and the tails
    of the best single cloud.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
        Data without constant columns.
    rng : numpy.random.Generator
        Spreads each value over the step to which its column is rounded: repeated values are not
        clusters of infinite density.
    """

    def __init__(self, rows, rng):
        scores = standardised(rows)
        gaps = np.diff(np.sort(scores, axis=0), axis=0)
        step = np.where(gaps > 0, gaps, np.inf).min(axis=0)
        self._rows = standardised(scores + step * (rng.uniform(size=scores.shape) - 0.5))
        self._straight = {}
        self._single, self._bent = {}, {}

    def gain(self, train, labels, weights, *, own_shapes=False, may_bend=False):
        """Return the mean gain in log density, in nats per row, on the held-out rows.

        Parameters
        ----------
        train : ndarray of shape (n,), bool
            The rows to learn from; the others are held out.
        labels : ndarray
            Clusters of the rows to learn from.
        weights : ndarray of shape (p,)
            Feature weights; only as many columns are looked at as they effectively use.
        own_shapes : bool, default False
            Whether each cluster has a covariance of its own: more accurate, and more work.
        may_bend : bool, default False
            Whether the single cloud may be bent, too.
        """
        columns = heaviest(weights)
        single, _, *best_view = self._single_cloud(train, columns)
        if may_bend:
            single = self._bent_cloud(train, columns)
        size = np.bincount(labels)
        number = np.where(size >= LEAST_ROWS, np.cumsum(size >= LEAST_ROWS) - 1, -1)[labels]
        size = size[size >= LEAST_ROWS].astype(float)
        if len(size) == 0:
            return 0.0
        inside = number >= 0
        n = len(number)
        # Rows of tiny clusters, and one more, may lie anywhere in the single cloud.
        elsewhere = single + np.log((n - size.sum() + 1) / (n + 1))
        density = ShapedClusters if own_shapes else Clusters
        best, most = None, -np.inf
        for skewed, freedom in dict.fromkeys([(False, np.inf), tuple(best_view)]):
            view = self._view(columns, skewed, freedom)
            known = view.rows[train]
            centre = known.mean(axis=0)
            clusters = density(known[inside] - centre, number[inside], size)
            among = clusters.log_density(view.rows - centre, n + 1, view.freedom)
            either = np.maximum(among + view.log_derivative, elsewhere)
            if either[train].sum() > most:
                best, most = either, either[train].sum()
        return float((best - single)[~train].mean())

    def _single_cloud(self, train, columns):
        """Return the single cloud that fits the train rows best, but for bent ones.

        Returns
        -------
        density : ndarray of shape (n,)
            Log density of all rows.
        fit : float
            Its sum over the train rows.
        skewed, freedom : bool, float
            Which view it has, see `_view`.
        """
        key = train.tobytes(), columns.tobytes()
        if key not in self._single:
            found = []
            for skewed in (False, True):
                rows, log_derivative, _ = self._view(columns, skewed)
                densities = cloud_densities(rows, train, log_derivative)
                for freedom, density in zip(DEGREES_OF_FREEDOM, densities, strict=True):
                    found.append((density, density[train].sum(), skewed, freedom))
            self._single[key] = max(found, key=lambda one: one[1])
        return self._single[key]

    def _view(self, columns, skewed, freedom=np.inf):
        """Return the columns as they are, or with their skewness reduced."""
        if not skewed:
            return View(self._rows[:, columns], 0.0, freedom)
        straight, logs = zip(*map(self._straightened, columns.tolist()), strict=True)
        return View(np.stack(straight, axis=1), np.sum(logs, axis=0), freedom)

    def _bent_cloud(self, train, columns):
        """Return the log density of all rows in the best single cloud, which may be bent."""
        key = train.tobytes(), columns.tobytes()
        if key not in self._bent:
            best, most, *_ = self._single_cloud(train, columns)
            penalty = (BEND_DEGREE - 1) * (len(columns) - 1) * np.log(train.sum()) / 2
            for sheared in unbent(self._rows[:, columns], train) if len(columns) > 1 else ():
                for density in cloud_densities(sheared, train):
                    if density[train].sum() - penalty > most:
                        best, most = density, density[train].sum() - penalty
            self._bent[key] = best
        return self._bent[key]

    def _straightened(self, column):
        """Return a column transformed to reduce its skewness, and the log derivative of that."""
        if column not in self._straight:
            x = self._rows[:, column]
            logs = np.sign(x) * np.log1p(np.abs(x))
            y = yeo_johnson(logs)
            sd = y.std(axis=1)
            likelihood = (EXPONENTS - 1) * logs.mean() - np.log(np.maximum(sd, 1e-12))
            best = int(np.argmax(likelihood))
            self._straight[column] = (
                (y[best] - y[best].mean()) / sd[best],
                (EXPONENTS[best] - 1) * logs - np.log(sd[best]),
            )
        return self._straight[column]


class Clusters:
    """Gaussian clusters with a common shape, spreads of their own, and means that are shrunk.

    In directions where the means differ no more than by chance, they are shrunk to one: such a
    direction neither gains nor costs anything.

    Parameters
    ----------
    rows : ndarray of shape (n, p)
    number : ndarray of shape (n,)
        Cluster of each row, 0 … k − 1.
    size : ndarray of shape (k,)
    """

    def __init__(self, rows, number, size):
        n, k = len(rows), len(size)
        mean = np.zeros((k, rows.shape[1]))
        np.add.at(mean, number, rows)
        mean /= size[:, None]
        self._away = rows - mean[number]
        self._within = shrunk_covariance(self._away) * (n / max(n - k, 1))
        variance, self._axes = np.linalg.eigh(self._within)
        variance = np.maximum(variance, LEAST_VARIANCE)
        mean = mean @ self._axes
        overall = size @ mean / n
        between = (size[:, None] * (mean - overall) ** 2).sum(axis=0)
        spread = n - (size**2).sum() / n
        true = np.maximum(between - (k - 1) * variance, 0) / (spread if k > 1 else 1)
        kept = size[:, None] * true / (size[:, None] * true + variance)
        squares = ((rows @ self._axes - mean[number]) ** 2 / variance).mean(axis=1)
        own = np.bincount(number, squares) * (n / max(n - k, 1))
        scale = (own + PRIOR_ROWS) / (size + PRIOR_ROWS)
        variance = scale[:, None] * variance
        self._size = size
        self._mean = overall + kept * (mean - overall)
        self._variance = variance + kept * variance / size[:, None]

    def log_density(self, rows, total, freedom=np.inf):
        """Return the log density of rows in their likeliest cluster, which has its share of total.

        The constant (2π)^(−p/2) is left out.
        """
        best = np.full(len(rows), -np.inf)
        for (square, log_volume), size in zip(self._squares(rows), self._size, strict=True):
            density = elliptical(square, log_volume, rows.shape[1], freedom)
            np.maximum(best, density + np.log(size / total), out=best)
        return best

    def _squares(self, rows):
        """Yield the squared distances of rows from each cluster, in its units, and its volume."""
        places = rows @ self._axes
        for mean, variance in zip(self._mean, self._variance, strict=True):
            yield ((places - mean) ** 2 / variance).sum(axis=1), np.log(variance).sum() / 2


class ShapedClusters(Clusters):
    """Gaussian clusters with covariances of their own, shrunk towards the common shape."""

    def __init__(self, rows, number, size):
        super().__init__(rows, number, size)
        common = self._within + 1e-6 * np.eye(rows.shape[1])
        inverse = np.linalg.inv(common)
        self._mean = self._mean @ self._axes.T
        self._roots = []
        for cluster, m in enumerate(size):
            away = self._away[number == cluster]
            scatter = away.T @ away * (m / max(m - 1, 1))
            spread = (np.mean(np.sum(away @ inverse * away, axis=1)) / len(common)) * m
            spread = (spread + PRIOR_ROWS) / (m + PRIOR_ROWS)
            covariance = posterior_covariance(scatter, m, spread * common)
            self._roots.append(np.linalg.cholesky(covariance + 1e-9 * np.eye(len(common))))

    def _squares(self, rows):
        for mean, root in zip(self._mean, self._roots, strict=True):
            square = (solve_triangular(root, (rows - mean).T, lower=True) ** 2).sum(axis=0)
            yield square, np.log(np.diag(root)).sum()


def elliptical(square, log_volume, p, freedom):
    """Return the log density of a Gaussian, or of a t with the same covariance.

    The constant (2π)^(−p/2) is left out.

    Parameters
    ----------
    square : ndarray
        Squared Mahalanobis distances.
    log_volume : float
        Half the log determinant of the covariance.
    p : int
    freedom : float
        Degrees of freedom, above 2; infinite for a Gaussian.
    """
    if np.isinf(freedom):
        return -square / 2 - log_volume
    constant = gammaln((freedom + p) / 2) - gammaln(freedom / 2) - p / 2 * np.log(freedom / 2 - 1)
    return constant - (freedom + p) / 2 * np.log1p(square / (freedom - 2)) - log_volume


def posterior_covariance(scatter, n, prior):
    """Return the covariance with which a further row is predicted.

    Parameters
    ----------
    scatter : ndarray of shape (p, p)
        Sum of squares and products of n rows about their mean.
    n : float
    prior : ndarray of shape (p, p)
        What is expected of their covariance.
    """
    weight = PRIOR_ROWS_PER_COLUMN * (len(prior) + 1)
    return (scatter + weight * prior) / (n + weight) * (1 + 1 / n)


def cloud_densities(rows, train, log_derivative=0.0):
    """Return the log densities of all rows under a Gaussian and some t, fitted to the train rows.

    The constant (2π)^(−p/2) is left out.
    """
    p = rows.shape[1]
    centred = rows - rows[train].mean(axis=0)
    known = centred[train]
    scatter = known.T @ known * (len(known) / max(len(known) - 1, 1))
    # As that of a cluster with a shape of its own: one cluster gains nothing over the cloud.
    covariance = posterior_covariance(scatter, len(known), shrunk_covariance(known))
    root = np.linalg.cholesky(covariance + 1e-6 * np.eye(p))
    square = (np.linalg.solve(root, centred.T) ** 2).sum(axis=0)
    log_volume = np.log(np.diag(root)).sum()
    return [
        elliptical(square, log_volume, p, freedom) + log_derivative
        for freedom in DEGREES_OF_FREEDOM
    ]


def unbent(rows, train):
    """Yield the rows with the bends along one of the heaviest columns taken out of the others.

    Each is the residual of a polynomial, a shear that preserves volumes: densities stay what they
    are. Beyond the train rows the polynomials go on as constants.
    """
    for driver in range(min(rows.shape[1], MOST_BENDING)):
        place = rows[:, driver]
        powers = np.vander(place.clip(place[train].min(), place[train].max()), BEND_DEGREE + 1)
        others = np.arange(rows.shape[1]) != driver
        bend = np.linalg.lstsq(powers[train], rows[np.ix_(train, others)], rcond=None)[0]
        straight = rows.copy()
        straight[:, others] -= powers @ bend
        yield straight


def shrunk_covariance(centred):
    """Return the covariance of centred rows, shrunk as Ledoit and Wolf do if there are columns."""
    if centred.shape[1] == 1:
        return np.mean(centred**2, axis=0)[None]
    n, p = centred.shape
    squares = centred**2
    scatter = centred.T @ centred / n
    mean_variance = squares.sum() / (n * p)
    distance = (scatter**2).sum() - p * mean_variance**2
    error = ((squares.T @ squares).sum() / n - (scatter**2).sum()) / n
    share = min(error / distance, 1.0) if error > 0 and distance > 0 else float(error > 0)
    return (1 - share) * scatter + share * mean_variance * np.eye(p)


def yeo_johnson(logs):
    """Return the Yeo–Johnson transforms of x with each of `EXPONENTS`.

    Parameters
    ----------
    logs : ndarray of shape (n,)
        sign(x) · log(1 + |x|).

    Examples
    --------
    >>> x = np.array([-2.0, 0.5])
    >>> y = yeo_johnson(np.sign(x) * np.log1p(np.abs(x)))
    >>> np.allclose(y[EXPONENTS == 1], x)
    True
    """
    # (1 + x)^e − 1 over e for x >= 0; for the others the same, mirrored, with 2 − e.
    mirrored = logs < 0
    exponents = np.where(mirrored, 2 - EXPONENTS[:, None], EXPONENTS[:, None])
    length = np.abs(logs)
    power = np.expm1(exponents * length)
    y = np.divide(power, exponents, out=np.tile(length, (len(EXPONENTS), 1)), where=exponents != 0)
    return np.where(mirrored, -y, y)


def heaviest(weights):
    """Return the columns that the weights effectively use, 1/Σw² of them, heaviest first."""
    number = int(np.ceil(1 / (weights**2).sum() - 1e-9))
    order = np.argsort(-weights, kind="stable")
    return order[: min(max(number, 1), MOST_COLUMNS, len(order))]


def standardised(rows):
    """Return z-scores."""
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)
