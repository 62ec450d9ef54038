"""Files of fits work in both directions between R and Python, to the last bit."""

import numpy as np
import pandas as pd
import pytest
import rsession
from rexchange import Exchange, same_bits
from stored import same_result

import pywbms
from pywbms import WBMS, WBMSResult, datasets, wbms
from pywbms._data import container
from pywbms._viz.embedding import embed

# fixtures
r_library, r = rsession.r_library, rsession.r

GIVEN = {"h": 0.1, "lam": 0.05}


def table():
    """Three clusters, an outlier, a repeated column, a constant one."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 5)) + 6 * rng.integers(3, size=(60, 1)) * [1, 1, 0, 0, 0]
    X[:, 3] = 2.54 * X[:, 0]
    X[:, 4] = 7.0
    X[5] = 1e4
    return pd.DataFrame(X, columns=["a", "ü", "c", "d", "e"])


CASES = {
    "given": GIVEN,
    "chosen": {},
    "sum scale": {"lam_scale": "sum"},
    "path and tree": {**GIVEN, "record_path": True, "tree": True},
    "start": {**GIVEN, "init": [0.5, 0.1, 3.0, 0.0, 1.0], "standardize": True},
    "short": {**GIVEN, "max_iter": 2, "standardize": False},
    "outliers": {**GIVEN, "outliers": "label", "tree": True},
    "weights": {**GIVEN, "outliers": "label", "weights": [1.0, 2.5, 0.0] * 20},
}
IN_R = {"lam": "lambda", "lam_scale": "lambda_scale"}


def call_in_r(params):
    def text(value):
        if isinstance(value, list):
            return f"c({', '.join(map(text, value))})"
        return str(value).upper() if isinstance(value, bool) else repr(value)

    given = [f"{IN_R.get(name, name)} = {text(value)}" for name, value in params.items()]
    return f"wbms({', '.join(['x', *given])})"


def clusters_in_r(labels):
    """Return labels as R has them: from 1 on, NA for outliers."""
    return np.where(labels < 0, np.iinfo(np.int32).min, labels + 1)


@pytest.fixture(scope="module")
def folder(r_library, tmp_path_factory):
    """Files that R has written, what it has read from those of Python, and its numbers."""
    folder = tmp_path_factory.mktemp("files")
    df = table()
    exchange = Exchange(folder)
    code = [Exchange.IN_R, f"x <- {exchange.put(df.to_numpy(), 'x')}"]
    code.append('colnames(x) <- c("a", "\\u00fc", "c", "d", "e"); options(warn = -1)')
    for number, params in enumerate(CASES.values()):
        with pytest.warns() if "max_iter" in params else rsession.contextlib.nullcontext():
            wbms(df, **params).save(folder / f"python{number}.wbms")
        code.append(
            f"""
            fit <- {call_in_r(params)}
            wbms_save(fit, "r{number}.wbms")
            stopifnot(identical(wbms_load("r{number}.wbms"), fit))
            other <- wbms_load("python{number}.wbms")
            own <- setdiff(names(fit), c("call", "state"))
            stopifnot(identical(unclass(other)[own], unclass(fit)[own]))
            stopifnot(identical(predict(other, x[20:1, ]), predict(fit, x[20:1, ])))
            wbms_save(other, "again{number}.wbms")
            put(fit[c("cluster", "weights", "modes", "centers")], "fit{number}")
            stopifnot(identical(membership(other), membership(fit)))
            put(membership(fit), "membership{number}")
            put(outlier_score(fit), "score{number}")
            put(predict(fit, x + 1), "predicted{number}")
            put(predict(fit, x + 1, type = "distance"), "distance{number}")
            """
        )
    rsession.run_r(r_library, "\n".join(code), folder)
    return folder


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_a_fit_of_r_is_the_result_of_python(case, folder):
    number = list(CASES).index(case)
    found = pywbms.load(folder / f"r{number}.wbms")
    # R fits an estimator to a table with names; `wbms` does not set these on the estimator.
    params = dict(CASES[case])
    weights = params.pop("weights", None)
    model = WBMS(**params).fit(table(), sample_weight=weights)
    expected = WBMSResult(model, pd.RangeIndex(60), table().columns, np.ones(60, bool), "raise")
    del found._r_fields
    same_result(found, expected)
    assert repr(found) == repr(expected)
    pd.testing.assert_series_equal(found.predict(table()), expected.labels)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_python_reads_back_what_r_has_read_from_python(case, folder):
    number = list(CASES).index(case)
    found = pywbms.load(folder / f"again{number}.wbms")
    del found._r_fields
    same_result(found, wbms(table(), **CASES[case]))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore")
def test_the_numbers_in_r_are_those_in_the_file(case, folder):
    number = list(CASES).index(case)
    found, exchange = pywbms.load(folder / f"r{number}.wbms"), Exchange(folder)
    same_bits(exchange[f"fit{number}-cluster"], clusters_in_r(found.labels))
    same_bits(exchange[f"fit{number}-weights"], found.weights)
    same_bits(exchange[f"fit{number}-modes"], found.modes)
    same_bits(exchange[f"fit{number}-centers"], found.centers)
    same_bits(exchange[f"predicted{number}"], clusters_in_r(found.predict(table() + 1)))
    same_bits(exchange[f"membership{number}"], found.membership)
    same_bits(exchange[f"score{number}"], found.outlier_score)
    same_bits(exchange[f"distance{number}"], found.transform(table() + 1))
    same_bits(exchange[f"distance{number}"], found.estimator.transform(table() + 1))


def test_rows_formulas_and_fields_survive_python(r, tmp_path):
    """R writes, Python reads and writes, R reads: names, omitted rows, formula and own fields."""
    r(
        """
        air <- airquality; rownames(air) <- paste("day", seq_len(nrow(air)))
        fit <- wbms(air[, 1:4], h = 0.1, lambda = 0.05, na.action = na.omit)
        fit$mine <- list(a = c(x = 1 / 3, y = NA), b = factor(c("u", "v")), c = -2L)
        wbms_save(fit, "rows.wbms")
        saveRDS(fit, "rows.rds")
        fit <- wbms(~ log(Sepal.Length) + poly(Petal.Width, 2) + Species, data = iris, h = 0.1,
                    lambda = 0.05)
        wbms_save(fit, "formula.wbms")
        saveRDS(fit, "formula.rds")
        """,
        tmp_path,
    )
    rows = pywbms.load(tmp_path / "rows.wbms")
    assert rows.labels.index[0] == "day 1"
    assert (rows.labels == -1).sum() == 42
    rows.save(tmp_path / "rows.wbms")
    formula = pywbms.load(tmp_path / "formula.wbms")
    assert formula.weights.index.tolist() == [
        "log(Sepal.Length)", "poly(Petal.Width, 2)1", "poly(Petal.Width, 2)2",
        "Species=setosa", "Species=versicolor", "Species=virginica",
    ]  # fmt: skip
    formula.save(tmp_path / "formula.wbms")
    r(
        """
        stopifnot(identical(wbms_load("rows.wbms"), readRDS("rows.rds")))
        found <- wbms_load("formula.wbms"); fit <- readRDS("formula.rds")
        some <- iris[c(3, 77, 140, 12), ]
        stopifnot(identical(predict(found, some), predict(fit, some)))
        stopifnot(identical(formula(found), formula(fit), ignore.environment = TRUE))
        rest <- setdiff(names(fit), "terms")
        stopifnot(identical(unclass(found)[rest], unclass(fit)[rest]))
        """,
        tmp_path,
    )


def test_row_names_of_python_are_texts_in_r(r, tmp_path):
    df, _ = datasets.data1(random_state=0)
    df = df.iloc[:20, :3]
    days = pd.date_range("2024-01-01", periods=20)
    pairs = pd.MultiIndex.from_product([["a", "b"], range(10)])
    for name, index in (("range", df.index), ("days", days), ("pairs", pairs)):
        wbms(df.set_axis(index), **GIVEN).save(tmp_path / f"{name}.wbms")
    r(
        """
        stopifnot(is.null(names(wbms_load("range.wbms")$cluster)))
        stopifnot(names(wbms_load("days.wbms")$cluster)[2] == "2024-01-02")
        stopifnot(names(wbms_load("pairs.wbms")$cluster)[11] == "b.0")
        """,
        tmp_path,
    )


def test_files_cannot_run_code_in_r(r, tmp_path):
    df, _ = datasets.data1(random_state=0)
    bad = {
        "call": {"call": "file.create('pwned')"},
        "value": {"mine": "file.create('pwned')"},
        "inside": {"mine": "list(a = c(1, (file.create)('pwned')))"},
        "formula": {"formula": "~ file.create('pwned')", "predvars": "list(x)", "classes": "c(1)"},
        "predvars": {"formula": "~ x", "predvars": "list(base::eval(x))", "classes": "c(1)"},
    }
    for name, fields in bad.items():
        result = wbms(df.iloc[:20, :3], **GIVEN)
        result._r_fields = fields
        result.save(tmp_path / f"{name}.wbms")
    said = r(
        """
        invisible(wbms_load("call.wbms")) # parsed, not run
        for (name in c("value", "inside", "formula", "predvars")) {
          failed <- tryCatch(wbms_load(paste0(name, ".wbms")), wbms_error = conditionMessage)
          cat(failed, "\n")
        }
        stopifnot(!file.exists("pwned"))
        """,
        tmp_path,
    )
    assert said.count("which a file cannot hold") == 4


def test_damaged_newer_and_foreign_files_are_classed_errors(r, tmp_path):
    df, _ = datasets.data1(random_state=0)
    result = wbms(df.iloc[:20, :3], **GIVEN)
    result.save(tmp_path / "whole.wbms")
    content = bytearray((tmp_path / "whole.wbms").read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "flipped.wbms").write_bytes(content)
    (tmp_path / "foreign.wbms").write_bytes(b"RDX3")
    stored = container.read(tmp_path / "whole.wbms", "result", 1)
    container.write(tmp_path / "newer.wbms", "result", 9, stored)
    said = r(
        """
        for (name in c("flipped", "foreign", "newer", "missing")) {
          cat(tryCatch(wbms_load(paste0(name, ".wbms")), wbms_error = conditionMessage), "\n")
        }
        """,
        tmp_path,
    )
    flipped, foreign, newer, missing = said.splitlines()
    assert "checksum" in flipped
    assert "was not written by pywbms" in foreign
    assert "format 9" in newer
    assert missing.startswith("there is no file ")


def test_the_embedding_is_that_of_python(r, tmp_path):
    """Not to the bit: R and NumPy decompose with different libraries."""
    result = wbms(table(), **GIVEN)
    result.save(tmp_path / "python.wbms")
    wide = wbms(table().T.set_axis([f"x{i}" for i in range(60)], axis=1), h=1.0, lam=1.0)
    wide.save(tmp_path / "wide.wbms")
    r(
        Exchange.IN_R
        + """
        for (name in c("python", "wide")) {
          put(wbms:::embedding_places(wbms_load(paste0(name, ".wbms"))), name)
        }
        """,
        tmp_path,
    )
    for name, expected in (("python", embed(result)), ("wide", embed(wide))):
        found = Exchange(tmp_path)
        for part, places in (("rows", expected.rows), ("centers", expected.centres)):
            np.testing.assert_allclose(
                found[f"{name}-{part}"], places.ravel(order="F"), rtol=1e-6, atol=1e-8
            )
        assert f"component 1, {expected.share[0]:.0%} of the variance" in found[f"{name}-labels"]
