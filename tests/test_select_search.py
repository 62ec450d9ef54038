"""Behind the choice of h and lam: what is judged, and how well clusters predict held-out rows."""

import numpy as np
import pytest

from benchmarks.selection.data import draw_blobs
from pywbms._engine.settings import Settings
from pywbms._selection import heldout as heldout_module
from pywbms._selection.candidates import Candidate, by_partition
from pywbms._selection.runner import CandidateRunner
from pywbms._selection.search import Search, SearchSpace


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

    def test_the_columns_that_weights_use(self):
        assert heldout_module.heaviest(np.array([0.1, 0.8, 0.1])).tolist() == [1, 0]
        assert heldout_module.heaviest(np.array([0.0, 1.0])).tolist() == [1]
        assert len(heldout_module.heaviest(np.full(100, 0.01))) == 20


class TestSearch:
    def test_few_pairs_of_a_partition_and_from_its_middle(self):
        labels = np.array([0, 0, 1, 1])
        pairs = [Candidate(h, 0.1, labels, np.ones(1), screened=1.0) for h in (0.01, 0.1, 1.0)]
        other = Candidate(0.1, 1.0, np.array([0, 1, 0, 1]), np.ones(1), screened=2.0)
        kept = by_partition([*pairs, other])
        assert kept[0] is other
        assert kept[1] is pairs[1]
        assert len(kept) == 3

    def test_every_pair_can_be_judged(self, blobs):
        X, _ = blobs
        X = X[np.lexsort(X.T)]
        runner = CandidateRunner(X, Settings())
        rng = np.random.default_rng(0)
        hs, lams = [0.01, 0.02, 0.05, 0.1, 0.3, 0.5], [0.05, 0.1, 0.5]
        search = Search(X, SearchSpace(hs, lams, 1.0), runner, 2, rng)
        search.run()
        pairs = by_partition([pair for pair in search.candidates.values() if pair.screened > 0.05])
        waiting = [pair for pair in pairs if not pair.judged]
        assert 0 < len(waiting) < len(pairs)  # the search judges those alone that may win
        gains = [pair.gains for pair in pairs]
        search.judge(search.candidates.values(), every=True)
        assert all(len(pair.gains) == len(pair.agreements) == 2 for pair in pairs)
        assert all(
            pair.gains == before for pair, before in zip(pairs, gains, strict=True) if before
        )
