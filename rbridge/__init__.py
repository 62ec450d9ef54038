"""The bridge to R: the Python side of the R package ``wbms``, built on rpy2.

The R package (its source is in ``rbridge/wbms``) starts Python inside the R session and imports
this package, which attaches rpy2 to that R and passes it one function: the dispatcher. The bridge
also works in the other direction, for Python users who embed R: see `attach`.

This package and the R package are licensed under the GPL, version 2 or later, like rpy2; pywbms
itself never imports them.
"""

from rbridge.install import install
from rbridge.session import attach

__all__ = ["attach", "install"]
