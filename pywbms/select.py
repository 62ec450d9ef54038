"""Choosing h and lam from the data alone.

A pair (h, lam) is good if its clusters are stable, and if they foretell where further rows lie
better than a single cloud does. Both are measured on random subsets of the rows: *stability* is
the mean adjusted Rand index between the clustering of all rows and those of the subsets, *gain*
the mean log density, in nats a row, that the clusters of a subset win over the best single cloud
(correlated, skewed and heavy-tailed as need be) on the rows left out. If stability × gain stays
below 0.1 everywhere, the data have no clusters to speak of, and h is taken so large that all rows
are one. Of the others the pair with the best *score* is chosen: ``stability × screened / k^(1/4)``,
where *screened* is the same gain between two halves of the rows, the clusters being those of all
rows. It takes no further fit, so that it also says early which pairs are worth judging, and does
not suffer from a subset that happens to settle elsewhere.
"""

from dataclasses import dataclass, field
from numbers import Real

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from pywbms._data.checks import (
    check_parameters,
    generator,
    numeric_frame,
    positive,
    require_finite,
    require_integer,
    require_squarable,
)
from pywbms._data.ordering import row_order
from pywbms._data.standardize import mean_variance, varying_columns
from pywbms._data.wording import counted
from pywbms._machine.threads import number_of_threads
from pywbms._selection.search import (
    LEAST_EVIDENCE,
    MOST_RIVALS,
    NEARLY_AS_GOOD,
    SAME,
    Pair,
    Search,
    labels_and_weights,
)
from pywbms._terminal.line import Line

__all__ = ["Selection", "select"]

# More rows are not needed to choose a pair, and cost their square.
MOST_ROWS = 2000
LEAST_ROWS = 10
N_SUBSETS = 4
# In answer to data without clusters: on z-scores all rows mostly meet at this h.
SURELY_ONE, USUAL_LAM, MOST_DOUBLINGS = 1.0, 0.1, 20


@dataclass(frozen=True)
class Selection:
    """How h and lam were chosen.

    Attributes
    ----------
    h, lam : float
        The pair; lam is on the mean scale.
    n_clusters : int
        Number of clusters at the pair, in the rows that were looked at.
    table : DataFrame
        A row a pair that was tried: h, lam; k, the number of clusters; judged, whether subsets
        were clustered with it; screened, the gain in log density between two halves of the rows;
        stability, gain and score, 0 where not judged; chosen.
    alternatives : DataFrame
        The best pair of each other partition that scores nearly as well: h, lam, k, stability,
        gain, score, and share, the score over that of the chosen pair.
    explanation : str
        Why the pair was chosen, in words.
    complete : bool
        Whether the search came to its end.
    n_fits : int
        How many fits it took.
    n_rows : int
        How many rows were looked at.
    """

    h: float
    lam: float
    n_clusters: int
    table: pd.DataFrame = field(repr=False)
    alternatives: pd.DataFrame = field(repr=False)
    explanation: str
    complete: bool
    n_fits: int
    n_rows: int

    @property
    def certain(self):
        """Whether no other partition scores nearly as well."""
        return self.complete and self.alternatives.empty

    @property
    def note(self):
        """What to bear in mind about the choice; an empty text if there is nothing."""
        lines = []
        if not self.complete:
            lines.append(
                f"The search for h and lam was ended after {counted(self.n_fits, 'fit')}: "
                "there may be better pairs."
            )
        if not self.alternatives.empty:
            lines.append("The choice of h and lam is uncertain. Nearly as good:")
            lines += [
                f"  k = {row.k} at h = {row.h:.4g}, lam = {row.lam:.4g} "
                f"({row.share:.0%} of the score, stability {row.stability:.2f})"
                for row in self.alternatives.itertuples()
            ]
        return "\n".join(lines)

    def __str__(self):
        lines = [
            f"h = {self.h:.4g}, lam = {self.lam:.4g}: {counted(self.n_clusters, 'cluster')} in "
            f"{counted(self.n_rows, 'row')} ({counted(len(self.table), 'pair')} tried, "
            f"{counted(self.n_fits, 'fit')})",
            self.explanation,
        ]
        return "\n".join([*lines, *([self.note] if self.note else [])])


