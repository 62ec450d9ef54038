"""Gaussian clouds for the tests of Theorems 4 and 5."""

import numpy as np
from hypothesis import strategies as st
from problems import log_uniform


@st.composite
def deviations(draw, max_features=4, spread=10.0):
    """Standard deviations of like size, and that size."""
    size = draw(log_uniform(1e-6, 1e6))
    ratios = draw(st.lists(log_uniform(1.0, spread), min_size=1, max_size=max_features))
    return size * np.array(ratios), size


def wide(frame, column):
    """One row per iteration, one column per feature."""
    return frame.pivot(index="iteration", columns="feature", values=column).to_numpy()
