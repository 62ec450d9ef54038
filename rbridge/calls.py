"""Calls of R functions by Python, out of which R may jump.

rpy2 calls R functions at R's top level, where no handler of the caller is known. Here they are
called through a C function of the R package: messages, warnings, errors and restarts reach the
caller's handlers. If one of these jumps (`tryCatch`, `invokeRestart`, a time limit, Ctrl-C), the C
function returns, `RJump` is raised, and R goes on with the jump when Python has returned to it.
"""

import ctypes

from rpy2.rinterface_lib import openrlib

JUMPED = -1
_kept = {}


class RJump(BaseException):
    """R is on its way to one of the caller's handlers or restarts."""


def connect(namespace):
    """Find the C function, and the R function that looks after R, in the R package's namespace."""
    path = namespace["library_path"]()[0]
    ask = ctypes.PyDLL(path).wbms_ask  # PyDLL: R is only called by the thread that holds the lock
    ask.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    ask.restype = ctypes.c_int
    _kept["ask"] = ask
    _kept["look_around"] = namespace["look_around"]


def call_r(function, argument):
    """Call an R function with an R object; return whether its value is TRUE.

    Raises
    ------
    RJump
        If R is to go on elsewhere; R code must not be called before Python has returned to R.
    """
    answer = _kept["ask"](address(function), address(argument))
    if answer == JUMPED:
        raise RJump
    return bool(answer)


def look_around():
    """Return the R function that handles interrupts, time limits and events."""
    return _kept["look_around"]


def address(x):
    """Return the address of an R object."""
    return int(openrlib.ffi.cast("uintptr_t", x.__sexp__._cdata))
