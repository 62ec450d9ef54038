"""Landmarks: a sample is clustered, all other rows follow the path of its points."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import fcluster
from sklearn.base import clone

from pywbms import WBMS, load, wbms
from pywbms._core.follow import follow
from pywbms._data.row_keys import row_keys
from pywbms._engine.follower import Follower
from pywbms._engine.landmark_draw import LandmarkDraw, drawn_landmarks
from pywbms._engine.tile_order import compact_order
from pywbms._selection.agreement import agreement


def clusters(n, k=4, p=3, noise=3, apart=4.0, seed=0):
    """Return rows in k clusters, with columns of noise, and the truth."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(k, p)) * apart
    truth = rng.integers(0, k, n)
    return np.hstack([centers[truth] + rng.normal(size=(n, p)), rng.normal(size=(n, noise))]), truth


def plain_means(rows, cloud, mass, weights, h):
    """Return kernel-weighted means and log sums, in plain NumPy."""
    p = rows.shape[1]
    away = (rows[:, None] - cloud[None, :, :p]) ** 2 @ weights / h
    nearest = away.min(axis=1, keepdims=True)
    kernel = mass * np.exp(nearest - away)
    total = kernel.sum(axis=1)
    return kernel @ cloud / total[:, None], np.log(total) - nearest[:, 0]


def core_means(rows, cloud, mass, weights, h, n_threads=1):
    """Return what the core makes of the same."""
    p = rows.shape[1]
    means, log_sums = np.empty((len(rows), cloud.shape[1])), np.empty(len(rows))
    order = compact_order(np.ascontiguousarray(cloud[:, :p]), weights)
    skipped = follow(
        rows, cloud, mass, weights, h, n_threads, compact_order(rows, weights), order, means,
        log_sums,
    )  # fmt: skip
    return means, log_sums, skipped


@pytest.mark.parametrize(("n", "g", "p", "more", "h"), [
    (300, 500, 3, 0, 0.1), (300, 1500, 20, 2, 0.1), (77, 130, 300, 2, 1.0), (5, 1, 2, 0, 0.1),
    (1000, 2000, 2, 2, 1e-3), (200, 400, 12, 0, 1e-6), (200, 300, 12, 0, 1e4),
    (130, 129, 8, 1, 0.3),
])  # fmt: skip
@pytest.mark.parametrize("n_threads", [1, 2])
def test_core_agrees_with_plain_numpy(n, g, p, more, h, n_threads):
    rng = np.random.default_rng(n)
    rows, cloud = rng.normal(size=(n, p)), rng.normal(size=(g, p + more))
    mass, weights = rng.integers(1, 4, g) * 1.0, rng.dirichlet(np.ones(p))
    means, log_sums, _ = core_means(rows, cloud, mass, weights, h, n_threads)
    expected, expected_sums = plain_means(rows, cloud, mass, weights, h)
    np.testing.assert_allclose(means, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(log_sums, expected_sums, rtol=1e-12, atol=1e-9)


def test_far_tiles_are_left_out():
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [300.0, 0.0], [0.0, 300.0]])
    rows, cloud = (centers[rng.integers(0, 3, n)] + rng.normal(size=(n, 2)) for n in (4000, 3000))
    mass, weights = np.ones(len(cloud)), np.full(2, 0.5)
    means, _, skipped = core_means(rows, cloud, mass, weights, 1.0)
    assert skipped > 0.5
    np.testing.assert_allclose(means, plain_means(rows, cloud, mass, weights, 1.0)[0], atol=1e-9)


