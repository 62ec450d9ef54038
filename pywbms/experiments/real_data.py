"""The table of real data: NMI and ARI of all methods on nine data sets."""

import numpy as np

from pywbms.datasets import REAL_DATA
from pywbms.experiments import _findings, _grids, _printed
from pywbms.experiments._cells import cell, real
from pywbms.experiments._figures import LABELS, dots
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import TOLERANCE
from pywbms.experiments._methods import EXTRAS, METHODS, PEERS
from pywbms.experiments._tables import Group, comparison, means, method_table, what_peers_know

SETS = {"full": tuple(_printed.TITLES), "quick": tuple(_printed.TITLES),
        "tiny": ("appendicitis", "zoo")}  # fmt: skip
#: Number of runs of random methods; the paper uses 20.
RUNS = {"full": 20, "quick": 3, "tiny": 1}
TABLES = {"ari": _printed.ARI, "nmi": _printed.NMI}
PEER_OF = {"wbms": "wbms", "wbms_grid": "wbms", "wbms_released": "wbms", "wbms_printed": "wbms",
           "wbms_released_grid": "wbms"}  # fmt: skip


def cells(form, stamps):
    """Return every method on every available data set."""
    return [planned for name in SETS[form] if name in stamps
            for planned in set_cells(name, form, stamps)]  # fmt: skip


def set_cells(name, form, stamps):
    """Return every method on a data set; labels are kept for Glioma, which is drawn."""
    data = real(name, stamps)
    keep = {"keep": True} if name == "glioma" else {}
    h, lam = _printed.parameters(name)
    planned = [
        cell(data, method, run, **_grids.peer_options(method, form), **keep)
        for method in (*PEERS, *EXTRAS)
        for run in range(RUNS[form] if METHODS[method].random else 1)
    ]
    return [
        *planned,
        cell(data, "wbms", **_grids.choice(form), **keep),
        cell(data, "wbms_grid", **_grids.fine_grid(form, name), **keep),
        cell(data, "wbms_released", h=[h], lam=[lam], **keep),
        cell(data, "wbms_printed", h=[h], lam=[lam]),
        cell(data, "wbms_released_grid", **_grids.fine_grid(form, name, _grids.RELEASED_GRID)),
    ]


def printed(group, measure):
    """Return the printed value for WBMS."""
    table = TABLES.get(measure)
    return _printed.of_method(table, group.data, "wbms") if table else None


def printed_of(group, method, measure):
    """Return the printed value for a method, or None if it is not in the paper."""
    column = PEER_OF.get(method, method)
    known = column in _printed.METHODS
    return _printed.of_method(TABLES[measure], group.data, column) if known else None


def groups(names=tuple(_printed.TITLES)):
    """Return one group per data set."""
    return [Group(_printed.TITLES[name], name) for name in names]


def report(rows):
    """Compare with the printed table."""
    return real_report(rows, groups())


def real_report(rows, found):
    """Return the report on real data sets."""
    return Report(
        {
            "Printed and measured": comparison(rows, found, printed),
            "All methods": method_table(rows, found, printed_of),
        },
        [
            *_findings.printed_and_measured(rows, found, printed),
            *peers_reproduced(rows, found),
            *_findings.where_best(rows, found),
            *trivial_scores(rows, found),
            *reproduced_elsewhere(rows, found),
        ],
        [
            "Released form: kernel exp(−d²/h) and λ on the sum scale, as in the released code, at "
            "the h and λ of the appendix; it gives none for GCM, for which its ablation tables "
            "imply h = 0.1, λ = 5. “Algorithm 1 as printed” has the kernel exp(−d²/h²) of "
            "equation (4) and λ on the mean scale, at the same pair.",
            "Appendicitis has 106 rows in KEEL's file; the paper gives 107.",
            "“Best” refers to the best ARI. The other scores are those of the same partition.",
            "For random methods the means over several runs are shown (column “partitions”); "
            "G-means is deterministic here.",
            what_peers_know(),
        ],
    )


