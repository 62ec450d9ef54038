"""The verbs that R can call, one function each, with Python values as arguments and results."""

import re
import sys
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list

import pywbms
from pywbms import datasets, theory
from pywbms._data.identifiers import warn_of_identifiers
from pywbms._data.masses import rows_stood_for
from pywbms._engine.settings import is_auto
from pywbms._engine.tree_levels import NoSuchPartition
from pywbms._results.other_partitions import Found, fit_at, layers_of
from pywbms._results.reached import reached
from pywbms._terminal.wording import counted
from pywbms.estimator import WBMS
from pywbms.select import select as select_pair
from pywbms.theory.gaussian import follow_sample
from pywbms.theory.refit import fit_with_path
from rbridge import storage
from rbridge.progress import FitProgressInR, with_lambda
from rbridge.soft_verbs import (
    describe,
    details,
    distances,
    membership,
    outlier_score,
    predict,
)  # fmt: skip
from rbridge.to_r import Named
from rbridge.values import (
    groups_for_python,
    integer_or_none,
    landmarks_for_python,
    named,
    names_of,
    start_for_python,
    values_or_none,
    vector_or_none,
)

FORMS = {"default": WBMS, "released": WBMS.released, "paper": WBMS.paper}


def fit(call, X, columns, form, params, verbose, callback, weights=None, show=None):
    """Cluster the rows of a matrix; see the R function ``wbms``."""
    columns = names_of(columns)
    params = for_python(params)
    progress = FitProgressInR(call, show)

    def after_iteration(state):
        call.check()
        progress.tell(state)
        if verbose:
            call.say(with_lambda(str(state)))
        return None if callback is None else call.ask(callback, described(state))

    h, lam = params.pop("h"), params.pop("lam")
    model = FORMS[form](h, lam, **params, callback=after_iteration)
    progress.limit(warmup=model.warmup, main=model.max_iter)
    with call.interruptible(), k_for_r():
        warn_of_identifiers(X, columns, params["indicators"])
        model.fit(pd.DataFrame(X, columns=columns), sample_weight=vector_or_none(weights))
    return fit_for_r(model, columns)


def fit_for_r(model, columns):
    """Return a fitted model as R keeps it."""
    return {
        "cluster": labels_for_r(model.labels_),
        "weights": pd.Series(model.feature_weights_, index=columns),
        "centers": Named(model.cluster_centers_, columns),
        "modes": Named(model.modes_, columns),
        "h": model.h_,
        "lambda": model.lam_,
        "init": pd.Series(model.init_, index=columns),
        "iter": model.n_iter_,
        "converged": model.converged_,
        "reached_by": model.reached_by_,
        "reached": with_k(reached(model)),
        "history": model.history_,
        "selection": renamed(model.selection_),
        "choice": choice_for_r(model, columns),
        "outliers": model.outliers_,
        "scale": pd.Series(model._standardizer.scale, index=columns),
        "path": Named(path_in_units(model), columns) if model.record_path else None,
        "tree": tree_for_r(model),
        "params": used(model),
        **details(model, columns),
        "row_weights": model.sample_weight_,
        "landmarks": landmarks_for_r(model.landmarks_),
        "state": storage.state_for_r(model),
    }


def at(call, X, columns, params, known, k):
    """Return a partition into k clusters, as a fit; see the R function ``at``."""
    columns = names_of(columns)
    with call.interruptible():
        return fit_for_r(fit_at(found_in_r(call, X, columns, params, known), int(k)), columns)


def layers(call, X, columns, params, known):
    """Return the partitions that live long; see the R function ``layers``."""
    with call.interruptible():
        return renamed(layers_of(found_in_r(call, X, names_of(columns), params, known)))


def found_in_r(call, X, columns, params, known):
    """Return a fit that R has kept."""

    def after_iteration(_):
        call.check()

    table = known["selection"]
    if table is not None:  # a column with one row arrives as a scalar
        table = {name: x if isinstance(x, list) else np.atleast_1d(x) for name, x in table.items()}
        table = pd.DataFrame(table).rename(columns={"lambda": "lam"})
    starts = {name: tuple(start_for_python(x)) for name, x in (known["starts"] or {}).items()}
    return Found(
        WBMS(**for_python(params), callback=after_iteration), pd.DataFrame(X, columns=columns),
        known["h"], known["lambda"], tuple(start_for_python(known["init"])), int(known["k"]),
        table, starts, vector_or_none(known["weights"]),
    )  # fmt: skip


