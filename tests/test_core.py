"""Each step of the core against the oracle."""

import signal

import numpy as np
import oracle
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import clouds, log_uniform, seeds, simplex

from pywbms._core.components import SortedProjection, components, count_pairs
from pywbms._core.merge import merge_points
from pywbms._core.nearest import nearest
from pywbms._core.round_robin import RoundRobin
from pywbms._core.shift import shift
from pywbms._core.spread import diameter, moves
from pywbms._core.weights import displacement, entropy_weights

threads = st.sampled_from([1, 2])


def shifted(points, mass, weights, h, exclude_self, n_threads=1, nearest_point=None):
    out = np.full_like(points, np.nan)
    if nearest_point is None:
        nearest_point = np.empty(len(points), dtype=np.intp)
    shift(points, mass, weights, h, exclude_self, n_threads, out, nearest_point)
    return out


def components_of(points, radius):
    labels = np.full(len(points), -1, dtype=np.intp)
    assert components(points, radius, labels) == labels.max() + 1
    return labels


class TestShift:
    @given(st.data(), clouds(), log_uniform(1e-4, 1e4), st.booleans(), threads)
    def test_agrees_with_the_oracle_on_repeated_rows(self, data, points, h, exclude, n_threads):
        """A point of mass m does what m equal rows do."""
        mass = np.random.default_rng(data.draw(seeds)).integers(1, 5, size=len(points))
        weights = data.draw(simplex(points.shape[1]))
        scale = max(1.0, (points**2).sum(axis=1).max())
        rows = np.repeat(points, mass, axis=0)
        first_row = np.cumsum(mass) - mass
        expected = oracle.shift(rows, weights, h * scale, exclude)[first_row]
        found = shifted(points, mass.astype(float), weights, h * scale, exclude, n_threads)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.sqrt(scale))

    @pytest.mark.parametrize("p", [3, 40])
    @pytest.mark.parametrize("n", [63, 64, 65, 255, 256, 257, 700])
    def test_agrees_with_the_oracle_across_tiles(self, n, p):
        rng = np.random.default_rng(n)
        points, weights = rng.normal(size=(n, p)), rng.dirichlet(np.ones(p))
        for exclude in (True, False):
            found = shifted(points, np.ones(n), weights, 0.3, exclude)
            np.testing.assert_allclose(
                found, oracle.shift(points, weights, 0.3, exclude), rtol=0, atol=1e-11
            )

    @pytest.mark.parametrize("p", [5, 50])
    def test_is_the_same_to_the_bit_for_any_number_of_threads(self, p):
        rng = np.random.default_rng(0)
        points, weights = rng.normal(size=(900, p)), rng.dirichlet(np.ones(p))
        one = shifted(points, np.ones(900), weights, 0.2, True, 1)
        for n_threads in (2, 3, 7):
            np.testing.assert_array_equal(
                shifted(points, np.ones(900), weights, 0.2, True, n_threads), one
            )

    @pytest.mark.parametrize("p", [1, 30])
    def test_a_point_too_far_for_any_kernel_value_goes_to_its_nearest(self, p):
        points = np.zeros((4, p))
        points[:, 0] = [0.0, 1.0, 1e6, 2.5e6]
        found = shifted(points, np.ones(4), np.full(p, 1 / p), 1e-6, True)
        np.testing.assert_array_equal(found[:, 0], [1.0, 0.0, 1.0, 1e6])

    def test_the_smallest_h_is_no_trouble(self):
        points = np.array([[0.0], [1.0], [3.0]])
        found = shifted(points, np.ones(3), np.ones(1), 5e-324, True)
        np.testing.assert_array_equal(found.ravel(), [1.0, 0.0, 1.0])

    @pytest.mark.parametrize("exclude", [True, False])
    def test_a_single_row_stays(self, exclude):
        points = np.array([[3.0, -1.0]])
        found = shifted(points, np.ones(1), np.array([0.5, 0.5]), 1.0, exclude)
        np.testing.assert_array_equal(found, points)

    def test_two_rows_change_places_when_left_out_of_their_own_mean(self):
        points = np.array([[0.0, 1.0], [2.0, 5.0]])
        found = shifted(points, np.ones(2), np.array([0.5, 0.5]), 1.0, True)
        np.testing.assert_array_equal(found, points[::-1])

    @given(clouds(), log_uniform(1e-3, 1e3), st.booleans())
    def test_nothing_leaves_the_bounding_box(self, points, h, exclude):
        """The weakest form of the shrinking hull."""
        p = points.shape[1]
        found = shifted(points, np.ones(len(points)), np.full(p, 1 / p), h, exclude)
        slack = 1e-9 * np.abs(points).max()
        assert (found >= points.min(axis=0) - slack).all()
        assert (found <= points.max(axis=0) + slack).all()

    def test_far_from_the_origin_the_tiles_take_differences(self):
        """The expanded square would lose all digits here."""
        rng = np.random.default_rng(1)
        points = 1e5 + rng.normal(size=(300, 20))
        weights = np.full(20, 1 / 20)
        found = shifted(points, np.ones(300), weights, 0.1, True)
        expected = oracle.shift(points, weights, 0.1, True)
        np.testing.assert_allclose(found - 1e5, expected - 1e5, rtol=0, atol=1e-9)

    @pytest.mark.parametrize("p", [2, 40])
    def test_knows_the_nearest_point_of_rows_left_out(self, p):
        rng = np.random.default_rng(p)
        points, weights = rng.normal(size=(600, p)), rng.dirichlet(np.ones(p))
        mass = rng.integers(1, 3, size=600).astype(float)
        found = np.full(600, -7, dtype=np.intp)
        shifted(points, mass, weights, 0.1, True, nearest_point=found)
        distances = oracle.squared_distances(points, points, weights)
        np.fill_diagonal(distances, np.inf)
        expected = np.where(mass == 1, distances.argmin(axis=1), -1)
        np.testing.assert_array_equal(found, expected)
        shifted(points, mass, weights, 0.1, False, nearest_point=found)
        assert (found == -1).all()


