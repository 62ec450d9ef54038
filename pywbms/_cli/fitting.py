"""A fit with progress on the terminal."""

import sys

from pywbms._engine.settings import Settings
from pywbms._terminal.progress import FitProgress
from pywbms.frame import wbms

SECONDS_BETWEEN_UPDATES = 0.1


def cluster(data, columns=None, **params):
    """Cluster as `wbms` does, and show progress if stderr is a terminal."""
    if not sys.stderr.isatty():
        return wbms(data, columns, **params)
    limits = {
        "warmup": params.get("warmup", Settings.warmup),
        "main": params.get("max_iter", Settings.max_iter),
    }
    budget = params.get("time_budget")
    with FitProgress(True, limits, SECONDS_BETWEEN_UPDATES, budget=budget) as progress:
        progress.show("starting …")
        result = wbms(data, columns, callback=progress.tell, **params)
    # A result can be copied and saved; a terminal cannot, so the result must not keep one.
    result.estimator.set_params(callback=None)
    return result


def model_parameters(args):
    """Return the parameters of `wbms` that the command line sets."""
    return {
        "h": args.h,
        "lam": args.lam,
        "init": args.init,
        "n_clusters": args.n_clusters,
        "na_action": args.na_action,
        "categories": args.categories,
        "weights": args.weights,
        "standardize": args.standardize,
        "max_iter": args.max_iter,
        "n_jobs": args.jobs,
        "random_state": args.seed,
        "time_budget": args.time_budget,
        "landmarks": args.landmarks,
    }
