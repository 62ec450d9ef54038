"""Other partitions on a page: the map over (h, lam), and the alternatives."""

import numpy as np

from pywbms._report.markup import rounded

# Fits of the map together do as much work (rows² × columns); so many are done in any case.
MOST_WORK, LEAST_FITS, MOST_FITS = 1.2e9, 8, 150
MOST_CELLS = 600


def map_data(result, refits, n_rows):
    """Return the pairs (h, lam) of the search, and the partitions of the repeated rows for them.

    Parameters
    ----------
    result : WBMSResult
    refits : Refits
    n_rows : int
        Number of rows of the repeated fits.

    Returns
    -------
    dict or None
        None if h and lam were given.
    """
    table = result.selection
    if table is None or not result.choice.starts:
        return None
    promise = table[["chosen", "judged", "score", "screened"]].to_numpy(dtype=float)
    best_first = np.lexsort(-promise.T[::-1])[:MOST_CELLS]
    most = int(
        np.clip(MOST_WORK / (n_rows**2 * max(len(result.weights), 1)), LEAST_FITS, MOST_FITS)
    )
    starts = result.choice.starts
    wanted = table.iloc[best_first[:most]]
    places = [(one.h, one.lam, starts[one.start]) for one in wanted.itertuples()]
    partitions, found = distinct(refits.labels_of(places))
    found += [None] * (len(best_first) - len(places))
    cells = table.iloc[best_first]
    return {
        "starts": list(dict.fromkeys(cells["start"])),
        "start": cells["start"].tolist(),
        "h": rounded(cells["h"]),
        "lam": rounded(cells["lam"]),
        "k": cells["k"].tolist(),
        "joined": cells["joined"].tolist(),
        "stability": [
            round(s, 3) if judged else None
            for s, judged in zip(cells["stability"], cells["judged"], strict=True)
        ],
        "chosen": cells["chosen"].tolist(),
        "partition": found,
        "partitions": partitions,
        "total": len(table),
    }


def distinct(partitions):
    """Return the different ones of some partitions, and which of them each one is.

    Examples
    --------
    >>> distinct([np.array([0, 1]), np.array([0, 0]), np.array([0, 1])])[1]
    [0, 1, 0]
    """
    places = {}
    found = [places.setdefault(labels.tobytes(), (len(places), labels))[0] for labels in partitions]
    return [labels for _, labels in places.values()], found


def alternatives_data(result, refits):
    """Return the partition of the repeated rows for each alternative, as data for the page.

    Parameters
    ----------
    result : WBMSResult
    refits : Refits
    """
    found = result.alternatives
    if found is None or not result.choice.starts:
        return []
    table, starts = result.selection, result.choice.starts
    unit = refits.lam_unit
    partitions = []
    for one in found.itertuples():
        place = one.h, one.lam * unit, starts[one.start]
        same = (table["start"] == one.start) & np.isclose(table["h"], one.h, rtol=1e-12)
        same &= np.isclose(table["lam"], place[1], rtol=1e-12)
        whole = bool((table["k"][same] == one.k).any())
        labels = next(refits.labels_of([place])) if whole else refits.joined_labels(*place)
        partitions.append(labels)
    return partitions
