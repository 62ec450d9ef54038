"""Fixtures and settings shared by all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Test workers share the cores; threads that spin while they wait would take them from each other.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

SHARED = Path(__file__).resolve().parents[2] / "shared"

settings.register_profile(
    "pywbms", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("pywbms")


@pytest.fixture(scope="session")
def reference_folder():
    folder = SHARED / "reference"
    if not folder.is_dir():
        pytest.skip("the released code's outputs are not beside this clone (../shared/reference)")
    return folder


@pytest.fixture(scope="session")
def data_folder():
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the real data sets are not beside this clone (../shared/data)")
    return folder
