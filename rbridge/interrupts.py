"""Ctrl-C while R waits for Python.

R installs its own handler of SIGINT. During a call Python handles the signal; the handler raises
KeyboardInterrupt only where that is safe. Elsewhere, in particular inside rpy2, whose bookkeeping
of R's objects an exception would corrupt, it only sets a flag.
"""

import ctypes
import signal
import threading
from contextlib import contextmanager

_api = ctypes.pythonapi
_api.PyOS_getsig.restype = ctypes.c_void_p
_api.PyOS_getsig.argtypes = [ctypes.c_int]
_api.PyOS_setsig.restype = ctypes.c_void_p
_api.PyOS_setsig.argtypes = [ctypes.c_int, ctypes.c_void_p]


def os_handler(signum):
    """Return the address of the process's handler of a signal, which may not be Python's."""
    return _api.PyOS_getsig(signum)


def restore_os_handler(signum, handler):
    """Reinstall a handler that `os_handler` returned."""
    _api.PyOS_setsig(signum, handler)


def c_handler():
    """Return the address of the process's handler of SIGINT."""
    return os_handler(signal.SIGINT)


def restore_c_handler(handler):
    """Reinstall a handler that `c_handler` returned."""
    restore_os_handler(signal.SIGINT, handler)


def pending_in_r():
    """Return whether R's handler has received a signal that R has not handled yet."""
    return bool(ctypes.c_int.in_dll(ctypes.CDLL(None), "R_interrupts_pending").value)


class Interrupts:
    """A context that handles SIGINT during one call.

    Attributes
    ----------
    pending : bool
        Whether the signal has been received.
    r_handles : bool
        Whether R handles the signal outside the call, rather than a Python that embeds R.
    """

    def __init__(self):
        self.pending = False
        self._may_raise = False
        self._over = False
        self.r_handles = False
        # Python lets only its main thread set handlers, and delivers signals to no other.
        self._ours = threading.current_thread() is threading.main_thread()

    def __enter__(self):
        if self._ours:
            self._before = c_handler()
            self._handler = handler_before_ours(signal.signal(signal.SIGINT, self._handle))
            self._while = c_handler()
            self.r_handles = self._before != self._while
            self._ask_r()
        return self

    def __exit__(self, *exception):
        self._may_raise = False
        if self.r_handles:
            # Not signal.signal: for a moment the handler would be neither R's nor ours, and a
            # signal at that moment would raise in an unexpected place. Python's handler remains
            # ours and forwards later signals: see _handle.
            restore_c_handler(self._before)
            self._over = True
        elif self._ours:
            signal.signal(signal.SIGINT, self._handler)

    @contextmanager
    def raised(self):
        """Let the signal interrupt the code in this context, which must not call R."""
        self.check()
        self._may_raise = True
        try:
            yield
        finally:
            self._may_raise = False

    @contextmanager
    def noted(self):
        """Defer the signal for a moment, inside `raised`: for a call into R."""
        self._may_raise = False
        try:
            yield
        finally:
            self._may_raise = True
        self.check()

    @contextmanager
    def left_to_r(self):
        """Let R handle the signal for a while, inside `raised`: for the user's R code."""
        with self.noted():
            if self.r_handles:
                restore_c_handler(self._before)
            try:
                yield
            finally:
                if self.r_handles:
                    restore_c_handler(self._while)
                    self._ask_r()

    @property
    def may_raise(self):
        """Whether the code that runs may be interrupted."""
        return self._may_raise

    def check(self):
        """Raise KeyboardInterrupt if the signal has been received."""
        if self.pending:
            raise KeyboardInterrupt

    def _ask_r(self):
        """Check for a signal that R's handler has received but R has not handled yet."""
        if self.r_handles and pending_in_r():
            self.pending = True

    def _handle(self, signum, frame):
        if self._over:
            if callable(self._handler):
                self._handler(signum, frame)
            return
        self.pending = True
        if self._may_raise and not inside_rpy2(frame):
            self._may_raise = False  # a second signal must not interrupt the cleanup
            raise KeyboardInterrupt


def handler_before_ours(handler):
    """Return the handler from before finished calls, whose own handler may still be installed."""
    owner = getattr(handler, "__self__", None)
    return owner._handler if isinstance(owner, Interrupts) and owner._over else handler


def inside_rpy2(frame):
    """Return whether a frame, or one of its callers up to our own, belongs to rpy2.

    Python may free an R object, which rpy2 does, at any point.
    """
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("rbridge"):
            return False
        if name.startswith("rpy2"):
            return True
        frame = frame.f_back
    return False
