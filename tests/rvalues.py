"""Access to the R of this process, for tests that run where Python embeds R."""


def r(code):
    """Evaluate R code in the R of this process."""
    import rpy2.rinterface as ri

    return ri.evalr(code)


def identical(found, code):
    """Return whether an R object is identical to the value of R code."""
    import rpy2.rinterface as ri

    return ri.baseenv["identical"](found, r(code))[0]


def address(x):
    from rpy2.rinterface_lib import openrlib

    return int(openrlib.ffi.cast("uintptr_t", x._R_GET_PTR(x.__sexp__._cdata)))


def elements(x):
    """Return an R list as a dict of R objects."""
    return dict(zip(x.names, x, strict=True))