def select(
    X, h=None, lam=None, n_subsets=N_SUBSETS, random_state=0, n_jobs=None, *,
    verbose=False, callback=None, client=None, **params,
):  # fmt: skip
    """Choose h and lam from the data alone.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n, p)
        Finite numbers. Of more than 2,000 rows, a random 2,000 are looked at. Of a Dask array or
        DataFrame only these leave its workers.
    h, lam : float or sequence of float, optional
        A value to keep, or values to choose from. By default the search finds its own: lam on a
        fixed grid, h from where all rows are one cluster down to where there are more than a
        quarter as many clusters as rows, both more finely around the best pair. lam is on the
        mean scale.
    n_subsets : int, default 4
        Random subsets of 80 % of the rows on which a promising pair is judged.
    random_state : int, numpy.random.Generator or None, default 0
        Source of the random subsets. The same number gives the same choice, for any order of
        the rows and any `n_jobs`.
    n_jobs : int, optional
        Fits at a time, counted as in joblib (None: 1, −1: all).
    verbose : bool, default False
        Show progress on a terminal.
    callback : callable, optional
        Called after each fit with the number of fits so far and the number of clusters it found;
        returning True ends the search. So does Ctrl-C. Either way, what was found so far counts.
    client : distributed.Client, optional
        The fits are independent tasks on its Dask cluster (`pywbms.distributed`). The choice is
        the same.
    **params
        Parameters of `WBMS` that the fits are to have, such as ``standardize``.

    Returns
    -------
    Selection

    Examples
    --------
    >>> from pywbms import datasets
    >>> from pywbms.select import select
    >>> X, truth = datasets.data1(random_state=0)
    >>> choice = select(X)
    >>> choice.n_clusters, choice.certain
    (2, True)
    >>> noise = X[["x11", "x12", "x13", "x14", "x15"]]
    >>> print(select(noise).explanation)
    No clusters: ...
    """
    from pywbms.estimator import WBMS  # which uses this module, as frame does
    from pywbms.frame import as_frame

    model = WBMS(**params)
    check_parameters(model)
    if type(X).__module__.partition(".")[0] == "dask":
        from pywbms.distributed import sample  # which loads dask: whoever has such data has it

        random_state = generator(random_state)
        X = sample(X, client, random_state, model.standardize)
    frame = numeric_frame(as_frame(X))
    matrix = frame.to_numpy()
    require_finite(matrix, frame.columns)
    if not model.standardize:
        require_squarable(matrix, frame.columns)
    run = None
    if client is not None:
        from pywbms.distributed import grid  # which loads dask

        run = grid(client)
    with Line(verbose) as line:

        def report(n_fits, k):
            line.show(f"choosing h and lam: fit {n_fits}, {counted(k, 'cluster')}")
            return callback is not None and callback(n_fits, k) is True

        return choose(
            matrix, values("h", h), values("lam", lam), model.fit_settings(),
            n_subsets=require_integer("n_subsets", n_subsets, least=2),
            random_state=random_state, n_jobs=number_of_threads(n_jobs), report=report,
            keep_on_interrupt=True, run=run,
        )  # fmt: skip


def values(name, given):
    """Return the values to try as a sorted list, or None if the search is to find its own."""
    if given is None:
        return None
    tried = [given] if isinstance(given, Real) else list(given)
    if not tried or not all(map(positive, tried)):
        raise ValueError(f"{name} must be a positive number, several of them, or None: {given!r}")
    return sorted({float(value) for value in tried})


def choose(
    X, h, lam, settings, *, n_subsets=N_SUBSETS, random_state=0, n_jobs=1,
    report=lambda *_: False, keep_on_interrupt=False, run=None,
):  # fmt: skip
    """Choose among h and lam for a checked matrix; see `select`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    h, lam : list of float or None
    settings : dict
        Parameters of `fit.fit` without h and lam.
    n_subsets, random_state, n_jobs
        As in `select`.
    report : callable
        Called after each fit; returning True ends the search.
    keep_on_interrupt : bool
        Whether Ctrl-C ends the search and is forgotten, if there is anything to keep.
    run : callable, optional
        Does the fits; see `Search`.
    """
    rng = generator(random_state)
    rows = X[:, varying_columns(X)]
    rows = rows[row_order(rows)] if rows.size else rows
    if len(rows) > MOST_ROWS:
        rows = rows[np.sort(rng.permutation(len(rows))[:MOST_ROWS])]
    unit = 1.0 if settings["standardize"] else mean_variance(rows)
    settings = {**settings, "lam_scale": "mean", "n_threads": 1}
    search = Search(rows, h, lam, unit, settings, n_subsets, rng, n_jobs, report, run)
    enough = len(rows) >= LEAST_ROWS and rows.size > 0
    if enough:
        try:
            search.run()
        except KeyboardInterrupt:
            if not (keep_on_interrupt and search.pairs):
                raise
    chosen = search.best()
    if chosen is None:
        why = no_clusters(search) if enough else f"Fewer than {LEAST_ROWS} rows that differ."
        chosen = one_cluster(search, X, h, lam, unit, settings)
        if chosen.k > 1:
            why += f" Yet with the values given the rows form {chosen.k} clusters at least."
    else:
        why = reason(search, chosen)
    return Selection(
        h=chosen.h,
        lam=chosen.lam,
        n_clusters=chosen.k,
        table=as_table(search.pairs.values(), chosen),
        alternatives=alternatives(search, chosen),
        explanation=why,
        complete=search.complete or not enough,
        n_fits=search.n_fits,
        n_rows=len(rows),
    )


