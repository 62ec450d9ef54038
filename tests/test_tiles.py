"""The fast paths of the core: vectors, tiles that are skipped, many features, threads, memory."""

import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import clouds, log_uniform, seeds, simplex

from pywbms import WBMS, datasets
from pywbms._core import mixtures, wide
from pywbms._core.shift import shift
from pywbms._core.spread import diameter
from pywbms._core.tiles import TILE, exponential, instruction_set
from pywbms._engine.gram_step import GramStep
from pywbms._engine.local_points import Step
from pywbms._engine.tile_order import compact_order

ROOT = Path(__file__).resolve().parents[1]


def shifted(points, weights, h, exclude=True, n_threads=1, order=None, mass=None):
    mass = np.ones(len(points)) if mass is None else mass
    out, nearest = np.full_like(points, np.nan), np.empty(len(points), dtype=np.intp)
    skipped = shift(points, mass, weights, h, exclude, n_threads, out, nearest, order)
    return out, nearest, skipped


def exponentials(x):
    out = np.full_like(x, np.nan)
    exponential(x, out)
    return out


class TestExponential:
    def test_is_good_to_fifteen_digits_over_the_whole_range(self):
        rng = np.random.default_rng(0)
        x = np.concatenate([
            rng.uniform(-707, 709, 200_000), rng.uniform(-2, 2, 200_000),
            np.arange(-1020, 1023) * np.log(2), np.arange(-1020, 1022) * np.log(2) + np.log(2) / 2,
            [0.0, -0.0, -707.0, 709.0, 1e-300, -1e-300],
        ]).clip(min=-707)  # fmt: skip
        exact = np.exp(x.astype(np.longdouble))
        assert np.abs(exponentials(x) / exact - 1).max() <= 4e-15

    def test_what_is_too_small_stays_at_the_smallest(self):
        found = exponentials(np.array([-707.0, -708.0, -1e4, -1e300, -np.inf]))
        assert (found == found[0]).all()
        assert 0 < found[0] < 1e-306

    @pytest.mark.parametrize("n", range(20))
    def test_any_length(self, n):
        x = np.linspace(-3, 0, n)
        np.testing.assert_allclose(exponentials(x), np.exp(x), rtol=4e-15)

    def test_rises(self):
        x = np.linspace(-30, 0, 100_001)
        assert (np.diff(exponentials(x)) > 0).all()


