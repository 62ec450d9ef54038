"""The choice of h and lam: from the search to a `Selection` that explains itself."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pywbms._data.checks import generator
from pywbms._data.ordering import row_order
from pywbms._data.standardize import mean_variance, varying_columns
from pywbms._selection.candidates import LEAST_EVIDENCE, Candidate, candidate_table
from pywbms._selection.runner import CandidateRunner, fit_candidate
from pywbms._selection.search import MOST_RIVALS, NEARLY_AS_GOOD, Search, SearchSpace
from pywbms._terminal.wording import counted

# More rows are not needed to choose a pair, and cost their square.
MOST_ROWS = 2000
LEAST_ROWS = 10
TOO_FEW = f"Fewer than {LEAST_ROWS} rows, or no column that varies: all rows form one cluster."
N_SUBSETS = 4
# Where there are no clusters: on z-scores all rows mostly form one cluster at this h.
SURELY_ONE, USUAL_LAM, MOST_DOUBLINGS = 1.0, 0.1, 20


@dataclass(frozen=True)
class Selection:
    """How h and lam were chosen.

    Attributes
    ----------
    h, lam : float
        The chosen pair; lam is on the mean scale.
    n_clusters : int
        Number of clusters at this pair, in the rows that were looked at.
    table : DataFrame
        One row per pair that was tried: h, lam; k, the number of clusters; judged, whether subsets
        were clustered with it; screened, the gain in log density between two halves of the rows;
        stability, gain and score, 0 where not judged; chosen.
    alternatives : DataFrame
        The best pair of each other partition that scores nearly as well: h, lam, k, stability,
        gain, score, and share, the score relative to that of the chosen pair.
    explanation : str
        Why the pair was chosen, in words.
    complete : bool
        Whether the search came to its end.
    n_fits : int
        Number of fits it took.
    n_rows : int
        Number of rows that were looked at.
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
    def certain(self) -> bool:
        """Whether no other partition scores nearly as well."""
        return self.complete and self.alternatives.empty

    @property
    def note(self) -> str:
        """What to bear in mind about the choice; empty if there is nothing."""
        lines = []
        if not self.complete:
            lines.append(
                f"The search for h and lam was stopped after {counted(self.n_fits, 'fit')}: "
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


def choose(X, settings, options):
    """Choose h and lam for a checked matrix; see `pywbms.select.select`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    settings : Settings
    options : SearchOptions

    Returns
    -------
    Selection
    """
    rng = generator(options.random_state)
    rows = X[:, varying_columns(X)]
    rows = rows[row_order(rows)] if rows.size else rows
    if len(rows) > MOST_ROWS:
        rows = rows[sampled_rows(len(rows), rng)]
    unit = 1.0 if settings.standardize else mean_variance(rows)
    runner = CandidateRunner(rows, settings, options.n_jobs, options.report, options.run)
    space = SearchSpace(options.h, options.lam, unit)
    search = Search(rows, space, runner, options.n_subsets, rng)
    enough = len(rows) >= LEAST_ROWS and rows.size > 0
    if enough:
        try:
            search.run()
        except KeyboardInterrupt:
            if not (options.keep_on_interrupt and search.candidates):
                raise
    chosen = search.best()
    if chosen is None:
        why = no_clusters(search) if enough else TOO_FEW
        chosen = one_cluster(search, X, space, settings)
        if chosen.k > 1:
            why += f" Yet with the given values the rows form at least {chosen.k} clusters."
    else:
        why = reason(search, chosen)
    return Selection(
        h=chosen.h,
        lam=chosen.lam,
        n_clusters=chosen.k,
        table=as_table(search.candidates.values(), chosen),
        alternatives=alternatives(search, chosen),
        explanation=why,
        complete=search.complete or not enough,
        n_fits=search.n_fits,
        n_rows=len(rows),
    )


def sampled_rows(n, rng):
    """Return the rows, of more than `MOST_ROWS`, on which a search looks."""
    return np.sort(rng.permutation(n)[:MOST_ROWS])


def reason(search, chosen):
    """Return in words why a candidate was chosen."""
    alike = [one.h for one in search.candidates.values() if one.agrees_with(chosen)]
    lowest, highest = min(alike), max(alike)
    found = f" The same clusters are found from h = {lowest:.3g} to {highest:.3g}."
    return (
        f"The {chosen.k} clusters recur in random subsets of the rows (stability "
        f"{chosen.stability:.2f} of 1) and predict held-out rows better than a single cloud, "
        f"by {chosen.gain:.2g} nats per row." + found * (lowest < highest)
    )


def no_clusters(search):
    """Return in words why there are no clusters."""
    judged = [one for one in search.candidates.values() if one.judged]
    best = max(judged, key=lambda one: one.evidence, default=None)
    told = "no partition predicts held-out rows better than a single cloud"
    if best is not None and best.evidence > 0:
        told = (
            f"the best partition (k = {best.k}) has a stability of {best.stability:.2f} and "
            f"predicts held-out rows {best.gain:.2g} nats per row better than a single cloud; "
            f"the product would have to be at least {LEAST_EVIDENCE:g}"
        )
    return f"No clusters: {told}. All rows form one cluster."


def one_cluster(search, X, space, settings):
    """Return a candidate with one cluster, or as near to that as the given h and lam allow."""
    usual = USUAL_LAM * space.unit if space.lam is None else space.lam[len(space.lam) // 2]
    if space.h is not None:
        tried = search.candidates.values() or search.fit([(space.h[-1], usual)])
        return min(tried, key=lambda one: (one.k, -one.h, abs(np.log(one.lam / usual))))
    high = max([SURELY_ONE * space.unit, *(one.h for one in search.candidates.values())])
    once = settings.for_candidates(settings.max_iter)
    for _ in range(MOST_DOUBLINGS):
        found = Candidate(high, usual, *fit_candidate(X, None, (high, usual), once))
        if found.k == 1:
            break
        high *= 2
    search.candidates[found.h, found.lam] = found
    return found


def alternatives(search, chosen):
    """Return a table of the other partitions that score nearly as well as the chosen one."""
    judged = [one for one in search.candidates.values() if one.evidence >= LEAST_EVIDENCE]
    distinct = []
    for one in sorted(judged, key=lambda one: -one.score):
        if one.score >= NEARLY_AS_GOOD * chosen.score and not any(
            one.agrees_with(other) for other in [chosen, *distinct]
        ):
            distinct.append(one)
    columns = ["h", "lam", "k", "stability", "gain", "score"]
    table = candidate_table(distinct[:MOST_RIVALS], columns)
    table["share"] = table["score"] / (chosen.score or 1.0)
    return table


def as_table(candidates, chosen):
    """Return all candidates, lam by lam, as a table."""
    candidates = sorted(candidates, key=lambda one: (one.lam, one.h))
    columns = ["h", "lam", "k", "judged", "screened", "stability", "gain", "score"]
    table = candidate_table(candidates, columns)
    table["chosen"] = [one is chosen for one in candidates]
    return table
