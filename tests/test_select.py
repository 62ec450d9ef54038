import pickle
import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

from benchmarks.selection.data import NOISE, draw_blobs, draw_noise
from pywbms import WBMS, datasets, plot, wbms
from pywbms._selection import choice as module
from pywbms.select import select

matplotlib.use("agg")

SCORES = [
    "screened", "refined", "surplus", "valley", "centrality", "stability", "gain", "score",
]  # fmt: skip


@pytest.fixture(scope="module")
def blobs():
    return draw_blobs(3, 90, 3, 2, "", seed=1)


@pytest.fixture(scope="module")
def choice(blobs):
    return select(blobs[0])


@pytest.fixture(scope="module")
def iris():
    return wbms(load_iris(as_frame=True).data)


def same(a, b):
    pd.testing.assert_frame_equal(a.table, b.table)
    return (a.h, a.lam, a.explanation) == (b.h, b.lam, b.explanation)


@pytest.mark.slow
class TestAnswers:
    @pytest.mark.parametrize(
        ("draw", "least"),
        [
            (lambda: datasets.simulation1(2, 3), 1.0),
            (lambda: datasets.simulation1(10, 3), 1.0),
            (lambda: datasets.simulation2(20, 1), 0.97),
            (lambda: datasets.simulation2(100, 3), 0.97),
            (lambda: datasets.simulation3(5), 0.97),
            (lambda: datasets.varied_densities(120, 3), 0.99),
            (lambda: draw_blobs(4, 120, 5, 0, "long", seed=0), 0.95),
        ],
    )
    def test_clusters_are_found(self, draw, least):
        X, truth = draw()
        model = WBMS().fit(X)
        assert model.n_clusters_ == len(np.unique(truth))
        assert adjusted_rand_score(truth, model.labels_) >= least

    @pytest.mark.parametrize("shape", [(100, 5), (150, 2)])
    @pytest.mark.parametrize("kind", NOISE)
    def test_noise_is_one_cluster_and_it_says_so(self, kind, shape):
        X, _ = draw_noise(kind, *shape, seed=3)
        result = wbms(X)
        assert result.n_clusters == 1
        assert "No clusters: " in str(result)

    def test_one_column(self):
        rng = np.random.default_rng(0)
        assert select(rng.normal(size=(200, 1))).n_clusters == 1
        two = np.concatenate([rng.normal(size=100), rng.normal(9, 1, size=100)])[:, None]
        assert select(two).n_clusters == 2

    def test_the_choice_costs_less_than_a_hundred_fits(self):
        assert select(datasets.data1(1)[0]).n_fits < 100


@pytest.mark.slow
class TestReliable:
    def test_the_order_of_the_rows_does_not_matter(self, blobs, choice):
        order = np.random.default_rng(0).permutation(len(blobs[0]))
        assert same(select(blobs[0][order]), choice)

    def test_nor_does_the_number_of_jobs(self, blobs, choice):
        assert same(select(blobs[0], n_jobs=2), choice)

    def test_units_do_not_matter(self, blobs, choice):
        assert same(select(blobs[0] * np.array([8.0, 0.5, 2.0, 1.0, 64.0])), choice)

    def test_random_state(self, blobs, choice):
        assert same(select(blobs[0], random_state=0), choice)
        other = select(blobs[0], random_state=np.random.default_rng(1))
        assert not other.table.equals(choice.table)

    def test_the_input_is_not_written_to(self, blobs):
        X = blobs[0].copy()
        X.flags.writeable = False
        select(X, h=[0.1], lam=[0.1])

    def test_wbms_takes_the_pair(self, blobs, choice):
        model = WBMS().fit(blobs[0])
        assert (model.h_, model.lam_) == (choice.h, choice.lam)
        pd.testing.assert_frame_equal(model.selection_, choice.table)
        assert model.n_clusters_ == choice.n_clusters

    def test_threads_of_the_estimator_change_nothing(self, blobs, choice):
        assert same(WBMS(n_jobs=2).fit(blobs[0]).choice_, choice)

    @settings(max_examples=25, deadline=None)
    @given(st.integers(1, 14), st.integers(1, 3), st.integers(0, 99), st.integers(1, 4))
    def test_small_and_repetitive_data(self, n, p, seed, n_values):
        X = np.random.default_rng(seed).integers(n_values, size=(n, p)).astype(float)
        result = wbms(X)
        assert not result.selection.isna().any().any()
        assert result.selection["chosen"].sum() == 1
        assert np.isfinite([result.h, result.lam]).all()


