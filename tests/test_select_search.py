"""Behind the choice of h and lam: what is judged, and how well clusters predict held-out rows."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.selection.data import draw_blobs
from pywbms._engine.fit import PreparedRows, fit_rows
from pywbms._engine.settings import Settings
from pywbms._selection import heldout as heldout_module
from pywbms._selection.candidates import Candidate
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import MOST_SCORED, Search, SearchSpace, middle
from pywbms._selection.separation import joined_groups, separations
from pywbms._selection.starts import starts_for


@pytest.fixture(scope="module")
def blobs():
    return draw_blobs(3, 90, 3, 2, "", seed=1)


class TestHeldOut:
    def test_clusters_predict_and_noise_does_not(self):
        rng = np.random.default_rng(0)
        X, truth = draw_blobs(3, 150, 2, 0, "", seed=0)
        train = np.arange(150) % 5 > 0
        heldout = heldout_module.HeldOut(X, rng)
        even = np.full(2, 0.5)
        assert heldout.gain(train, truth[train], even) > 0.15
        assert heldout.gain(train, rng.permutation(truth[train]), even) < 0.05
        noise = heldout_module.HeldOut(rng.normal(size=(150, 2)), rng)
        halves = (noise._rows[train, 0] > 0).astype(int)
        assert noise.gain(train, halves, even) < 0.05

    @pytest.mark.parametrize("values", [2, 5])
    def test_repeated_values_are_no_clusters(self, values):
        rng = np.random.default_rng(0)
        X = rng.integers(values, size=(200, 2)).astype(float)
        train = np.arange(200) % 5 > 0
        labels = (X[:, 0] * values + X[:, 1]).astype(int)[train]
        assert heldout_module.HeldOut(X, rng).gain(train, labels, np.full(2, 0.5)) < 0.2

    def test_clusters_too_small_say_nothing(self):
        X = np.random.default_rng(0).normal(size=(20, 2))
        train = np.arange(20) < 16
        heldout = heldout_module.HeldOut(X, np.random.default_rng(0))
        assert heldout.gain(train, np.arange(16), np.full(2, 0.5)) == 0.0

    def test_single_clouds_are_densities(self):
        x = np.linspace(-60, 60, 20001)[:, None]
        train = np.abs(x[:, 0]) < 3
        for density in heldout_module.cloud_densities(x, train):
            area = np.exp(density).sum() * (x[1] - x[0]).item() / np.sqrt(2 * np.pi)
            assert area == pytest.approx(1, abs=2e-3)

    def test_skewed_clusters_predict_as_well_as_others(self):
        rng = np.random.default_rng(0)
        truth = np.arange(300) % 2
        X = np.exp(0.7 * rng.normal(size=(300, 3)) + 2.8 * truth[:, None])
        heldout = heldout_module.HeldOut(X, rng)
        train = rng.permutation(300) < 150
        even = np.full(3, 1 / 3)
        assert heldout.gain(train, truth[train], even, own_shapes=True) > 0.5
        assert heldout.gain(train, rng.permutation(truth[train]), even, own_shapes=True) < 0.05

    def test_the_columns_that_weights_use(self):
        assert heldout_module.heaviest(np.array([0.1, 0.8, 0.1])).tolist() == [1, 0]
        assert heldout_module.heaviest(np.array([0.0, 1.0])).tolist() == [1]
        assert len(heldout_module.heaviest(np.full(100, 0.01))) == 20


class TestSearch:
    def test_the_middle_of_a_range(self):
        labels = np.array([0, 0, 1, 1])
        found = [Candidate("uniform", h, 0.1, labels, np.ones(1)) for h in (0.01, 0.1, 1.0)]
        assert middle(found) is found[1]

    def test_only_the_most_promising_are_scored_and_judged(self, blobs):
        X, _ = blobs
        X = X[np.lexsort(X.T)]
        hs, lams = [0.01, 0.02, 0.05, 0.1, 0.3, 0.5], [0.05, 0.1, 0.5]
        space = SearchSpace(hs, lams, 1.0, starts_for(X, Settings()))
        search = Search(X, space, CandidateRunner(X, Settings()), 2, np.random.default_rng(0))
        search.run()
        tried = list(search.candidates.values())
        assert len(tried) == len(space.starts) * len(hs) * len(lams)
        scored = [one for one in tried if one.scored]
        assert 0 < len(scored) <= 2 * 2 * MOST_SCORED  # in two rounds
        assert len(scored) < len(tried)
        assert search.best().score == max(one.score for one in scored)
        assert search.best().judged
        assert all(len(one.gains) == len(one.agreements) == 2 for one in tried if one.judged)


class TestSeparation:
    def pieces(self, X, k):
        """Cut along the first column into pieces of equal size."""
        return (np.argsort(np.argsort(X[:, 0])) * k) // len(X)

    def test_clusters_stay_apart(self):
        rng = np.random.default_rng(0)
        X = np.concatenate([rng.normal(c, 1, (100, 2)) for c in (0, 6, 12)])
        labels = np.repeat([0, 1, 2], 100)
        found = separations(X, labels, np.array([0.5, 0.5]))
        assert {(one.a, one.b) for one in found} == {(0, 1), (1, 2)}
        assert all(one.valley < 0.2 and one.strength > 3 for one in found)
        np.testing.assert_array_equal(joined_groups(3, found), [0, 1, 2])

    @pytest.mark.parametrize("k", [2, 4])
    def test_pieces_of_a_curve_are_joined(self, k):
        rng = np.random.default_rng(0)
        x = rng.uniform(-1, 1, 400)
        X = np.stack([x, x**2 + rng.normal(0, 0.1, 400)], axis=1)
        found = separations(X, self.pieces(X, k), np.array([0.5, 0.5]))
        assert joined_groups(k, found).max() == 0

    def test_the_order_of_columns_and_single_rows(self):
        rng = np.random.default_rng(0)
        X = np.concatenate([rng.normal(0, 1, (60, 3)), rng.normal(8, 1, (60, 3)), [[99.0] * 3]])
        labels = np.repeat([0, 1, 2], [60, 60, 1])
        weights = np.array([0.2, 0.5, 0.3])
        found = separations(X, labels, weights)
        turned = separations(X[:, ::-1], labels, weights[::-1])
        np.testing.assert_allclose([one[2:4] for one in found], [one[2:4] for one in turned])
        assert all(not one.known for one in found if one.b == 2)  # too few rows to tell
        assert joined_groups(labels.max() + 1, found).max() == 2

    def test_tiny_groups_are_part_of_their_nearest_neighbour(self):
        rng = np.random.default_rng(1)
        X = np.concatenate([rng.normal(0, 1, (80, 2)), rng.normal(8, 1, (80, 2))])
        labels = np.repeat([0, 1], 80)
        edge = np.argsort(X[:, 0])[:4]
        labels[edge] = 2
        even = np.array([0.5, 0.5])
        found = separations(X, labels, even)
        assert {(one.a, one.b) for one in found if one.absorbed} == {(0, 2)}
        np.testing.assert_array_equal(joined_groups(3, found), [0, 1, 0])
        # asked for three clusters, or with a plain gap around it, the group stays
        np.testing.assert_array_equal(joined_groups(3, found, n_clusters=3), [0, 1, 2])
        X[edge] -= 30
        assert joined_groups(3, separations(X, labels, even)).tolist() == [0, 1, 2]


def test_prepared_rows_give_the_same_fits():
    X, _ = draw_blobs(3, 90, 3, 2, "tails", seed=2)
    X[5] = 1e4  # an outlier
    X[7] = X[8]
    settings = Settings().for_candidates(50)
    prepared = PreparedRows(X, settings)
    for h, lam, init in ((0.05, 0.1, "uniform"), (0.2, 0.5, (3.0, 1.0, 1.0, 1.0, 1.0))):
        own = replace(settings, h=h, lam=lam, init=init)
        labels, weights = prepared.labels_and_weights(own)
        whole = fit_rows(X, own)
        np.testing.assert_array_equal(labels, whole.labels)
        np.testing.assert_array_equal(weights, whole.weights)
