"""The one function that R calls: it finds the verb, and turns whatever happens into an R list.

Nothing may escape: rpy2 swallows an exception that leaves a function called by R. What R gets is a
list with a `kind`: ``ok`` (and a `value`), ``error`` (and the exception's classes, message and
traceback) or ``interrupt``; and the warnings there were. R makes conditions of them.
"""

import os
import traceback
import warnings

import rpy2.rinterface as ri
from rpy2.rinterface_lib.embedded import RRuntimeError

from pywbms._machine.threads import after_fork
from rbridge import to_python, to_r, verbs
from rbridge.interrupts import Interrupts

_process = {"id": os.getpid()}


class Call:
    """What a verb can do besides computing: run interruptibly, write to R's console, ask R."""

    def __init__(self, interrupts):
        self._interrupts = interrupts

    def interruptible(self):
        """Return a context in which Ctrl-C raises KeyboardInterrupt at once."""
        return self._interrupts.raised()

    def check(self):
        """Raise KeyboardInterrupt if Ctrl-C came at a moment when nothing could be raised."""
        self._interrupts.check()

    def say(self, text):
        """Write a line to R's console, where sink and knitr see it."""
        with self._interrupts.noted():
            ri.baseenv["cat"](to_r.value(text + "\n"))

    def ask(self, function, argument):
        """Call an R function that catches its own errors, with one argument; return its answer."""
        with self._interrupts.left_to_r():
            try:
                return to_python.value(function(to_r.value(argument)))
            except RRuntimeError:  # then R was interrupted; what rpy2 says is some older error
                raise KeyboardInterrupt from None


def dispatch(verb, *arguments):
    """Call a verb with R objects and return a tagged R list."""
    if os.getpid() != _process["id"]:  # R forks (mclapply) without telling Python
        _process["id"] = os.getpid()
        after_fork()
    # R gets an answer that was made while no signal could break into the making.
    with Interrupts() as interrupts:
        answer = to_r.value(outcome_of(interrupts, verb, arguments))
        if interrupts.pending:
            answer = to_r.value({"kind": "interrupt", "r_handles": interrupts.r_handles})
    return answer


def outcome_of(interrupts, verb, arguments):
    """Call a verb and return what happened."""
    caught = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            show_warnings_that_concern_users()
            found = verbs.VERBS[verb[0]](Call(interrupts), *map(to_python.value, arguments))
            outcome = {"kind": "ok", "value": to_r.value(found)}
    except KeyboardInterrupt:
        outcome = {"kind": "interrupt", "r_handles": interrupts.r_handles}
    except BaseException as error:
        outcome = failure(error)
    outcome["warnings"] = [str(warning.message).strip() for warning in caught]
    outcome["warning_classes"] = [warning.category.__name__ for warning in caught]
    return outcome


def show_warnings_that_concern_users():
    """Record every warning except those that speak to authors of packages."""
    warnings.simplefilter("always")
    for category in (DeprecationWarning, PendingDeprecationWarning, FutureWarning):
        warnings.simplefilter("ignore", category)


def failure(error):
    """Return what R needs of an exception."""
    classes = [cls.__name__ for cls in type(error).__mro__ if cls is not object]
    return {
        "kind": "error",
        "classes": classes,
        "message": str(error).strip() or classes[0],
        "traceback": "".join(traceback.format_exception(error)),
    }
