"""Random and hostile arrays for every function of the core: ``python fuzz.py N_CASES [SEED]``.

A case fails by an exception, by a result that breaks an invariant, or, in a build with sanitizers,
by an access out of bounds. Seeds of cases that have failed are printed.
"""

import sys

import numpy as np

from pywbms import WBMS
from pywbms._core import mixtures, wide
from pywbms._core.components import components
from pywbms._core.far import shift_far
from pywbms._core.hull import project
from pywbms._core.marginal import marginal_displacement
from pywbms._core.merge import merge_points
from pywbms._core.nearest import nearest
from pywbms._core.order import halve
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.tiles import instruction_set
from pywbms._core.weights import displacement, entropy_weights

# Around the lengths of tiles, vectors and blocks.
ROWS = (1, 2, 3, 7, 8, 63, 64, 65, 127, 128, 129, 255, 257, 400, 1030)
COLUMNS = (1, 2, 3, 7, 8, 9, 15, 17, 127, 128, 129, 250, 400, 1025)
MOST_NUMBERS = 150_000


def normal(rng, n, p):
    return rng.normal(size=(n, p)) * 10.0 ** rng.integers(-3, 4)


def collapsed(rng, n, p):
    return normal(rng, n, p)[rng.integers(min(n, 5), size=n)] + 1e-9 * rng.normal(size=(n, p))


def lattice(rng, n, p):
    return rng.integers(-2, 3, size=(n, p)).astype(float)


