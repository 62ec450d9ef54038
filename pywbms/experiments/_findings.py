"""Sentences that hold a claim of the paper against what was measured."""

import numpy as np

from pywbms.experiments._labels import COLUMNS, TITLES, TOLERANCE
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import means

#: A method is as good as another if it is no further below.
AS_GOOD = 0.01
NEARLY_PERFECT = 0.95


def judged(holds, of):
    """Say whether a claim holds: always, sometimes or never.

    Examples
    --------
    >>> judged(3, 3), judged(1, 3), judged(0, 3)
    ('Holds', 'Holds in part', 'Does not hold')
    """
    if holds == of:
        return "Holds"
    return "Holds in part" if holds else "Does not hold"


def where_best(rows, groups, measure="ari"):
    """Say, for each way of setting h and lam, where WBMS is as good as every peer."""
    sentences = []
    tables = {group.title: means(rows, group)[measure] for group in groups}
    tables = {title: table for title, table in tables.items() if table.index.isin(PEERS).any()}
    for method, (_, short) in COLUMNS.items():
        seen = {title: table for title, table in tables.items() if method in table.index}
        if not seen:
            continue
        ahead = {title: better_peers(table, method) for title, table in seen.items()}
        won = [title for title, peers in ahead.items() if not peers]
        lost = [
            f"{title}: {', '.join(METHODS[peer].title for peer in peers)}"
            for title, peers in ahead.items()
            if peers
        ]
        sentences.append(
            f"{judged(len(won), len(seen))} for WBMS, {short}: its mean {TITLES[measure]} is at "
            f"least that of every peer, or within {AS_GOOD} of it, in {len(won)} of {len(seen)} "
            "cases." + (f" Better are, {'; '.join(lost)}." if lost else "")
        )
    return sentences


def better_peers(table, method):
    """Return the peers that are better than a method, the best first."""
    peers = table[table.index.isin(PEERS)].sort_values(ascending=False)
    return list(peers.index[peers > table[method] + AS_GOOD])


def how_close(rows, groups):
    """Say, for each way of setting h and lam, where WBMS finds the true partition."""
    sentences = []
    for method, (_, short) in COLUMNS.items():
        found = {
            group.title: table.loc[method]
            for group in groups
            if method in (table := means(rows, group)).index
        }
        if not found:
            continue
        if len(found) == 1:
            line = next(iter(found.values()))
            sentences.append(
                f"{judged(int(line['ari'] >= NEARLY_PERFECT), 1)} for WBMS, {short}: mean ARI "
                f"{line['ari']:.3f}, mean k̂ {line['k']:.3g} (true k {line['k_true']:g})."
            )
            continue
        good = [title for title, line in found.items() if line["ari"] >= NEARLY_PERFECT]
        worst = min(found, key=lambda title: found[title]["ari"])
        error = np.mean([abs(line["k"] - line["k_true"]) for line in found.values()])
        sentences.append(
            f"{judged(len(good), len(found))} for WBMS, {short}: mean ARI at least "
            f"{NEARLY_PERFECT} in {len(good)} of {len(found)} cases (lowest: "
            f"{found[worst]['ari']:.3f}, {worst}); the mean k̂ is {error:.2g} away from the true "
            "k on average."
        )
    return sentences


def printed_and_measured(rows, groups, printed, measures=("ari", "nmi")):
    """Say how many printed numbers were met, for each way of setting h and lam."""
    sentences = []
    for method, (_, short) in COLUMNS.items():
        gaps = {
            f"{group.title}, {TITLES[measure]}": table.loc[method, measure] - number
            for group in groups
            if method in (table := means(rows, group)).index
            for measure in measures
            if isinstance(number := printed(group, measure), float)
        }
        if not gaps:
            continue
        met = sum(abs(gap) <= TOLERANCE for gap in gaps.values())
        lower = sum(gap < -TOLERANCE for gap in gaps.values())
        sentences.append(
            f"{judged(met, len(gaps))} for WBMS, {short}: {met} of {len(gaps)} printed numbers "
            f"are met within {TOLERANCE}; {lower} measured ones are lower, "
            f"{len(gaps) - met - lower} higher."
        )
    return sentences
