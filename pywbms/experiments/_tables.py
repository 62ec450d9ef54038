"""Tables that compare printed and measured values."""

from dataclasses import dataclass

import pandas as pd

from pywbms.experiments._cells import MEASURES
from pywbms.experiments._labels import (
    COLUMNS,
    DIFFERENCE,
    FORMATS,
    NOT_MEASURED,
    NOT_PRINTED,
    PRINTED,
    TITLES,
    TOLERANCE,
)
from pywbms.experiments._methods import BEST_OF_GRID, METHODS, PEERS


@dataclass(frozen=True)
class Group:
    """The rows behind a line of a table: a data set, and its k or p if that varies."""

    title: str
    data: str
    setting: float | None = None

    def of(self, rows):
        """Return the rows of this group."""
        mine = rows[rows["data"] == self.data]
        return mine if self.setting is None else mine[mine["setting"] == self.setting]


def best_of_each(rows):
    """Return the row with the best ARI of every cell: its only row, or the best of a grid.

    Ties in ARI are broken by the best AMI, then by fewer clusters: a partition into singletons must
    not be the best because of its NMI.
    """
    cells = ["data", "setting", "draw", "method", "run"]
    order = ["ari", "ami", "k"]
    first = rows.assign(ari=rows["ari"].round(9), ami=rows["ami"].round(9)).sort_values(
        order, ascending=[False, False, True], kind="stable"
    )
    return rows.loc[first.drop_duplicates(cells).sort_index().index]


def means(rows, group):
    """Return the means of the measures over draws and runs, one row per method.

    Parameters
    ----------
    rows : DataFrame
    group : Group

    Returns
    -------
    DataFrame
        Indexed by method; ``right`` is the share of partitions with the true number of clusters,
        ``count`` the number of partitions averaged, ``tried`` the number of partitions from which
        these are the best.
    """
    best = best_of_each(group.of(rows))
    best = best.assign(right=(best["k"] == best["k_true"]).astype(float))
    columns = [*MEASURES, "informative", "seconds", "h", "lam", "k_true", "right"]
    table = best.groupby("method", sort=False)[columns].mean()
    tried = group.of(rows).groupby("method").size()
    return table.assign(count=best.groupby("method").size(), tried=tried)


def comparison(rows, groups, printed, measures=MEASURES, *, released=COLUMNS["wbms_released"][0]):
    """Return the table 'printed | chosen without labels | best on a grid | released form'.

    Parameters
    ----------
    rows : DataFrame
    groups : sequence of Group
    printed : callable
        Takes a group and a measure; returns a number, a string, or None if nothing is printed.
    measures : sequence of str
    released : str
        Heading of the column of the released form, if it is not at the paper's h and lam.

    Returns
    -------
    DataFrame of str
    """
    lines = []
    for group in groups:
        table = means(rows, group)
        for measure in measures:
            value = printed(group, measure)
            measured = {
                method: float(table.loc[method, measure]) if method in table.index else None
                for method in COLUMNS
            }
            lines.append(
                {
                    "data": group.title,
                    "measure": TITLES.get(measure, measure),
                    PRINTED: written(value, measure),
                    **{
                        heading: written(measured[method], measure, NOT_MEASURED)
                        for method, (heading, _) in COLUMNS.items()
                    },
                    DIFFERENCE: remark(value, measured, measure, table),
                }
            )
    return pd.DataFrame(lines).rename(columns={COLUMNS["wbms_released"][0]: released})


def remark(printed, measured, measure, table):
    """Return in words where printed and measured values differ by more than `TOLERANCE`."""
    if not any(value is not None for value in measured.values()):
        return NOT_MEASURED
    if not isinstance(printed, float):
        return f"true k: {table['k_true'].mean():.3g}" if measure == "k" else ""
    return "; ".join(
        f"{COLUMNS[method][1]} {verdict(printed, value)}"
        for method, value in measured.items()
        if value is not None
    )


def verdict(printed, measured):
    """Compare two numbers in words.

    Examples
    --------
    >>> verdict(0.953, 0.877), verdict(0.953, 0.95)
    ('is 0.076 lower', 'agrees')
    """
    gap = round(measured - printed, 9)  # 0.55 − 0.5 is a little more than 0.05
    if abs(gap) <= TOLERANCE:
        return "agrees"
    return f"is {abs(gap):.3f} {'higher' if gap > 0 else 'lower'}"


def written(value, measure, absent=NOT_PRINTED):
    """Format a number according to its measure; return strings unchanged."""
    if value is None:
        return absent
    return value if isinstance(value, str) else FORMATS.get(measure, "{:.3f}").format(value)


def method_table(rows, groups, printed=lambda group, method, measure: None):
    """Return a table of all methods: what each was given, and its scores.

    Parameters
    ----------
    rows : DataFrame
    groups : sequence of Group
    printed : callable
        Takes a group, a method and a measure; returns a number or None.

    Returns
    -------
    DataFrame of str
    """
    lines = []
    for group in groups:
        table = means(rows, group)
        for method, line in table.iterrows():
            numbers = {measure: printed(group, method, measure) for measure in ("ari", "nmi")}
            gaps = [
                f"{TITLES[measure]} {verdict(number, line[measure])}"
                for measure, number in numbers.items()
                if number is not None
            ]
            lines.append(
                {
                    "data": group.title,
                    "method": METHODS[method].title,
                    "given": given(method, int(line["tried"] / line["count"])),
                    **{
                        f"{TITLES[measure]} printed": written(number, measure)
                        for measure, number in numbers.items()
                    },
                    **{TITLES[m]: written(float(line[m]), m) for m in MEASURES},
                    "seconds": written(float(line["seconds"]), "seconds"),
                    "partitions": str(int(line["count"])),
                    DIFFERENCE: "; ".join(gaps),
                }
            )
    return pd.DataFrame(lines)


def what_peers_know():
    """Return a sentence on what the peers are given."""
    texts = [f"{METHODS[peer].title}: {METHODS[peer].given}" for peer in PEERS]
    return "What the peers are given besides the data: " + "; ".join(texts) + "."


def given(method, tried):
    """Return what a method was given besides the data, with this number of settings tried.

    Examples
    --------
    >>> given("wbms_released", 1), given("wbms_released", 20)
    ('h and lam of the paper', 'the labels: best of 20 settings')
    >>> given("bms", 1), given("ewdp", 1)
    ('h of the paper', 'the true k')
    """
    if tried > 1:
        return f"the labels: best of {tried} settings"
    return "h of the paper" if METHODS[method].given == BEST_OF_GRID else METHODS[method].given


def markdown(table):
    r"""Return a table of strings in Markdown.

    Examples
    --------
    >>> print(markdown(pd.DataFrame({"a": ["1"], "b": ["x|y"]})))
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    cells = [[str(value).replace("|", "\\|") for value in row] for row in table.to_numpy()]
    head = [str(name).replace("|", "\\|") for name in table.columns]
    lines = [head, ["---"] * len(head), *cells]
    texts = ["| " + " | ".join(line) + " |" for line in lines]
    texts[1] = "|" + "---|" * len(head)
    return "\n".join(texts)
