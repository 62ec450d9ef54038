"""Random cases for the core, few of them; `make sanitize` runs many."""

import fuzz
import numpy as np
import pytest


@pytest.mark.parametrize("seed", range(12))
def test_invariants_hold(seed):
    fuzz.Case(seed).run()


def test_every_kind_of_data_is_drawn():
    assert {fuzz.Case(seed).kind for seed in range(60)} == set(fuzz.KINDS)


def test_what_breaks_an_invariant_is_told(monkeypatch, capsys):
    def broken(points, mass, weights, h, exclude_self, n_threads, out, near, *more):
        out[:], near[:] = np.nan, -1

    monkeypatch.setattr(fuzz, "shift", broken)
    assert fuzz.main(12) == 1
    out, err = capsys.readouterr()
    assert "AssertionError" in err
    assert "12 cases with" in out
