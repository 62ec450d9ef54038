"""Builds the Cython core; everything else is in pyproject.toml.

The core keeps to Python's limited API, so that one build serves every Python from 3.11 on.
"""

import os
import sysconfig
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SANITIZE = ["-O1", "-g1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined",
            "-fno-sanitize-recover=undefined"]  # fmt: skip


# Python without its global lock has no limited API yet: there, a build serves one version.
LIMITED_API = not sysconfig.get_config_var("Py_GIL_DISABLED")
OLDEST_PYTHON = (3, 11)  # as in pyproject.toml
API_VERSION = f"0x{OLDEST_PYTHON[0]:02X}{OLDEST_PYTHON[1]:02X}0000"


class BuildCore(build_ext):
    """build_ext that sets the compiler's options."""

    def finalize_options(self):
        """Compile as many modules at a time as there are cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        """Add the options, then build."""
        # Without debugging symbols: they cost a fifth of the time, and most of a wheel's size.
        options, linking = ["-O3", "-g0", "-pthread"], ["-pthread"]
        if wanted("PYWBMS_NO_THREADS"):
            print("pywbms: building a core without threads, as PYWBMS_NO_THREADS asks")
            options.append("-DPYWBMS_NO_THREADS")
        if wanted("PYWBMS_SANITIZE"):  # see tools/sanitize.py
            options, linking = [*options, *SANITIZE], [*linking, *SANITIZE]
        for extension in self.extensions:
            extension.extra_compile_args += options
            extension.extra_link_args += linking
            if LIMITED_API:
                extension.py_limited_api = True
                extension.define_macros.append(("Py_LIMITED_API", API_VERSION))
        super().build_extensions()

    def copy_extensions_to_source(self):
        """Put the modules beside their sources, in place of those of another kind of build.

        Python prefers ``shift.cpython-311-….so`` to ``shift.abi3.so``, however old it is.
        """
        super().copy_extensions_to_source()
        for extension in self.extensions:
            built = Path(self.get_ext_fullpath(extension.name))
            for path in built.parent.glob(f"{built.name.partition('.')[0]}.*.so"):
                if path.name != built.name:
                    path.unlink()


def wanted(variable):
    """Tell whether an environment variable asks for something."""
    return os.environ.get(variable, "0") not in ("", "0")


# Cython's code for memoryviews, once instead of per module: a third of the time to compile.
SHARED = "pywbms._core._cython"

TILE_LIBRARY = Extension(
    "pywbms._core.tiles",
    ["pywbms/_core/tiles.pyx", "pywbms/_core/simd/tile.c"],
    depends=["pywbms/_core/simd/tile.h", "pywbms/_core/simd/tile_impl.h"],
)

THREAD_POOL = Extension(
    "pywbms._core.pool",
    ["pywbms/_core/pool.pyx", "pywbms/_core/simd/thread_pool.c"],
    depends=["pywbms/_core/simd/thread_pool.h"],
)

setup(
    ext_modules=cythonize(
        [
            Extension(SHARED, [f"{SHARED.replace('.', '/')}.c"]),  # first, as it takes longest
            TILE_LIBRARY,
            THREAD_POOL,
            Extension("pywbms._core.*", ["pywbms/_core/*.pyx"]),
        ],
        shared_utility_qualified_name=SHARED,
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "initializedcheck": False,
            "cdivision": True,
            "auto_pickle": False,
        },
    ),
    cmdclass={"build_ext": BuildCore},
    options={"bdist_wheel": {"py_limited_api": "cp{}{}".format(*OLDEST_PYTHON)}}
    if LIMITED_API
    else {},
)
