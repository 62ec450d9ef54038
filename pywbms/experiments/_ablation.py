"""Shared by the two ablation tables: ARI against h or λ, with the best value of the other."""

from pywbms.experiments import _findings, _grids, _printed, real_data
from pywbms.experiments._cells import cell, real
from pywbms.experiments._figures import LABELS, WBMS_STYLES, small_multiples
from pywbms.experiments._findings import AS_GOOD
from pywbms.experiments._framework import Report
from pywbms.experiments._labels import COLUMNS, RELEASED_OTHER_BEST
from pywbms.experiments._tables import Group, comparison, means, method_table

#: Larger data sets are omitted from the quick form.
QUICK_WORK = 2e7
#: Larger data sets take too long for eight searches, and for the 300 iterations of Algorithm 1.
LARGE = 2e8


def ablation_cells(form, stamps, parameter):
    """Return the four forms of WBMS on every data set, with h or lam at the paper's values.

    Parameters
    ----------
    form : str
    stamps : dict
    parameter : {"h", "lam"}
        The parameter that is varied; the best value of the other is used.
    """
    other = {"h": "lam", "lam": "h"}[parameter]
    values = list({"h": _printed.ABLATION_H, "lam": _printed.ABLATION_LAM}[parameter])
    values = values[::3] if form == "tiny" else values
    papers = {"h": list(_printed.ABLATION_H), "lam": list(_printed.ABLATION_LAM)}
    if form == "tiny":
        papers = {"h": [0.1, 1.0], "lam": [1.0, 20.0]}
    planned = []
    for name in real_data.SETS[form]:
        if name not in stamps or (form == "quick" and _grids.work(name) > QUICK_WORK):
            continue
        data = real(name, stamps)
        grid = _grids.fine_grid(form, name)
        if _grids.work(name) <= LARGE:
            planned += [cell(data, "wbms", **{parameter: value}) for value in values]
        planned.append(cell(data, "wbms_grid", **{parameter: values, other: grid[other]}))
        planned.append(cell(data, "wbms_released", **papers))
        if _grids.work(name) <= LARGE and form != "quick":
            planned.append(cell(data, "wbms_printed", **papers))
    return planned


def ablation_report(rows, parameter, values, table, notes):
    """Return the tables of an ablation.

    Parameters
    ----------
    rows : DataFrame
    parameter : {"h", "lam"}
    values : sequence of float
        The paper's values of the parameter.
    table : dict
        Printed ARI, by data set, for each of `values`.
    notes : list of str
    """
    rows = rows.assign(setting=rows[parameter])
    sign = {"h": "h", "lam": "λ"}[parameter]
    groups = [
        Group(f"{title}, {sign} = {value:g}", name, value)
        for name, title in _printed.TITLES.items()
        for value in values
    ]

    def printed(group, measure):
        return table[group.data][values.index(group.setting)] if measure == "ari" else None

    measured = [group for group in groups if len(group.of(rows))]
    return Report(
        {
            "Printed and measured": comparison(rows, groups, printed, released=RELEASED_OTHER_BEST),
            "All forms": method_table(rows, measured),
        },
        [
            *_findings.printed_and_measured(rows, groups, printed, ("ari",)),
            *trend(rows, groups, table),
        ],
        [
            *notes,
            "Released form: kernel exp(−d²/h), λ on the sum scale. Algorithm 1 as printed: kernel "
            "exp(−d²/h²), λ on the mean scale. Both at the paper's h = 0.1, 0.5, 0.8, 1 and "
            "λ = 1, 5, 10, 20.",
            "The quick form omits nci9, Yale and GCM, and Algorithm 1 as printed. In every form "
            "GCM is too large for the choice without labels at each value and for Algorithm 1.",
        ],
    )


def trend(rows, groups, table):
    """Return sentences on whether the best value of the parameter is the printed one."""
    sentences = []
    for method, (_, short) in COLUMNS.items():
        same, different, flat = [], [], []
        for name, title in _printed.TITLES.items():
            mine = [group for group in groups if group.data == name]
            found = [
                t.loc[method, "ari"] if method in (t := means(rows, group)).index else None
                for group in mine
            ]
            if None in found:
                continue
            if len(best_places(found)) == len(found):
                flat.append(title)
            elif best_places(found) & best_places(table[name]):
                same.append(title)
            else:
                different.append(title)
        measured = len(same) + len(different) + len(flat)
        if measured:
            sentences.append(
                "Claim that the best value is the printed one: "
                f"{_findings.verdict(len(same), measured)} for {short}, on {len(same)} of "
                f"{measured} data sets"
                + f"; another value is best on {', '.join(different)}" * bool(different)
                + f"; all values are equally good or bad on {', '.join(flat)}" * bool(flat)
                + "."
            )
    return sentences


def best_places(values):
    """Return the positions of the largest values, up to `AS_GOOD`.

    Examples
    --------
    >>> best_places([0.2, 0.9, 0.895])
    {1, 2}
    """
    return {place for place, value in enumerate(values) if value >= max(values) - AS_GOOD}


def ablation_figure(rows, parameter, values, table):
    """Draw ARI against the parameter, one panel per data set."""
    rows = rows.assign(setting=rows[parameter])
    looks = {
        **{method: (LABELS[method], look) for method, look in WBMS_STYLES.items()},
        "wbms_printed": (
            "WBMS, Algorithm 1 as printed",
            {"color": "#0072B2", "marker": "s", "linestyle": "-.", "linewidth": 1.2},
        ),
    }
    panels = {}
    for name, title in _printed.TITLES.items():
        mine = rows[rows["data"] == name]
        if mine.empty:
            continue
        tables = [means(mine, Group(title, name, value)) for value in values]
        drawn = {
            "printed": (table[name], {"color": "#D55E00", "marker": "D", "markerfacecolor": "none"})
        }
        for method, (text, look) in looks.items():
            y = [t.loc[method, "ari"] if method in t.index else float("nan") for t in tables]
            if any(value == value for value in y):
                drawn[text] = (y, {"markersize": 4.5, **look})
        panels[title] = drawn
    if not panels:
        return None
    label = {"h": "h", "lam": "λ"}[parameter]
    return small_multiples(panels, label, "ARI", values)
