"""The single function that R calls: it looks up the verb and returns the outcome as an R list.

No exception may escape, because rpy2 swallows exceptions that leave a function called by R. R gets
a list with a `kind`: ``ok`` (and a `value`), ``error`` (and the exception's classes, message and
traceback), ``interrupt`` or ``jump`` (R code that Python called is on its way elsewhere); and the
warnings. R turns them into conditions.
"""

import os
import traceback
import warnings
from contextlib import contextmanager

import rpy2.rinterface as ri

from pywbms._machine.threads import after_fork
from rbridge import calls, to_python, to_r, verbs
from rbridge.interrupts import Interrupts
from rbridge.ticks import Ticks

_process = {"id": os.getpid()}


class Call:
    """What a verb can use besides its arguments: interrupts, R's console, calls into R."""

    def __init__(self, interrupts):
        self._interrupts = interrupts
        self._ticks = Ticks(self._look_around)
        self._progress = None

    @contextmanager
    def interruptible(self):
        """Within this context Ctrl-C raises KeyboardInterrupt at once, and R is looked after."""
        with self._ticks.running(), self._interrupts.raised():
            yield

    def check(self):
        """Raise KeyboardInterrupt if Ctrl-C was pressed while it could not be raised."""
        self._interrupts.check()

    def say(self, text):
        """Write a line to R's console, where sink and knitr capture it."""
        with self._interrupts.noted():
            ri.baseenv["cat"](to_r.value(text + "\n"))

    def ask(self, function, argument):
        """Call an R function with one argument; return whether its value is TRUE.

        Its conditions reach the handlers of the R code that called Python.
        """
        with self._ticks.paused(), self._interrupts.left_to_r():
            return calls.call_r(function, to_r.value(argument))

    def show_progress(self, function, described):
        """From time to time, call an R function with what `described` returns unless it is None."""
        self._progress = function, described

    def _look_around(self):
        if not self._interrupts.may_raise:
            return
        self.ask(calls.look_around(), None)
        if self._progress is not None:
            function, described = self._progress
            state = described()
            if state is not None:
                self.ask(function, state)


def dispatch(verb, *arguments):
    """Call a verb with R objects and return a tagged R list."""
    if os.getpid() != _process["id"]:  # R forks (mclapply) without notifying Python
        _process["id"] = os.getpid()
        after_fork()
    # The result is converted while no signal can interrupt the conversion.
    with Interrupts() as interrupts:
        outcome = outcome_of(interrupts, verb, arguments)
        answer = to_r.value(outcome)
        if interrupts.pending and outcome["kind"] != "jump":
            answer = to_r.value({"kind": "interrupt", "r_handles": interrupts.r_handles})
    return answer


def outcome_of(interrupts, verb, arguments):
    """Call a verb and return the outcome."""
    caught = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            show_warnings_that_concern_users()
            found = verbs.VERBS[verb[0]](Call(interrupts), *map(to_python.value, arguments))
            outcome = {"kind": "ok", "value": to_r.value(found)}
    except calls.RJump:
        outcome = {"kind": "jump"}
    except KeyboardInterrupt:
        outcome = {"kind": "interrupt", "r_handles": interrupts.r_handles}
    except BaseException as error:
        outcome = failure(error)
    outcome["warnings"] = [str(warning.message).strip() for warning in caught]
    outcome["warning_classes"] = [warning.category.__name__ for warning in caught]
    return outcome


def show_warnings_that_concern_users():
    """Record every warning except those addressed to package authors."""
    warnings.simplefilter("always")
    for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter("ignore", category)


def failure(error):
    """Return the parts of an exception that R needs."""
    classes = [cls.__name__ for cls in type(error).__mro__ if cls is not object]
    return {
        "kind": "error",
        "classes": classes,
        "message": str(error).strip() or classes[0],
        "traceback": "".join(traceback.format_exception(error)),
    }