def peers_reproduced(rows, found):
    """Return a sentence on how many printed numbers of the peers are reproduced."""
    gaps = [
        table.loc[peer, measure] - printed_of(group, peer, measure)
        for group in found
        for peer in PEERS
        if peer in (table := means(rows, group)).index
        for measure in TABLES
    ]
    if not gaps:
        return []
    met = sum(abs(gap) <= TOLERANCE for gap in gaps)
    lower = sum(gap < -TOLERANCE for gap in gaps)
    return [
        "Claim that the printed numbers of the peers are reproduced: "
        f"{_findings.verdict(met, len(gaps))}: {met} of {len(gaps)} agree within {TOLERANCE}; "
        f"{lower} measured values are lower and {len(gaps) - met - lower} higher."
    ]


def trivial_scores(rows, found):
    """Return a sentence on printed NMI that are those of a partition into singletons."""
    same = []
    for group in found:
        table = means(rows, group)
        if "all_alone" not in table.index:
            continue
        trivial = table.loc["all_alone", "nmi"]
        same += [
            f"{column} on {group.title} ({value:.3f})"
            for column, value in zip(
                map(title_of, _printed.METHODS), _printed.NMI[group.data], strict=True
            )
            if abs(value - trivial) < 0.0006
        ]
    if not same:
        return []
    return [
        "Printed NMI that equal, to three decimals, the NMI of a partition into singletons: "
        + "; ".join(same) + ". NMI alone is not informative."
    ]  # fmt: skip


def title_of(method):
    """Return the short title of a method of the paper."""
    return "WBMS" if method == "wbms" else METHODS[method].title


def reproduced_elsewhere(rows, found):
    """Return sentences on the pairs that give the printed ARI and NMI to three decimals."""
    sentences = []
    for group in found:
        mine = group.of(rows)
        mine = mine[mine["method"].isin(["wbms", "wbms_grid", "wbms_released_grid"])]
        near = [np.abs(mine[m] - printed(group, m)) < 0.0006 for m in ("ari", "nmi")]
        exact = mine[near[0] & near[1]]
        sentences += [
            f"{group.title}: the printed ARI and NMI are reproduced, to three decimals, by "
            f"{METHODS[method].title.split(', best')[0]} at "
            + ", ".join(f"(h = {r.h:g}, lam = {r.lam:g})" for r in pairs.head(4).itertuples())
            + (" and more pairs" if len(pairs) > 4 else "")
            + f", k̂ = {pairs['k'].iloc[0]:g}; the paper gives the pair "
            + "(h = {:g}, λ = {:g}).".format(*_printed.parameters(group.data))
            for method, pairs in exact.groupby("method", sort=False)
        ]
    return sentences


def draw(rows):
    """Draw the ARI of all methods on each data set, with the printed ARI of WBMS."""
    values = {}
    for group in groups():
        table = means(rows, group)
        if table.empty:
            continue
        marks = [
            ("peers, measured", table.loc[peer, "ari"],
             {"marker": "o", "color": "#BBBBBB", "markersize": 5, "zorder": 1})
            for peer in PEERS if peer in table.index
        ]  # fmt: skip
        marks += [
            (LABELS[method], table.loc[method, "ari"], {"zorder": 3, "markersize": 7, **look})
            for method, look in MARKS.items()
            if method in table.index
        ]
        marks.append(
            ("WBMS, printed", printed(group, "ari"),
             {"marker": "D", "color": "#D55E00", "markerfacecolor": "none", "markersize": 9,
              "markeredgewidth": 1.8, "zorder": 2})
        )  # fmt: skip
        values[group.title] = marks
    return dots(values, "ARI", reference=0.0) if values else None


MARKS = {
    "wbms": {"marker": "o", "color": "black"},
    "wbms_grid": {"marker": "^", "color": "#0072B2"},
    "wbms_released": {"marker": "X", "color": "#009E73"},
}

EXPERIMENT = Experiment(
    "real-data", "Real data: NMI and ARI of all methods", _printed.CLAIMS["real-data"],
    cells, report, draw, needs=tuple(name for name in _printed.TITLES if name in REAL_DATA),
)  # fmt: skip
