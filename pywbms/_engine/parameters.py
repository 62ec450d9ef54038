"""Parameters that other clusterers have, and what to use here."""

from difflib import get_close_matches

SMALL_CLUSTERS = (
    "there is no least size: clusters come out of h, which is larger for fewer and larger ones"
)
NUMBER = "use n_clusters=, or leave it out: the number of clusters comes out of the data"
ELSEWHERE = {
    "k": NUMBER,
    "n_components": NUMBER,
    "centers": NUMBER,
    "G": NUMBER,
    "n_groups": NUMBER,
    "min_cluster_size": SMALL_CLUSTERS,
    "min_samples": SMALL_CLUSTERS,
    "min_pts": SMALL_CLUSTERS,
    "minPts": SMALL_CLUSTERS,
    "bandwidth": "use h=, the square of a bandwidth on z-scores: the kernel is exp(−d²/h)",
    "gamma": "use h=, its inverse: the kernel is exp(−d²/h)",
    "sigma": "use h=: the kernel is exp(−d²/h), so that h is 2·sigma²",
    "lambda_": "use lam=",
    "lambda": "use lam=",
    "alpha": "use lam=, the strength of the entropy term of the feature weights",
    "seed": "use random_state=",
    "random_seed": "use random_state=",
    "n_init": "a fit is deterministic and needs no restarts; init= sets the weights at its start",
    "metric": "the distance is the Euclidean one with learned feature weights; transform the "
    "columns for another one",
    "affinity": "the distance is the Euclidean one with learned feature weights",
    "linkage": "use tree=True for the merge tree",
    "distance_threshold": "use tree=True and cut the tree with scipy.cluster.hierarchy.fcluster",
    "algorithm": "there is only one",
    "max_iterations": "use max_iter=",
    "n_iter": "use max_iter=",
    "max_eps": "use h=, the bandwidth; eps= is the distance at which points count as one",
    "scale": "use standardize=",
    "normalize": "use standardize=",
}


def require_known(params, known, function):
    """Raise a TypeError for parameters that there are not; it says what to use instead.

    Parameters
    ----------
    params : dict
    known : sequence of str
    function : str
        What the user has called.

    Examples
    --------
    >>> require_known({"bandwidth": 0.3}, ["h", "standardize"], "wbms")
    Traceback (most recent call last):
    TypeError: wbms() has no argument 'bandwidth': use h=, the square of a bandwidth ...
    >>> require_known({"standardise": True}, ["h", "standardize"], "wbms")
    Traceback (most recent call last):
    TypeError: wbms() has no argument 'standardise': did you mean 'standardize'?
    """
    for name in params:
        if name in known:
            continue
        told = ELSEWHERE.get(name)
        if told is None:
            meant = get_close_matches(name, known, 1)
            told = f"did you mean {meant[0]!r}?" if meant else "pywbms.WBMS has the list of them"
        raise TypeError(f"{function}() has no argument {name!r}: {told}")