class TestShift:
    @pytest.mark.parametrize("p", [1, 7, 8, 9, 50, 127, 128, 129, 260, 300])
    def test_agrees_with_the_oracle_for_any_number_of_features(self, p):
        rng = np.random.default_rng(p)
        points, weights = rng.normal(size=(150, p)), rng.dirichlet(np.ones(p))
        for exclude in (True, False):
            found, nearest, _ = shifted(points, weights, 0.2, exclude)
            expected = oracle.shift(points, weights, 0.2, exclude)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)
            if exclude:
                distances = oracle.squared_distances(points, points, weights)
                np.fill_diagonal(distances, np.inf)
                np.testing.assert_array_equal(nearest, distances.argmin(axis=1))

    @settings(max_examples=40)
    @given(clouds(max_points=700), log_uniform(1e-3, 10), st.booleans(), st.data())
    def test_parts_put_together_are_the_whole(self, points, h, exclude, data):
        """To the bit, as long as there are too few tiles to skip any."""
        weights = data.draw(simplex(points.shape[1]))
        mass = np.random.default_rng(0).integers(1, 3, len(points)).astype(float)
        whole, nearest_in_whole, _ = shifted(points, weights, h, exclude, mass=mass)
        order, tiles = np.arange(len(points)), -(-len(points) // TILE)
        cut = data.draw(st.integers(0, tiles))
        for part in ((0, cut), (cut, tiles)):
            out, nearest = np.full_like(points, np.nan), np.empty(len(points), dtype=np.intp)
            shift(points, mass, weights, h, exclude, 2, out, nearest, order, part)
            own = slice(part[0] * TILE, part[1] * TILE)
            np.testing.assert_array_equal(out[own], whole[own])
            np.testing.assert_array_equal(nearest[own], nearest_in_whole[own])

    def test_parts_of_a_cloud_with_tiles_to_skip(self):
        rng = np.random.default_rng(0)
        points = rng.normal(size=(3000, 5)) + 30 * rng.normal(size=(6, 5))[np.arange(3000) % 6]
        weights, mass = np.full(5, 0.2), np.ones(3000)
        order = compact_order(points, weights)
        whole, _, skipped = shifted(points, weights, 0.1, order=order)
        assert skipped > 0.5
        out, nearest = np.empty_like(points), np.empty(3000, dtype=np.intp)
        share = shift(points, mass, weights, 0.1, True, 1, out, nearest, order, (7, 15))
        assert share > 0
        own = order[7 * TILE : 15 * TILE]
        np.testing.assert_allclose(out[own], whole[own], rtol=1e-13)

    @given(clouds(max_points=700), st.integers(1, 5))
    def test_the_diameter_of_the_whole_is_that_of_a_part(self, points, parts):
        found = [diameter(points, 1, None, (part, parts)) for part in range(parts)]
        assert max(found) == diameter(points, 1)

    @pytest.mark.slow
    @pytest.mark.parametrize("p", [100, 200])
    def test_packed_anew_or_kept_is_the_same(self, p):
        """Too many points to keep are packed whenever tiles meet; the same with masses are kept."""
        rng = np.random.default_rng(0)
        n = 6_000_000 // (3 * p)
        points = np.repeat(rng.normal(size=(20, p)), -(-n // 20), axis=0)[:n]
        points[:300] = rng.normal(size=(300, p))
        weights = np.full(p, 1 / p)
        few, counts = np.unique(points, axis=0, return_counts=True)
        some = rng.choice(n, 50, replace=False)
        found = shifted(points, weights, 0.3)[0][some]
        by_mass = shifted(few, weights, 0.3, mass=counts.astype(float))[0]
        position = {row.tobytes(): i for i, row in enumerate(few)}
        expected = by_mass[[position[points[i].tobytes()] for i in some]]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)

    @given(seeds, st.integers(1, 700), st.booleans())
    @settings(max_examples=25)
    def test_the_order_of_the_tiles_does_not_matter(self, seed, n, exclude):
        rng = np.random.default_rng(seed)
        points, weights = rng.normal(size=(n, 12)), rng.dirichlet(np.ones(12))
        one, nearest, _ = shifted(points, weights, 0.2, exclude)
        other, same, _ = shifted(points, weights, 0.2, exclude, order=rng.permutation(n))
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(nearest, same)


@pytest.fixture(scope="module")
def groups():
    """Thirty tight groups, one of two points, and two outliers."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(31, 6))
    sizes = [*rng.integers(60, 120, size=30), 2]
    points = np.repeat(centers, sizes, axis=0)
    points += 0.1 * rng.normal(size=points.shape)
    outliers = np.array([[40.0] * 6, [-15.0, 3, 3, 3, 3, 3]])
    return rng.permutation(np.vstack([points, outliers]))


class TestSkipping:
    @pytest.mark.slow
    @pytest.mark.parametrize("exclude", [True, False])
    @pytest.mark.parametrize(("h", "share"), [(0.02, 0.5), (0.5, 0.2)])
    def test_is_exact_to_rounding(self, groups, h, share, exclude):
        weights = np.full(6, 1 / 6)
        found, nearest, skipped = shifted(
            groups, weights, h, exclude, order=compact_order(groups, weights)
        )
        assert skipped > share
        np.testing.assert_allclose(
            found, oracle.shift(groups, weights, h, exclude), rtol=0, atol=1e-12
        )
        if exclude:
            distances = oracle.squared_distances(groups, groups, weights)
            np.fill_diagonal(distances, np.inf)
            np.testing.assert_array_equal(nearest, distances.argmin(axis=1))

    def test_nothing_is_skipped_where_everything_matters(self, groups):
        assert shifted(groups, np.full(6, 1 / 6), 100.0)[2] == 0

    def test_threads_skip_the_same(self, groups):
        weights = np.full(6, 1 / 6)
        order = compact_order(groups, weights)
        one = shifted(groups, weights, 0.05, order=order)
        for n_threads in (2, 3, 8):
            other = shifted(groups, weights, 0.05, n_threads=n_threads, order=order)
            np.testing.assert_array_equal(other[0], one[0])
            assert other[2] == one[2]

    def test_the_diameter_is_found_all_the_same(self, groups):
        for points in (groups, groups[:, :1].copy(), np.zeros((1500, 3)), groups[:1]):
            order = compact_order(points, np.ones(points.shape[1]))
            found = diameter(points, 2, order)
            np.testing.assert_allclose(found, oracle.diameter(points), rtol=1e-12)

    def test_order_is_a_permutation_that_keeps_groups_together(self):
        rng = np.random.default_rng(0)
        group = rng.integers(16, size=4096)
        points = 100.0 * rng.normal(size=(16, 3))[group] + rng.normal(size=(4096, 3))
        order = compact_order(points, np.ones(3))
        np.testing.assert_array_equal(np.sort(order), np.arange(4096))
        in_a_tile = [len(set(group[order[i : i + TILE]])) for i in range(0, 4096, TILE)]
        assert np.mean(in_a_tile) < 4


class TestGramStep:
    @staticmethod
    def steps(points, mass, weights, h, exclude, lam, n_threads=1, number=2):
        """Follow `number` steps, the second from the Gram matrix that the first one made."""
        g, p = points.shape
        gram_step = GramStep(g)
        for _ in range(number):
            cloud = SimpleNamespace(
                points=points, origin=points, within=np.zeros(p), mass=mass, left=None, lam_sum=lam,
                n_threads=n_threads, settings=SimpleNamespace(h=h, exclude_self=exclude),
            )  # fmt: skip
            step = Step(np.empty((g, p)), np.empty(g, dtype=np.intp), np.empty(g))
            D = gram_step.take(cloud, weights, step)
            yield points, weights, step.points, D, step.moves, step.nearest
            points, weights = step.points, oracle.entropy_weights(D, lam)
            gram_step.expect(points, weights)

    @given(st.data(), clouds(max_points=30, max_features=700), log_uniform(1e-4, 1e4),
           st.booleans(), st.sampled_from([1, 2]))  # fmt: skip
    @settings(max_examples=60)
    def test_agrees_with_the_oracle_on_repeated_rows(self, data, points, h, exclude, n_threads):
        mass = np.random.default_rng(data.draw(seeds)).integers(1, 4, size=len(points))
        weights = data.draw(simplex(points.shape[1]))
        scale = max(1.0, (points**2).sum(axis=1).max())
        first_row = np.cumsum(mass) - mass
        atol = 1e-9 * np.sqrt(scale)
        for before, w, after, D, lengths, _ in self.steps(
            points, mass.astype(float), weights, h * scale, exclude, scale, n_threads, number=2
        ):
            rows = np.repeat(before, mass, axis=0)
            expected = oracle.shift(rows, w, h * scale, exclude)
            np.testing.assert_allclose(after, expected[first_row], rtol=1e-9, atol=atol)
            np.testing.assert_allclose(
                D, ((rows - expected) ** 2).sum(axis=0), rtol=1e-8, atol=1e-9 * scale
            )
            moved = np.linalg.norm(expected[first_row] - before, axis=1)
            np.testing.assert_allclose(lengths, moved, rtol=1e-9, atol=2 * atol)

    @pytest.mark.parametrize(("g", "p"), [(60, 1000), (130, 500), (300, 700)])
    def test_is_the_same_to_the_bit_for_any_number_of_threads(self, g, p):
        rng = np.random.default_rng(0)
        points, weights = rng.normal(size=(g, p)), rng.dirichlet(np.ones(p))
        runs = [
            list(self.steps(points, np.ones(g), weights, 0.5, True, 50.0, n_threads, number=3))
            for n_threads in (1, 2, 5)
        ]
        for other in runs[1:]:
            for a, b in zip(runs[0], other, strict=True):
                for x, y in zip(a, b, strict=True):
                    np.testing.assert_array_equal(x, y)

    def test_far_points_take_exact_distances(self):
        rng = np.random.default_rng(1)
        points = 1e5 + rng.normal(size=(40, 300))
        weights = np.full(300, 1 / 300)
        ((_, _, found, *_),) = self.steps(points, np.ones(40), weights, 0.1, True, 1.0, number=1)
        expected = oracle.shift(points, weights, 0.1, True)
        np.testing.assert_allclose(found - 1e5, expected - 1e5, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("merge", [True, False])
    @pytest.mark.parametrize(("n", "p"), [(1, 300), (2, 300), (60, 400), (90, 1500)])
    def test_whole_fits_agree_with_the_oracle(self, n, p, merge):
        rng = np.random.default_rng(n)
        X = 1.5 * rng.normal(size=(3, p))[rng.integers(3, size=n)] + rng.normal(size=(n, p))
        X[n // 2] = X[0]
        Z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1) if n > 2 else X - X.mean(axis=0)
        model = WBMS(
            0.3, 0.2, merge=merge, standardize=n > 2, record_path=True, init="uniform"
        ).fit(X)
        expected = oracle.fit(Z, 0.3, 0.2)
        np.testing.assert_array_equal(model.labels_, expected["labels"])
        np.testing.assert_allclose(model.path_[-1], expected["modes"], rtol=0, atol=1e-9)
        np.testing.assert_allclose(model.feature_weights_, expected["weights"], rtol=0, atol=1e-9)


@pytest.mark.parametrize(("n", "p"), [(1, 1), (9, 40), (50, 700), (140, 300)])
def test_the_pass_over_rows_agrees_with_numpy(n, p):
    rng = np.random.default_rng(n)
    rows, away = rng.normal(size=(n, p)), np.eye(n) - rng.dirichlet(np.ones(n), size=n)
    D, gram = np.empty(p), wide.square(n)
    mixtures.summarize(
        mixtures.transposed(rows), mixtures.triangle(away.T @ away), np.zeros(p), np.zeros(p),
        0.5 * n, 2, mixtures.workspace(n), D, gram,
    )  # fmt: skip
    expected = ((away @ rows) ** 2).sum(axis=0)
    np.testing.assert_allclose(D, expected, rtol=1e-11, atol=1e-11)
    expected = (rows * oracle.entropy_weights(expected, 0.5 * n)) @ rows.T
    np.testing.assert_allclose(np.tril(gram[:, :n]), np.tril(expected), rtol=0, atol=1e-11)


def test_merging_changes_no_label_of_large_and_of_wide_data():
    rng = np.random.default_rng(0)
    sets = [datasets.simulation2(300, s)[0] for s in range(2)]
    sets += [rng.normal(size=(60, 500)), rng.normal(size=(2000, 3))]
    sets += [rng.integers(3, size=(1500, 5)).astype(float)]
    for X in sets:
        merged, single = (WBMS(0.1, 0.1, merge=merge).fit(X) for merge in (True, False))
        np.testing.assert_array_equal(merged.labels_, single.labels_)


# Together they call every function of the tile library.
INSTRUCTION_SET_TESTS = [
    "TestExponential",
    "TestShift::test_agrees_with_the_oracle_for_any_number_of_features",
    "TestShift::test_the_diameter_of_the_whole_is_that_of_a_part",
    "TestSkipping",
    "test_the_pass_over_rows_agrees_with_numpy",
    "TestGramStep::test_is_the_same_to_the_bit_for_any_number_of_threads",
    "TestGramStep::test_far_points_take_exact_distances",
    "TestGramStep::test_whole_fits_agree_with_the_oracle[60-400-True]",
    "TestGramStep::test_whole_fits_agree_with_the_oracle[60-400-False]",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["any", "avx2"])
def test_every_instruction_set_passes_the_same_tests(name):
    if os.environ.get("PYWBMS_SIMD"):
        pytest.skip("this is such a run already")
    if name == "avx2" and instruction_set() == "any":
        pytest.skip("this machine has no AVX2")
    environment = {**os.environ, "PYWBMS_SIMD": name}
    code = "from pywbms._core.tiles import instruction_set as which; print(which())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.strip() == name
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rA",
         *(f"tests/test_tiles.py::{test}" for test in INSTRUCTION_SET_TESTS)],
        env=environment, cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout[-3000:]
    for test in INSTRUCTION_SET_TESTS:  # each has been found, run and passed, none was skipped
        assert f"PASSED tests/test_tiles.py::{test}" in run.stdout
    assert not re.search(r"[1-9]\d* (skipped|deselected|xfailed)", run.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("wide", [False, True])
def test_an_interrupt_is_answered_in_the_middle_of_a_step(wide, n_threads):
    n, p = (600, 60_000) if wide else (30_000, 50)
    code = f"""
    import signal
    import numpy as np
    from types import SimpleNamespace
    from pywbms._core.shift import shift
    from pywbms._engine.gram_step import GramStep
    from pywbms._engine.local_points import Step
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    n, p, wide, n_threads = {n}, {p}, {wide}, {n_threads}
    points, out = np.random.default_rng(0).random((n, p)), np.full((n, p), np.nan)
    mass, weights, nearest = np.ones(n), np.full(p, 1 / p), np.empty(n, dtype=np.intp)
    try:
        print("on its way", flush=True)
        if wide:
            cloud = SimpleNamespace(
                points=points, origin=points, within=np.zeros(p), mass=mass, left=None, lam_sum=1.0,
                n_threads=n_threads, settings=SimpleNamespace(h=0.3, exclude_self=True),
            )
            GramStep(n).take(cloud, weights, Step(out, nearest, np.empty(n)))
        else:
            shift(points, mass, weights, 0.3, True, n_threads, out, nearest)
    except KeyboardInterrupt:
        print("in the middle" if np.isnan(out).any() else "too late")
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline().strip() == "on its way"
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=300)
    assert out.strip() == "in the middle"