class TestWeights:
    @given(st.data(), clouds(), threads)
    def test_displacement_agrees_with_the_oracle(self, data, points, n_threads):
        rng = np.random.default_rng(data.draw(seeds))
        origin = points + rng.normal(size=points.shape)
        out = np.full(points.shape[1], np.nan)
        nothing = np.zeros(points.shape[1])
        displacement(origin, points, np.ones(len(points)), nothing, n_threads, out)
        np.testing.assert_allclose(out, oracle.displacement(origin, points, "sum"), rtol=1e-12)

    @given(seeds, st.integers(1, 300), log_uniform(1e-9, 1e9), log_uniform(1e-9, 1e9))
    def test_entropy_weights_agree_with_the_oracle(self, seed, p, size, lam):
        D = np.random.default_rng(seed).exponential(size=p) * size
        w = np.full(p, np.nan)
        entropy_weights(D, lam, w)
        np.testing.assert_allclose(w, oracle.entropy_weights(D, lam), rtol=1e-12)
        assert w.sum() == pytest.approx(1.0, abs=1e-12)

    @pytest.mark.parametrize("D", [[1e308, 0.0], [0.0, 0.0], [5e-324, 1e-300]])
    def test_entropy_weights_of_extreme_displacements_are_finite(self, D):
        w = np.empty(2)
        entropy_weights(np.array(D), 1e-300, w)
        assert np.isfinite(w).all()
        assert w.sum() == pytest.approx(1.0)