def reason(search, chosen):
    """Return in words why a pair was chosen."""
    alike = [
        pair
        for pair in search.pairs.values()
        if adjusted_rand_score(pair.labels, chosen.labels) >= SAME
    ]
    lowest, highest = min(pair.h for pair in alike), max(pair.h for pair in alike)
    found = f"The same clusters are found from h = {lowest:.3g} to {highest:.3g}."
    return (
        f"The {chosen.k} clusters come back in subsets of the rows (stability "
        f"{chosen.stability:.2f} of 1) and foretell the rows left out better than a single cloud "
        f"does, by {chosen.gain:.2g} nats a row." + f" {found}" * (lowest < highest)
    )


def no_clusters(search):
    """Return in words why there are no clusters."""
    judged = [pair for pair in search.pairs.values() if pair.judged]
    best = max(judged, key=lambda pair: pair.evidence, default=None)
    told = "no partition foretells rows left out better than a single cloud does"
    if best is not None and best.evidence > 0:
        told = (
            f"the best partition (k = {best.k}) has a stability of {best.stability:.2f} and "
            f"foretells rows left out by {best.gain:.2g} nats a row better than one cloud; their "
            f"product would have to be {LEAST_EVIDENCE:g}"
        )
    return f"No clusters: {told}. All rows are one."


def one_cluster(search, X, h, lam, unit, settings):
    """Return a pair at which all rows are one cluster, or as near to that as h and lam allow."""
    usual = USUAL_LAM * unit if lam is None else lam[len(lam) // 2]
    if h is not None:
        pairs = search.pairs.values() or search.fit_pairs([(h[-1], usual)])
        return min(pairs, key=lambda pair: (pair.k, -pair.h, abs(np.log(pair.lam / usual))))
    high = max([SURELY_ONE * unit, *(pair.h for pair in search.pairs.values())])
    for _ in range(MOST_DOUBLINGS):
        pair = Pair(high, usual, *labels_and_weights(X, None, high, usual, settings))
        if pair.k == 1:
            break
        high *= 2
    search.pairs[pair.h, pair.lam] = pair
    return pair


def alternatives(search, chosen):
    """Return a table of the other partitions that score nearly as well as the chosen one."""
    judged = [pair for pair in search.pairs.values() if pair.evidence >= LEAST_EVIDENCE]
    distinct = []
    for pair in sorted(judged, key=lambda pair: -pair.score):
        if pair.score >= NEARLY_AS_GOOD * chosen.score and all(
            adjusted_rand_score(pair.labels, other.labels) < SAME for other in [chosen, *distinct]
        ):
            distinct.append(pair)
    columns = ["h", "lam", "k", "stability", "gain", "score"]
    table = pair_table(distinct[:MOST_RIVALS], columns)
    table["share"] = table["score"] / (chosen.score or 1.0)
    return table


def as_table(pairs, chosen):
    """Return all pairs, lam by lam, as a table."""
    pairs = sorted(pairs, key=lambda pair: (pair.lam, pair.h))
    columns = ["h", "lam", "k", "judged", "screened", "stability", "gain", "score"]
    table = pair_table(pairs, columns)
    table["chosen"] = [pair is chosen for pair in pairs]
    return table


def pair_table(pairs, columns):
    """Return attributes of pairs as a table, typed even if it is empty."""
    rows = [[getattr(pair, name) for name in columns] for pair in pairs]
    kinds = {"k": int, "judged": bool}
    return pd.DataFrame(rows, columns=columns).astype(
        {name: kinds.get(name, float) for name in columns}
    )
