"""Results in files: what is loaded is what was saved, and nothing else is loaded."""

import contextlib
import json
import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from problems import dirty_tables, seeds, tables
from sklearn.exceptions import ConvergenceWarning
from stored import same_result

import pywbms
from pywbms import WBMS, datasets, wbms
from pywbms._data import container
from pywbms._results import saving
from pywbms._results.stored_values import decode, encode

matplotlib.use("agg")

GIVEN = {"h": 0.1, "lam": 0.05}


def saved_and_loaded(result, path):
    result.save(path)
    return pywbms.load(path)


@pytest.fixture(scope="module")
def chosen():
    """A result with everything: h and lam chosen, a path, a tree, omitted rows, names."""
    df, _ = datasets.simulation1(3, random_state=0)
    df.index = [f"row {i}" for i in range(len(df))]
    df.iloc[3, 1] = np.nan
    return wbms(df, record_path=True, tree=True, na_action="omit")


@pytest.fixture
def simple():
    df, _ = datasets.data1(random_state=0)
    return wbms(df.iloc[:40, :4], **GIVEN)


@pytest.fixture
def file(simple, tmp_path):
    simple.save(tmp_path / "model.wbms")
    return tmp_path / "model.wbms"


def test_everything_comes_back_to_the_bit(chosen, tmp_path):
    found = saved_and_loaded(chosen, tmp_path / "model.wbms")
    same_result(found, chosen)
    assert repr(found) == repr(chosen)
    assert found._repr_html_() == chosen._repr_html_()
    assert repr(found.summary()) == repr(chosen.summary())
    assert found.confidence == chosen.confidence
    assert str(found.choice) == str(chosen.choice)
    pd.testing.assert_frame_equal(found.alternatives, chosen.alternatives)
    rng = np.random.default_rng(0)
    noise = 0.1 * chosen.data.std().to_numpy() * rng.normal(size=(30, chosen.data.shape[1]))
    new = chosen.data.sample(30, random_state=0) + noise
    pd.testing.assert_series_equal(found.predict(new), chosen.predict(new))
    same_result(found.at(2), chosen.at(2))
    pd.testing.assert_frame_equal(found.check_theory(), chosen.check_theory())
    assert found.path.tobytes() == chosen.path.tobytes()