@pytest.mark.parametrize("apart", [4.0, 1.0])
def test_following_is_the_map_of_the_fit(apart):
    """The groups agree with those of a plain loop over the recorded path of all points."""
    X, _ = clusters(1500, apart=apart)
    rows, others = X[:600], X[600:]
    model = WBMS(0.1, 0.1, record_path=True, standardize=True, merge=False).fit(rows)
    y = (others - rows.mean(axis=0)) / rows.std(axis=0, ddof=1)
    for points, weights in zip(model.path_[:-1], model.weights_path_[:-1], strict=True):
        y = plain_means(y, points, np.ones(len(points)), weights, 0.1)[0]
    away = ((y[:, None] - model.path_[-1]) ** 2) @ model.weights_path_[-1]
    expected = model.labels_[away.argmin(axis=1)]
    np.testing.assert_array_equal(model.predict(others, method="follow"), expected)
    np.testing.assert_array_equal(model.predict(rows, method="follow"), model.labels_)


@pytest.mark.parametrize("apart", [4.0, 1.2])
def test_rows_that_are_decided_early_end_in_the_same_group(apart):
    X, _ = clusters(4000, apart=apart)
    model = WBMS(0.1, 0.1, landmarks=500).fit(X)
    early, late = (Follower(model._cloud, decided=share).groups(X)[0] for share in (1e-6, 0.0))
    np.testing.assert_array_equal(early, late)


def test_labels_are_nearly_those_of_the_exact_fit():
    X, _ = clusters(4000)
    exact, model = WBMS(0.1, 0.1).fit(X), WBMS(0.1, 0.1, landmarks=1000).fit(X)
    assert agreement(model.labels_, exact.labels_) > 0.99
    assert model.landmarks_.number - model.landmarks_.added == 1000
    assert model.landmarks_.rows == 4000
    assert 0.9 < model.landmarks_.agreement <= 1
    assert exact.landmarks_ is None
    assert model.modes_.shape == X.shape
    sizes = np.bincount(model.labels_)
    assert (np.diff(sizes) <= 0).all()
    for label in range(model.n_clusters_):
        inside = model.modes_[model.labels_ == label]
        np.testing.assert_allclose(inside, np.broadcast_to(model.cluster_centers_[label],
                                                           inside.shape), atol=1e-4)  # fmt: skip


def test_order_of_rows_and_threads_do_not_matter():
    X, _ = clusters(3000, apart=1.5)
    shuffled = np.random.default_rng(1).permutation(len(X))
    one = WBMS(0.1, 0.1, landmarks=400).fit(X)
    other = WBMS(0.1, 0.1, landmarks=400, n_jobs=2).fit(np.asfortranarray(X[shuffled]))
    assert agreement(other.labels_, one.labels_[shuffled]) == 1.0
    np.testing.assert_array_equal(other.modes_, one.modes_[shuffled])
    np.testing.assert_array_equal(other.feature_weights_, one.feature_weights_)


def test_auto_is_exact_for_small_tables_and_where_all_rows_are_needed():
    auto = WBMS().settings()
    assert auto.n_landmarks((20_000, 20)) is None
    assert auto.n_landmarks((1_000_000, 20)) == 8000
    assert auto.n_landmarks((3000, 100_000)) is None
    assert WBMS(tree=True).settings().n_landmarks((1_000_000, 20)) is None
    for model in (WBMS.paper(0.1, 1), WBMS.released(0.1, 1), WBMS(landmarks=None)):
        assert model.settings().n_landmarks((1_000_000, 20)) is None
    assert WBMS(landmarks=5000).settings().n_landmarks((5000, 2)) is None


@pytest.mark.parametrize("value", ["some", 1, 2.5, True, -3])
def test_bad_numbers_of_landmarks_are_named(value):
    with pytest.raises(ValueError, match="landmarks must be"):
        WBMS(0.1, 0.1, landmarks=value).fit(np.eye(3))


@pytest.mark.parametrize("name", ["tree", "record_path"])
def test_what_needs_all_rows_is_named(name):
    X, _ = clusters(300)
    with pytest.raises(ValueError, match=f"{name}=True needs a fit of all 300 rows"):
        WBMS(0.1, 0.1, landmarks=100, **{name: True}).fit(X)