def outliers(rng, n, p):
    points = rng.normal(size=(n, p))
    points[rng.integers(n, size=1 + n // 50)] *= 10.0 ** rng.integers(3, 100)
    return points


def extreme(rng, n, p):
    return rng.normal(size=(n, p)) * 10.0 ** rng.integers(-150, 148, size=p)


def not_finite(rng, n, p):
    points = normal(rng, n, p)
    points[rng.integers(n), rng.integers(p)] = rng.choice([np.nan, np.inf, -np.inf, 1e308])
    return points


KINDS = (normal, collapsed, lattice, outliers, extreme, not_finite)


class Case:
    """The arrays of a case."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng(seed)
        n, p = int(rng.choice(ROWS)), int(rng.choice(COLUMNS))
        n = min(n, max(1, MOST_NUMBERS // p))
        self.kind = KINDS[rng.integers(len(KINDS))]
        self.points = self.kind(rng, n, p)
        self.mass = rng.integers(1, 4, size=n).astype(float)
        self.weights = rng.dirichlet(np.full(p, 10.0 ** rng.integers(-2, 2)))
        self.h, self.lam = 10.0 ** rng.uniform(-8, 4), 10.0 ** rng.uniform(-6, 6)
        self.exclude_self = bool(rng.integers(2))
        self.finite = np.isfinite(self.points).all() and np.abs(self.points).max() < 1e150

    def check(self, *results):
        """Raise an AssertionError if finite points have given results that are not."""
        for result in results:
            assert not self.finite or np.isfinite(result).all(), f"{self.kind.__name__}: not finite"

    def run(self):
        """Run every function of the core."""
        for check in (
            self.step, self.far_points, self.wide_step, self.mixtures_of_rows, self.distances,
            self.partitions, self.each_feature, self.hull, self.fit,
        ):  # fmt: skip
            with np.errstate(all="ignore"):
                check()

    def step(self):
        n, _ = self.points.shape
        order = np.arange(n)
        halve(self.points, order)
        assert np.array_equal(np.sort(order), np.arange(n))
        found = []
        for n_threads, some in ((1, None), (2, None), (2, order)):
            out, near = np.empty_like(self.points), np.empty(n, dtype=np.intp)
            arguments = (self.points, self.mass, self.weights, self.h, self.exclude_self)
            shift(*arguments, n_threads, out, near, some)
            assert (near >= -1).all()
            assert (near < n).all()
            self.check(out)
            found.append(out)
        assert np.array_equal(found[0], found[1], equal_nan=True)
        tiles = (n + 127) // 128
        shift(*arguments, 2, out, near, None, (tiles // 2, tiles))
        D, within = np.empty(self.points.shape[1]), np.zeros(self.points.shape[1])
        displacement(self.points, found[0], self.mass, within, 2, D)
        weights = np.empty_like(D)
        entropy_weights(D, self.lam, weights)
        self.check(weights)
        assert not self.finite or abs(weights.sum() - 1) < 1e-9

    def far_points(self):
        n, _ = self.points.shape
        far = np.flatnonzero(self.rng.random(n) < 0.3)
        out, near = self.points.copy(), np.full(n, -1, dtype=np.intp)
        shift_far(
            self.points, self.mass, self.weights, self.h, self.exclude_self, far, 2, out, near
        )
        self.check(out)
        assert (near < n).all()

    def wide_step(self):
        g, p = self.points.shape
        work, kernel = wide.workspace(g), wide.square(g)
        gram, near = wide.gram_in(work, g), np.empty(g, dtype=np.intp)
        for exact in (False, True):
            wide.gram(self.points, self.weights, exact, 2, work, gram)
            wide.kernel(gram, exact, self.mass, self.h, self.exclude_self, 2, kernel, near)
        out, D, lengths = np.empty_like(self.points), np.empty(p), np.empty(g)
        wide.advance(
            self.points, self.points, self.mass, np.zeros(p), kernel, self.lam, 2, work, out, D,
            lengths, gram,
        )  # fmt: skip
        self.check(out)
        assert (near < g).all()

    def mixtures_of_rows(self):
        n, p = self.points.shape
        shares = self.rng.dirichlet(np.ones(n), size=n)
        form = mixtures.triangle((np.eye(n) - shares).T @ (np.eye(n) - shares))
        columns, slight = mixtures.transposed(self.points), self.rng.choice([0.0, 1e-20, 2.0])
        assert np.array_equal(columns[:, :n].T, self.points, equal_nan=True)
        found = []
        for n_threads in (1, 2):
            D, gram = np.empty(p), wide.square(n)
            with np.errstate(all="ignore"):
                mixtures.summarize(
                    columns, form, np.zeros(p), np.full(p, slight), self.lam, n_threads,
                    mixtures.workspace(n), D, gram,
                )  # fmt: skip
            self.check(D)
            found.append((D, np.tril(gram[:, :n])))
        for one, other in zip(*found, strict=True):
            assert np.array_equal(one, other, equal_nan=True)

    def distances(self):
        n, _ = self.points.shape
        moved, far = np.empty(n), self.points[::-1].copy()
        moves(self.points, far, 2, moved)
        assert not self.finite or diameter(self.points, 2) >= moved.max() * (1 - 1e-9)
        diameter(self.points, 2, np.arange(n), (0, 2))
        out = np.empty(n, dtype=np.intp)
        nearest(far, self.points, self.weights, np.argsort(-self.weights), 2, out)
        assert ((out >= 0) & (out < n)).all()

    def partitions(self):
        n, p = self.points.shape
        labels = np.empty(n, dtype=np.intp)
        k = components(self.points, 10.0 ** self.rng.uniform(-9, 1), labels)
        assert set(labels.tolist()) == set(range(k))
        points, origin, mass = np.empty((k, p)), np.empty((k, p)), np.empty(k)
        merge_points(labels, self.points, self.points, self.mass, points, origin, mass, np.zeros(p))
        assert mass.sum() == self.mass.sum()

    def each_feature(self):
        out = np.empty(self.points.shape[1])
        marginal_displacement(self.points, self.mass, self.h, 5, 2, out)
        self.check(out)

    def hull(self):
        points = self.points[:40, :60].copy()
        scale = np.linalg.norm(points, axis=1).max()
        if not self.finite or not 1e-100 < scale < 1e100:
            return
        vertices = points / scale
        m, p = vertices.shape
        distance, gap = np.empty(m), np.empty(m)
        project(
            2 * vertices, vertices, np.full(m, 1e-9), distance, gap, np.empty((m, m)),
            np.empty((m, p)),
        )  # fmt: skip
        self.check(distance, gap)

    def fit(self):
        if not self.finite:
            return
        model = WBMS(self.h, self.lam, warmup=2, max_iter=4, stop="fixed", n_jobs=2)
        model.fit(self.points)
        self.check(model.modes_, model.feature_weights_)
        assert abs(model.feature_weights_.sum() - 1) < 1e-9


def main(n_cases, seed=0):
    """Run the cases; return the exit code."""
    failed = []
    for number in range(seed, seed + n_cases):
        try:
            Case(number).run()
        except Exception as error:
            failed.append(number)
            print(f"case {number}: {type(error).__name__}: {error}", file=sys.stderr)
    print(f"{n_cases} cases with {instruction_set()}, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
