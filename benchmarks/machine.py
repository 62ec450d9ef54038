"""Description of the machine."""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from threadpoolctl import threadpool_info

from benchmarks import floor
from benchmarks.steps import cores

BUSY = 0.5


def info():
    """Return a dict that describes the machine for readers of the table."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    packages = ("pywbms", "numpy", "scipy", "scikit-learn")
    versions = [f"{name} {version(name)}" for name in packages]
    described = {
        "CPU": cpu_model(),
        "cores": f"{cores()} of {os.cpu_count()} usable",
        "BLAS": ", ".join(blas()),
        "exp": floor.EXP,
        "versions": ", ".join([f"Python {platform.python_version()}", *versions]),
        "load": f"{load:.2f}",
    }
    if load > BUSY:
        described["note"] = (
            "the machine was busy at the start: trust CPU times, not those of two threads"
        )
    return described


def cpu_model():
    """Return the processor's name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def blas():
    """Return the loaded BLAS libraries, each with the architecture of its kernels."""
    found = (
        f"{library['internal_api']} {library['version']} ({library.get('architecture', '?')})"
        for library in threadpool_info()
        if library["user_api"] == "blas"
    )
    return sorted(set(found))