def test_as_many_landmarks_as_distinct_rows_are_the_exact_fit():
    X, _ = clusters(200)
    repeated = np.repeat(X, 5, axis=0)
    exact = WBMS(0.1, 0.1, landmarks=None).fit(repeated)
    model = WBMS(0.1, 0.1, landmarks=200).fit(repeated)
    np.testing.assert_array_equal(model.labels_, exact.labels_)
    np.testing.assert_allclose(model.feature_weights_, exact.feature_weights_, rtol=1e-9)


def test_draws_in_blocks_are_those_of_all_rows_at_once():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(5000, 2)), np.zeros((900, 2)), np.ones((300, 2))])
    X = rng.permutation(X)
    whole = drawn_landmarks(LandmarkDraw(100, 2, 0), lambda: iter([(X, None)]))
    blocks = [(block, None) for block in np.array_split(rng.permutation(X), 37)]
    parts = drawn_landmarks(LandmarkDraw(100, 2, 0), lambda: iter(blocks))
    merged = LandmarkDraw(100, 2, 0)
    for block, _ in blocks:
        one = LandmarkDraw(100, 2, 0)
        one.add(block)
        merged.merge(one)
    counts = sum(merged.count(merged.candidates.keys, *block) for block in blocks)
    for rows, mass in (parts, merged.landmarks(counts)):
        np.testing.assert_array_equal(rows, whole[0])
        np.testing.assert_allclose(mass, whole[1], rtol=1e-12)
    # Both frequent values are there, with their shares.
    share = whole[1] / whole[1].sum()
    keys = row_keys(whole[0])
    for value, expected in ((0.0, 900 / 6200), (1.0, 300 / 6200)):
        own = share[keys == row_keys(np.full((1, 2), value))]
        np.testing.assert_allclose(own, expected, rtol=1e-9)


def test_weights_of_rows_are_repeated_rows():
    X, _ = clusters(1200)
    weights = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
    weighted = WBMS(0.1, 0.1, landmarks=300).fit(X, sample_weight=weights)
    repeated = WBMS(0.1, 0.1, landmarks=300).fit(np.repeat(X, weights.astype(int), axis=0))
    np.testing.assert_allclose(weighted.feature_weights_, repeated.feature_weights_, rtol=1e-9)
    some = np.repeat(np.arange(len(X)), weights.astype(int))
    assert agreement(weighted.labels_[some], repeated.labels_) == 1.0
    assert weighted.labels_.shape == (1200,)


def test_what_a_result_tells_of_rows_comes_from_landmarks():
    X, _ = clusters(2500)
    df = pd.DataFrame(X, columns=list("abcdef"))
    result = wbms(df, h=0.1, lam=0.1, landmarks=600)
    assert "600 landmarks of 2,500 rows" in str(result)
    assert "600 landmarks" in str(result.summary())
    assert result.membership.shape == (2500, result.n_clusters)
    np.testing.assert_allclose(result.membership.sum(axis=1), 1)
    assert result.outlier_score.between(0, 1).all()
    assert (result.membership.to_numpy().argmax(axis=1) == result.labels).mean() > 0.98
    assert result.describe(0)["share"].sum() == pytest.approx(1)
    assert result.cluster_weights.sum(axis=1).to_numpy() == pytest.approx(1)
    assert (result.predict(df) == result.labels).all()
    assert (result.predict(df, method="nearest") == result.labels).mean() > 0.95
    assert result.at(2).n_clusters == 2
    assert "2 clusters" in str(result.at(2))
    assert result.layers["own"].any()
    with pytest.raises(ValueError, match="landmarks=None"):
        result.check_theory()


def test_a_given_number_of_clusters_is_a_level_of_the_tree_of_all_rows():
    X, _ = clusters(1500)
    model = WBMS(0.1, 0.1, landmarks=300, n_clusters=2).fit(X)
    assert model.n_clusters_ == 2
    assert model.reached_by_ == "tree"
    assert model.tree_.shape == (1499, 4)
    height = np.log1p(model.n_iter_)
    groups = fcluster(model.tree_, height, "distance")
    assert agreement(groups, model.groups_) == 1.0


