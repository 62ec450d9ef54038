"""Landmarks of Dask collections: labels stay on the workers, and are those of a local fit."""

import os
import signal
import threading

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("distributed")

import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster

from pywbms import distributed, wbms
from pywbms._distributed.landmarks import DaskLandmarkEngine
from tests.dasksession import near  # noqa: F401 (a fixture)

N = 6000


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(4, 3)) * 4
    truth = rng.integers(0, 4, N)
    X = np.hstack([centers[truth] + rng.normal(size=(N, 3)), rng.normal(size=(N, 2))])
    X[rng.random(N) < 0.1] = 0.0  # a frequent value
    return pd.DataFrame(X, columns=list("abcde"))


@pytest.fixture(scope="module")
def here(table):
    return wbms(table, h=0.1, lam=0.1, landmarks=500)


def test_labels_are_those_of_the_local_fit(near, table, here):  # noqa: F811
    data = dd.from_pandas(table, npartitions=7)
    result = distributed.fit(data, 0.1, 0.1, client=near, landmarks=500)
    assert isinstance(result.labels, dd.Series)
    assert result.labels.npartitions == 7
    pd.testing.assert_series_equal(result.labels.compute(), here.labels)
    np.testing.assert_array_equal(result.sizes, np.bincount(here.labels))
    np.testing.assert_array_equal(result.weights, here.weights)
    assert result.landmarks == here.landmarks
    assert (result.predict(table) == here.labels).all()


def test_arrays_and_rows_with_gaps(near, table, here, tmp_path):  # noqa: F811
    array = da.from_array(table.to_numpy(), chunks=(1000, 2))
    result = distributed.fit(array, 0.1, 0.1, client=near, landmarks=500)
    np.testing.assert_array_equal(result.labels.compute(), here.labels)
    result.write_labels(tmp_path / "labels.csv")
    np.testing.assert_array_equal(pd.read_csv(tmp_path / "labels.csv")["cluster"], here.labels)
    gaps = table.copy()
    gaps.loc[4321, "b"] = np.nan
    data = dd.from_pandas(gaps, npartitions=3)
    result = distributed.fit(data, 0.1, 0.1, client=near, landmarks=500, na_action="omit")
    expected = wbms(gaps, h=0.1, lam=0.1, landmarks=500, na_action="omit")
    pd.testing.assert_series_equal(result.labels.compute(), expected.labels)
    assert result.n_omitted == 1
    with pytest.raises(ValueError, match="NaN in column 'b'"):
        distributed.fit(data, 0.1, 0.1, client=near, landmarks=500)


def test_tables_of_this_process_and_checkpoints(near, table, here, tmp_path):  # noqa: F811
    result = distributed.fit(table, 0.1, 0.1, client=near, landmarks=500)
    pd.testing.assert_series_equal(result.labels, here.labels)
    with pytest.raises(ValueError, match="landmarks=None"):
        distributed.fit(table, 0.1, 0.1, client=near, landmarks=500, checkpoint=tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_worker_killed_while_rows_follow_changes_no_label(table, here, monkeypatch):
    follow, killed = DaskLandmarkEngine._follow, []
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        pids = list(client.run(os.getpid).values())

        def follow_and_kill(engine, cloud, found=None):
            timer = threading.Timer(0.2, lambda: os.kill(pids.pop(), signal.SIGKILL))
            if not killed:
                killed.append(timer.start())
            follow(engine, cloud, found)
            if timer.ident is not None:
                timer.join()

        monkeypatch.setattr(DaskLandmarkEngine, "_follow", follow_and_kill)
        data = dd.from_pandas(table, npartitions=20)
        result = distributed.fit(data, 0.1, 0.1, client=client, landmarks=500)
        assert killed
        pd.testing.assert_series_equal(result.labels.compute(), here.labels)