@pytest.mark.parametrize(
    "kind", ["overview", "clusters", "weights", "collapse", "tree", "selection"]
)
def test_pictures_of_a_loaded_result_are_the_same(chosen, kind, tmp_path):
    found = saved_and_loaded(chosen, tmp_path / "model.wbms")
    pixels = []
    for result in (found, chosen):
        drawn = result.plot(kind)
        figure = getattr(drawn, "figure", drawn)
        figure.savefig(tmp_path / "picture.png", metadata={"Software": None})
        matplotlib.pyplot.close(figure)
        pixels.append((tmp_path / "picture.png").read_bytes())
    assert pixels[0] == pixels[1]


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(X=tables() | dirty_tables(), tree=st.booleans(), join=st.booleans())
def test_any_result_comes_back(X, tree, join, tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        result = wbms(X, **GIVEN, tree=tree, join=join, record_path=tree, max_iter=30)
    found = saved_and_loaded(result, tmp_path_factory.mktemp("any") / "m.wbms")
    same_result(found, result)
    np.testing.assert_array_equal(found.predict(X), result.labels)


def days(n, **options):
    return pd.date_range("2024-02-28", periods=n, freq="D", **options)


INDEXES = {
    "range": pd.RangeIndex(7, 49, 3, name="id"),
    "integers": pd.Index(np.arange(14)[::-1] * 10**12, name=("a", 1)),
    "floats": pd.Index(np.linspace(0, 1, 14)),
    "texts": pd.Index([f"ü{i}\n\0" for i in range(14)], name="name"),
    "days": days(14),
    "times": pd.DatetimeIndex([f"2024-01-01T00:00:00.{i:09d}" for i in range(14)], name="t"),
    "times of a zone": days(14, tz="Europe/Berlin"),
    "times of an offset": days(14, tz="+01:30"),
    "seconds": days(14).as_unit("s"),
    "durations": pd.timedelta_range("1s", periods=14),
    "mixed": pd.Index([1, "a", 2.5, None, True, (1, "x"), *range(8)], dtype=object),
    "levels": pd.MultiIndex.from_product([["a", "b"], range(7)], names=["letter", None]),
    "repeated": pd.Index(["a", "b"] * 7),
    "int32": pd.Index(np.arange(14, dtype=np.int32)),
    "booleans": pd.Index([True, False] * 7),
}


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_indexes_keep_their_type(index, tmp_path):
    rng = np.random.default_rng(0)
    df = pd.DataFrame(rng.normal(size=(14, 2)), index=index, columns=["a", "b"])
    result = wbms(df, **GIVEN)
    found = saved_and_loaded(result, tmp_path / "model.wbms")
    pd.testing.assert_index_equal(found.labels.index, index, exact=True)
    assert getattr(found.labels.index, "freq", None) == getattr(index, "freq", None)
    same_result(found, result)


@pytest.mark.parametrize(
    "index",
    [
        pd.period_range("2024-01", periods=14, freq="M"),
        pd.interval_range(0, 14),
        pd.CategoricalIndex(list("abcdefg") * 2, name="kind"),
        pd.Index([pd.Timestamp("2024-01-01"), *range(13)], dtype=object),
    ],
    ids=["periods", "intervals", "categories", "objects"],
)
def test_other_row_names_become_text_with_a_warning(index, tmp_path):
    result = wbms(pd.DataFrame(np.arange(28.0).reshape(14, 2), index=index), **GIVEN)
    with pytest.warns(UserWarning, match="names of the rows are stored as text") as caught:
        result.save(tmp_path / "model.wbms")
    assert caught[0].filename == __file__
    found = pywbms.load(tmp_path / "model.wbms")
    assert found.labels.index.tolist() == [str(name) for name in index]
    assert found.labels.index.name == index.name
    np.testing.assert_array_equal(found.labels, result.labels)


@pytest.mark.parametrize(
    "columns",
    [["a", "ü 1"], [3, 7], [("a", 1), ("b", 2)], [1.5, "x"], days(2), ["a", None]],
    ids=str,
)
def test_column_names_keep_their_type(columns, tmp_path):
    df = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 2)))
    df.columns = pd.Index(columns)
    result = wbms(df, **GIVEN)
    found = saved_and_loaded(result, tmp_path / "model.wbms")
    same_result(found, result)
    pd.testing.assert_series_equal(found.predict(df), result.labels)


def test_column_names_of_another_type_are_refused(tmp_path):
    df = pd.DataFrame(np.arange(24.0).reshape(12, 2), columns=pd.period_range("2024", periods=2))
    with pytest.raises(TypeError, match="columns of dtype period"):
        wbms(df, **GIVEN).save(tmp_path / "model.wbms")
    assert not list(tmp_path.iterdir())


def test_attributes_that_others_add_are_carried_along(simple, tmp_path):
    model = simple.estimator
    model.sample_weight_ = np.linspace(0, 1, 40)
    model.table_ = pd.DataFrame({"a": [0.25, 1.0], "b": ["x", "y"]}, index=["p", "q"])
    model.layers_ = [(2, 0.5), {"h": 0.1, 3: None}]
    simple._report = pd.Series([1.5, np.inf], index=[2, 5], name="share")
    same_result(saved_and_loaded(simple, tmp_path / "model.wbms"), simple)


def test_an_attribute_that_cannot_be_saved_is_named(simple, tmp_path):
    simple.estimator.helper_ = object()
    with pytest.raises(TypeError, match="helper_ is a object, which cannot be saved"):
        simple.save(tmp_path / "model.wbms")
    assert not list(tmp_path.iterdir())


