"""R's side of pywbms: the rpy2 bridge behind the R package ``wbms``.

The R package (its source is in ``rbridge/wbms``) starts Python inside the R session and imports
this package, which lets rpy2 attach to that R and hands it one function: the dispatcher. It serves
the other direction as well, for Python users who embed R: see `attach`.

This package and the R package are licensed under the GPL, version 2 or later, as rpy2 is; pywbms
itself never imports them.
"""

from rbridge.install import install
from rbridge.session import attach

__all__ = ["attach", "install"]
