"""Checkpoints of fits on Dask: written in spite of a full disk or not at all, checked, resumed."""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager

import dasksession
import numpy as np
import pytest
from dasksession import LAYOUTS, assert_same, blobs, expected_of, fitted, kill_at, workers
from distributed import Client

from pywbms import distributed
from pywbms._data import container
from pywbms._distributed import checkpoint, fault_tolerance
from pywbms._distributed.checkpoint import FILE, KIND, VERSION, Checkpoint

# fixtures
near, small_parts = dasksession.near, dasksession.small_parts

pytestmark = pytest.mark.xdist_group("dask")


def history_with_links(content, link):
    partition = np.zeros(len(content["points"]["member"]), dtype=np.int32)
    links = [np.array([link], dtype=float)]
    return {"partitions": [partition], "last": [0], "iteration": 0, "links": links}


@pytest.fixture
def every_iteration(monkeypatch):
    """Keep a checkpoint after every iteration."""
    monkeypatch.setattr(fault_tolerance, "SHARE_OF_TIME", 1e9)


def interrupt_at(phase, iteration):
    def callback(state):
        if (state.phase, state.iteration) == (phase, iteration):
            raise KeyboardInterrupt

    return callback


def interrupted(X, folder, client, **options):
    """A fit that ends in the main phase and leaves a checkpoint."""
    with pytest.raises(KeyboardInterrupt):
        fitted(X, client=client, checkpoint=folder, callback=interrupt_at("main", 3), **options)
    return folder / FILE


def assert_equal(found, expected):
    """The same to the bit."""
    for name in ("labels", "modes", "weights", "centers", "history"):
        values, wanted = getattr(found, name), getattr(expected, name)
        assert values.equals(wanted), name
    assert (found.n_iter, found.converged) == (expected.n_iter, expected.converged)


