"""The same fit on Dask: the same answer, whatever happens to the workers."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from contextlib import contextmanager

import dask.array as da
import dask.dataframe as dd
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import forms, log_uniform, tables
from sklearn.exceptions import ConvergenceWarning

from pywbms import WBMS, datasets, distributed, wbms
from pywbms._distributed import checkpoint, collections, fault_tolerance, row_points
from pywbms._distributed.worker_pool import WorkerPool
from pywbms._terminal.progress import FitProgress
from pywbms.select import select

# One test process starts the clusters, not all of them.
pytestmark = pytest.mark.xdist_group("dask")

LAYOUTS = ("rows", "columns")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def near():
    """A worker in this process: quick, for many small fits."""
    with Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"
    ) as client:
        yield client


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Share out even the smallest step."""
    monkeypatch.setattr(row_points, "WORTH_A_PART", 1.0)


def blobs(n=300, p=6, k=4, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)) + 5 * rng.normal(size=(k, p))[np.arange(n) % k]


SHORT = {"warmup": 4, "patience": 2}  # a fit of ten iterations instead of thirty


def fitted(X, h=0.1, lam=0.2, client=None, **options):
    """A fit in which every step is taken on the workers."""
    return distributed.fit(X, h, lam, client, **{"worth_sending": 0, **SHORT, **options})


def expected_of(X, h=0.1, lam=0.2, **options):
    """The same on one machine."""
    return wbms(X, h=h, lam=lam, **{**SHORT, **options})


def computed(values):
    return values.compute() if hasattr(values, "compute") else values


def assert_same(found, expected, tolerance=1e-9):
    """As the issue has it: labels identical, modes and weights within 1e-9."""
    np.testing.assert_array_equal(computed(found.labels), computed(expected.labels))
    scale = expected.scale.to_numpy()
    difference = computed(found.modes).to_numpy() - computed(expected.modes).to_numpy()
    assert np.abs(difference / scale).max() <= tolerance
    np.testing.assert_allclose(found.weights, expected.weights, rtol=0, atol=tolerance)
    difference = found.centers.to_numpy() - expected.centers.to_numpy()
    assert np.abs(difference / scale).max() <= tolerance
    assert found.n_iter == expected.n_iter
    assert found.converged == expected.converged
    np.testing.assert_array_equal(found.history["groups"], expected.history["groups"])
    np.testing.assert_array_equal(found.history["n_points"], expected.history["n_points"])
    np.testing.assert_allclose(
        found.history[["diameter", "movement", "entropy"]],
        expected.history[["diameter", "movement", "entropy"]],
        rtol=1e-7, atol=1e-9,
    )  # fmt: skip


@contextmanager
def workers(n):
    """A scheduler here and n worker processes that nobody starts again."""
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:
        command = [sys.executable, "-m", "distributed.cli.dask_worker", cluster.scheduler_address,
                   "--no-nanny", "--nthreads", "1", "--no-dashboard"]  # fmt: skip
        processes = [
            subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            for _ in range(n)
        ]
        try:
            with Client(cluster) as client:
                client.wait_for_workers(n, timeout=60)
                yield client, processes
        finally:
            for process in processes:
                process.kill()
                process.wait()


def kill_at(phase, iteration, kill):
    """A callback that ends something in the middle of a fit, once."""
    done = []

    def callback(state):
        if (state.phase, state.iteration) == (phase, iteration) and not done:
            done.append(True)
            kill()

    callback.done = done
    return callback


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
            until = time.monotonic() + 120
            while len(client.nthreads()) != n_workers:
                assert time.monotonic() < until, "the cluster does not get to that size"
                time.sleep(0.05)
            for layout in LAYOUTS:
                assert_same(fitted(X, client=client, layout=layout), expected)

    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_few_rows_with_many_features(self, client, layout):
        X = blobs(50, 1000, 4)
        assert_same(fitted(X, 0.2, 0.5, client, layout=layout), expected_of(X, 0.2, 0.5))

    @settings(max_examples=15)
    @given(tables(), log_uniform(0.005, 1), log_uniform(0.01, 2), forms(), st.sampled_from(LAYOUTS),
           st.booleans(), st.data())  # fmt: skip
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

    def test_not_ended_is_told(self, near):
        with pytest.warns(ConvergenceWarning, match="did not end") as caught:
            found = fitted(blobs(60), client=near, max_iter=1)
        assert not found.converged
        assert caught[0].filename == __file__.replace(".pyc", ".py")

    def test_so_many_features_that_the_weights_travel_on_their_own(self, near):
        X = blobs(12, 13_000)
        few = {"warmup": 1, "stop": "fixed", "max_iter": 2}
        found = fitted(X, 0.2, 0.5, near, layout="rows", **few)
        assert_same(found, expected_of(X, 0.2, 0.5, **few))

    def test_path_and_tree_of_rows_at_hand(self, near):
        X = blobs(60)
        found = fitted(X, client=near, record_path=True, tree=True)
        expected = expected_of(X, 0.1, 0.2, record_path=True, tree=True)
        np.testing.assert_allclose(found.path, expected.path, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.tree, expected.tree, rtol=1e-9)


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
        for kind in ("overview", "clusters", "weights"):
            found.plot(kind)
        plt.close("all")

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
        found = fitted(lazy, client=near, na_action="omit")
        expected = expected_of(df, na_action="omit")
        pd.testing.assert_series_equal(found.labels.compute(), expected.labels)
        pd.testing.assert_series_equal(found.predict(df), expected.predict(df))

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


