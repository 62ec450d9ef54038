"""The run times on the real data, from the same cells as the table of scores."""

import pandas as pd

from pywbms._viz.style import MARKERS
from pywbms.experiments import _printed, real_data
from pywbms.experiments._figures import PEER_COLOURS, dots, label
from pywbms.experiments._framework import Experiment, Report
from pywbms.experiments._labels import COLUMNS, DIFFERENCE, NOT_MEASURED, PRINTED
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import comparison, means, written

CLAIM = "Runtime Analysis on Real Life Datasets (Time in Seconds)"


def report(rows):
    """Compare with the printed seconds."""
    found = real_data.groups()
    return Report(
        {
            "Printed and measured: seconds of WBMS": wbms_times(rows, found),
            "Seconds of all methods": all_times(rows, found),
            "The partitions timed": comparison(rows, found, real_data.printed),
        },
        findings(rows, found),
        [
            "Machine and language differ: only orders of magnitude are comparable. The paper does "
            "not say whether its seconds include the search for h and λ.",
            "Chosen without labels: the whole search and the fit. Best on a grid, MS and BMS: one "
            "fit at the best pair or h. Released form: one fit at the paper's pair, 50 iterations.",
        ],
    )


def wbms_times(rows, found):
    """Return the seconds of WBMS for the three ways of setting h and lam."""
    lines = []
    for group in found:
        table = means(rows, group)
        seconds = _printed.of_method(_printed.SECONDS, group.data, "wbms")
        measured = {
            method: float(table.loc[method, "seconds"]) if method in table.index else None
            for method in COLUMNS
        }
        lines.append(
            {
                "data": group.title,
                PRINTED: written(seconds, "seconds"),
                **{
                    heading: written(measured[method], "seconds", NOT_MEASURED)
                    for method, (heading, _) in COLUMNS.items()
                },
                DIFFERENCE: "; ".join(
                    f"{COLUMNS[method][1]} {times(seconds, value)}"
                    for method, value in measured.items()
                    if value is not None
                )
                or NOT_MEASURED,
            }
        )
    return pd.DataFrame(lines)


def all_times(rows, found):
    """Return printed and measured seconds of every method of the paper."""
    lines = []
    for group in found:
        table = means(rows, group)
        for method in (*PEERS, *COLUMNS):
            if method in table.index:
                column = "wbms" if method in COLUMNS else method
                seconds = _printed.of_method(_printed.SECONDS, group.data, column)
                value = float(table.loc[method, "seconds"])
                lines.append(
                    {
                        "data": group.title,
                        "method": METHODS[method].title,
                        PRINTED: written(seconds, "seconds"),
                        "measured": written(value, "seconds"),
                        DIFFERENCE: times(seconds, value),
                    }
                )
    return pd.DataFrame(lines)


def times(printed, measured):
    """Compare two times in words.

    Examples
    --------
    >>> times(10.0, 0.1), times(1.0, 3.0)
    ('is 100 times faster', 'is 3 times slower')
    """
    ratio = printed / max(measured, 1e-4)
    if ratio >= 1:
        return f"is {ratio:.2g} times faster" if ratio < 100 else f"is {ratio:.0f} times faster"
    return f"is {1 / ratio:.2g} times slower"


def findings(rows, found):
    """Return sentences that compare the times of WBMS and the peers, printed and measured."""
    sentences = []
    for method, (_, short) in COLUMNS.items():
        slower = total = 0
        for group in found:
            table = means(rows, group)["seconds"]
            if method in table.index:
                peers = table[table.index.isin(PEERS)]
                slower += int((peers > table[method]).sum())
                total += len(peers)
        if total:
            sentences.append(
                f"WBMS, {short}: {slower} of {total} measured times of peers are longer than its "
                "own."
            )
    pairs = [(group.data, method) for group in found for method in PEERS]
    longer = sum(
        _printed.of_method(_printed.SECONDS, name, method)
        > _printed.of_method(_printed.SECONDS, name, "wbms")
        for name, method in pairs
    )
    return [f"Printed: {longer} of {len(pairs)} times of peers are longer than WBMS's.", *sentences]


def draw(rows):
    """Draw printed and measured seconds, one line per data set."""
    values = {}
    for group in real_data.groups():
        table = means(rows, group)
        if table.empty:
            continue
        marks = []
        for place, method in enumerate((*PEERS, "wbms", "wbms_released")):
            if method not in table.index:
                continue
            colour = "black" if method in COLUMNS else PEER_COLOURS[place % len(PEER_COLOURS)]
            look = {"color": colour, "marker": MARKERS[place % len(MARKERS)], "markersize": 6}
            marks.append(
                (label(method), max(table.loc[method, "seconds"], 1e-3), {**look, "offset": 0.16})
            )
            if method != "wbms_released":
                seconds = _printed.of_method(_printed.SECONDS, group.data, method)
                look = {**look, "markerfacecolor": "none", "offset": -0.16}
                marks.append((None, seconds, look))
        values[group.title] = marks
    if not values:
        return None
    return dots(values, "seconds (hollow, above: printed; filled, below: measured)", log=True)


EXPERIMENT = Experiment(
    "run-times", "Run times on the real data", CLAIM, real_data.cells, report, draw,
    needs=real_data.EXPERIMENT.needs,
)  # fmt: skip