class TestFullDisk:
    def test_the_fit_goes_on_and_the_last_good_one_stays(
        self, near, tmp_path, monkeypatch, every_iteration
    ):
        X = blobs(300)
        whole = []

        def full(file, array, write=container.write_section):
            if len(whole) > 60:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            whole.append(array)
            write(file, array)

        monkeypatch.setattr(container, "write_section", full)
        for layout in LAYOUTS:
            whole.clear()
            folder = tmp_path / layout
            with pytest.warns(UserWarning, match="No space left on device") as told:
                found = fitted(X, client=near, layout=layout, checkpoint=folder)
            assert len(told) == 1  # and not after every iteration
            assert_same(found, expected_of(X))
            last = Checkpoint.read(folder)
            assert f"the last good one, of {last}, stays" in str(told[0].message)
            assert repr(str(folder)) in str(told[0].message)
            assert [path.name for path in folder.iterdir()] == [FILE]
            assert_same(fitted(X, client=near, layout=layout, resume=folder), expected_of(X))

    def test_a_large_checkpoint_without_room(self, near, tmp_path, monkeypatch, every_iteration):
        monkeypatch.setattr(fault_tolerance, "IN_MEMORY", 1000)

        def full(*args, **options):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        X = blobs(100)
        monkeypatch.setattr(fault_tolerance.tempfile, "mkdtemp", full)
        with pytest.warns(UserWarning, match=r"could not be written .* there is none so far"):
            found = fitted(X, client=near, layout="rows")
        assert_same(found, expected_of(X))

    @pytest.mark.parametrize("where", ["workers", "client"])
    def test_on_a_disk_that_is_full(self, tmp_path, where):
        """A disk of 200 kB; in a process of its own, which a signal may end."""
        with small_disk(tmp_path) as disk:
            code = f"""
                import warnings
                import numpy as np
                from distributed import Client
                from pywbms import distributed
                from pywbms._distributed import fault_tolerance

                fault_tolerance.SHARE_OF_TIME = 1e9
                rng = np.random.default_rng(0)
                X = rng.normal(size=(1800, 20)) + 5 * rng.normal(size=(4, 20))[np.arange(1800) % 4]
                warnings.simplefilter("always")
                with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
                    with warnings.catch_warnings(record=True) as told:
                        result = distributed.fit(
                            X, 0.1, 0.2, client, layout="rows", checkpoint={str(disk)!r},
                            worth_sending={0 if where == "workers" else 1e12},
                            warmup=2, patience=2,
                        )
                told = [one.message for one in told if "checkpoint" in str(one.message)]
                print(result.n_clusters, *told, sep="\\n")
            """
            done = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            assert not [path.name for path in disk.iterdir() if path.name != FILE]
        clusters, *told = done.stdout.splitlines()
        assert clusters == "4"
        assert len(told) == 1
        assert f"could not be written in {str(disk)!r} (No space left on device)" in told[0]

    def test_workers_lost_with_a_full_disk(self, monkeypatch, every_iteration):
        """Then there is no checkpoint to name."""

        def full(*args):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(container, "write_section", full)
        with workers(1) as (client, (process,)):
            callback = kill_at("main", 2, process.kill)
            with (
                pytest.warns(UserWarning, match="No space left"),
                pytest.raises(distributed.WorkersLost, match="there is no checkpoint") as error,
            ):
                fitted(
                    blobs(200), client=client, layout="rows", callback=callback,
                    wait_for_workers=0.5,
                )  # fmt: skip
        assert error.value.checkpoint is None

    def test_a_folder_that_cannot_be_one(self, near, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(ValueError, match=r"checkpoint: .*file' cannot be used as a folder"):
            fitted(blobs(50), client=near, checkpoint=tmp_path / "file")


@contextmanager
def small_disk(folder):
    """A file system of 200 kB."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", disk], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


class TestRefusals:
    """One sentence that says what is wrong."""

    @pytest.fixture
    def X(self):
        return blobs(120)

    @pytest.fixture
    def path(self, X, near, tmp_path, every_iteration):
        return interrupted(X, tmp_path, near, layout="rows")

    def refused(self, X, near, path, told, **options):
        with pytest.raises(ValueError, match=told) as error:
            fitted(X, client=near, layout="rows", resume=path.parent, **options)
        assert str(error.value).startswith("resume: ")
        assert "\n" not in str(error.value)

    def test_damage(self, X, near, path):
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        self.refused(X, near, path, r"checkpoint\.pywbms is truncated")
        middle = len(data) * 3 // 4
        path.write_bytes(data[:middle] + bytes(400) + data[middle + 400 :])  # rows zeroed
        self.refused(X, near, path, "is damaged: the checksum of an array does not match")
        path.write_bytes(b"")
        self.refused(X, near, path, "was not written by pywbms")

    def test_a_foreign_file(self, X, near, path):
        container.write(path, "result", 1, {})
        self.refused(X, near, path, "is not a checkpoint, but a file of kind 'result'")
        container.write(path, KIND, VERSION, {})
        self.refused(X, near, path, "is damaged")

    def test_a_file_of_another_format(self, X, near, path):
        container.write(path, KIND, VERSION - 1, {})
        self.refused(X, near, path, f"is a checkpoint of format {VERSION - 1}")

    def test_a_checkpoint_of_an_older_pywbms_is_not_unpickled(self, X, near, path):
        class Trap:
            def __reduce__(self):
                return os.mkdir, (str(path) + ".executed",)

        path.unlink()
        (path.parent / "state.pickle").write_bytes(pickle.dumps(Trap()))
        self.refused(X, near, path, "by an older version of pywbms")
        assert [one.name for one in path.parent.iterdir()] == ["state.pickle"]

    def test_other_data_and_parameters_are_named(self, X, near, path):
        self.refused(X, near, path, r"h is 0.1 there, 0.2 here\)$", h=0.2)
        self.refused(X, near, path, "tree is False there, True here", tree=True)
        self.refused(X[:-1], near, path, "120 rows × 6 columns there and 119 rows × 6 columns here")
        self.refused(X * [1, 1, 1, 1, 1, -1], near, path, r"\(their values differ\)")

    def test_a_file_that_cannot_be_read(self, X, near, path, monkeypatch):
        def failing(*args):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr(container, "read", failing)
        self.refused(X, near, path, r"cannot be read \(Input/output error\)")

    @pytest.mark.parametrize(
        ("name", "change"),
        [
            ("coordinates", lambda c: c["coordinates"].__setitem__((3, 2), np.nan)),
            ("coordinates", lambda c: c.update(coordinates=c["coordinates"][:-1])),
            ("member", lambda c: c["points"]["member"].__setitem__(0, 10**9)),
            ("member", lambda c: c["points"]["member"].__setitem__(0, -1)),
            ("mass", lambda c: c["points"]["mass"].__setitem__(0, 2)),
            ("order", lambda c: c["points"].update(order=np.array([0, 0]))),
            ("merges", lambda c: c["points"]["merges"].append(np.array([0, 10**9]))),
            ("weights", lambda c: c["state"]["weights"].__setitem__(0, np.inf)),
            ("moves", lambda c: c["state"].update(moves=np.zeros(3))),
            ("groups", lambda c: c["state"]["groups"].__setitem__(0, 10**9)),
            ("swapping pairs", lambda c: c["state"].update(swapping=[[0, 10**9]])),
            ("partitions", lambda c: c["state"]["stop_rule"].update(partition=np.zeros(3))),
            (
                "links",
                lambda c: c["recorded"].update(partitions=history_with_links(c, [0, 1e9, 1])),
            ),
            ("links", lambda c: c["recorded"].update(partitions=history_with_links(c, [0, 1]))),
            ("", lambda c: c["state"].pop("weights")),
            ("", lambda c: c["state"].update(two_cycles=3)),
            ("", lambda c: c["recorded"].update(history=[[1]])),
        ],
    )
    def test_content_without_sense(self, X, near, path, name, change):
        """The right checksums, as somebody who means harm would write it."""
        content = container.read(path, KIND, VERSION)
        change(content)
        container.write(path, KIND, VERSION, content)
        self.refused(X, near, path, f"is damaged: .*{name}")

    def test_merges_of_other_data(self, X, near, path):
        content = container.read(path, KIND, VERSION)
        g = len(content["points"]["mass"])
        content["points"]["merges"].insert(0, np.append(np.arange(g), 0))
        content["points"]["merges"] = content["points"]["merges"][:1]
        container.write(path, KIND, VERSION, content)
        self.refused(X, near, path, "the merges of the checkpoint are not those of these data")

    def test_the_header_is_text(self, X, path):
        """Anybody can look at it without pywbms."""
        data = path.read_bytes()
        length = int.from_bytes(data[8:16], "little")
        header = json.loads(data[16 : 16 + length])
        fingerprint = header["content"]["dict"]["fingerprint"]["dict"]
        assert fingerprint["shape"] == list(X.shape)
        assert fingerprint["parameters"]["dict"]["h"] == 0.1
        assert header["version"] == VERSION


class TestResume:
    @pytest.mark.parametrize("layout", LAYOUTS)
    def test_lost_again_and_again(self, layout, every_iteration, monkeypatch):
        """Fit, kill, resume, kill, resume: the local answer, by rows to the bit."""
        X = np.repeat(blobs(300), 2, axis=0)
        expected = expected_of(X)
        places, resume = [("warmup", 3), ("main", 1), ("main", 3)], None
        for number, place in enumerate(places):
            if number == 1:  # what is resumed may be too large for memory
                monkeypatch.setattr(container, "LARGE", 1000)
                monkeypatch.setattr(fault_tolerance, "IN_MEMORY", 1000)
            with workers(1) as (client, (process,)):
                with pytest.raises(distributed.WorkersLost) as error:
                    fitted(
                        X, client=client, layout=layout, resume=resume, wait_for_workers=0.5,
                        callback=kill_at(*place, process.kill),
                    )  # fmt: skip
                assert (error.value.phase, error.value.iteration) == place
                if resume is not None:
                    checkpoint.remove(resume)
                resume = error.value.checkpoint
        with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
            found = fitted(X, client=client, layout=layout, resume=resume)
        checkpoint.remove(resume)
        if layout == "rows":
            assert_equal(found, expected)
        assert_same(found, expected)

    def test_lost_before_the_next_checkpoint(self, near, tmp_path, every_iteration, monkeypatch):
        """The folder that was resumed from is named."""
        X = blobs(200)
        path = interrupted(X, tmp_path, near, layout="rows")
        path = path.rename(tmp_path / "renamed")
        monkeypatch.setattr(fault_tolerance.FaultTolerantFit, "_keep", lambda *args: None)
        with (
            workers(1) as (client, (process,)),
            pytest.raises(distributed.WorkersLost) as error,
        ):
            fitted(
                X, client=client, layout="rows", resume=path, wait_for_workers=0.5,
                callback=kill_at("main", 4, process.kill),
            )  # fmt: skip
        assert error.value.checkpoint == str(path)
        assert_equal(fitted(X, client=near, layout="rows", resume=path), expected_of(X))

    @pytest.mark.parametrize("shape", [(150, 6), (60, 400)])
    def test_points_that_are_on_the_client(self, near, tmp_path, every_iteration, shape):
        """To the bit, path and tree included."""
        X = blobs(*shape)
        options = {"worth_sending": 1e12, "tree": True, "record_path": True}
        path = interrupted(X, tmp_path, near, **options)
        found = fitted(X, client=near, resume=path, checkpoint=tmp_path, **options)
        expected = expected_of(X, tree=True, record_path=True)
        assert_equal(found, expected)
        np.testing.assert_array_equal(found.path, expected.path)
        np.testing.assert_array_equal(found.tree, expected.tree)

    def test_pairs_that_swap_places(self, near, tmp_path, every_iteration):
        """How often they have done so is part of the checkpoint."""
        X = np.vstack([blobs(60, 2), [[40, 40], [40, 40.5]]])
        with pytest.raises(KeyboardInterrupt):
            fitted(
                X, client=near, layout="rows", checkpoint=tmp_path, patience=5,
                callback=interrupt_at("main", 4),
            )  # fmt: skip
        assert container.read(tmp_path / FILE, KIND, VERSION)["state"]["two_cycles"]
        found = fitted(X, client=near, layout="rows", resume=tmp_path, patience=5)
        assert_equal(found, expected_of(X, patience=5))

    def test_half_written_files_are_removed(self, near, tmp_path):
        (tmp_path / f"{FILE}.01234567.new").write_bytes(b"half")
        (tmp_path / "mine.new").touch()
        fitted(blobs(50), client=near, checkpoint=tmp_path)
        assert {path.name for path in tmp_path.iterdir()} <= {FILE, "mine.new"}
        assert (tmp_path / "mine.new").exists()


def test_a_signal_while_a_checkpoint_is_written(near, tmp_path, every_iteration, monkeypatch):
    """Ctrl-C in the middle of it leaves the one before."""
    X, sections = blobs(200), []

    def slow(file, array, write=container.write_section):
        sections.append(array)
        if len(sections) == 40:
            signal.raise_signal(signal.SIGINT)
        write(file, array)

    monkeypatch.setattr(container, "write_section", slow)
    with pytest.raises(KeyboardInterrupt):
        fitted(X, client=near, layout="rows", checkpoint=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert_equal(fitted(X, client=near, layout="rows", resume=tmp_path), expected_of(X))