class TestComponents:
    @given(clouds(), st.floats(0.01, 3.0))
    def test_agrees_with_the_oracle(self, points, share):
        radius = share * max(np.abs(points).max(), 1e-3)
        np.testing.assert_array_equal(
            components_of(points, radius), oracle.partition(points, radius)
        )

    @given(seeds, st.integers(1, 60), st.integers(1, 8))
    def test_agrees_with_the_oracle_on_collapsed_groups(self, seed, n, k):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(k, 4))[rng.integers(k, size=n)]
        points += 1e-6 * rng.normal(size=(n, 4))
        for radius in (1e-7, 1e-6, 1e-5):
            np.testing.assert_array_equal(
                components_of(points, radius), oracle.partition(points, radius)
            )

    def test_a_chain_is_one_component_in_any_order(self):
        order = np.random.default_rng(0).permutation(500)
        chain = np.zeros((500, 3))
        chain[:, 1] = 0.9 * np.arange(500)
        assert components_of(chain[order], 1.0).max() == 0
        assert components_of(chain[order], 0.89).max() == 499

    def test_the_radius_itself_is_not_near_enough(self):
        points = np.array([[0.0], [1.0]])
        assert components_of(points, 1.0).max() == 1
        assert components_of(points, np.nextafter(1.0, 2.0)).max() == 0

    def test_differences_are_exact_far_from_the_origin(self):
        points = np.array([[1e6, 1e6], [1e6 + 2e-5, 1e6], [1e6 + 2e-5, 1e6 + 5e-6]])
        np.testing.assert_array_equal(components_of(points, 1e-5), [0, 1, 1])

    @pytest.mark.parametrize("noise", [0.0, 1e-6])
    def test_the_work_for_large_collapsed_groups_is_not_quadratic(self, noise):
        rng = np.random.default_rng(0)
        n = 20_000
        points = np.repeat(rng.normal(size=(2, 5)), n // 2, axis=0)
        points += noise * rng.normal(size=points.shape)
        assert components_of(points, 1e-5).max() == 1
        assert count_pairs(points, 1e-5) < 10 * n

    @pytest.mark.parametrize("p", [4, 5, 40])
    def test_the_work_for_points_orthogonal_to_the_line_is_not_quadratic(self, p):
        """All of them are in the same place on the line on which points are sorted first."""
        n = 5000
        line = np.cos(1.0 + np.arange(p) ** 2 % 7919)
        line /= np.linalg.norm(line)
        points = np.random.default_rng(0).normal(size=(n, p))
        points -= np.outer(points @ line, line)
        assert np.ptp(SortedProjection(points).position) < 1e-12
        points[n // 2 :] = points[: n // 2]
        assert count_pairs(points, 1e-5) < 100 * n
        labels = components_of(points, 1e-5)
        np.testing.assert_array_equal(labels, np.arange(n) % (n // 2))

    def test_no_line_helps_where_all_points_are_near_each_other(self):
        """Then every pair is compared, along the line that has got farthest."""
        points = np.random.default_rng(0).normal(size=(600, 60))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        labels = components_of(points, 1.05)
        np.testing.assert_array_equal(labels, oracle.partition(points, 1.05))
        assert 0 < labels.max() < 599
        assert count_pairs(points, 1.05) > 600 * 100

    @pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
    def test_signals_are_noticed(self):
        points = np.random.default_rng(0).normal(size=(20_000, 60))
        points /= np.linalg.norm(points, axis=1, keepdims=True)

        def stop(number, frame):
            raise KeyboardInterrupt

        labels = np.full(len(points), -1, dtype=np.intp)
        before = signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        try:
            with pytest.raises(KeyboardInterrupt):
                components(points, 0.1, labels)
        finally:
            signal.signal(signal.SIGALRM, before)
        assert (labels == -1).all()  # it did not run to its end first

    def test_the_work_is_what_it_takes_to_compare_neighbours(self):
        chain = np.arange(100.0)[:, None]
        assert count_pairs(chain, 0.5) == 0
        assert count_pairs(chain, 1.5) >= 99


class TestMerge:
    @given(st.data(), clouds())
    def test_the_displacement_of_the_rows_stays_known(self, data, origin):
        rng = np.random.default_rng(data.draw(seeds))
        g, p = origin.shape
        mass = rng.integers(1, 4, size=g).astype(float)
        labels = np.unique(rng.integers(g, size=g), return_inverse=True)[1]
        k = labels.max() + 1
        points = rng.normal(size=(k, p))[labels]
        new_points, new_origin, new_mass = np.empty((k, p)), np.empty((k, p)), np.empty(k)
        within = np.zeros(p)
        merge_points(labels, points, origin, mass, new_points, new_origin, new_mass, within)
        np.testing.assert_array_equal(new_points[labels], points)  # equal points: to the bit
        np.testing.assert_array_equal(new_mass, np.bincount(labels, mass))
        D = np.empty(p)
        displacement(new_origin, new_points, new_mass, within, 1, D)
        rows = np.repeat(origin, mass.astype(int), axis=0)
        ended = np.repeat(points, mass.astype(int), axis=0)
        np.testing.assert_allclose(D, oracle.displacement(rows, ended, "sum"), rtol=1e-9)

    def test_positions_are_averaged_by_mass(self):
        new_points, new_origin, new_mass = np.empty((1, 1)), np.empty((1, 1)), np.empty(1)
        points, mass = np.array([[0.0], [4.0]]), np.array([3.0, 1.0])
        merge_points(
            np.zeros(2, dtype=np.intp), points, points, mass,
            new_points, new_origin, new_mass, np.zeros(1),
        )  # fmt: skip
        assert (new_points[0, 0], new_mass[0]) == (1.0, 4.0)


class TestRoundRobin:
    @pytest.mark.parametrize("tiles", [1, 2, 3, 8, 13])
    def test_every_pair_meets_once(self, tiles):
        schedule = RoundRobin(tiles)
        matches = [schedule.match(k) for k in range(schedule.players * schedule.matches)]
        found = [(i, j) for i, j in matches if j < tiles]
        assert sorted(found) == [(i, j) for i in range(tiles) for j in range(i + 1, tiles)]

    @pytest.mark.parametrize("tiles", [2, 7, 10])
    def test_nobody_has_two_matches_in_a_round(self, tiles):
        schedule = RoundRobin(tiles)
        for turn in range(schedule.players):
            first = turn * schedule.matches
            busy = [i for k in range(schedule.matches) for i in schedule.match(first + k)]
            assert sorted([*busy, turn]) == list(range(schedule.players))

    @pytest.mark.parametrize("tiles", [2, 7, 10])
    def test_opponents_are_those_of_the_matches(self, tiles):
        schedule = RoundRobin(tiles)
        for turn in range(schedule.players):
            for k in range(schedule.matches):
                i, j = schedule.match(turn * schedule.matches + k)
                assert schedule.opponent(i, turn) == j
                assert schedule.opponent(j, turn) == i
            assert schedule.opponent(turn, turn) == turn


class TestSpread:
    @given(clouds(), threads)
    def test_diameter_agrees_with_the_oracle(self, points, n_threads):
        assert diameter(points, n_threads) == pytest.approx(oracle.diameter(points), rel=1e-12)

    @pytest.mark.parametrize("n", [127, 128, 129, 600])
    @pytest.mark.parametrize("p", [2, 100])
    def test_diameter_agrees_with_the_oracle_across_tiles(self, n, p):
        points = np.random.default_rng(n).normal(size=(n, p)) + 50
        assert diameter(points, 2) == pytest.approx(oracle.diameter(points), rel=1e-12)

    def test_diameter_of_a_collapsed_cloud_keeps_its_digits(self):
        points = 3.0 + 1e-9 * np.random.default_rng(0).normal(size=(50, 4))
        assert diameter(points, 1) == pytest.approx(oracle.diameter(points), rel=1e-9)

    @given(clouds(), seeds)
    def test_moves_are_euclidean_lengths(self, old, seed):
        new = old + np.random.default_rng(seed).normal(size=old.shape)
        lengths = np.empty(len(old))
        moves(old, new, 2, lengths)
        np.testing.assert_allclose(lengths, np.linalg.norm(new - old, axis=1), rtol=1e-12)


class TestNearest:
    @given(st.data(), clouds(), threads)
    def test_agrees_with_all_distances(self, data, rows, n_threads):
        weights = data.draw(simplex(rows.shape[1]))
        rng = np.random.default_rng(data.draw(seeds))
        queries = rows[rng.integers(len(rows), size=20)] + rng.normal(size=(20, rows.shape[1]))
        found = np.full(20, -1, dtype=np.intp)
        nearest(queries, rows, weights, np.argsort(-weights), n_threads, found)
        distances = oracle.squared_distances(queries, rows, weights)
        chosen = distances[np.arange(20), found]
        np.testing.assert_allclose(chosen, distances.min(axis=1), rtol=1e-9, atol=1e-300)

    def test_rows_that_differ_only_in_weightless_features_find_themselves(self):
        rows = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0]])
        found = np.full(3, -1, dtype=np.intp)
        nearest(rows, rows, np.array([1.0, 0.0]), np.arange(2), 1, found)
        np.testing.assert_array_equal(found, [0, 1, 2])


def test_the_core_takes_read_only_arrays():
    points = np.random.default_rng(0).normal(size=(9, 3))
    mass, weights = np.ones(9), np.full(3, 1 / 3)
    for array in (points, mass, weights):
        array.flags.writeable = False
    assert np.isfinite(shifted(points, mass, weights, 0.5, True)).all()