def test_a_callback_is_not_saved(tmp_path):
    df, _ = datasets.data1(random_state=0)
    result = wbms(df, **GIVEN, callback=lambda info: None)
    found = saved_and_loaded(result, tmp_path / "model.wbms")
    assert found.estimator.callback is None
    assert result.estimator.callback is not None
    same_result(found, result)


def test_the_file_holds_no_pickle_and_is_what_the_container_says(file):
    content = file.read_bytes()
    assert content.startswith(container.MAGIC)
    length = int.from_bytes(content[8:16], "little")
    header = json.loads(content[16 : 16 + length])
    assert header["kind"] == "result"
    assert header["package"] == pywbms.__version__
    with pytest.raises(Exception):  # noqa: B017, PT011 (whatever pickle says)
        pickle.loads(content)


def test_flipping_any_byte_is_an_error(tmp_path):
    file = tmp_path / "model.wbms"
    wbms(pd.DataFrame({"a": [0.0, 0.1, 9.0]}), h=0.1, lam=0.05, warmup=1).save(file)
    content = file.read_bytes()
    with file.open("r+b", buffering=0) as damaged:
        for place, byte in enumerate(content):
            damaged.seek(place)
            damaged.write(bytes([byte ^ 1 << place % 8]))
            with pytest.raises(ValueError, match=r"model\.wbms"):
                pywbms.load(file)
            damaged.seek(place)
            damaged.write(bytes([byte]))
    pywbms.load(file)


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_other_damage_is_an_error(data, file):
    content = whole = file.read_bytes()
    kind = data.draw(st.sampled_from(["cut", "grow", "overwrite", "remove"]))
    place = data.draw(st.integers(0, len(content) - 1))
    some = data.draw(st.binary(min_size=1, max_size=20))
    if kind == "cut":
        content = content[:place]
    elif kind == "grow":
        content = content + some
    elif kind == "overwrite":
        content = content[:place] + some + content[place + len(some) :]
    else:
        content = content[:place] + content[place + len(some) :]
    damaged = file.with_name("damaged.wbms")
    damaged.write_bytes(content)
    if content == whole:
        pywbms.load(damaged)
    else:
        with pytest.raises(ValueError, match=r"damaged\.wbms") as caught:
            pywbms.load(damaged)
        assert "\n" not in str(caught.value)


def rewritten(file, change, kind="result", version=1):
    """Write a file whose checksums are right, but not its content."""
    stored = container.read(file, "result", 1)
    change(stored)
    container.write(file, kind, version, stored)


@settings(deadline=None, max_examples=200, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=seeds)
def test_content_without_sense_is_an_error_or_a_sound_result(data, seed, file, simple):
    """A file with the right checksums, in which any one part is something else."""
    stored = container.read(file, "result", 1)
    place = data.draw(st.sampled_from(list(places_in(stored))))
    other = data.draw(
        st.sampled_from([None, -1, 0.5, "x", [], {}, {"is": "Standardizer", "fields": {}}])
        | st.just(np.random.default_rng(seed).normal(size=3))
    )
    inside = stored
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = other
    changed = file.with_name("changed.wbms")
    container.write(changed, "result", 1, stored)
    with contextlib.suppress(ValueError):  # the test fails on any other error
        assert len(pywbms.load(changed).labels) == 40


