"""Ctrl-C while R waits for Python.

R installs its own handler of SIGINT. For the length of one call the signal belongs to Python; the
handler raises KeyboardInterrupt only where that can do no harm. Elsewhere, above all inside rpy2,
whose book-keeping of R's objects an exception would break, it takes a note.
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


def c_handler():
    """Return the address of the process's handler of SIGINT, which may be none of Python's."""
    return _api.PyOS_getsig(signal.SIGINT)


def restore_c_handler(handler):
    """Make a handler that `c_handler` returned the process's again."""
    _api.PyOS_setsig(signal.SIGINT, handler)


def r_takes_note():
    """Tell whether R's handler has seen a signal that R has not dealt with yet."""
    return bool(ctypes.c_int.in_dll(ctypes.CDLL(None), "R_interrupts_pending").value)


class Interrupts:
    """SIGINT for the length of one call, as a context.

    Attributes
    ----------
    pending : bool
        Whether the signal has come.
    r_handles : bool
        Whether it belongs to R outside of the call, and not to a Python that embeds R.
    """

    def __init__(self):
        self.pending = False
        self._may_raise = False
        self._over = False
        self.r_handles = False
        # Python lets only its main thread set handlers, and sends signals to no other.
        self._ours = threading.current_thread() is threading.main_thread()

    def __enter__(self):
        if self._ours:
            self._before = c_handler()
            self._handler = no_longer_ours(signal.signal(signal.SIGINT, self._handle))
            self._while = c_handler()
            self.r_handles = self._before != self._while
            self._ask_r()
        return self

    def __exit__(self, *exception):
        self._may_raise = False
        if self.r_handles:
            # Not signal.signal: for a moment the handler would be neither R's nor ours, and a
            # signal that comes then would raise where nobody expects it. Python's own handler
            # stays ours, and passes on what comes later: see _handle.
            restore_c_handler(self._before)
            self._over = True
        elif self._ours:
            signal.signal(signal.SIGINT, self._handler)

    @contextmanager
    def raised(self):
        """Let the signal interrupt what runs in this context: code that knows nothing of R."""
        self.check()
        self._may_raise = True
        try:
            yield
        finally:
            self._may_raise = False

    @contextmanager
    def noted(self):
        """Hold the signal back for a moment, inside `raised`: for a call into R."""
        self._may_raise = False
        try:
            yield
        finally:
            self._may_raise = True
        self.check()

    @contextmanager
    def left_to_r(self):
        """Let R handle the signal for a while, inside `raised`: for R code of the user's."""
        with self.noted():
            if self.r_handles:
                restore_c_handler(self._before)
            try:
                yield
            finally:
                if self.r_handles:
                    restore_c_handler(self._while)
                    self._ask_r()

    def check(self):
        """Raise KeyboardInterrupt if the signal has come."""
        if self.pending:
            raise KeyboardInterrupt

    def _ask_r(self):
        """See whether a signal came while R's handler was there, which R has only taken note of."""
        if self.r_handles and r_takes_note():
            self.pending = True

    def _handle(self, signum, frame):
        if self._over:
            if callable(self._handler):
                self._handler(signum, frame)
            return
        self.pending = True
        if self._may_raise and not inside_rpy2(frame):
            self._may_raise = False  # a second signal must not break the way out
            raise KeyboardInterrupt


def no_longer_ours(handler):
    """Return the handler from before the calls that are over, whose own may still be there."""
    owner = getattr(handler, "__self__", None)
    return owner._handler if isinstance(owner, Interrupts) and owner._over else handler


def inside_rpy2(frame):
    """Tell whether a frame, or one that called it, up to our own, is rpy2's.

    Python may free an R object, which is rpy2's work, in the middle of anything.
    """
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name.startswith("rbridge"):
            return False
        if name.startswith("rpy2"):
            return True
        frame = frame.f_back
    return False