@pytest.mark.slow
class TestSelection:
    def test_table(self, choice):
        table = choice.table
        assert list(table) == ["start", "h", "lam", "k", "joined", "judged", *SCORES, "chosen"]
        assert not table.isna().any().any()
        assert (table["h"] > 0).all()
        assert not table.duplicated(["start", "h", "lam"]).any()
        assert {"uniform", "marginal"} <= set(table["start"])
        assert set(table["judged"]) == {True, False}
        assert (table.loc[~table["judged"], ["stability", "gain"]] == 0).all(axis=None)
        assert (table["joined"] <= table["k"]).all()
        scored = table[table["score"] > 0]
        assert 1 <= len(scored) < len(table)
        root = np.sqrt(scored["refined"].clip(lower=1e-4))
        central = scored["centrality"].clip(lower=0.01) ** 0.15
        np.testing.assert_allclose(scored["score"], root * (1.02 - scored["valley"]) * central)

    def test_the_chosen_pair_has_the_best_score(self, choice):
        chosen = choice.table[choice.table["chosen"]]
        assert chosen[["h", "lam", "joined"]].to_numpy().tolist() == [
            [choice.h, choice.lam, choice.n_clusters]
        ]
        assert chosen["score"].item() == choice.table["score"].max()

    def test_words(self, choice):
        clear = select(datasets.data1(random_state=0)[0])
        assert clear.certain
        assert clear.note == ""
        assert choice.explanation.startswith("The 3 clusters recur in random subsets of the rows")
        assert f"h = {choice.h:.4g}, lam = {choice.lam:.4g}: 3 clusters" in str(choice)

    def test_an_uncertain_choice_names_the_alternatives(self, iris):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            texts = [str(iris), repr(iris.summary()), str(iris.choice)]
        assert not iris.choice.certain
        assert len(iris.choice.alternatives) > 0
        for row in iris.choice.alternatives.itertuples():
            line = f"k = {row.k} at h = {row.h:.4g}, lam = {row.lam:.4g} ({row.share:.0%}"
            assert all(line in text for text in texts)
            assert 0.75 <= row.share <= 1
        html = (iris._repr_html_(), iris.summary()._repr_html_())
        assert all("Nearly as good:" in text for text in html)

    def test_alternatives_are_other_partitions(self, iris):
        found = [iris.labels]
        for row in iris.choice.alternatives.itertuples():
            init = iris.choice.starts[row.start]
            other = WBMS(row.h, row.lam, max_iter=50, init=init, join=True).fit(iris.data)
            assert other.n_clusters_ == row.k
            assert all(adjusted_rand_score(other.labels_, labels) < 0.9 for labels in found)
            found.append(other.labels_)
        assert len(found) > 1

    def test_a_summary_is_a_table_like_any_other(self, iris):
        summary = iris.summary()
        assert isinstance(summary, pd.DataFrame)
        assert type(summary.head(1)) is pd.DataFrame
        pd.testing.assert_frame_equal(pickle.loads(pickle.dumps(summary)), summary)

    def test_a_result_can_be_saved(self, iris):
        again = pickle.loads(pickle.dumps(iris))
        assert str(again) == str(iris)
        for result in (again, again.with_path()):
            assert same(result.choice, iris.choice)
            pd.testing.assert_frame_equal(result.choice.alternatives, iris.choice.alternatives)


class TestValues:
    def test_h_alone(self, blobs):
        chosen = select(blobs[0], h=0.1)
        assert set(chosen.table["h"]) == {0.1}
        assert chosen.table["lam"].nunique() >= 3
        model = WBMS(h=0.1).fit(blobs[0])
        assert (model.h_, model.lam_) == (0.1, chosen.lam)

    def test_lam_alone(self, blobs):
        chosen = select(blobs[0], lam=0.3)
        assert set(chosen.table["lam"]) == {0.3}
        model = WBMS(lam=0.3 * 90, lam_scale="sum").fit(blobs[0])
        assert (model.h_, model.lam_) == (chosen.h, 0.3 * 90)

    def test_values_to_choose_from(self, blobs):
        chosen = select(blobs[0], h=[0.2, 0.05], lam=(0.1, 1), init="uniform")
        assert chosen.table[["h", "lam"]].to_numpy().tolist() == [
            [0.05, 0.1], [0.2, 0.1], [0.05, 1.0], [0.2, 1.0],
        ]  # fmt: skip

    def test_no_clusters_at_an_h_that_gives_several(self):
        X, _ = draw_noise("normal", 100, 5, seed=0)
        chosen = select(X, h=0.02)
        assert chosen.n_clusters > 1
        assert "No clusters" in chosen.explanation
        assert f"form at least {chosen.n_clusters} clusters" in chosen.explanation

    @pytest.mark.parametrize("name", ["h", "lam"])
    @pytest.mark.parametrize("bad", [0, -1.0, np.nan, [], [0.1, -1], "large", [[0.1]]])
    def test_bad_values_are_named(self, blobs, name, bad):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            select(blobs[0], **{name: bad})

    @pytest.mark.parametrize("bad", [1, 2.5, None])
    def test_bad_number_of_subsets(self, blobs, bad):
        with pytest.raises(ValueError, match="n_subsets"):
            select(blobs[0], n_subsets=bad)

    @pytest.mark.parametrize("bad", ["seed", -1, 1.5])
    def test_bad_seeds_are_named(self, blobs, bad):
        with pytest.raises(ValueError, match="random_state must be"):
            select(blobs[0], random_state=bad)

    def test_bad_data_and_parameters_are_named(self):
        with pytest.raises(ValueError, match="'a'"):
            select(pd.DataFrame({"a": [1.0, np.nan], "b": [1.0, 2.0]}))
        with pytest.raises(ValueError, match="not numeric: 'b'"):
            select(pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))
        with pytest.raises(ValueError, match="warmup"):
            select(np.eye(12), warmup=-1)
        with pytest.raises(ValueError, match="two-dimensional"):
            select(np.arange(12.0))

    def test_few_rows_and_constant_columns(self):
        few = select(np.random.default_rng(0).normal(size=(6, 2)))
        assert few.n_clusters == 1
        assert "Fewer than 10 rows" in few.explanation
        assert select(np.ones((20, 2))).n_clusters == 1


