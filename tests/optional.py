"""Libraries that tests compare with and pywbms does not need."""

import importlib
import os

import pytest


def optional(name):
    """Return a library; without it the tests are skipped, but fail in CI."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if os.environ.get("CI"):
            raise
        pytest.skip(f"{name} is not installed", allow_module_level=True)
