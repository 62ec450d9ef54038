"""The embedding is the plane of the largest weighted variance."""

import numpy as np
import pandas as pd
import plotting
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plotting import fake_result, legend_texts, scattered
from problems import seeds, simplex

from pywbms import plot
from pywbms._viz import embedding
from pywbms._viz.embedding import embed

_close_figures = plotting._close_figures  # fixture


def oracle(result):
    """Scores of rows and centres by a singular value decomposition, up to signs; shares."""
    z = result.data.to_numpy() / result.scale.to_numpy() * np.sqrt(result.weights.to_numpy())
    centres = result.centers.to_numpy() / result.scale.to_numpy()
    centres = centres * np.sqrt(result.weights.to_numpy())
    _, length, axes = np.linalg.svd(z - z.mean(axis=0), full_matrices=False)
    share = length**2 / (length**2).sum()
    return (z - z.mean(axis=0)) @ axes[:2].T, (centres - z.mean(axis=0)) @ axes[:2].T, share[:2]


@settings(deadline=None, max_examples=80)
@given(data=st.data(), seed=seeds, p=st.integers(2, 30), k=st.integers(1, 4))
def test_it_is_the_decomposition_of_the_weighted_rows(data, seed, p, k):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(2, 9, size=k)
    result = fake_result(sizes=sizes, weights=data.draw(simplex(p)), n_iter=0)
    found = embed(result)
    rows, centres, share = oracle(result)
    np.testing.assert_allclose(found.share, share[: len(found.share)], atol=1e-9)
    np.testing.assert_allclose((found.loadings**2).sum(axis=0), 1.0, rtol=1e-9)
    for d, size in enumerate(share[: found.rows.shape[1]]):
        apart = np.abs(np.delete(oracle_shares(result), d) - size).min(initial=1.0)
        if size > 1e-6 and apart > 1e-3:  # otherwise the axis is not unique
            sign = np.sign(found.rows[:, d] @ rows[:, d])
            np.testing.assert_allclose(found.rows[:, d], sign * rows[:, d], atol=1e-6)
            np.testing.assert_allclose(found.centres[:, d], sign * centres[:, d], atol=1e-6)
    # Distances in the plane are never larger than the learned ones.
    z = result.data.to_numpy() / result.scale.to_numpy() * np.sqrt(result.weights.to_numpy())
    learned = np.linalg.norm(z[0] - z, axis=1)
    assert (np.linalg.norm(found.rows[0] - found.rows, axis=1) <= learned + 1e-9).all()


def oracle_shares(result):
    z = result.data.to_numpy() / result.scale.to_numpy() * np.sqrt(result.weights.to_numpy())
    length = np.linalg.svd(z - z.mean(axis=0), compute_uv=False)
    return length**2 / (length**2).sum()


def test_the_picture_shows_the_scores_and_names_the_columns():
    result = fake_result(weights=(0.5, 0.0, 0.5))
    ax = plot.embedding(result)
    first, second, centres = scattered(ax)
    np.testing.assert_allclose(np.vstack([first, second]), embed(result).rows)
    np.testing.assert_allclose(centres, embed(result).centres)
    assert ax.get_xlabel().startswith("component 1, ")
    assert set(ax.get_xlabel().split("\n")[1].split(", ")) == {"x1", "x3"}
    assert legend_texts(ax) == ["0 (6 rows)", "1 (4 rows)", "centre"]


def test_signs_do_not_depend_on_the_order_of_the_rows():
    result = fake_result(sizes=(9, 7), weights=(0.2, 0.3, 0.5))
    order = np.random.default_rng(0).permutation(16)
    mixed = fake_result(
        sizes=(9, 7), weights=(0.2, 0.3, 0.5), data=result.data.iloc[order],
        labels=result.labels.iloc[order],
    )  # fmt: skip
    np.testing.assert_allclose(embed(mixed).rows, embed(result).rows[order], atol=1e-12)


def test_one_column_is_drawn_in_lanes():
    for weights in ((1.0,), (1.0, 0.0, 0.0)):
        ax = plot.embedding(fake_result(weights=weights))
        assert ax.get_ylabel() == "cluster"
        assert ax.get_xlabel().startswith("component 1, 100% of the variance\nx1")


def test_many_columns_are_cut_to_those_with_most_of_the_variance(monkeypatch):
    result = fake_result(sizes=(30, 20), weights=np.r_[[0.3] * 3, [0.1 / 97] * 97])
    whole = embed(result)
    monkeypatch.setattr(embedding, "MOST_COLUMNS", 3)
    cut = embed(result)
    assert (cut.loadings[3:] == 0).all()
    assert np.corrcoef(cut.rows[:, 0], whole.rows[:, 0])[0, 1] == pytest.approx(1, abs=0.01)
    assert cut.share[0] < 1


def test_a_constant_table_is_drawn():
    data = pd.DataFrame(np.ones((4, 2)), columns=["x1", "x2"])
    ax = plot.embedding(
        fake_result(sizes=(4,), weights=(0.0, 0.0), data=data, scale=pd.Series([1.0, 1.0]))
    )
    assert ax.get_title() == "one cluster: all 4 rows"