@pytest.mark.slow
class TestLarge:
    def test_many_rows_are_chosen_from(self, monkeypatch):
        monkeypatch.setattr(module, "MOST_ROWS", 80)
        X, truth = draw_blobs(3, 300, 3, 0, "", seed=1)
        model = WBMS().fit(X)
        assert model.choice_.n_rows == 80
        assert len(model.labels_) == 300
        assert adjusted_rand_score(truth, model.labels_) > 0.95
        order = np.random.default_rng(0).permutation(300)
        assert same(WBMS().fit(X[order]).choice_, model.choice_)

    def test_noise_of_many_rows_is_one_cluster(self, monkeypatch):
        monkeypatch.setattr(module, "MOST_ROWS", 80)
        X, _ = draw_noise("t3", 400, 3, seed=0)
        assert WBMS().fit(X).n_clusters_ == 1


class TestInterruption:
    def test_a_callback_ends_the_search_which_keeps_what_it_has(self, blobs):
        seen = []

        def enough(n_fits, k):
            seen.append((n_fits, k))
            return n_fits == 25

        chosen = select(blobs[0], callback=enough)
        assert [n for n, _ in seen] == list(range(1, 26))
        assert not chosen.complete
        assert not chosen.certain
        assert "stopped after 25 fits" in chosen.note

    @pytest.mark.parametrize("when", [1, 12])
    def test_even_early(self, blobs, when):
        chosen = select(blobs[0], callback=lambda n_fits, k: n_fits == when)
        assert not chosen.complete
        assert chosen.n_fits == when

    def test_ctrl_c_too(self, blobs):
        def press(n_fits, k):
            if n_fits == 20:
                raise KeyboardInterrupt

        chosen = select(blobs[0], callback=press)
        assert not chosen.complete
        assert chosen.n_fits == 20

    def test_ctrl_c_ends_a_fit_of_the_estimator(self, blobs):
        def press(state):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            WBMS(callback=press).fit(blobs[0])

    def test_the_callback_of_the_estimator_sees_the_trial_fits(self, blobs):
        states = []
        model = WBMS(callback=lambda state: states.append(state)).fit(blobs[0])
        trials = [state for state in states if state.phase == "select"]
        assert len(trials) == model.choice_.n_fits
        assert [state.iteration for state in trials] == list(range(1, len(trials) + 1))
        assert states[len(trials)].phase == "warmup"
        assert set(model.history_["phase"]) == {"warmup", "main"}

    def test_and_ends_the_search(self, blobs):
        def enough(state):
            return state.phase == "select" and state.iteration == 25

        model = WBMS(callback=enough).fit(blobs[0])
        assert not model.choice_.complete
        assert model.converged_


@pytest.mark.slow
class TestPicture:
    def test_three_panels_with_the_chosen_pair_framed(self, iris):
        figure = plot.draw(iris, "selection")
        stability, number, lines = figure.axes[:3]
        assert [ax.get_title() for ax in (stability, number)] == ["stability", "number of clusters"]
        for ax in (stability, number):
            (frame,) = ax.patches
            assert frame.get_x() < iris.h < frame.get_x() + frame.get_width()
        texts = [text.get_text() for text in number.texts]
        from_its_start = iris.selection[iris.selection["start"] == iris.choice.start]
        assert texts == [str(k) for k in from_its_start["k"]]
        assert lines.get_xscale() == lines.get_yscale() == "log"
        matplotlib.pyplot.close(figure)

    @pytest.mark.parametrize("given", [{"h": 0.1}, {"lam": 0.1}, {"h": 0.1, "lam": 0.1}, {}])
    def test_of_a_selection(self, blobs, given):
        figure = plot.selection_map(select(blobs[0], **given))
        figure.canvas.draw()
        matplotlib.pyplot.close(figure)

    def test_of_noise(self):
        figure = plot.selection_map(select(draw_noise("normal", 60, 3, 0)[0]))
        figure.canvas.draw()
        matplotlib.pyplot.close(figure)

    def test_nothing_to_draw(self, blobs):
        with pytest.raises(ValueError, match="h and lam were given"):
            wbms(blobs[0], h=0.1, lam=0.1).plot("selection")
