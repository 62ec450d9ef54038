"""Fixtures and settings shared by all tests."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

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