def select(
    call,
    X,
    columns,
    h,
    lam,
    n_subsets,
    seed,
    n_jobs,
    params,
    verbose,
    callback,
    weights=None,
    show=None,
):
    """Choose h and lam for a matrix; see the R function ``wbms_select``."""
    columns = names_of(columns)
    params = {
        **params,
        "init": start_for_python(params["init"]),
        "indicators": groups_for_python(params.get("indicators")),
    }
    interrupted = False
    latest = None
    if show is not None:
        call.show_progress(show, lambda: latest and {"text": latest, "share": None})

    def after_fit(n_fits, k):
        nonlocal interrupted, latest
        try:
            call.check()
            latest = f"choosing h and lambda: fit {n_fits}, {counted(k, 'cluster')}"
            if verbose:
                call.say(latest)
            return callback is not None and call.ask(callback, {"fit": n_fits, "k": k}) is True
        except KeyboardInterrupt:
            interrupted = True
            raise

    with call.interruptible(), k_for_r():
        choice = select_pair(
            pd.DataFrame(X, columns=columns), values_or_none(h), values_or_none(lam),
            int(n_subsets), int(seed), integer_or_none(n_jobs), callback=after_fit,
            sample_weight=vector_or_none(weights), **params,
        )  # fmt: skip
    if interrupted:  # `select` returns the best so far, but in R an interrupted call has no value
        raise KeyboardInterrupt
    chosen = [name for name, x in (("h", h), ("lambda", lam)) if np.size(x) > 1 or x is None]
    return {"grid": renamed(choice.table), **described_choice(choice, chosen, columns)}


def save_fit(call, path, fit):
    """Write a fit to a file; see the R function ``wbms_save``."""
    storage.save(path, fit)


def report(call, path, fit, title):
    """Write a fit as an HTML page; see the R function ``wbms_report``."""
    with call.interruptible():
        storage.report(path, fit, title)


def load_fit(call, path):
    """Read a fit from a file; see the R function ``wbms_load``."""
    result = pywbms.load(path)
    found = storage.for_r(result)
    return {"fit": fit_for_r(result.estimator, found["data"].columns), **found}


def check_theory(
    call, X, columns, params, converged, phase, iteration, delta, verbose, weights=None
):
    """Check the theorems on a fit, which is repeated with its path recorded."""
    params = for_python(params)

    def after_iteration(state):
        call.check()
        if verbose:
            call.say(str(state))

    with call.interruptible():
        last = None if converged else (phase, iteration)
        frame = pd.DataFrame(X, columns=names_of(columns))
        model = fit_with_path(
            frame, params, last, after_iteration, sample_weight=vector_or_none(weights)
        )
        active = model._standardizer.active
        path = model.path_[..., active]
        moved = active.any() and len(path) > 1
        return {
            "checks": theory.check_all(model, delta=delta) if moved else theory.checks.as_table([]),
            "steps": theory.check_shrinking_hull(path) if moved else None,
        }


def gaussian_recursion(call, sigma, names, h, lam, n_iter):
    """Compute the recursion of Theorem 4, corrected."""
    with call.interruptible():
        return theory.gaussian_recursion(named(sigma, names), h, lam, int(n_iter))


def gaussian_sample(call, n, sigma, names, h, lam, n_iter, seed):
    """Compare a sample with Theorem 4."""
    with call.interruptible():
        return follow_sample(int(n), named(sigma, names), h, lam, int(n_iter), int(seed))


def convergence_order(call, s):
    """Estimate order and constant of a sequence."""
    if isinstance(s, dict):  # the result of gaussian_recursion
        # A column with one row arrives as a scalar, which pandas does not accept.
        columns = {key: x if isinstance(x, list) else np.atleast_1d(x) for key, x in s.items()}
        return theory.convergence_order(pd.DataFrame(columns))
    found = theory.convergence_order(np.atleast_1d(s))
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def limit_weights(call, sigma, names, lam):
    """Return the limit of the weights of a Gaussian cloud."""
    return theory.limit_weights(named(sigma, names), lam)


def entropy_weights(call, D, names, lam):
    """Return the weights of Theorem 1."""
    return theory.entropy_weights(named(D, names), lam)


def hull_distance(call, points, vertices, certificate):
    """Return distances to a convex hull, optionally with certificates."""
    with call.interruptible():
        found = theory.hull_distance(points, vertices, certificate=certificate)
    if not certificate:
        return found
    names = ("distance", "coefficients", "direction", "nearest")
    return {name: getattr(found, name) for name in names}


def dataset(call, name, arguments):
    """Draw one of the paper's simulated data sets."""
    whole = {"k", "p", "n", "n_noise_features", "random_state"}
    arguments = {key: int(x) if key in whole and x == int(x) else x for key, x in arguments.items()}
    X, truth = getattr(datasets, name)(**arguments)
    return {"x": X, "truth": labels_for_r(truth.to_numpy())}


def info(call):
    """Describe this Python."""
    return {
        "python": sys.executable,
        "version": sys.version.split()[0],
        "pywbms": pywbms.__version__,
        "numpy": np.__version__,
    }


