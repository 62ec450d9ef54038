"""Files and pickles as a version writes them: ``python tests/compat.py`` adds those of this one.

They go into ``fixtures/compat/VERSION`` and stay there for ever; later versions must read them.
Run it once per release, with the oldest allowed pandas: newer ones read what older ones pickle.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import pywbms
from pywbms import WBMS, wbms

FOLDER = Path(__file__).parent / "fixtures" / "compat"
GIVEN = {"h": 0.3, "lam": 0.1}


def table():
    """Make 36 rows in three clusters, with four columns; a row is named after its number."""
    rng = np.random.default_rng(19)
    values = rng.normal(size=(36, 4))
    values[:, :2] = 0.3 * values[:, :2] + 4.0 * np.repeat([[0, 0], [0, 1], [1, 0]], 12, axis=0)
    return pd.DataFrame(values, columns=list("abcd"), index=[f"row {i}" for i in range(36)])


def tables():
    """Return a table for each kind of result, and the arguments of its fit."""
    df = table()
    with_gap, with_outlier = df.copy(), df.copy()
    with_gap.iloc[3, 1] = np.nan
    with_outlier.iloc[5, :2] = 60.0
    return {
        "chosen": (df, {"tree": True, "record_path": True}),
        "omitted": (with_gap, {"na_action": "omit", **GIVEN}),
        "dated": (df.set_axis(pd.date_range("2026-01-01", periods=36, freq="D")), GIVEN),
        "categories": (
            df.assign(kind=np.repeat(["u", "v", "w"], 12)),
            {"categories": "indicators", "h": 0.1, "lam": 0.2},
        ),
        "weighted": (df, {"weights": np.linspace(0.5, 2.0, 36), **GIVEN}),
        "outliers": (with_outlier, {"outliers": "label", **GIVEN}),
    }


def models():
    """Return estimators, one fitted to a DataFrame, one to an array, one not at all."""
    df = table()
    return {
        "of a frame": WBMS(**GIVEN).fit(df),
        "of an array": WBMS.paper(1.5, 0.1).fit(df.to_numpy()),
        "unfitted": WBMS(h=0.5, stop="movement", n_jobs=2),
    }


def of_result(result, name):
    """Return what the result of this name must say, as plain data."""
    rows = tables()[name][0].dropna()
    numbers = rows.columns[:4]
    moved = rows.assign(**{column: rows[column] + 0.01 for column in numbers})
    return {
        "labels": result.labels.tolist(),
        "index": [str(label) for label in result.labels.index],
        "columns": result.weights.index.tolist(),
        "weights": result.weights.tolist(),
        "centers": result.estimator.cluster_centers_.tolist(),
        "n_clusters": result.n_clusters,
        "h": result.h,
        "lam": result.lam,
        "predicted": result.predict(moved).tolist(),
    }


def of_model(model):
    """Return what an estimator must say, as plain data."""
    said = {"params": model.get_params()}
    if hasattr(model, "labels_"):
        rows = table() if hasattr(model, "feature_names_in_") else table().to_numpy()
        said["labels"] = model.labels_.tolist()
        said["weights"] = model.feature_weights_.tolist()
        said["modes"] = model.modes_.tolist()
        said["predicted"] = model.predict(rows + 0.01).tolist()
    return said


def main(folder=FOLDER / pywbms.__version__):
    """Write the files, unless they are there."""
    folder.mkdir(parents=True)
    expected = {"results": {}, "models": {}}
    for name, (rows, arguments) in tables().items():
        result = wbms(rows, **arguments)
        result.save(folder / f"{name}.wbms")
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(result, protocol=4))
        expected["results"][name] = of_result(result, name)
    for name, model in models().items():
        path = folder / f"model {name}.pickle".replace(" ", "-")
        path.write_bytes(pickle.dumps(model, protocol=4))
        expected["models"][name] = of_model(model)
    text = json.dumps(expected, indent=1)
    (folder / "expected.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
