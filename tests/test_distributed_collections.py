"""Fits of Dask collections: what goes in, what comes out, and what the client never holds."""

import io
import subprocess
import sys
import textwrap

import dask.array as da
import dask.dataframe as dd
import dasksession
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from dasksession import (
    LAYOUTS,
    assert_same,
    blobs,
    expected_of,
    fitted,
)

from pywbms import WBMS, datasets, wbms
from pywbms._distributed import collections
from pywbms._terminal.progress import FitProgress
from pywbms.select import select

# fixtures
cluster, client, near = dasksession.cluster, dasksession.client, dasksession.near
small_parts = dasksession.small_parts

# One test process starts the clusters, not all of them.
pytestmark = pytest.mark.xdist_group("dask")


class TestCollections:
    def test_a_frame_keeps_its_index_and_names(self, client):
        df, _ = datasets.data1(random_state=0)
        df.index = pd.Index(np.arange(len(df)) * 2 + 7, name="id")
        expected = wbms(df, h=0.1, lam=0.05)
        lazy = dd.from_pandas(df, npartitions=3)
        found = wbms(lazy, h=0.1, lam=0.05)
        assert isinstance(found.labels, dd.Series)
        pd.testing.assert_series_equal(found.labels.compute(), expected.labels)
        pd.testing.assert_series_equal(found.weights, expected.weights)
        assert found.labels.divisions == lazy.divisions
        assert list(found.modes.columns) == list(df.columns)
        assert repr(found) == repr(expected)
        pd.testing.assert_series_equal(found.predict(df.head()), expected.predict(df.head()))
        augmented = found.augment(lazy).compute()
        pd.testing.assert_series_equal(augmented["cluster"], expected.labels)
        np.testing.assert_array_equal(found.data.compute(), df)

    def test_other_data_are_not_augmented_and_pictures_are_drawn(self, near):
        df = pd.DataFrame(blobs(60), columns=list("abcdef"))
        lazy = dd.from_pandas(df, npartitions=3)
        found = fitted(lazy, client=near)
        other = dd.from_pandas(df[:30], npartitions=3)
        with pytest.raises(ValueError, match="its index differs"):
            found.augment(other).compute()
        with pytest.raises(ValueError, match="must be a Dask DataFrame"):
            found.augment(df)
        with pytest.raises(ValueError, match=r"data.compute\(\)"):
            found.predict(lazy)
        with pytest.raises(ValueError, match="cannot be saved, as its rows are on the workers"):
            found.save("model.wbms")
        for kind in ("overview", "clusters", "embedding", "weights"):
            found.plot(kind)
        plt.close("all")

    def test_memberships_and_outliers_need_the_rows_here(self, near):
        df = pd.DataFrame(blobs(60), columns=list("abcdef"))
        lazy = dd.from_pandas(df, npartitions=3)
        found = fitted(lazy, client=near)
        for ask in (
            lambda: found.membership,
            lambda: found.outlier_score,
            lambda: found.cluster_weights,
            lambda: found.describe(0),
        ):
            with pytest.raises(ValueError, match=r"fit data\.compute\(\) instead"):
                ask()
        with pytest.raises(ValueError, match="outliers='label' needs the rows in this process"):
            fitted(lazy, client=near, outliers="label")

    def test_the_modes_outlive_a_cluster_of_its_own(self):
        df = pd.DataFrame(blobs(60), columns=list("abcdef"))
        found = fitted(dd.from_pandas(df, npartitions=2))
        assert_same(found, expected_of(df))

    @pytest.mark.parametrize("chunks", [(7, 2), (300, 1), (100, 6), (1, 6)])
    def test_chunks_do_not_matter(self, near, chunks):
        X = blobs()
        for layout in LAYOUTS:
            found = fitted(da.from_array(X[:120], chunks=chunks), client=near, layout=layout)
            assert_same(found, expected_of(X[:120]))

    def test_h_and_lam_are_chosen_as_in_memory(self, client):
        df, _ = datasets.data1(random_state=0)
        found, expected = wbms(dd.from_pandas(df, npartitions=2), lam=0.05), wbms(df, lam=0.05)
        pd.testing.assert_frame_equal(found.selection, expected.selection)
        assert found.note == expected.note
        assert_same(found, expected)

    def test_partitions_without_rows(self, near):
        df = pd.DataFrame(blobs(40), columns=list("abcdef")).sort_values("a", ignore_index=True)
        lazy = dd.from_pandas(df, npartitions=4)
        some = lazy[lazy["a"] > df["a"][15]]
        expected = expected_of(df[16:])
        found = fitted(some, client=near, columns=["a", "b", "c", "d", "e", "f"])
        pd.testing.assert_series_equal(found.labels.compute(), expected.labels)

    def test_rows_with_missing_values_can_be_left_out(self, near):
        df = pd.DataFrame(blobs(50), columns=list("abcdef"))
        df.loc[[3, 20], "b"] = np.nan
        lazy = dd.from_pandas(df, npartitions=3)
        with pytest.raises(ValueError, match=r"NaN in column 'b' \(first in row 3, 2 rows in all"):
            fitted(lazy, client=near)
        df.loc[30, "c"] = -np.inf
        lazy = dd.from_pandas(df, npartitions=3)
        found = fitted(lazy, client=near, na_action="omit")
        expected = expected_of(df, na_action="omit")
        pd.testing.assert_series_equal(found.labels.compute(), expected.labels)
        pd.testing.assert_series_equal(found.predict(df), expected.predict(df))

    def test_what_needs_rows_of_this_process(self, near):
        df = pd.DataFrame(blobs(30), columns=list("abcdef"))
        lazy = dd.from_pandas(df, npartitions=2)
        for asked, name in (
            ({"na_action": "impute"}, "na_action='impute'"),
            ({"categories": "indicators"}, "categories='indicators'"),
            ({"numeric_only": True}, "numeric_only=True"),
        ):
            with pytest.raises(ValueError, match=f"{name} needs data of this process"):
                wbms(lazy, h=0.1, lam=0.1, **asked)
        with pytest.raises(ValueError, match="indicators are not used on Dask"):
            fitted(lazy, client=near, indicators=[0])
        df.loc[3, "a"] = np.nan
        found = fitted(df, client=near, na_action="impute")
        expected = expected_of(df, na_action="impute")
        pd.testing.assert_series_equal(found.labels, expected.labels)
        pd.testing.assert_series_equal(found.imputed, expected.imputed)
        assert expected.imputed["a"] == 1

    def test_bad_input_is_named(self, near):
        df = pd.DataFrame(blobs(20), columns=list("abcdef"))
        infinite = df.assign(c=np.inf)
        with pytest.raises(ValueError, match="infinite values in column 'c'"):
            fitted(dd.from_pandas(infinite, npartitions=2), client=near)
        text = df.assign(name="x")
        with pytest.raises(ValueError, match="not numeric: 'name'"):
            fitted(dd.from_pandas(text, npartitions=2), client=near)
        with pytest.raises(ValueError, match="not in the data: 'z'"):
            fitted(dd.from_pandas(df, npartitions=2), client=near, columns=["a", "z"])
        with pytest.raises(ValueError, match="too large to be squared"):
            fitted(da.full((4, 2), 1e200), client=near, standardize=False)
        with pytest.raises(ValueError, match="no rows"):
            fitted(dd.from_pandas(df[:0], npartitions=1), client=near)
        with pytest.raises(ValueError, match="two-dimensional"):
            fitted(da.ones(5), client=near)
        with pytest.raises(ValueError, match="dtype complex"):
            fitted(da.ones((5, 2), dtype=complex), client=near)
        with pytest.raises(ValueError, match="record_path and tree"):
            fitted(da.ones((5, 2)), client=near, tree=True)
        with pytest.raises(ValueError, match="layout must be one of"):
            fitted(df, client=near, layout="diagonal")
        with pytest.raises(ValueError, match="at most 5,000 rows"):
            fitted(np.zeros((5001, 2)), client=near, layout="columns")
        with pytest.raises(MemoryError, match="GB on a worker"):
            fitted(da.zeros((10**7, 10**4), chunks=10**4), client=near)
        with pytest.raises(ValueError, match="h must be"):
            fitted(df, h=-1.0, client=near)
        with pytest.raises(ValueError, match="no columns"):
            fitted(dd.from_pandas(df, npartitions=2), client=near, columns=[])
        with pytest.raises(ValueError, match="client must be a"):
            fitted(df, client="tcp://nowhere")
        with pytest.raises(ValueError, match="client must be a"):
            select(df, client="tcp://nowhere")

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_columns_of_one_value_and_single_rows(self, near, layout):
        for X in (np.ones((5, 3)), np.arange(3.0)[None], np.array([[0.0, 1], [1, 1]])):
            expected = expected_of(X)
            assert_same(fitted(X, client=near, layout=layout), expected)
            assert_same(fitted(da.from_array(X), client=near, layout=layout), expected)

    def test_the_client_never_holds_a_collection(self, cluster):
        """200 MB of rows that only the workers see, from a client that grows by less than a third.

        They collapse at once: it is the way in and out that is looked at.
        """
        code = f"""
            import resource
            import dask.array as da
            import numpy as np
            from distributed import Client
            from pywbms import distributed

            def peak():
                return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

            def block(block_info=None):
                (start, stop), _ = block_info[None]["array-location"]
                rows = np.arange(start, stop) % 5
                return np.cos(np.outer(1 + rows, np.arange(400) + 1))

            with Client({cluster.scheduler_address!r}) as client:
                X = da.map_blocks(block, chunks=((10_000,) * 7, (400,)), dtype=float)
                small = distributed.fit(X[:1000], 0.01, 0.2, client, worth_sending=0)
                before = peak()
                found = distributed.fit(X, 0.01, 0.2, client, worth_sending=0)
                labels = found.labels.compute().to_numpy()
                assert (labels == labels[:5][np.arange(70_000) % 5]).all()
                print(X.nbytes / 2**20, peak() - before)
        """
        size, grown = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        assert float(size) > 200
        assert float(grown) < float(size) / 3


