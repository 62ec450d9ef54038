"""The R session of this process: the one that started Python, or one started by Python."""

import atexit
import os
import signal
import sys
import threading

from rbridge.install import HOW_TO_INSTALL, own_library
from rbridge.interrupts import c_handler, restore_c_handler

# R holds only a bare pointer to the dispatcher, so a reference must be kept here.
_kept = {}


def attach():
    """Make the R package ``wbms`` work in the R of this process, starting R if necessary.

    In an R session the package calls this itself. In a Python program that embeds R (with rpy2)
    it provides R code with the same functions, without a second Python.

    Returns
    -------
    rpy2.rinterface.SexpEnvironment
        The namespace of the R package: ``attach()["wbms"]`` is its function ``wbms``.

    Raises
    ------
    ImportError
        If rpy2 or the R package is not installed; the message says what to do.
    """
    ri = start_r()
    from rbridge import calls
    from rbridge.dispatch import dispatch

    namespace = wbms_namespace(ri)
    if "closure" not in _kept:
        _kept["closure"] = ri.rternalize(dispatch)
        calls.connect(namespace)
    namespace[".bridge"]["call"] = _kept["closure"]
    return namespace


def start_r():
    """Return rpy2's rinterface, connected to the running R or a new one.

    rpy2 installs Python's SIGINT handler and ends R when Python exits. In a session owned by R
    both are wrong, and are undone.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    handler, python_handler = c_handler(), signal.getsignal(signal.SIGINT)
    try:
        import rpy2.rinterface as ri
        from rpy2.rinterface_lib import embedded
    except ImportError as error:
        raise ImportError(
            f"the bridge to R needs rpy2 ({error}); "
            f"install it with: {sys.executable} -m pip install 'pywbms[r]'"
        ) from error
    owned_by_r = embedded.is_r_externally_initialized()
    if embedded.isinitialized():
        return ri
    try:
        ri.initr(interactive=None if owned_by_r else False)
    finally:
        if in_main_thread:
            if python_handler is not None:
                signal.signal(signal.SIGINT, python_handler)
            restore_c_handler(handler)
    if owned_by_r:
        atexit.unregister(ri.endr)
    return ri


def wbms_namespace(ri):
    """Return the namespace of the R package, also searching this environment's own library."""
    base = ri.baseenv
    library = own_library()
    loaded = "wbms" in base["loadedNamespaces"]()
    if os.path.isdir(library) and not loaded:
        known = list(base[".libPaths"]())
        if library not in known:
            base[".libPaths"](ri.StrSexpVector([library, *known]))
    if not base["requireNamespace"](ri.StrSexpVector(["wbms"]), quietly=ri.BoolSexpVector([True]))[
        0
    ]:
        raise ImportError(f"the R package wbms is not installed; {HOW_TO_INSTALL}")
    return base["asNamespace"](ri.StrSexpVector(["wbms"]))
