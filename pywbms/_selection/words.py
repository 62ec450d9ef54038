"""Why a search has chosen what it has, in words."""


def reason(search, chosen):
    """Return in words why a candidate was chosen."""
    alike = [one.h for one in search.candidates.values() if one.agrees_with(chosen)]
    lowest, highest = min(alike), max(alike)
    found = f" The same clusters are found from h = {lowest:.3g} to {highest:.3g}."
    joined = (
        f" They are the {chosen.n_groups} groups of the fit, joined where the density between two "
        "of them does not dip."
    )
    return (
        f"The {chosen.k} clusters recur in random subsets of the rows (stability "
        f"{chosen.stability:.2f} of 1), predict held-out rows better than a single cloud, by "
        f"{chosen.refined:.2g} nats per row, and the density dips between them."
        + joined * (chosen.k < chosen.n_groups)
        + found * (lowest < highest)
    )


def no_clusters(search):
    """Return in words why there are no clusters."""
    best = search.likeliest()
    told = "no partition predicts held-out rows better than a single cloud"
    if best is not None:
        told = (
            f"the best partition (k = {best.k}) predicts held-out rows {best.surplus:.2g} nats "
            "per row better than a single cloud, and the deepest dip in density between two "
            f"clusters is {best.strength:.1f} standard errors; both together are too little"
        )
    elif any(one.scored for one in search.candidates.values()):
        told = "between the groups of every promising partition the density does not dip"
    return f"No clusters: {told}. All rows form one cluster."
