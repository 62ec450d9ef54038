"""The simulator of the selection study draws what it says; so do the study's other sets."""

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from benchmarks.selection import data, simulator
from benchmarks.selection.simulator import classes, disturbances, manifolds, nulls, prior, shapes

SEEDS = range(6)


@pytest.fixture(scope="module")
def sets():
    return [simulator.draw(seed) for seed in range(150)]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def assert_sound(X, truth):
    assert X.ndim == 2
    assert X.dtype == float
    assert truth.shape == (len(X),)
    assert np.issubdtype(truth.dtype, np.integer)
    assert np.isfinite(X).all()
    assert np.count_nonzero(X.std(axis=0) > 1e-9) >= 2


class TestDraw:
    @pytest.mark.parametrize("kind", [None, *simulator.KINDS])
    def test_a_seed_gives_the_same_bytes(self, kind):
        for seed in SEEDS:
            one, other = simulator.draw(seed, kind), simulator.draw(seed, kind)
            assert one.X.tobytes() == other.X.tobytes()
            assert one.truth.tobytes() == other.truth.tobytes()
            assert (one.kind, one.detail) == (other.kind, other.detail)

    def test_the_number_of_threads_makes_no_difference(self, sets):
        with threadpool_limits(1):
            again = [simulator.draw(seed) for seed in range(len(sets))]
        assert [drawn.X.tobytes() for drawn in again] == [drawn.X.tobytes() for drawn in sets]

    def test_seeds_differ(self, sets):
        assert len({drawn.X.tobytes() for drawn in sets}) == len(sets)

    def test_naming_the_kind_that_is_drawn_changes_nothing(self, sets):
        for seed in SEEDS:
            again = simulator.draw(seed, sets[seed].kind)
            assert again.X.tobytes() == sets[seed].X.tobytes()

    @pytest.mark.parametrize("kind", simulator.KINDS)
    def test_every_kind_is_sound(self, kind):
        for seed in SEEDS:
            drawn = simulator.draw(seed, kind)
            assert drawn.kind == kind
            assert_sound(drawn.X, drawn.truth)
            assert (drawn.n_clusters == 1) == simulator.KINDS[kind].one_cluster
            assert set(np.unique(drawn.truth)) <= {-1, *range(drawn.truth.max() + 1)}

    def test_the_columns_are_counted(self, sets):
        for drawn in sets:
            detail = drawn.detail
            assert detail["informative"] + detail["noise_columns"] == drawn.X.shape[1]
            assert (detail["noise"] != "") >= (detail["noise_columns"] > 0)
            assert ("outliers" in detail["done"]) == (drawn.truth == -1).any()

    def test_the_sizes_are_those_of_the_prior(self, sets):
        for drawn in sets:
            n, p = drawn.X.shape
            assert 40 <= n <= 600
            assert 2 <= p <= (800 if drawn.detail["wide"] else 300)
            assert (n < 60) <= drawn.detail["wide"]

    def test_an_unknown_kind_is_an_error(self):
        with pytest.raises(KeyError, match="cheese"):
            simulator.draw(0, "cheese")


class TestPrior:
    def test_probabilities_sum_to_one(self):
        assert set(simulator.PROBABILITIES) == set(simulator.KINDS)
        assert sum(simulator.PROBABILITIES.values()) == pytest.approx(1)

    def test_a_fifth_has_no_clusters(self):
        nulls = [name for name, kind in simulator.KINDS.items() if kind.one_cluster]
        assert sum(simulator.PROBABILITIES[kind] for kind in nulls) == pytest.approx(0.2)

    def test_sets_follow_the_probabilities(self, sets):
        for kind, probability in simulator.PROBABILITIES.items():
            share = np.mean([drawn.kind == kind for drawn in sets])
            assert abs(share - probability) < 4 * np.sqrt(probability / len(sets))

    def test_a_kind_is_added_in_one_line(self, monkeypatch):
        added = prior.Kind(simulator.KINDS["mixture"].draw, 1e6, 1e6)
        monkeypatch.setitem(simulator.KINDS, "added", added)
        assert simulator.draw(0).kind == "added"


