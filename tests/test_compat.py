"""Files and pickles of every released version can be read, and say what they said then."""

import json
import pickle
import warnings

import compat
import pytest
from sklearn.base import clone
from sklearn.exceptions import InconsistentVersionWarning
from stored import same_result

import pywbms
from pywbms import WBMS

VERSIONS = sorted(path.name for path in compat.FOLDER.iterdir())
EXPECTED = {
    version: json.loads((compat.FOLDER / version / "expected.json").read_text("utf-8"))
    for version in VERSIONS
}
CASES = {
    kind: [(version, name) for version in VERSIONS for name in EXPECTED[version][kind]]
    for kind in ("results", "models")
}


def unpickled(path):
    """Read a pickle; that it is from another scikit-learn is meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        return pickle.loads(path.read_bytes())


def agrees(said, expected):
    """Assert that plain data are equal, the numbers to twelve digits."""
    assert said.keys() == expected.keys()
    for name, value in expected.items():
        if name in ("weights", "centers", "modes"):
            for row, expected_row in zip(said[name], value, strict=True):
                assert row == pytest.approx(expected_row, rel=1e-12, abs=1e-15), name
        else:
            assert said[name] == value, name


def test_this_version_has_its_files():
    assert pywbms.__version__ in VERSIONS
    assert {*compat.tables()} == {*EXPECTED[pywbms.__version__]["results"]}


@pytest.mark.parametrize(("version", "name"), CASES["results"])
def test_a_saved_result_can_be_loaded(version, name):
    result = pywbms.load(compat.FOLDER / version / f"{name}.wbms")
    agrees(compat.of_result(result, name), EXPECTED[version]["results"][name])
    assert str(result.n_clusters) in str(result.summary())


@pytest.mark.parametrize(("version", "name"), CASES["results"])
def test_a_loaded_result_is_saved_as_it_is(version, name, tmp_path):
    result = pywbms.load(compat.FOLDER / version / f"{name}.wbms")
    result.save(tmp_path / "again.wbms")
    same_result(pywbms.load(tmp_path / "again.wbms"), result)


@pytest.mark.parametrize(("version", "name"), CASES["results"])
def test_a_pickled_result_can_be_loaded(version, name):
    result = unpickled(compat.FOLDER / version / f"{name}.pickle")
    agrees(compat.of_result(result, name), EXPECTED[version]["results"][name])


@pytest.mark.parametrize(("version", "name"), CASES["models"])
def test_a_pickled_estimator_can_be_loaded(version, name):
    expected = dict(EXPECTED[version]["models"][name])
    model = unpickled(compat.FOLDER / version / f"model-{name.replace(' ', '-')}.pickle")
    said, params = compat.of_model(model), expected.pop("params")
    found = json.loads(json.dumps(said.pop("params")))  # a tuple is a list there
    assert {key: found[key] for key in params} == params
    agrees(said, expected)
    clone(model)  # it has all parameters of this version


def test_a_pickle_without_a_newer_parameter_gets_its_default():
    model = WBMS(h=0.5)
    state = dict(model.__getstate__())
    del state["outliers"]
    older = WBMS.__new__(WBMS)
    older.__setstate__(state)
    assert older.get_params() == model.get_params()


def test_files_that_are_there_are_not_overwritten():
    with pytest.raises(FileExistsError):
        compat.main()
