"""The benchmarks of memberships and outlier scores measure what they say."""

import numpy as np
import pytest

from benchmarks import membership, outliers


def test_calibration_is_measured():
    rng = np.random.default_rng(0)
    largest = rng.uniform(0.5, 1, 20000)
    right = rng.uniform(size=20000) < largest
    assert membership.calibration_error(largest, right) < 0.01
    assert membership.calibration_error(largest, largest > 0) == pytest.approx(0.25, abs=0.01)
    shares = [line[1] for line in membership.reliability(largest, right)]
    assert sum(shares) == pytest.approx(1)


@pytest.mark.parametrize("kind", outliers.KINDS)
def test_contaminated_data_have_the_outliers_they_should(kind):
    X, outlier = outliers.contaminated(kind, np.random.default_rng(0))
    assert np.isfinite(X).all()
    if kind == "none":
        assert not outlier.any()
    else:
        assert 0.01 < outlier.mean() < 0.1
    clean, _ = outliers.contaminated("none", np.random.default_rng(0))
    assert X.shape == clean.shape


def test_other_scores_are_large_for_outliers():
    X, outlier = outliers.contaminated("far away", np.random.default_rng(0))
    for score in (outliers.lof_score, outliers.forest_score):
        values = score(X)
        assert np.median(values[outlier]) > np.median(values[~outlier])