class TestForms:
    @pytest.mark.parametrize("cloud", shapes.CLOUDS)
    @pytest.mark.parametrize("d", [1, 4])
    def test_clouds(self, cloud, d, rng):
        X = cloud(rng, 2000, d)
        assert X.shape == (2000, d)
        assert np.all((X.std(axis=0) > 0.6) & (X.std(axis=0) < 2))

    @pytest.mark.parametrize("form", manifolds.MANIFOLDS)
    def test_manifolds(self, form, rng):
        for _ in SEEDS:
            X, truth = manifolds.draw_manifold(rng, 151, form)
            assert_sound(X, truth)
            assert len(X) == 151
            assert len(np.unique(truth)) >= 2

    @pytest.mark.parametrize("form", nulls.NULLS)
    def test_nulls(self, form, rng):
        X = nulls.NULLS[form](rng, 100, 6)
        assert_sound(X, np.zeros(100, dtype=int))
        assert X.shape == (100, 6)

    @pytest.mark.parametrize("form", nulls.CURVES)
    def test_curves_are_embedded(self, form, rng):
        X = nulls.CURVES[form](rng, 100, 0.3)
        for p in (2, 9, 9, 9, 40):
            wider, _ = nulls.embedded(rng, X, p)
            assert wider.shape == (100, max(p, X.shape[1]))

    @pytest.mark.parametrize("form", disturbances.NOISE_COLUMNS)
    def test_noise_columns(self, form, rng):
        columns, _ = disturbances.NOISE_COLUMNS[form]
        assert columns(rng, 50, 3).shape == (50, 3)

    @pytest.mark.parametrize("draw", [classes.hierarchy, classes.rough, classes.warped])
    def test_classes(self, draw, rng):
        X, truth, _ = draw(rng, 90, 3)
        assert_sound(X, truth)
        assert len(np.unique(truth)) == truth.max() + 1 >= 2

    @pytest.mark.parametrize("d", [1, 2, 40])
    def test_rotations_are_orthogonal(self, d, rng):
        turn = shapes.rotation(rng, d)
        np.testing.assert_allclose(turn @ turn.T, np.eye(d), atol=1e-9)

    def test_clusters_far_apart_are_those_of_the_truth(self, rng):
        X, truth, _ = shapes.mixture(rng, 300, 4, 3, separation=1e4)
        means = np.array([X[truth == cluster].mean(axis=0) for cluster in range(4)])
        nearest = np.linalg.norm(X[:, None] - means, axis=2).argmin(axis=1)
        assert np.array_equal(nearest, truth)

    def test_outliers_are_marked(self, rng):
        X, zeros = rng.normal(size=(200, 3)), np.zeros(200, dtype=int)
        changed, truth = disturbances.put_outliers(rng, X, zeros)
        assert np.array_equal((changed != X).any(axis=1), truth == -1)
        assert 1 <= np.count_nonzero(truth == -1) <= 12

    def test_whole_numbers_are_left_as_they_are(self, rng):
        X, zeros = np.eye(9), np.zeros(9, dtype=int)
        for _ in range(40):
            assert disturbances.disturb(rng, X, zeros)[0] is X


class TestData:
    @pytest.mark.parametrize("name", data.curved_noise())
    def test_curved_noise(self, name):
        draw = data.curved_noise()[name]
        X, truth = draw(1)
        assert_sound(X, truth)
        assert not truth.any()
        assert np.array_equal(X, draw(1)[0])
        assert not np.array_equal(X, draw(2)[0])

    def test_noise_columns_come_last(self):
        draw = data.noise()["normal 100 × 5"]
        X, truth = draw(3)
        wider, same = data.with_noise_columns(draw, 7)(3)
        assert wider.shape == (100, 12)
        assert np.array_equal(wider[:, :5], X)
        assert np.array_equal(same, truth)

    def test_a_corpus_is_read_and_thinned(self, tmp_path):
        (tmp_path / "corpus").mkdir()
        labels = np.ones((2, 700), dtype=int)
        np.savez(
            tmp_path / "corpus" / "one.npz", X=np.arange(1400.0).reshape(700, 2), labels=labels
        )
        sets = data.corpus(tmp_path)
        X, labelings = sets["one"](0)
        assert list(sets) == ["one"]
        assert X.shape == (600, 2)
        assert labelings.shape == (2, 600)
        assert np.all(np.diff(X[:, 0]) > 0)

    def test_no_corpus_is_an_error(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="corpus"):
            data.corpus(tmp_path)

    def test_the_best_labeling_counts_without_its_noise(self):
        labels = [5, 5, 7, 7, 7]
        assert data.best_agreement([[1, 2, 1, 2, 1], [1, 1, 2, 2, 0]], labels) == 1
        assert data.best_agreement([1, 2, 1, 2, 1], labels) < 0.5
