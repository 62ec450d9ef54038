"""Exactly k clusters, other partitions and layers: R has the numbers of Python."""

import textwrap
import warnings

import numpy as np
import pytest
import rsession
from rexchange import Exchange, same_bits
from rsession import made_once

from pywbms import datasets, wbms

# fixtures
r_library, r = rsession.r_library, rsession.r

CASES = {
    "tree": {"h": 0.05, "lam": 0.1, "n_clusters": 3},
    "stop": {"h": 0.05, "lam": 0.1, "n_clusters": 18},
    "one": {"h": 0.05, "lam": 0.1, "n_clusters": 1},
    "search": {"n_clusters": 3},
    "sum": {"lam_scale": "sum", "n_clusters": 6},
}
IN_R = """
    tree <- wbms(x, h = 0.05, lambda = 0.1, k = 3)
    stop <- wbms(x, h = 0.05, lambda = 0.1, k = 18)
    one <- wbms(x, h = 0.05, lambda = 0.1, k = 1)
    search <- wbms(x, k = 3)
    sum <- wbms(x, lambda_scale = "sum", k = 6)
    for (name in c("tree", "stop", "one", "search", "sum")) put(unclass(get(name)), name)
    given <- wbms(x, h = 0.05, lambda = 0.1)
    free <- wbms(x, lambda_scale = "sum")
    put(layers(given), "layers_given"); put(layers(free), "layers_free")
    put(unclass(at(given, 2)), "at_given"); put(unclass(at(free, 4)), "at_free")
    put(unclass(at(free, 4)), "at_tree")
    tree <- as.hclust(wbms(blob, h = 0.5, lambda = 0.1, tree = TRUE))
    put(sapply(1:60, function(k) cutree(tree, k)), "cuts")
    theory <- wbms_theory(stop)
    put(theory$holds, "holds")
    error <- function(code) tryCatch(code, error = conditionMessage)
    put(c(
      error(wbms(x, h = 0.05, lambda = 0.1, k = 4)), error(at(given, 4)), error(wbms(x, k = 1.5)),
      error(wbms_select(x, k = 0)), error(at(given)), error(at(given, "a")), error(layers(given, 3))
    ), "errors")
"""


def table():
    return datasets.simulation1(5, random_state=0)[0]


def blob():
    return np.random.default_rng(0).normal(size=(60, 3))


@pytest.fixture(scope="session")
def from_r(r_library, tmp_path_factory):
    def make(folder):
        exchange = Exchange(folder)
        code = [
            textwrap.dedent(Exchange.IN_R),
            f"x <- {exchange.put(table().to_numpy(), 'x')}",
            f"blob <- {exchange.put(blob(), 'blob')}",
            textwrap.dedent(IN_R),
        ]
        rsession.run_r(r_library, "\n".join(code), folder)

    return Exchange(made_once(tmp_path_factory, "partitions", make))


def same_fit(from_r, name, result):
    model = result.estimator
    same_bits(from_r[f"{name}-cluster"], model.labels_.astype(np.int32) + 1)
    same_bits(from_r[f"{name}-centers"], model.cluster_centers_)
    same_bits(from_r[f"{name}-weights"], model.feature_weights_)
    same_bits(from_r[f"{name}-modes"], model.modes_)
    same_bits(from_r[f"{name}-h"], model.h_)
    same_bits(from_r[f"{name}-lambda"], model.lam_)
    same_bits(from_r[f"{name}-iter"], model.n_iter_)
    assert from_r[f"{name}-reached_by"] == [model.reached_by_]


@pytest.mark.parametrize("name", CASES)
def test_exactly_k(name, from_r):
    result = wbms(table(), **CASES[name])
    same_fit(from_r, name, result)
    (told,) = from_r[f"{name}-reached"]
    assert f"n_{told}".replace("n_k", "n_clusters") in repr(result)


def test_other_partitions(from_r):
    given = wbms(table(), h=0.05, lam=0.1)
    free = wbms(table(), lam_scale="sum")
    same_fit(from_r, "at_given", given.at(2))
    same_fit(from_r, "at_free", free.at(4))
    same_fit(from_r, "at_tree", free.at(4))


@pytest.mark.parametrize("kind", ["given", "free"])
def test_layers(kind, from_r):
    params = {"h": 0.05, "lam": 0.1} if kind == "given" else {"lam_scale": "sum"}
    layers = wbms(table(), **params).layers.rename(columns={"lam": "lambda"})
    assert from_r.names(f"layers_{kind}-") == set(layers)
    for name, column in layers.items():
        found = from_r[f"layers_{kind}-{name}"]
        if name == "source":
            assert found == column.tolist()
        else:
            same_bits(found, column.to_numpy())


def test_cutree_and_fcluster_agree(from_r):
    from scipy.cluster.hierarchy import fcluster

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tree = wbms(blob(), h=0.5, lam=0.1, tree=True).tree
    cuts = from_r["cuts"].reshape(60, 60)
    for k in range(1, 61):
        found, expected = cuts[k - 1], fcluster(tree, k, "maxclust")
        assert len(np.unique(np.stack([found, expected]), axis=1).T) == k == found.max()


def test_theory_of_a_stopped_fit(from_r):
    assert from_r["holds"].all()


def test_errors_name_the_argument_of_r(from_r):
    none, no_level, *others = from_r["errors"]
    assert none == (
        "k = 4: no partition that was tried has exactly 4 clusters; the nearest have 3 and 5"
    )
    assert no_level.startswith("k = 4: no candidate and no level of a tree has so many clusters")
    assert others == [
        "'k' must be a whole number of at least 1, not 1.5",
        "'k' must be a whole number of at least 1, not 0",
        "'k' is missing: give the number of clusters",
        "'k' must be a whole number of at least 1, not \"a\"",
        "unknown argument: '(without a name)'; see ?at",
    ]
