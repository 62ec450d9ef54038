"""The warning about fits that did not converge."""

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_if_not_converged(model, stacklevel):
    """Warn if neither the stop rule nor a callback has ended a fit."""
    if model.converged_ or model._interrupted:
        return
    last = model.history_.iloc[-1]
    warnings.warn(
        f"WBMS did not converge by the rule {model.stop!r} in max_iter={model.max_iter} "
        f"iterations ({last.groups} groups, largest move {last.movement:.2g}); the labels "
        "are those of the last one. A larger h or max_iter, or another eps, may help",
        ConvergenceWarning,
        stacklevel=stacklevel,
    )