class TestFaults:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_a_worker_killed_in_the_middle(self, layout, monkeypatch):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)  # a checkpoint every iteration
        X = blobs(400, 40)
        expected = expected_of(X)
        with workers(2) as (client, processes):
            callback = kill_at("main", 2, lambda: os.kill(processes[0].pid, signal.SIGKILL))
            told = []

            def callbacks(state):
                told.append((state.phase, state.iteration))
                callback(state)

            found = fitted(X, client=client, layout=layout, callback=callbacks)
            assert callback.done
            assert len(client.nthreads()) == 1
            assert_same(found, expected)
            assert told == list(
                zip(expected.history["phase"], expected.history["iteration"], strict=True)
            )

            # now there is one, and none comes back
            lost = kill_at("main", 2, lambda: os.kill(processes[1].pid, signal.SIGKILL))
            with pytest.raises(distributed.WorkersLost, match="resume=") as error:
                fitted(X, client=client, layout=layout, callback=lost, wait_for_workers=0.5)
        assert error.value.phase == "main"
        assert error.value.iteration == 2
        assert f"after main iteration {error.value.iteration}" in str(error.value)
        folder = error.value.checkpoint
        with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
            with pytest.raises(ValueError, match="other data or parameters"):
                fitted(X, 0.2, client=client, layout=layout, resume=folder)
            states = []
            found = fitted(X, client=client, layout=layout, resume=folder, callback=states.append)
            assert_same(found, expected)
            assert states[0].phase == "main"  # the warm-up is not done again
        checkpoint.remove(folder)

    def test_a_nanny_brings_the_only_worker_back(self):
        X = blobs(300)
        with (
            LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            (pid,) = client.run(os.getpid).values()
            callback = kill_at("warmup", 4, lambda: os.kill(pid, signal.SIGKILL))
            found = fitted(X, client=client, layout="rows", callback=callback)
            assert callback.done
            assert_same(found, expected_of(X))

    def test_a_checkpoint_on_disk_is_gone_on_with(self, near, tmp_path, monkeypatch):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)  # after every iteration
        monkeypatch.setattr(checkpoint, "AT_A_TIME", 8 * 6 * 100)  # in slices
        X = blobs(350)
        lazy = da.from_array(X, chunks=100)
        expected = expected_of(X)
        for layout in LAYOUTS:
            folder = tmp_path / layout

            def interrupt(state):
                if (state.phase, state.iteration) == ("main", 2):
                    raise KeyboardInterrupt

            with pytest.raises(KeyboardInterrupt):
                fitted(lazy, client=near, layout=layout, checkpoint=folder, callback=interrupt)
            states = []
            found = fitted(lazy, client=near, layout=layout, resume=folder, callback=states.append)
            assert (states[0].phase, states[0].iteration) == ("main", 2)
            assert_same(found, expected)
        with pytest.raises(ValueError, match="no checkpoint in"):
            fitted(X, client=near, resume=tmp_path)
        (tmp_path / checkpoint.STATE).write_bytes(b"junk")
        with pytest.raises(ValueError, match="is no checkpoint"):
            fitted(X, client=near, resume=tmp_path)
        # a step that would be taken here is taken where it was
        assert_same(fitted(X, client=near, resume=tmp_path / "rows", worth_sending=1e9), expected)

    @pytest.mark.parametrize("standardize", [True, False])
    def test_a_checkpoint_of_other_data_is_refused(self, near, tmp_path, standardize):
        X = blobs(100)

        def interrupt(state):
            if state.iteration == 3:
                raise KeyboardInterrupt

        options = {"client": near, "standardize": standardize, "h": 0.5}
        with pytest.raises(KeyboardInterrupt):
            fitted(X, checkpoint=tmp_path, callback=interrupt, **options)
        other = X * [1, -1, 1, 1, 1, 1]
        with pytest.raises(ValueError, match="of other data"):
            fitted(other, resume=tmp_path, **options)

    def test_a_cluster_without_workers_is_told(self):
        with (
            LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            for X in (blobs(20), da.from_array(blobs(20))):
                with pytest.raises(distributed.WorkersLost):
                    fitted(X, client=client, wait_for_workers=0.2)

    def test_workers_that_vanish_while_results_travel(self, monkeypatch):
        with workers(2) as (client, processes):
            wait_for = WorkerPool._wait_for

            def then_kill(pool, futures):
                wait_for(pool, futures)
                if pool.place.startswith("main"):
                    for process in processes:
                        process.send_signal(signal.SIGSTOP)
                        process.kill()

            monkeypatch.setattr(WorkerPool, "_wait_for", then_kill)
            with pytest.raises(distributed.WorkersLost):
                fitted(da.from_array(blobs(200), chunks=50), client=client, wait_for_workers=0.5)

    def test_a_large_checkpoint_is_on_disk_as_long_as_it_is_needed(
        self, near, tmp_path, monkeypatch
    ):
        monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)
        monkeypatch.setattr(fault_tolerance, "IN_MEMORY", 1000)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        seen = []

        def look(state):
            seen.extend(path.name for path in tmp_path.glob("pywbms-*/*"))

        fitted(blobs(50), client=near, layout="rows", callback=look)
        assert {"state.pickle", "points-warmup-1.npy"} <= set(seen)
        assert not list(tmp_path.glob("pywbms-*"))

    def test_an_error_in_a_task_is_raised_as_it_is(self, near, monkeypatch):
        def broken(*args):
            raise ZeroDivisionError("in a task")

        monkeypatch.setattr(row_points, "gathered", broken)
        with pytest.raises(ZeroDivisionError, match="in a task"):
            fitted(blobs(50), client=near, layout="rows")

        def missing(block):
            raise FileNotFoundError("no such file")

        with pytest.raises(FileNotFoundError, match="no such file"):
            fitted(da.ones((4, 2)).map_blocks(missing, dtype=float), client=near)

    def test_ctrl_c_takes_back_what_was_submitted(self, cluster, client):
        code = f"""
            import numpy as np
            from distributed import Client
            from pywbms import distributed

            def tell(state):
                print("going", flush=True)

            with Client({cluster.scheduler_address!r}) as client:
                X = np.random.default_rng(0).normal(size=(3000, 40))
                try:
                    distributed.fit(X, 0.1, 0.2, client, worth_sending=0, callback=tell)
                except KeyboardInterrupt:
                    import time
                    time.sleep(1)
                    names = client.run_on_scheduler(
                        lambda dask_scheduler: [str(key) for key in dask_scheduler.tasks]
                    )
                    print([name for name in names if name.startswith("wbms")])
        """
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "going\n"
        assert process.stdout.readline() == "going\n"
        process.send_signal(signal.SIGINT)
        *_, left = process.communicate(timeout=60)[0].splitlines()
        assert left == "[]"
        assert process.returncode == 0


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
    def test_the_layout_is_the_cheaper_one(self):
        assert distributed.cost(10_000, 50, 4, "rows").seconds > 0
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


def sent(client):
    """Bytes that workers have sent to each other so far."""
    logs = client.run(
        lambda dask_worker: sum(entry["total"] for entry in dask_worker.transfer_outgoing_log)
    )
    return sum(logs.values())


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


def test_without_dask_it_says_what_to_install():
    code = (
        "import sys; sys.modules['distributed'] = None\n"
        "try:\n    import pywbms.distributed\n"
        "except ImportError as error:\n    print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "pywbms[dask]"' in found.stdout


def test_only_collections_are_taken_for_collections():
    assert collections.is_collection(da.ones((2, 2)))
    assert not collections.is_collection(np.ones((2, 2)))
