"""Builds the Cython core; everything else is in pyproject.toml."""

import os
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

OPENMP_PROGRAM = "#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n"


class BuildCore(build_ext):
    """build_ext that asks the compiler whether it knows OpenMP; without it the core is serial."""

    def finalize_options(self):
        """Compile as many modules at a time as there are cores."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count()

    def build_extensions(self):
        """Add the flags that this compiler understands, then build."""
        unix = self.compiler.compiler_type == "unix"
        compile_flags, link_flags = self.openmp_flags()
        # Without debugging symbols: they cost a fifth of the time, and most of a wheel's size.
        optimize = ["-O3", "-g0"] if unix else []
        for extension in self.extensions:
            extension.extra_compile_args += [*optimize, *compile_flags]
            extension.extra_link_args += link_flags
        super().build_extensions()

    def openmp_flags(self):
        """Return (compile flags, link flags), both empty where OpenMP is absent or unwanted."""
        if os.environ.get("PYWBMS_NO_OPENMP", "0") not in ("", "0"):
            print("pywbms: building without OpenMP, as PYWBMS_NO_OPENMP asks")
            return [], []
        if self.compiler.compiler_type == "msvc":
            flags = (["/openmp"], [])
        else:
            flags = (["-fopenmp"], ["-fopenmp"])
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "probe.c")
            source.write_text(OPENMP_PROGRAM)
            try:
                objects = self.compiler.compile(
                    [str(source)], output_dir=folder, extra_postargs=flags[0]
                )
                self.compiler.link_executable(
                    objects, "probe", output_dir=folder, extra_postargs=flags[1]
                )
            except (CompileError, LinkError):
                print("pywbms: the compiler has no OpenMP; building a serial core")
                return [], []
        return flags


# Cython's code for memoryviews, once instead of per module: a third of the time to compile.
SHARED = "pywbms._core._cython"

TILE_LIBRARY = Extension(
    "pywbms._core.tiles",
    ["pywbms/_core/tiles.pyx", "pywbms/_core/simd/tile.c"],
    depends=["pywbms/_core/simd/tile.h", "pywbms/_core/simd/tile_impl.h"],
)

setup(
    ext_modules=cythonize(
        [
            Extension(SHARED, [f"{SHARED.replace('.', '/')}.c"]),  # first, as it takes longest
            TILE_LIBRARY,
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
)