class TestProgress:
    def test_is_shown_on_a_terminal(self, near, monkeypatch):
        terminal = io.StringIO()
        terminal.isatty = lambda: True
        monkeypatch.setattr(sys, "stderr", terminal)
        fitted(blobs(50), client=near, verbose=True)
        shown = terminal.getvalue().split("\r")
        assert any(line.startswith("warmup 2 of at most 4, at most ") for line in shown)
        assert shown[-1] == ""

    def test_tells_iterations_groups_and_the_most_time_left(self):
        line = FitProgress(False, {"warmup": 20, "main": 300})
        states = []
        WBMS(0.1, 0.2, callback=states.append).fit(blobs(50))
        texts = []
        for state in states[:3]:
            line.tell(state)
            texts.append(line.text(state))
        assert texts[0].startswith("warmup 1 of at most 20: ")
        assert texts[0].endswith("groups, 50 points")
        assert "s left: " in texts[2]
        assert texts[2].endswith("s per iteration")

    def test_task_names_say_where_the_fit_is(self, near):
        names = []

        def look(state):
            names.extend(
                near.run_on_scheduler(
                    lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks]
                )
            )
            return state.iteration == 2

        fitted(blobs(50), client=near, layout="rows", callback=look)
        assert any(name.startswith("wbms-shift-warmup-2-0-") for name in names)


def test_only_collections_are_taken_for_collections():
    assert collections.is_collection(da.ones((2, 2)))
    assert not collections.is_collection(np.ones((2, 2)))


def test_without_dask_it_says_what_to_install():
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "try:\n    import pywbms.distributed\n"
        "except ImportError as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "pywbms[dask]"' in found.stdout
