"""The default values of the parameters of WBMS, as the command line uses and shows them."""

import inspect

from pywbms.estimator import WBMS


def default(name):
    """Return the default value of a parameter of WBMS.

    Examples
    --------
    >>> default("h")
    'auto'
    """
    return inspect.signature(WBMS).parameters[name].default
