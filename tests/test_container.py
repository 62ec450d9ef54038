"""The file format of checkpoints: what is written is read, and nothing else."""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from pywbms._data import container
from pywbms._version import __version__

CONTENT = {
    "name": "Müller",
    "numbers": [1, 2.5, None, True, float("inf"), 0.1 + 0.2],
    "nested": {"array": {"dict": np.arange(6).reshape(2, 3)}, "empty": {}},
    "arrays": (np.zeros((0, 4)), np.array([True, False]), np.array(3.0), np.linspace(0, 1, 1000)),
}

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
    | st.text() | arrays.arrays(st.sampled_from(["f8", "i8", "i4", "u1", "?"]),
                                arrays.array_shapes(min_dims=0, max_dims=3, min_side=0)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def same(found, expected):
    """Whether two contents are equal, arrays to the bit; tuples have become lists."""
    if isinstance(expected, np.ndarray):
        return (
            found.dtype == expected.dtype
            and found.shape == expected.shape
            and found.tobytes() == expected.tobytes()
        )
    if isinstance(expected, dict):
        return list(found) == list(expected) and all(same(found[k], expected[k]) for k in expected)
    if isinstance(expected, list | tuple):
        return len(found) == len(expected) and all(map(same, found, expected))
    return type(found) is type(expected) and found == expected


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "some.pywbms"
    container.write(path, "example", 3, CONTENT)
    return path


class TestContent:
    @given(content=plain)
    def test_what_is_read_is_what_was_written(self, content, tmp_path_factory):
        path = tmp_path_factory.getbasetemp() / "any.pywbms"
        container.write(path, "example", 1, content)
        assert same(container.read(path, "example", 1), content)

    def test_large_arrays_stay_in_the_file(self, path, monkeypatch):
        monkeypatch.setattr(container, "LARGE", 1)
        found = container.read(path, "example", 3)
        assert isinstance(found["arrays"][3], np.memmap)
        assert same(found, CONTENT)

    def test_blocks_make_up_an_array(self, tmp_path):
        X = np.random.default_rng(0).normal(size=(10, 3))
        blocks = container.Blocks(X.shape, (X[i : i + 4] for i in range(0, 10, 4)))
        container.write(tmp_path / "x", "example", 1, {"X": blocks})
        assert same(container.read(tmp_path / "x", "example", 1), {"X": X})
        short = container.Blocks(X.shape, [X[:4]])
        with pytest.raises(ValueError, match="do not make up an array"):
            container.write(tmp_path / "x", "example", 1, {"X": short})
        assert same(container.read(tmp_path / "x", "example", 1), {"X": X})

    def test_sections_are_plain_npy(self, path):
        data = path.read_bytes()
        start = data.rindex(b"\x93NUMPY")
        np.testing.assert_array_equal(
            np.frombuffer(data[:-32], offset=start + 128), CONTENT["arrays"][3]
        )

    @pytest.mark.parametrize("value", [{1, 2}, 1j, np.array(["a"]), np.array([None]), b"x"])
    def test_nothing_else_can_be_written(self, value, tmp_path):
        with pytest.raises(TypeError, match="cannot be written"):
            container.write(tmp_path / "x", "example", 1, {"value": value})
        assert not list(tmp_path.iterdir())


class TestRefusals:
    def test_every_damaged_byte_is_noticed(self, path):
        data = path.read_bytes()
        rng = np.random.default_rng(0)
        for at in [*range(60), *rng.integers(0, len(data), 300), len(data) - 1]:
            damaged = bytearray(data)
            damaged[at] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            with pytest.raises(ValueError, match=r"some\.pywbms (is|was)"):
                container.read(path, "example", 3)

    def test_every_truncation_is_noticed(self, path):
        data = path.read_bytes()
        for length in [*range(8, 200), *range(200, len(data), 97), len(data) - 1]:
            path.write_bytes(data[:length])
            with pytest.raises(ValueError, match=r"some\.pywbms is truncated$"):
                container.read(path, "example", 3)

    def test_what_follows_the_end_is_noticed(self, path):
        path.write_bytes(path.read_bytes() + b"x")
        with pytest.raises(ValueError, match="something follows its end"):
            container.read(path, "example", 3)

    def test_zeroed_numbers_are_noticed(self, path):
        data = path.read_bytes()
        path.write_bytes(data[:-1000] + bytes(900) + data[-100:])
        with pytest.raises(ValueError, match="the checksum of an array does not match"):
            container.read(path, "example", 3)

    def test_other_kinds_and_versions_are_named(self, path):
        with pytest.raises(ValueError, match="is not a checkpoint, but a file of kind 'example'"):
            container.read(path, "checkpoint", 3)
        told = f"of format 3, written by pywbms {__version__}; this is .* reads format 4"
        with pytest.raises(ValueError, match=told):
            container.read(path, "example", 4)

    def test_a_pickle_is_not_loaded(self, path):
        class Trap:
            def __reduce__(self):
                return os.mkdir, (str(path) + ".executed",)

        path.write_bytes(pickle.dumps(Trap()))
        with pytest.raises(ValueError, match="was not written by pywbms"):
            container.read(path, "example", 3)
        assert list(path.parent.iterdir()) == [path]

    @pytest.mark.parametrize(
        "change",
        [
            {"arrays": [{"dtype": "|O", "shape": [1], "bytes": 8}]},
            {"arrays": [{"dtype": ">f8", "shape": [1], "bytes": 8}]},
            {"arrays": [{"dtype": "<f8", "shape": [-1], "bytes": 8}]},
            {"arrays": [{"dtype": "<f8", "shape": [10**30], "bytes": 8}]},
            {"arrays": [{"dtype": "<f8", "shape": [1.0], "bytes": 8}]},
            {"arrays": [{"dtype": "x", "shape": [], "bytes": 8}]},
            {"arrays": [{"shape": []}]},
            {"arrays": 3},
            {"arrays": [], "content": {"array": 0}},
            {"arrays": [], "content": {"array": "x"}},
            {"arrays": [], "content": {"tuple": []}},
            {"arrays": [], "content": {"dict": 3}},
        ],
    )
    def test_a_header_without_sense(self, tmp_path, monkeypatch, change):
        """With the right checksums, as somebody who means harm would write it."""
        dumps = json.dumps
        monkeypatch.setattr(json, "dumps", lambda header: dumps({**header, **change}))
        container.write(tmp_path / "x", "example", 1, {})
        with pytest.raises(ValueError, match=r"x is (damaged|truncated)"):
            container.read(tmp_path / "x", "example", 1)


class TestWriting:
    """At any moment there is a whole file."""

    def test_a_full_disk_leaves_the_old_file(self, path, monkeypatch):
        def full(*args):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        for function in ("fsync", "replace"):
            with monkeypatch.context() as patched:
                patched.setattr(os, function, full)
                with pytest.raises(OSError, match="No space left"):
                    container.write(path, "example", 3, {"other": 1})
            assert list(path.parent.iterdir()) == [path]
            assert same(container.read(path, "example", 3), CONTENT)

    def test_a_limit_on_the_size_is_an_error_and_no_signal(self, path):
        """In a process of its own: the limit stays."""
        code = f"""
            import resource, signal
            import numpy as np
            from pywbms._data import container

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
            try:
                container.write({str(path)!r}, "example", 3, {{"X": np.ones((1000, 100))}})
            except OSError as error:
                print(error.strerror)
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
        )
        assert done.stdout == "File too large\n", done.stderr
        assert list(path.parent.iterdir()) == [path]
        assert same(container.read(path, "example", 3), CONTENT)

    def test_what_a_kill_leaves_behind_is_removed(self, path):
        code = f"""
            import os, signal
            import numpy as np
            from pywbms._data import container

            def rows():
                yield np.ones((500, 100))
                os.kill(os.getpid(), signal.SIGKILL)

            container.write({str(path)!r}, "example", 3,
                            {{"X": container.Blocks((1000, 100), rows())}})
        """
        done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)])
        assert done.returncode == -signal.SIGKILL
        assert len(list(path.parent.iterdir())) == 2
        assert same(container.read(path, "example", 3), CONTENT)
        container.remove_leftovers(path)
        assert list(path.parent.iterdir()) == [path]
