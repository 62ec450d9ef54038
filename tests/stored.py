"""Whether two results are the same to the last bit, whatever they hold."""

import dataclasses

import numpy as np
import pandas as pd


def same_value(found, expected, where="value"):
    """Assert that two values have the same type and the same bits, recursively."""
    if isinstance(expected, np.generic):
        expected = expected.item()
    assert type(found) is type(expected), (where, type(found), type(expected))
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        assert found.shape == expected.shape, where
        if expected.dtype == object:
            assert found.tolist() == expected.tolist(), where
        else:
            assert np.ascontiguousarray(found).tobytes() == expected.tobytes(), where
    elif isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
        for name in expected.select_dtypes("number"):
            same_value(found[name].to_numpy(), expected[name].to_numpy(), f"{where}[{name!r}]")
    elif isinstance(expected, pd.Series):
        same_value(found.to_frame(), expected.to_frame(), where)
    elif isinstance(expected, pd.Index):
        pd.testing.assert_index_equal(found, expected, exact=True)
    elif isinstance(expected, dict):
        assert list(found) == list(expected), where
        for name, value in expected.items():
            same_value(found[name], value, f"{where}.{name}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), where
        for i, (one, other) in enumerate(zip(found, expected, strict=True)):
            same_value(one, other, f"{where}[{i}]")
    elif dataclasses.is_dataclass(expected) or hasattr(expected, "__dict__"):
        assert vars(found).keys() == vars(expected).keys(), where
        for name, value in vars(expected).items():
            same_value(vars(found)[name], value, f"{where}.{name}")
    else:
        assert found == expected, (where, found, expected)


def same_result(found, expected):
    """Assert that a loaded result is the one that was saved, a callback aside.

    What was computed of them since need not be the same.
    """
    models = found.estimator, expected.estimator
    not_saved = [(model.callback, model._derived) for model in models]
    for model in models:
        model.callback, model._derived = None, {}
    try:
        same_value(found, expected, "result")
    finally:
        for model, values in zip(models, not_saved, strict=True):
            model.callback, model._derived = values
