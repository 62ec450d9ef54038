"""What users of other clusterers expect: seeds, scores, hints, augmenting, warnings of ids."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import seeds, tables
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from pywbms import WBMS, datasets, wbms
from pywbms._data.identifiers import identifier_columns
from pywbms.select import select

PARAMS = {"h": 0.1, "lam": 0.05}


@pytest.fixture(scope="module")
def frame():
    return datasets.data1(0)[0].iloc[:, :5]


class TestRandomState:
    def test_is_that_of_the_search(self, frame):
        rows = frame.iloc[:60]
        chosen = {seed: wbms(rows, lam=0.05, random_state=seed) for seed in (0, 1)}
        for seed, found in chosen.items():
            pd.testing.assert_frame_equal(
                found.selection, select(rows, lam=0.05, random_state=seed).table
            )
        assert not chosen[0].selection.equals(chosen[1].selection)
        pd.testing.assert_frame_equal(chosen[0].selection, wbms(rows, lam=0.05).selection)

    def test_a_given_pair_and_start_draw_nothing(self, frame):
        plain = wbms(frame, **PARAMS, init="uniform")
        for seed in (5, None, np.random.default_rng(3)):
            other = wbms(frame, **PARAMS, init="uniform", random_state=seed)
            pd.testing.assert_frame_equal(plain.modes, other.modes)

    @pytest.mark.parametrize("seed", [-1, "zero", 0.5])
    def test_bad_seeds(self, frame, seed):
        with pytest.raises(ValueError, match="random_state must be an integer of at least 0"):
            wbms(frame, random_state=seed)

    def test_survives_a_clone(self):
        assert clone(WBMS(random_state=7)).random_state == 7


class TestScore:
    def test_clusters_beat_a_single_cloud_on_new_rows(self):
        train, _ = datasets.data1(0)
        test, _ = datasets.data1(1)
        two, one = WBMS(**PARAMS).fit(train), WBMS(5.0, 0.05).fit(train)
        assert (two.n_clusters_, one.n_clusters_) == (2, 1)
        assert two.score(test) > 0.3
        assert two.score(test) > one.score(test)
        assert one.score(test) == pytest.approx(0, abs=0.05)

    def test_is_the_gain_of_gaussians_over_a_cloud(self):
        """Far clusters: the gain is the log density under their mixture less that of one cloud."""
        rng = np.random.default_rng(0)

        def draw(n):
            group = rng.integers(2, size=n)
            return (60.0 * group + rng.normal(size=n))[:, None]

        train, test = draw(400), draw(400)
        model = WBMS(0.01, 1.0).fit(train)
        assert model.n_clusters_ == 2
        labels = model.predict(test)
        z = (test[:, 0] - np.array([train[model.labels_ == k].mean() for k in (0, 1)])[labels]) ** 2
        mixture = np.log(0.5) - z / 2
        centred = (test[:, 0] - train.mean()) ** 2
        variance = train.var()
        cloud = -centred / (2 * variance) - np.log(variance) / 2
        assert model.score(test) == pytest.approx((mixture - cloud).mean(), rel=0.25)

    def test_does_not_depend_on_the_order_of_rows(self, frame):
        shuffled = frame.sample(frac=1, random_state=0)
        model, other = WBMS(**PARAMS).fit(frame), WBMS(**PARAMS).fit(shuffled)
        assert model.score(frame) == other.score(shuffled)

    @pytest.mark.filterwarnings("ignore")
    @settings(max_examples=40)
    @given(tables(), seeds)
    def test_is_finite(self, X, seed):
        model = WBMS(0.3, 0.5, max_iter=20, init="uniform")
        assert np.isfinite(model.fit(X).score(X))

    def test_searches_over_grids(self, frame):
        found = GridSearchCV(
            WBMS(lam=0.05, init="uniform"), {"h": [0.1, 20.0]}, cv=3, error_score="raise"
        ).fit(frame)
        assert found.best_params_ == {"h": 0.1}


class TestUnknownArguments:
    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("min_cluster_size", "there is no least size"),
            ("min_samples", "there is no least size"),
            ("n_components", "use n_clusters="),
            ("centers", "use n_clusters="),
            ("bandwidth", "use h=, the square"),
            ("seed", "use random_state="),
            ("metric", "learned feature weights"),
            ("standardise", "did you mean 'standardize'"),
            ("xyzzy", "pywbms.WBMS has the list"),
        ],
    )
    def test_are_answered_with_what_to_use(self, frame, name, hint):
        for call, function in ((wbms, "wbms"), (select, "select")):
            with pytest.raises(
                TypeError, match=f"{function}\\(\\) has no argument '{name}'.*{hint}"
            ):
                call(frame, **{name: 3})
        with pytest.raises(TypeError, match=hint):
            frame.wbms.cluster(**{name: 3})


def test_errors_of_the_estimator_name_the_arguments_of_wbms(frame):
    with pytest.raises(ValueError, match=r"na_action='omit' or 'impute' in wbms\(\)"):
        WBMS().fit(frame.mask(frame > 2))
    with pytest.raises(ValueError, match=r"let wbms\(\) .*categories='indicators'.*numeric_only"):
        WBMS().fit(frame.assign(name="a"))


class TestAugment:
    def test_without_data(self, frame):
        found = wbms(frame.mask(frame > 2.0), **PARAMS, na_action="omit")
        labelled = found.augment()
        assert labelled.columns.tolist() == [*frame.columns, "cluster"]
        pd.testing.assert_series_equal(labelled["cluster"], found.labels[found.labels >= 0])
        assert (found.labels < 0).any()
        with pytest.raises(ValueError, match="already has a column 'x1'"):
            found.augment(name="x1")

    @settings(max_examples=20)
    @given(seeds)
    def test_shuffled_rows_find_their_labels(self, seed):
        frame = datasets.data1(0)[0].iloc[:, :3]
        frame.index = [f"row {i}" for i in range(len(frame))]
        found = wbms(frame, h=0.5, lam=0.5, init="uniform")
        shuffled = frame.sample(frac=1, random_state=seed).assign(more="x")
        labelled = found.augment(shuffled)
        assert labelled.index.equals(shuffled.index)
        pd.testing.assert_series_equal(labelled["cluster"].loc[frame.index], found.labels)

    def test_rows_that_cannot_be_told_apart(self, frame):
        repeated = frame.set_axis([i // 2 for i in range(len(frame))])
        found = wbms(repeated, **PARAMS)
        pd.testing.assert_series_equal(found.augment(repeated)["cluster"], found.labels)
        with pytest.raises(ValueError, match="does not tell which row is which"):
            found.augment(repeated.iloc[::-1])

    def test_other_rows(self, frame):
        found = wbms(frame, **PARAMS)
        with pytest.raises(ValueError, match="rows that were clustered"):
            found.augment(frame.set_axis(range(1, len(frame) + 1)))
        with pytest.raises(ValueError, match="the 200 rows that were clustered, got 3"):
            found.augment(frame.iloc[:3])


class TestIdentifiers:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("a", np.arange(200)),
            ("a", np.arange(200)[::-1] * 3 + 17),
            ("a", np.random.default_rng(0).permutation(200)),
            ("a", np.sort(np.random.default_rng(0).choice(10**6, 200, replace=False))),
            ("customer_id", np.random.default_rng(0).choice(10**6, 200, replace=False)),
            ("customerId", np.random.default_rng(0).choice(10**6, 200, replace=False)),
            ("Unnamed: 0", np.random.default_rng(0).choice(10**6, 200, replace=False)),
        ],
    )
    def test_are_warned_of_by_name(self, frame, name, values):
        with pytest.warns(UserWarning, match=f"column '{name}' looks like an identifier") as notes:
            wbms(frame.assign(**{name: values}), **PARAMS, init="uniform")
        assert notes[0].filename == __file__

    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("time", np.linspace(0, 10, 200)),  # sorted, but measured
            ("id", np.linspace(0, 10, 200)),
            ("year", np.repeat(np.arange(1980, 2020), 5)),  # sorted, but with ties
            ("price", np.random.default_rng(0).choice(10**6, 200, replace=False)),
            ("count", np.random.default_rng(0).poisson(3, 200)),
            ("width", np.random.default_rng(0).poisson(3, 200)),  # ends like id
        ],
    )
    def test_no_false_alarm(self, frame, name, values):
        wbms(frame.assign(**{name: values}), **PARAMS, init="uniform")  # warnings are errors

    @settings(max_examples=100)
    @given(seeds, st.integers(20, 300))
    def test_no_false_alarm_for_random_numbers(self, seed, n):
        rng = np.random.default_rng(seed)
        columns = [
            rng.normal(size=n), np.sort(rng.normal(size=n)), rng.poisson(50, size=n),
            rng.integers(0, 2 * n, size=n), np.sort(rng.integers(0, n, size=n)),
        ]  # fmt: skip
        assert identifier_columns(np.stack(columns, axis=1), list("abcde")) == []

    def test_texts_that_are_all_different(self, frame):
        texts = [f"person {i}" for i in range(len(frame))]
        with pytest.warns(UserWarning, match="column 'who' looks like an identifier"):
            wbms(frame.assign(who=texts), **PARAMS, categories="indicators", init="uniform")
        texts[1] = texts[0]
        wbms(frame.assign(who=texts), **PARAMS, categories="indicators", init="uniform")

    def test_few_rows_and_single_columns(self):
        assert identifier_columns(np.arange(30.0)[:, None], ["a"]) == []
        assert identifier_columns(np.arange(20.0).reshape(10, 2), ["a", "b"]) == []

    @pytest.mark.parametrize("name", ["data1", "simulation1", "simulation2", "two_moons"])
    def test_the_simulations_have_none(self, name):
        X, _ = getattr(datasets, name)()
        assert identifier_columns(X.to_numpy(), list(X.columns)) == []
