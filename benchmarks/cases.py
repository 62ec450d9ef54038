"""The benchmark cases: data sets, parameters, and the three plans of a run."""

from dataclasses import dataclass

import numpy as np

from pywbms import datasets


@dataclass(frozen=True)
class Case:
    """A data set with the parameters of its fit.

    Attributes
    ----------
    name : str
        The name for ``--only`` and in the table.
    data : str
        One of `DRAWS`.
    n, p : int
    h, lam : float
        Bandwidth and strength of the entropy term, on z-scores and the mean scale.
    """

    name: str
    data: str
    n: int
    p: int
    h: float
    lam: float

    def draw(self):
        """Return the data, C-contiguous float64, and the true labels; the same on every call."""
        X, truth = DRAWS[self.data](self.n, self.p)
        return np.ascontiguousarray(X, dtype=np.float64), np.asarray(truth)

    @property
    def warm(self):
        """Number of steps before the one that is timed.

        If there are more features than rows, a step can prepare the next one, so the very first
        step is not representative.
        """
        return int(self.p > self.n)


def noise(n, p):
    """Draw one normal cloud: with h = 0.2 on z-scores no pair of rows is negligible.

    Examples
    --------
    >>> X, truth = noise(40, 3)
    >>> X.shape, np.unique(truth)
    ((40, 3), array([0]))
    """
    return np.random.default_rng(0).standard_normal((n, p)), np.zeros(n, dtype=int)


def clusters(n, p, k, sd):
    """Draw balanced normal clusters around k standard normal centres.

    Examples
    --------
    >>> X, truth = clusters(100, 3, k=4, sd=0.1)
    >>> X.shape, np.bincount(truth).tolist()
    ((100, 3), [25, 25, 25, 25])
    """
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((k, p))
    truth = np.arange(n) % k
    X = rng.standard_normal((n, p))
    X *= sd
    for label in range(k):  # in place: centers[truth] would be another matrix of the size of X
        X[label::k] += centers[label]
    return X, truth


#: Functions (n, p) → (X, truth). The paper's simulations determine their own size.
DRAWS = {
    "noise": noise,
    "fifty": lambda n, p: clusters(n, p, k=50, sd=0.1),
    "blobs": lambda n, p: clusters(n, p, k=10, sd=0.5),
    "simulation1": lambda n, p: datasets.simulation1(n // 20, random_state=0),
    "data1": lambda n, p: datasets.data1(random_state=0),
}


def dense(n, p):
    """Return the case of a step that has to compute every pair of rows."""
    return Case(f"{n}x{p}", "noise", n, p, h=0.2, lam=0.1)


def fifty(n):
    """Return the case of 50 well-separated clusters."""
    return Case(f"fifty-{n}", "fifty", n, 20, h=0.01, lam=0.1)


STEPS = (dense(5000, 50), dense(5000, 5), dense(1000, 5000), dense(200, 16000), dense(60, 10000))
FITS = (
    Case("data1", "data1", 200, 32, h=0.1, lam=0.05),
    Case("simulation1", "simulation1", 1000, 20, h=0.01, lam=0.1),
    Case("blobs", "blobs", 5000, 50, h=0.1, lam=1.0),
    fifty(10_000),
)
# Work in many short pieces, and in few long ones: the threads wait for each other often, or seldom.
BUSY = (dense(60, 1500), dense(1000, 20))


@dataclass(frozen=True)
class Plan:
    """What a run measures, and its time limits.

    Attributes
    ----------
    steps, series, fits, busy, memory, distributed : tuple of Case
        Single steps, the scaling series, whole fits compared with other methods, fits on a busy
        machine, peak memory, iterations on a cluster.
    busy_processes, busy_repeats : int
        Number of processes that keep the machine busy, and of fits beside them.
    least_iterations : int
        Number of timed iterations on a cluster.
    seconds : float
        Time after which a contender is not repeated on the same case.
    least, most : int
        Bounds on the number of repeats of a step.
    longest_step, longest_fit : float
        A size of the series is skipped if it is expected to take more seconds than this. A fit
        compared with other methods is stopped after this time.
    most_differences : float
        The oracle takes part up to this n² p.
    """

    steps: tuple
    series: tuple
    fits: tuple
    busy: tuple
    busy_processes: int
    busy_repeats: int
    memory: tuple
    distributed: tuple
    least_iterations: int
    seconds: float
    least: int
    most: int
    longest_step: float
    longest_fit: float
    most_differences: float


FULL = Plan(
    steps=STEPS,
    series=tuple(fifty(n) for n in (10_000, 20_000, 40_000, 80_000)),
    fits=FITS,
    busy=BUSY,
    busy_processes=20,
    busy_repeats=7,
    memory=(dense(4000, 4000), dense(200, 16000), fifty(20_000), fifty(100_000)),
    distributed=tuple(dense(n, 50) for n in (256, 2000, 5000, 10_000, 20_000)),
    least_iterations=5,
    seconds=10.0,
    least=3,
    most=30,
    longest_step=200.0,
    longest_fit=600.0,
    most_differences=2e9,
)
QUICK = Plan(
    steps=STEPS,
    series=tuple(fifty(n) for n in (2_500, 5_000, 10_000, 20_000)),
    fits=(*FITS[:-1], fifty(5_000)),
    busy=BUSY[:1],
    busy_processes=20,
    busy_repeats=3,
    memory=(dense(200, 16000), fifty(20_000)),
    distributed=(dense(256, 50), dense(2000, 50), dense(8000, 50)),
    least_iterations=3,
    seconds=0.8,
    least=1,
    most=10,
    longest_step=1.0,
    longest_fit=4.0,
    most_differences=1e8,
)
#: For the tests: everything runs, but the numbers are meaningless.
TINY = Plan(
    steps=(dense(120, 7), dense(20, 60)),
    series=tuple(fifty(n) for n in (100, 200)),
    fits=(FITS[0],),
    busy=(dense(120, 7),),
    busy_processes=1,
    busy_repeats=1,
    memory=(dense(50, 20),),
    distributed=(dense(50, 20), dense(300, 20)),
    least_iterations=2,
    seconds=0.01,
    least=2,
    most=2,
    longest_step=30.0,
    longest_fit=30.0,
    most_differences=2e5,
)
