"""The same fit on Dask: the same answer in either layout, and the layout that is cheaper."""

import os
import re
import signal

import dask.array as da
import dasksession
import numpy as np
import pandas as pd
import pytest
from dasksession import (
    LAYOUTS,
    assert_same,
    blobs,
    computed,
    expected_of,
    fitted,
    wait_until,
    workers,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import dirty_tables, forms, log_uniform, tables
from sklearn.exceptions import ConvergenceWarning

from pywbms import datasets, distributed
from pywbms.select import select

# fixtures
cluster, client, near = dasksession.cluster, dasksession.client, dasksession.near
small_parts = dasksession.small_parts

# One test process starts the clusters, not all of them.
pytestmark = pytest.mark.xdist_group("dask")


class TestSameAnswer:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_on_two_processes(self, client, layout):
        X = blobs()
        assert_same(fitted(X, client=client, layout=layout), expected_of(X))

    def test_rows_to_the_bit(self, client):
        X = blobs(2000, 20, 10)
        found, expected = fitted(X, client=client, layout="rows"), expected_of(X)
        np.testing.assert_array_equal(found.modes, expected.modes)
        np.testing.assert_array_equal(found.weights, expected.weights)

    def test_any_number_of_workers(self, cluster, client):
        X = blobs(500, 40, 3)
        expected = expected_of(X)
        for n_workers in (3, 1, 2):
            cluster.scale(n_workers)
            wait_until(lambda n_workers=n_workers: len(client.nthreads()) == n_workers)
            for layout in LAYOUTS:
                assert_same(fitted(X, client=client, layout=layout), expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_few_rows_with_many_features(self, client, layout):
        X = blobs(50, 1000, 4)
        assert_same(fitted(X, 0.2, 0.5, client, layout=layout), expected_of(X, 0.2, 0.5))

    @settings(max_examples=20)
    @given(
        tables() | dirty_tables(), log_uniform(0.005, 1), log_uniform(0.01, 2), forms(),
        st.sampled_from(LAYOUTS), st.booleans(), st.data(),
    )  # fmt: skip
    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    def test_any_table_form_and_chunks(self, near, X, h, lam, form, layout, merge, data):
        rows = data.draw(st.integers(1, len(X)), "rows a chunk")
        columns = data.draw(st.integers(1, X.shape[1]), "columns a chunk")
        expected = expected_of(X, h, lam, merge=merge, **form)
        lazy = da.from_array(np.asarray(X, dtype=np.float64), chunks=(rows, columns))
        found = fitted(lazy, h, lam, near, layout=layout, merge=merge, **form)
        np.testing.assert_array_equal(computed(found.labels), expected.labels)
        np.testing.assert_allclose(found.weights, expected.weights, rtol=0, atol=1e-9)
        difference = computed(found.modes).to_numpy() - expected.modes.to_numpy()
        assert np.abs(difference / expected.scale.to_numpy()).max() <= 1e-9

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_bad_cells_bad_rows_and_repeated_columns(self, near, layout):
        X = blobs(200, 16)
        X = np.column_stack([X, 2.54 * X[:, 0], X[:, 9]])
        X[3, 1], X[50, 12], X[[7, 120]] = 1e4, -1e3, [[500.0], [-800.0]]
        expected = expected_of(X)
        assert np.flatnonzero(expected.outliers).tolist() == [7, 120]
        assert expected.similar_columns == [(0, 16), (9, 17)]
        lazy = da.from_array(X, chunks=(60, 5))
        for data in (X, lazy):
            found = fitted(data, client=near, layout=layout)
            assert_same(found, expected)
            np.testing.assert_array_equal(computed(found.outliers), expected.outliers)
            assert found.similar_columns == expected.similar_columns

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_two_rows_that_swap_places(self, near, layout):
        X = np.array([[0.0, 1], [0.3, 1.2], [9, 8], [9.1, 8.3], [20, 3], [20.5, 2.7]])
        expected = expected_of(X, 0.05, 5.0)
        assert (expected.history["groups"] < 6).any()
        assert_same(fitted(X, 0.05, 5.0, near, layout=layout), expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_a_kernel_so_narrow_that_no_square_may_be_expanded(self, near, layout):
        X = blobs(40, 30, 3)
        expected = expected_of(X, 1e-5, 0.2, max_iter=20, stop="fixed", warmup=3)
        found = fitted(X, 1e-5, 0.2, near, layout=layout, max_iter=20, stop="fixed", warmup=3)
        assert_same(found, expected)

    def test_comes_home_when_few_points_are_left(self, client):
        X = blobs(600, 6)
        expected = expected_of(X, patience=8)
        found = fitted(X, client=client, layout="rows", worth_sending=1e5, patience=8)
        assert found.history["n_points"].iloc[-1] ** 2 * 6 < 1e5
        assert_same(found, expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_a_callback_can_end_it(self, near, layout):
        X = blobs(60)

        def enough(state):
            return state.phase == "main" and state.iteration == 2

        expected = expected_of(X, callback=enough)
        assert_same(fitted(X, client=near, layout=layout, callback=enough), expected)

    def test_a_fit_that_has_not_converged_warns(self, near):
        with pytest.warns(ConvergenceWarning, match="did not converge") as caught:
            found = distributed.fit(blobs(60), 0.1, 0.2, near, max_iter=1)
        assert not found.converged
        assert caught[0].filename == __file__.replace(".pyc", ".py")

    def test_so_many_features_that_the_weights_are_sent_on_their_own(self, near):
        X = blobs(12, 13_000)
        few = {"warmup": 1, "stop": "fixed", "max_iter": 2}
        found = fitted(X, 0.2, 0.5, near, layout="rows", **few)
        assert_same(found, expected_of(X, 0.2, 0.5, **few))

    @pytest.mark.parametrize("layout", ["rows", "columns"])
    def test_path_and_tree_of_rows_at_hand(self, near, layout):
        X = blobs(60)
        found = fitted(X, client=near, layout=layout, record_path=True, tree=True)
        expected = expected_of(X, 0.1, 0.2, record_path=True, tree=True)
        np.testing.assert_allclose(found.path, expected.path, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.tree, expected.tree, rtol=1e-9)

    def test_exactly_k_clusters_of_rows_at_hand(self, near):
        X = blobs(60)
        found = fitted(X, client=near, n_clusters=2)
        assert found.n_clusters == 2
        assert_same(found, expected_of(X, n_clusters=2))
        with pytest.raises(ValueError, match="n_clusters needs data of this process"):
            fitted(da.from_array(X), client=near, n_clusters=2)
        with pytest.raises(ValueError, match="fit it in memory"):
            fitted(da.from_array(X), client=near).at(2)


class TestSelect:
    def test_the_same_choice_as_here(self, client):
        df, _ = datasets.data1(random_state=0)
        few = {"h": [0.05, 0.1, 0.3], "lam": [0.05, 0.3]}
        found, expected = select(df, client=client, **few), select(df, **few)
        pd.testing.assert_frame_equal(found.table, expected.table)
        assert str(found) == str(expected)

    def test_of_a_collection_only_what_is_looked_at_comes_here(self, client):
        X = blobs(2100, 3)
        few = {"h": [0.1, 0.3], "lam": [0.2]}
        found = select(da.from_array(X, chunks=(500, 2)), client=client, **few)
        pd.testing.assert_frame_equal(found.table, select(X, **few).table)
        assert found.n_rows == 2000

    def test_can_be_ended(self, client):
        df, _ = datasets.data1(random_state=0)
        found = select(df, client=client, callback=lambda n_fits, k: n_fits == 3)
        assert found.n_fits == 3
        assert not found.complete

    def test_goes_on_without_a_worker_that_was_killed(self):
        X = blobs(60)
        few = {"h": [0.05, 0.1, 0.3], "lam": [0.05, 0.3]}
        expected = select(X, **few)
        with workers(2) as (client, processes):

            def kill(n_fits, k):
                if n_fits == 2:
                    os.kill(processes[0].pid, signal.SIGKILL)

            found = select(X, client=client, callback=kill, **few)
        pd.testing.assert_frame_equal(found.table, expected.table)


class TestCost:
    @pytest.mark.parametrize(
        ("n", "p", "cheaper"),
        [(100, 3, "rows"), (4000, 50, "rows"), (50, 20_000, "columns"), (300, 200_000, "columns")],
    )
    def test_many_rows_are_cheaper_by_rows_and_many_features_by_columns(self, n, p, cheaper):
        seconds = {layout: distributed.cost(n, p, 2, layout).seconds for layout in LAYOUTS}
        assert min(seconds, key=seconds.get) == cheaper

    @pytest.mark.parametrize(("n", "p", "cheaper"), [(400, 3, "rows"), (20, 3000, "columns")])
    def test_the_layout_is_the_cheaper_one(self, n, p, cheaper, client):
        seconds = {layout: distributed.cost(n, p, 2, layout).seconds for layout in LAYOUTS}
        assert min(seconds, key=seconds.get) == cheaper
        X = blobs(n, p)
        rows, columns = (kinds_of_tasks(client, X, layout) for layout in LAYOUTS)
        assert rows != columns
        taken = kinds_of_tasks(client, X, "auto")
        assert taken == {"rows": rows, "columns": columns}[cheaper]

    def test_a_layout_that_there_is_not(self):
        with pytest.raises(ValueError, match="layout must be one of"):
            distributed.cost(10, 10, 2, "diagonal")

    def test_more_workers_have_less_to_do(self):
        for layout in LAYOUTS:
            few, many = (distributed.cost(4000, 4000, w, layout) for w in (2, 8))
            assert many.flop < few.flop
            assert many.bytes_moved > few.bytes_moved

    def test_bytes_that_are_moved_are_those_of_the_formula(self, client):
        """What one worker sends in the layout by rows is the cloud, once."""
        X = blobs(1500, 50)
        before = sent(client)
        found = fitted(X, client=client, layout="rows", warmup=0, stop="fixed", max_iter=4)
        moved = sent(client) - before
        points = found.history["n_points"].iloc[:4].sum()
        paper = distributed.cost(1, 50, 2, "rows").bytes_moved * points
        assert 0.5 * paper < moved < 2.0 * paper


def kinds_of_tasks(client, X, layout):
    """Names of the steps of a fit as the dashboard shows them, without places and numbers."""
    keys = []
    submit = client.submit

    def submitted(*args, key, **options):
        keys.append(key)
        return submit(*args, key=key, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "submit", submitted)
        fitted(X, client=client, layout=layout, warmup=1, stop="fixed", max_iter=2)
    return {re.match(r"wbms-(.+?)-(?:start|warmup|main)", key)[1] for key in keys}


def sent(client):
    """Bytes that workers have sent to each other so far."""
    logs = client.run(
        lambda dask_worker: sum(entry["total"] for entry in dask_worker.transfer_outgoing_log)
    )
    return sum(logs.values())
