"""Real data in MATLAB files."""

import experiment_data
import numpy as np
import pytest
from scipy.io import savemat

from pywbms import datasets

folder = experiment_data.folder  # a fixture


@pytest.mark.parametrize("file", ["GLIOMA.mat", "glioma.mat", "Glioma.MAT"])
@pytest.mark.parametrize("names", ["XY", "xy"])
def test_load_reads_matlab_files(tmp_path, file, names):
    X = np.random.default_rng(0).normal(size=(50, 4434))
    savemat(tmp_path / file, {names[0]: X, names[1]: np.arange(50)[:, None] % 4 + 1})
    found, truth = datasets.load("glioma", tmp_path)
    np.testing.assert_array_equal(found, X)
    assert truth.tolist() == [row % 4 for row in range(50)]


def test_load_reads_classes_that_are_strings(tmp_path):
    classes = np.array([f"kind {row % 7}" for row in range(101)], dtype=object)
    savemat(tmp_path / "Zoo.mat", {"X": np.ones((101, 16)), "Y": classes[:, None]})
    _, truth = datasets.load("zoo", tmp_path)
    assert truth.tolist() == [row % 7 for row in range(101)]


def test_load_prefers_csv_to_matlab(folder):
    savemat(folder / "appendicitis.mat", {"X": np.ones((3, 3)), "Y": np.ones(3)})
    assert datasets.load("appendicitis", folder)[0].shape == (106, 7)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"X": np.ones((101, 16))}, "has no variable Y; it has X"),
        ({"data": np.ones(3)}, "has no variable X and no Y; it has DATA"),
        ({"X": np.ones((101, 16)), "Y": np.ones(7)}, "X and Y must have the same rows"),
        ({"X": np.full((101, 16), 1 + 2j), "Y": np.arange(101) % 7}, "X has complex numbers"),
        ({"X": np.ones((101, 16)), "Y": np.arange(101) % 7 * 1j}, "Y has complex numbers"),
        ({"X": np.ones((100, 16)), "Y": np.ones(100)}, "expected 101 × 16"),
        ({"X": np.ones((101, 16)), "Y": np.ones(101)}, "1 classes .* expected 7"),
        ({"X": np.full((101, 16), np.nan), "Y": np.arange(101) % 7}, "x1 in row 1 is missing"),
    ],
)
def test_bad_matlab_file_is_named(tmp_path, content, message):
    savemat(tmp_path / "zoo.mat", content)
    with pytest.raises(ValueError, match=f"zoo.mat.*{message}"):
        datasets.load("zoo", tmp_path)


def test_file_that_is_not_a_matlab_file_is_named(tmp_path):
    (tmp_path / "zoo.mat").write_text("hello")
    with pytest.raises(ValueError, match=r"zoo\.mat cannot be read as a MATLAB file"):
        datasets.load("zoo", tmp_path)