def places_in(stored, path=()):
    """Yield the way to each part of nested data."""
    if isinstance(stored, dict | list):
        steps = stored if isinstance(stored, dict) else range(len(stored))
        for step in steps:
            yield (*path, step)
            yield from places_in(stored[step], (*path, step))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s["fitted"].update(labels_=np.zeros(39, int)), "labels_ is not an array"),
        (lambda s: s["fitted"].update(labels_=np.full(40, 7)), "labels_ are not 0"),
        (lambda s: s["fitted"].pop("modes_"), "modes_"),
        (lambda s: s["fitted"].update(_X=np.full((40, 4), np.nan)), "not finite"),
        (lambda s: s["params"].update(shiny_new_parameter=3), "shiny_new_parameter"),
        (lambda s: s["params"].update(h=-1.0), "h must be"),
        (lambda s: s["fitted"].update(choice_={"is": "os.system", "fields": {}}), "os.system"),
        (lambda s: s["index"].update(range=[0, 3, 1]), "rows do not match"),
    ],
)
def test_content_that_does_not_fit_together_is_refused(file, change, message):
    rewritten(file, change)
    with pytest.raises(ValueError, match=r"model\.wbms does not hold a result") as caught:
        pywbms.load(file)
    assert message in str(caught.value)


def test_newer_foreign_and_other_files_are_refused_in_one_sentence(file, tmp_path):
    rewritten(file, lambda stored: None, version=2)
    with pytest.raises(ValueError, match=r"format 2, written by pywbms .* reads format 1"):
        pywbms.load(file)
    container.write(file, "checkpoint", 1, {"phase": "main"})
    with pytest.raises(ValueError, match="is not a result, but a file of kind 'checkpoint'"):
        pywbms.load(file)
    for content in (b"", b"PK\x03\x04", pickle.dumps({"a": 1})):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="was not written by pywbms"):
            pywbms.load(file)
    with pytest.raises(FileNotFoundError):
        pywbms.load(tmp_path / "missing.wbms")


def test_an_existing_file_stays_if_writing_fails(file, simple, monkeypatch):
    before = file.read_bytes()
    monkeypatch.setattr(container, "write_section", lambda *_: (_ for _ in ()).throw(OSError(28)))
    with pytest.raises(OSError, match="28"):
        simple.save(file)
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == [file.name]


def test_a_symbolic_link_stays_one_and_other_things_are_refused(file, simple, tmp_path):
    link = tmp_path / "link.wbms"
    link.symlink_to(file)
    simple.save(link)
    assert link.is_symlink()
    same_result(pywbms.load(link), simple)
    with pytest.raises(IsADirectoryError, match="is a folder"):
        simple.save(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a regular file"):
        simple.save(tmp_path / "pipe")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        simple.save(tmp_path / "missing" / "model.wbms")


def test_large_arrays_do_not_stay_in_the_file(file, simple, monkeypatch):
    monkeypatch.setattr(container, "LARGE", 100)
    found = pywbms.load(file)
    file.write_bytes(b"\0" * file.stat().st_size)
    same_result(found, simple)
    assert type(saving.in_memory({"a": [found.estimator._X]})["a"][0]) is np.ndarray


def test_another_process_loads_it(file, simple):
    code = "import sys, pywbms; print(pywbms.load(sys.argv[1]).labels.tolist())"
    done = subprocess.run([sys.executable, "-c", code, file], capture_output=True, text=True)
    assert done.stdout.strip() == str(simple.labels.tolist())


def test_a_result_made_from_a_fitted_estimator_has_its_names(tmp_path):
    df, _ = datasets.data1(random_state=0)
    model = WBMS(**GIVEN, init=np.arange(1.0, 33.0)).fit(df)
    kept = np.ones(len(df), dtype=bool)
    result = pywbms.WBMSResult(model, df.index, df.columns, kept, "raise")
    found = saved_and_loaded(result, tmp_path / "model.wbms")
    same_result(found, result)
    assert found.estimator.predict(df).tolist() == model.labels_.tolist()


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers(), inner),
    )
)  # fmt: skip
def test_nested_values_come_back(value, tmp_path_factory):
    path = Path(tmp_path_factory.getbasetemp(), "nested.wbms")
    container.write(path, "example", 1, {"value": encode(value)})
    found = decode(container.read(path, "example", 1)["value"])
    assert found == value
    assert repr(found) == repr(value)
