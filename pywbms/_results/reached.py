"""How a result came by its number of clusters, in words."""

from pywbms._engine.tree_levels import first_iteration
from pywbms._terminal.wording import counted


def reached(model):
    """Return how a fit came by the number of clusters that was asked for; empty if none was.

    Parameters
    ----------
    model : WBMS
        Fitted.
    """
    k = model.n_clusters
    if k is None:
        return ""
    groups = counted(int(model.groups_.max()) + 1, "group")
    how = {
        "fit": f"the {groups} of the fit" if k > 1 else "the fit has one group",
        "join": f"{groups} of the fit, joined where the density between them does not dip",
        "stop": f"the fit as it is after {counted(model.n_iter_, 'iteration')}, later there are "
        "fewer",
    }
    if model.reached_by_ == "tree":
        how["tree"] = f"{groups} of the fit, merged as they meet after it ({when(model, k)})"
    return f"n_clusters = {k}: {how[model.reached_by_]}"


def when(model, k):
    """Return in words when there are k clusters, in iterations."""
    first = first_iteration(model.tree_, k)
    merge = len(model.labels_) - k - 1  # the last one before there are k
    word = "from" if model.tree_observed_[merge] else "predicted: from"
    return f"{word} iteration {first:,.0f}" if first < 1e6 else f"{word} iteration {first:.0e}"