def test_a_rare_cluster_is_found():
    X, truth = with_rare_cluster(40_000, share=1e-3, seed=0)
    model = WBMS(0.02, 0.1, init="uniform", join=False, landmarks=2000).fit(X)
    cluster = np.bincount(model.labels_[truth == 3]).argmax()
    np.testing.assert_array_equal(model.labels_ == cluster, truth == 3)


def test_rows_that_no_landmark_reaches_are_added():
    X, truth = with_rare_cluster(20_000, share=0.015, seed=1)
    for seed in range(1000):  # a draw that has missed the rare cluster
        draw = LandmarkDraw(300, 3, seed)
        draw.add(X)
        missed = not np.isin(row_keys(draw.landmarks()[0]), row_keys(X[truth == 3])).any()
        if missed:
            break
    assert missed
    model = WBMS(0.02, 0.1, init="uniform", landmarks=300, join=False, random_state=seed).fit(X)
    assert model.landmarks_.unreached > 300
    assert 0 < model.landmarks_.added <= 75
    assert model.landmarks_.number == 300 + model.landmarks_.added
    cluster = np.bincount(model.labels_[truth == 3]).argmax()
    np.testing.assert_array_equal((model.labels_ == cluster)[truth == 3], True)
    assert (truth[model.labels_ == cluster] == 3).mean() > 0.9
    assert model._landmark_mass.sum() == pytest.approx(300, rel=0.02)


def with_rare_cluster(n, share, seed):
    """Return rows in three large clusters and a small one."""
    rng = np.random.default_rng(seed)
    centers = np.array([[0, 0, 0], [8, 0, 0], [0, 8, 0], [5, 6, 9.0]])
    truth = rng.choice(4, n, p=[0.5, 0.3, 0.2 - share, share])
    spread = np.array([1, 1, 1, 0.5])[truth]
    return centers[truth] + rng.normal(size=(n, 3)) * spread[:, None], truth


def test_a_saved_result_predicts_the_same(tmp_path):
    X, _ = clusters(1500)
    result = wbms(pd.DataFrame(X), h=0.1, lam=0.1, landmarks=300)
    result.save(tmp_path / "model.wbms")
    again = load(tmp_path / "model.wbms")
    new, _ = clusters(500, seed=0)
    np.testing.assert_array_equal(again.predict(new), result.predict(new))
    assert again.estimator.landmarks_ == result.estimator.landmarks_
    assert clone(again.estimator).landmarks == 300


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_a_choice_on_landmarks_does_what_it_does_on_all_rows(seed):
    X, _ = clusters(3000, k=3, seed=seed)
    model = WBMS(landmarks=500).fit(X)
    assert model.choice_.n_rows <= 500
    exact = WBMS(model.h_, model.lam_, init=model.init_, landmarks=None).fit(X)
    assert agreement(model.labels_, exact.labels_) > 0.99


def test_far_values_and_outliers_follow_their_nearest_rows():
    X, _ = clusters(3000)
    clean = WBMS(0.1, 0.1, landmarks=500).fit(X)
    dirty = X.copy()
    dirty[::100, 5] = 1e6
    model = WBMS(0.1, 0.1, landmarks=500).fit(dirty)
    assert agreement(model.labels_, clean.labels_) > 0.97


def test_labelled_outliers_keep_their_label_in_predict():
    X, _ = clusters(2000)
    X[::200] += 100
    model = WBMS(0.1, 0.1, landmarks=500, outliers="label").fit(X)
    assert (model.labels_ == -1).any()
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_unknown_method_is_named():
    model = WBMS(0.1, 0.1).fit(clusters(50)[0])
    with pytest.raises(ValueError, match="method must be"):
        model.predict(np.zeros((1, 6)), method="closest")
