"""The choice of start, h and lam: from the search to a `Selection` that explains itself."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.checks import generator
from pywbms._data.ordering import row_order
from pywbms._data.standardize import mean_variance, without_outliers, working_columns
from pywbms._engine.start import require_init
from pywbms._machine.threads import one_blas_thread
from pywbms._selection.candidates import Candidate, candidate_table
from pywbms._selection.evidence import Confidence, expected_of_one_cluster
from pywbms._selection.n_clusters import Exactly, asked_for, way, ways_of
from pywbms._selection.notebook import as_html
from pywbms._selection.runner import SearchStopped, fit_candidate
from pywbms._selection.search import SearchSpace
from pywbms._selection.searching import LEAST_ROWS, search_of, worth_searching
from pywbms._selection.starts import all_columns, starts_for
from pywbms._selection.unit_rows import drawn_rows
from pywbms._selection.words import no_clusters, reason
from pywbms._terminal.wording import counted, duration

# More rows are not needed to choose a pair, and cost their square.
MOST_ROWS = 2000
TOO_FEW = f"Fewer than {LEAST_ROWS} rows, or no column that varies: all rows form one cluster."
N_SUBSETS = 4
# Where there are no clusters: on z-scores all rows mostly form one cluster at this h.
SURELY_ONE, USUAL_LAM, MOST_DOUBLINGS = 1.0, 0.1, 20


@dataclass(frozen=True)
class Selection:
    """How h, lam and the start of the weights were chosen.

    Attributes
    ----------
    h, lam : float
        The chosen pair; lam is on the mean scale.
    n_clusters : int
        Number of clusters, in the rows that were looked at.
    start : str
        Name of the start of the weights: "uniform", "marginal", …, or "given".
    init : tuple of float
        The weights at the start, one per column.
    join : bool
        Whether clusters of the fit between which the density does not dip are joined.
    confidence : Confidence
        Expected agreement with the truth, as a number and as a word.
    table : DataFrame
        One row per candidate that was tried: start, h, lam; k, the number of clusters of its fit;
        joined, their number when those without a dip in density between them are joined; judged,
        whether subsets were clustered with it; screened, the gain in log density between two
        halves of the rows; refined and surplus, the same with clusters of their own shapes, and
        over a cloud that may be bent; valley, the mean valley between neighbouring clusters;
        centrality, the agreement with other partitions; score (these are 0, the valley 1, for
        all but the best); stability and gain on subsets, 0 where not judged; chosen.
    alternatives : DataFrame
        The best of each other partition that scores nearly as well, or, if all rows are one
        cluster, the best partitions that there would be: start, h, lam, k, stability, gain, score,
        share, the score relative to that of the chosen one, and expected, the agreement with the
        truth if there are clusters.
    explanation : str
        Why it was chosen, in words.
    complete : bool
        Whether the search came to its end.
    n_fits : int
        Number of fits it took.
    n_rows : int
        Number of rows that were looked at.
    ways : tuple of dict
        If a number of clusters was asked for: the parameters that lead to it, the best first, and
        the way, "fit", "join" or "tree".
    time_budget : float or None
        The seconds after which the search had to end; None if it was not that which ended it.
    """

    h: float
    lam: float
    n_clusters: int
    start: str
    init: tuple = field(repr=False)
    join: bool
    confidence: Confidence
    table: pd.DataFrame = field(repr=False)
    alternatives: pd.DataFrame = field(repr=False)
    explanation: str
    complete: bool
    n_fits: int
    n_rows: int
    starts: dict = field(repr=False, default_factory=dict)
    ways: tuple = field(repr=False, default=())
    time_budget: float | None = None

    def at(self, k: int) -> list[dict]:
        """Return the parameters of `WBMS` that may give k clusters, the best first.

        Of the candidates that were tried, those with their clusters joined come first. Their fits
        were short ones: a full fit may have fewer clusters.

        Raises
        ------
        ValueError
            If there is none; the message names the numbers of clusters that there are.
        """
        found = tried_with(self.table, self.starts, k)
        if found:
            return found
        there = sorted({*self.table["k"], *self.table["joined"]})
        raise ValueError(
            f"no candidate has k = {k} clusters; there are some with {', '.join(map(str, there))}"
        )

    @property
    def certain(self) -> bool:
        """Whether no other partition scores nearly as well."""
        return self.complete and self.alternatives.empty

    @property
    def note(self) -> str:
        """What to bear in mind about the choice; empty if there is nothing."""
        lines = []
        if not self.complete:
            fits = counted(self.n_fits, "fit")
            ended = f"was stopped after {fits}"
            if self.time_budget is not None:
                ended = f"ended after {fits}, with its time budget of {duration(self.time_budget)}"
            lines.append(f"The search for h and lam {ended}: there may be better pairs.")
        if self.n_clusters == 1 and not self.alternatives.empty:
            best = self.alternatives.iloc[0]
            lines.append(
                f"If there are clusters after all, the best partition has k = {best.k} "
                f"(h = {best.h:.4g}, lam = {best.lam:.4g}, expected agreement {best.expected:.2f})."
            )
            return "\n".join(lines)
        if not self.alternatives.empty:
            told = "The choice of h and lam is uncertain. Nearly as good:"
            lines.append("Other partitions:" if self.ways else told)
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

    def _repr_html_(self) -> str:
        return as_html(self)


def tried_with(table, starts, k):
    """Return the parameters of `WBMS` that may give k clusters, the best first; see `Selection.at`.

    Parameters
    ----------
    table : DataFrame
        See `Selection`.
    starts : dict
        Name of a start → weights, one per column.
    k : int
    """
    table = table.assign(promise=table["screened"] / table["k"] ** 0.25)
    table = table.sort_values(["score", "promise"], ascending=False, kind="stable")
    return [
        {
            "h": float(fit["h"]),
            "lam": float(fit["lam"]),
            "init": starts[fit["start"]],
            "join": join,
        }
        for fits, join in (
            (table[(table["joined"] == k) & (table["score"] > 0)], True),
            (table[table["k"] == k], False),
        )
        for fit in fits.to_dict(orient="records")
    ]


@dataclass(frozen=True)
class SearchOptions:
    """What is asked of a search, beside the settings of its fits.

    Attributes
    ----------
    h, lam : list of float or None
        Values to choose from; None lets the search find its own. lam is on the mean scale.
    n_subsets, random_state, n_jobs
        As in `pywbms.select.select`.
    report : callable, optional
        Called after each fit; returning True stops the search.
    keep_on_interrupt : bool
        Whether Ctrl-C stops the search and is forgotten, if there is anything to keep.
    run : callable, optional
        Does the fits; see `CandidateRunner`.
    """

    h: list | None = None
    lam: list | None = None
    n_subsets: int = N_SUBSETS
    random_state: int | np.random.Generator | None = 0
    n_jobs: int = 1
    report: Callable | None = None
    keep_on_interrupt: bool = False
    run: Callable | None = None


@one_blas_thread()
def choose(X, settings, options, mass=None):
    """Choose h and lam for a checked matrix; see `pywbms.select.select`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
    options : SearchOptions
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.

    Returns
    -------
    Selection
    """
    budget = np.inf if settings.time_budget is None else settings.time_budget
    begin = time.monotonic()
    rng = generator(options.random_state)
    require_init(settings, X)
    varying = working_columns(X, settings.standardize, mass, settings.indicators)
    inner = settings.for_columns(varying)
    rows = rows_to_search(X[:, varying], inner, mass, rng)
    unit = 1.0 if settings.standardize else mean_variance(rows)
    space = SearchSpace(options.h, options.lam, unit, starts_for(rows, inner))
    search = search_of(rows, space, inner, options, rng, begin + budget)
    k = settings.n_clusters
    exactly = [] if k in (None, 1) else Exactly(k, search, space, rows, settings).ranked()
    chosen, why, confidence = decide(search, X, space, settings, exactly, rows, mass)
    others = alternatives(search, chosen)
    if k is not None:
        keep(search, chosen)
    starts = {name: all_columns(init, varying) for name, init in space.starts.items()}
    return Selection(
        h=chosen.h,
        lam=chosen.lam,
        n_clusters=chosen.k,
        start=chosen.start,
        init=starts[chosen.start],
        join=chosen.k < chosen.n_groups,
        confidence=confidence,
        table=as_table(search.candidates.values(), search.candidates.get(chosen.place, chosen)),
        alternatives=others,
        explanation=why,
        complete=search.complete or not worth_searching(rows),
        n_fits=search.n_fits,
        n_rows=len(rows),
        starts=starts,
        ways=() if k is None else ways_of(exactly or [chosen], starts),
        time_budget=settings.time_budget if search.out_of_time else None,
    )


def decide(search, X, space, settings, exactly, rows, mass=None):
    """Return the candidate that a search leads to, why, and the confidence in it.

    Parameters
    ----------
    search : Search
    X : ndarray of shape (n, p)
    space : SearchSpace
    settings : Settings
    exactly : list of Candidate
        Those with the number of clusters that was asked for, the best first.
    rows : ndarray
        Those that are searched.
    mass : ndarray of shape (n,), optional
        How many rows each one stands for; one by default.
    """
    k = settings.n_clusters
    best = search.best()
    chosen = best if k is None else next(iter(exactly), None)
    if chosen is not None:
        why = reason(search, chosen) if k is None else asked_for(k, chosen, best)
        return chosen, why, Confidence.of(chosen.expected)
    why = no_clusters(search) if worth_searching(rows) else TOO_FEW
    if k is not None:
        why = asked_for(k, None, best)
    chosen = one_cluster(search, X, space, settings, mass)
    if chosen.k > 1:
        why += f" Yet with the given values the rows form at least {chosen.k} clusters."
    return chosen, why, Confidence.of(expected_if_one(search, rows))


def keep(search, chosen):
    """Let a search know of a candidate that it has not chosen itself."""
    if chosen.k > 1 and way(chosen) != "tree":
        if search.complete:
            with suppress(SearchStopped):
                search.judge([chosen])
        search.candidates[chosen.place] = chosen


def expected_if_one(search, rows):
    """Return the agreement with the truth to be expected of the answer "one cluster"."""
    n, p = rows.shape
    if n < 2 or p == 0:
        return 1.0
    likeliest = search.likeliest()
    log_odds = -np.inf if likeliest is None else likeliest.evidence
    return expected_of_one_cluster(log_odds, unsure=p > n or not worth_searching(rows))


def rows_to_search(X, settings, mass, rng):
    """Return at most `MOST_ROWS` rows without outliers, in an order of their own."""
    if mass is not None:
        return drawn_rows(X, settings, mass, MOST_ROWS, rng)
    rows = without_outliers(X, settings.standardize, settings.indicators)
    rows = rows[row_order(rows)] if rows.size else rows
    return rows[sampled_rows(len(rows), rng)] if len(rows) > MOST_ROWS else rows


def sampled_rows(n, rng):
    """Return the rows, of more than `MOST_ROWS`, on which a search looks."""
    return np.sort(rng.permutation(n)[:MOST_ROWS])


def one_cluster(search, X, space, settings, mass=None):
    """Return a candidate with one cluster, or as near to that as the given h and lam allow."""
    usual = USUAL_LAM * space.unit if space.lam is None else space.lam[len(space.lam) // 2]
    start = next(iter(space.starts))
    if space.h is not None:
        tried = search.candidates.values() or search.fit([(start, space.h[-1], usual)])
        return min(tried, key=lambda one: (one.n_groups, -one.h, abs(np.log(one.lam / usual))))
    high = max([SURELY_ONE * space.unit, *(one.h for one in search.candidates.values())])
    once = settings.for_candidates(settings.max_iter)
    for _ in range(MOST_DOUBLINGS):
        varying = working_columns(X, settings.standardize, mass, settings.indicators)
        init = all_columns(space.starts[start], varying)
        fitted = fit_candidate(X, None, (high, usual, init), once, mass)
        found = Candidate(start, high, usual, *fitted)
        if found.k == 1:
            break
        high *= 2
    search.candidates[found.place] = found
    return found


def alternatives(search, chosen):
    """Return a table of the other partitions that score nearly as well as the chosen one."""
    columns = ["start", "h", "lam", "k", "stability", "gain", "score", "expected"]
    best = search.best()
    rivals = search.rivals() if best is None else [best, *search.rivals()]
    rivals = [one for one in rivals if (one.place, way(one)) != (chosen.place, way(chosen))]
    table = candidate_table(rivals, columns)
    table.insert(7, "share", table["score"] / (chosen.score or 1.0))
    return table


def as_table(candidates, chosen):
    """Return all candidates, start by start and lam by lam, as a table."""
    candidates = sorted(
        candidates, key=lambda one: (one.start != "uniform", one.start, one.lam, one.h)
    )
    columns = [
        "start", "h", "lam", "n_groups", "k", "judged", "screened", "refined", "surplus", "valley",
        "centrality", "stability", "gain", "score",
    ]  # fmt: skip
    table = candidate_table(candidates, columns)
    table = table.rename(columns={"n_groups": "k", "k": "joined"})
    table["chosen"] = [one is chosen for one in candidates]
    return table
