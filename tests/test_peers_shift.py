"""Mean shift and blurring mean shift, compared with plain loops."""

import sys

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from problems import blobs, log_uniform
from sklearn.exceptions import ConvergenceWarning

from pywbms.peers import bms, mean_shift
from pywbms.peers._scores import scores
from pywbms.peers.bms import blur
from pywbms.peers.mean_shift import SAME, climb

# The function has the name of its module and shadows it.
mean_shift_module = sys.modules["pywbms.peers.mean_shift"]


def plain_mode(x, X, bandwidth):
    """Climb from x until convergence."""
    for _ in range(10**5):
        kernel = np.exp(-((x - X) ** 2).sum(axis=1) / bandwidth)
        mean = kernel @ X / kernel.sum()
        if np.abs(mean - x).max() <= 1e-7 * np.sqrt(bandwidth):
            return mean
        x = mean
    raise AssertionError("still climbing")


@settings(max_examples=25)
@given(X=blobs(max_rows=25), h=log_uniform(0.02, 3))
def test_mean_shift_climbs_as_a_plain_loop_does(X, h):
    bandwidth = h * X.shape[1]
    modes, converged = climb(X, bandwidth, 10**5)
    assert converged
    plain = np.stack([plain_mode(x, X, bandwidth) for x in X])
    # Where a mode is about to split in two, convergence is slow, and climbing stops early.
    assert np.abs(modes - plain).max() < SAME / 2 * np.sqrt(bandwidth)
    labels = mean_shift(X, h, max_iter=10**5, standardize=False).labels
    gaps = oracle.squared_distances(modes, modes) / bandwidth
    if not ((gaps > SAME**2 / 4) & (gaps < 4 * SAME**2)).any():
        assert oracle.same_partition(labels, oracle.partition(plain, SAME * np.sqrt(bandwidth)))


def test_blocks_of_rows_change_nothing(monkeypatch):
    X = np.random.default_rng(0).normal(size=(50, 3))
    modes, _ = climb(X, 0.5, 1000)
    monkeypatch.setattr(mean_shift_module, "BLOCK", 7 * 50)
    in_blocks, _ = climb(X, 0.5, 1000)
    assert np.allclose(modes, in_blocks, atol=1e-9)


@pytest.mark.parametrize("method", [mean_shift, bms])
def test_a_tiny_h_gives_singletons_and_a_huge_h_one_cluster(method):
    X = np.random.default_rng(0).normal(size=(20, 3))
    doubled = np.concatenate([X, X])
    for h in (1e-320, 1e-12):
        assert method(doubled, h).n_clusters == 20
    for h in (1e3, 1e308):
        assert method(doubled, h).n_clusters == 1


@pytest.mark.parametrize("method", [mean_shift, bms])
def test_too_few_iterations_are_reported_at_the_line_of_the_call(method):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(ConvergenceWarning, match="max_iter=2") as caught:
        method(X, 0.1, max_iter=2)
    assert caught[0].filename == __file__


def test_mean_shift_is_the_same_in_fewer_coordinates():
    X = np.random.default_rng(1).normal(size=(20, 300))
    X[:8] += 1
    wide, narrow = X - X.mean(axis=0), scores(X - X.mean(axis=0))
    found, expected = (climb(rows, 30.0, 10**4)[0] for rows in (narrow, wide))
    assert np.allclose(found @ found.T, expected @ expected.T)


@settings(max_examples=40)
@given(X=blobs(), h=log_uniform(0.01, 3))
def test_bms_is_wbms_with_fixed_weights_step_by_step(X, h):
    X = X - X.mean(axis=0)
    path = blur(X, h, max_iter=10**4, record_path=True).path
    w = np.full(X.shape[1], 1 / X.shape[1])
    Y = X
    for found in path[1:]:
        Y = oracle.shift(Y, w, h, exclude_self=False)
        assert np.allclose(found, Y, atol=1e-7 * np.abs(X).max())
        Y = found  # rounding errors grow where a point is between two groups
    plain = oracle.fit(X, h, 1e300, exclude_self=False, warmup=0, max_iter=10**4)
    labels = bms(X, h, max_iter=10**4, standardize=False).labels
    assert np.array_equal(labels, plain["labels"])
    assert len(path) - 1 == plain["n_iter"]
