"""Weighted Blurring Mean Shift: clusters, how many there are, and which features matter."""

from pywbms._version import __version__
from pywbms.estimator import WBMS
from pywbms.frame import wbms
from pywbms.result import WBMSResult
from pywbms.storage import load

__all__ = ["WBMS", "WBMSResult", "__version__", "load", "wbms"]
