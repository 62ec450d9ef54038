"""The benchmark of steps of wide data measures what it says."""

import numpy as np
import pytest
from scipy.linalg.blas import dsyrk, dtrmm, ssyrk, strmm

from benchmarks import wide
from pywbms._core import mixtures
from pywbms._core.wide import square


@pytest.mark.parametrize(
    ("dtype", "trmm", "syrk", "rtol"),
    [(np.float64, dtrmm, dsyrk, 1e-12), (np.float32, strmm, ssyrk, 1e-4)],
)
def test_blas_does_the_same_pass(dtype, trmm, syrk, rtol):
    rng = np.random.default_rng(0)
    rows, away = rng.normal(size=(20, 1300)), np.eye(20) - rng.dirichlet(np.ones(20), size=20)
    columns, triangle = mixtures.transposed(rows), mixtures.triangle(away.T @ away)
    nothing, D, gram = np.zeros(1300), np.empty(1300), square(20)
    mixtures.summarize(columns, triangle, nothing, nothing, 4.0, 1, mixtures.workspace(20), D, gram)
    found = wide.by_blas(
        columns[:, :20].astype(dtype), triangle[:20, :20].astype(dtype), dtype(4), trmm, syrk
    )
    total = np.exp((D.min() - D) / 4).sum()
    np.testing.assert_allclose(
        np.tril(found.T) / total, np.tril(gram[:, :20]), rtol=rtol, atol=rtol * gram[0, 0]
    )


def test_both_tables_are_printed(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(wide, "SHAPES", ((12, 300),))
    rows = np.repeat(np.eye(4), 5, axis=0) + 0.1 * np.random.default_rng(0).normal(size=(20, 4))
    np.savez(tmp_path / "some.npz", X=rows, y=np.arange(20) // 5)
    assert wide.main(["--seconds", "0.01", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    (steps,) = [line for line in lines if line.startswith("12 x 300:")]
    assert len(steps.split(":")[1].split(",")) == 6
    (labels,) = [line for line in lines if line.startswith("some 20 x 4:")]
    assert "h = 0.05: 4 groups, 0 and 0 labels" in labels