VERBS = {
    verb.__name__: verb
    for verb in (
        fit, at, layers, select, predict, check_theory, gaussian_recursion, gaussian_sample,
        convergence_order, limit_weights, entropy_weights, hull_distance, dataset, info, distances,
        save_fit, load_fit, report, membership, outlier_score, describe,
    )
}  # fmt: skip


def labels_for_r(labels):
    """Return cluster labels numbered from 1."""
    return labels.astype(np.int32) + np.int32(1)


def tree_for_r(model):
    """Return the coalescence tree in the format of R's hclust, or None.

    There a row is minus its number and a merged cluster is the number of its merge, both counted
    from 1, and rows come before clusters.
    """
    if model.tree_ is None:
        return None
    n = len(model.tree_) + 1
    nodes = model.tree_[:, :2].astype(np.int32)
    leaves = leaves_list(model.tree_) if n > 1 else np.zeros(1, dtype=int)
    return {
        "merge": np.where(nodes < n, -nodes - 1, nodes - n + 1),
        "height": model.tree_[:, 2],
        "order": leaves.astype(np.int32) + np.int32(1),
        "observed": model.tree_observed_,
    }


def for_python(params):
    """Return parameters of `WBMS` from R with the types that they have in Python."""
    params = {
        **params,
        "n_jobs": integer_or_none(params.get("n_jobs")),
        "indicators": groups_for_python(params.get("indicators")),
    }
    if "landmarks" in params:
        params["landmarks"] = landmarks_for_python(params["landmarks"])
    return {**params, "init": start_for_python(params["init"])} if "init" in params else params


def landmarks_for_r(landmarks):
    """Return what there is to say of landmarks, as a dict; None without them."""
    return None if landmarks is None else {**vars(landmarks), "text": str(landmarks)}


def groups_for_r(groups, n_columns):
    """Return the category of each column, 0 for none, or None if there are no categories."""
    if not groups:
        return None
    category = np.zeros(n_columns, dtype=np.int32)
    for number, columns in enumerate(groups, start=1):
        category[list(columns)] = number
    return category


def described(state):
    """Return the state of a fit as a dict, for an R callback."""
    return {name: getattr(state, name) for name in state.__dataclass_fields__}


def used(model):
    """Return the parameters needed to repeat the fit; no start has to be searched for again."""
    left_out = ("h", "lam", "record_path", "tree", "n_clusters", "verbose", "callback")
    params = {k: v for k, v in model.get_params(deep=False).items() if k not in left_out}
    join = model.join
    if is_auto(join):
        join = model.choice_ is not None and model.choice_.join
    groups = groups_for_r(model.settings().indicators, model.n_features_in_)
    return {**params, "init": model.init_, "join": bool(join), "indicators": groups}


def with_k(text):
    """Return a text with R's name of the number of clusters."""
    return re.sub(r"\bn_clusters\b", "k", text)


@contextmanager
def k_for_r():
    """Say that there is no partition into k clusters with R's name of the argument."""
    try:
        yield
    except NoSuchPartition as error:
        raise ValueError(with_k(str(error))) from error


def renamed(selection):
    """Return the selection table with R's name for lam, or None."""
    return None if selection is None else selection.rename(columns={"lam": "lambda"})


def choice_for_r(model, columns):
    """Return how h and lam of a fit were chosen, with lam on the scale of the fit, or None."""
    choice = model.choice_
    if choice is None:
        return None
    n_rows = rows_stood_for(model.sample_weight_, len(model.labels_))
    scale = n_rows if model.lam_scale == "sum" else 1
    rivals = choice.alternatives.assign(lam=choice.alternatives["lam"] * scale)
    choice = replace(choice, h=model.h_, lam=model.lam_, alternatives=rivals)
    asked = (("h", model.h), ("lambda", model.lam))
    return described_choice(choice, [name for name, x in asked if isinstance(x, str)], columns)


def described_choice(choice, chosen, columns):
    """Return a `Selection` without its table, with R's names, and which parameters were chosen."""
    return {
        "h": choice.h,
        "lambda": choice.lam,
        "chosen": chosen,
        "k": choice.n_clusters,
        "start": choice.start,
        "init": pd.Series(choice.init, index=columns, dtype=float),
        "starts": {name: pd.Series(x, columns, dtype=float) for name, x in choice.starts.items()},
        "join": choice.join,
        "confidence": choice.confidence._asdict(),
        "certain": choice.certain,
        "complete": choice.complete,
        "reason": with_lambda(choice.explanation),
        "note": with_lambda(choice.note),
        "alternatives": renamed(choice.alternatives),
        "n_fits": choice.n_fits,
        "n_rows": choice.n_rows,
    }


def path_in_units(model):
    """Return the positions of the rows after each iteration, in the caller's units."""
    return model._standardizer.backward(model.path_[..., model._standardizer.active])
