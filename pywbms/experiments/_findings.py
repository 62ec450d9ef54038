"""Sentences that compare a claim of the paper with the measurements."""

import numpy as np

from pywbms.experiments._labels import COLUMNS, TITLES, TOLERANCE
from pywbms.experiments._methods import METHODS, PEERS
from pywbms.experiments._tables import means

#: A method is as good as another if it is at most this much lower.
AS_GOOD = 0.01
NEARLY_PERFECT = 0.95


def verdict(holds, of):
    """Return in words whether a claim holds always, sometimes or never.

    Examples
    --------
    >>> verdict(3, 3), verdict(2, 3), verdict(1, 3), verdict(0, 3)
    ('holds', 'holds in part', 'mostly does not hold', 'does not hold')
    """
    if holds == of:
        return "holds"
    if 2 * holds >= of:
        return "holds in part"
    return "mostly does not hold" if holds else "does not hold"


def cases(number, of):
    """Return the number of cases in words.

    Examples
    --------
    >>> cases(3, 5), cases(1, 1)
    ('3 of 5 cases', 'the only case')
    """
    return "the only case" if number == of == 1 else f"{number} of {of} cases"


def where_best(rows, groups, measure="ari"):
    """Return, for each way of setting h and lam, a sentence on where WBMS equals every peer."""
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
            f"Claim that WBMS is at least as good as every peer: {verdict(len(won), len(seen))} "
            f"for {short}, in {cases(len(won), len(seen))} by mean {TITLES[measure]} (or within "
            f"{AS_GOOD} of the best)." + (f" Better peers: {'; '.join(lost)}." if lost else "")
        )
    return sentences


def better_peers(table, method):
    """Return the peers that are better than a method, best first."""
    peers = table[table.index.isin(PEERS)].sort_values(ascending=False)
    return list(peers.index[peers > table[method] + AS_GOOD])


def how_close(rows, groups):
    """Return, for each way of setting h and lam, a sentence on where WBMS finds the truth."""
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
                f"Claim that WBMS finds the true clusters (ARI at least {NEARLY_PERFECT}): "
                f"{verdict(int(line['ari'] >= NEARLY_PERFECT), 1)} for {short}: mean ARI "
                f"{line['ari']:z.3f}, mean k̂ {line['k']:.3g} (true k {line['k_true']:g}, found in "
                f"{line['right']:.0%} of the draws)."
            )
            continue
        good = [title for title, line in found.items() if line["ari"] >= NEARLY_PERFECT]
        worst = min(found, key=lambda title: found[title]["ari"])
        right = np.mean([line["right"] for line in found.values()])
        sentences.append(
            f"Claim that WBMS finds the true clusters (mean ARI at least {NEARLY_PERFECT}): "
            f"{verdict(len(good), len(found))} for {short}, in {cases(len(good), len(found))} "
            f"(lowest: {found[worst]['ari']:z.3f}, {worst}); k̂ equals the true k in {right:.0%} of "
            "the draws."
        )
    return sentences


def printed_and_measured(rows, groups, printed, measures=("ari", "nmi")):
    """Return, for each way of setting h and lam, how many printed numbers are reproduced."""
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
            f"Claim that the printed numbers of WBMS are reproduced: {verdict(met, len(gaps))} for "
            f"{short}: {met} of {len(gaps)} agree within {TOLERANCE}; {lower} measured values are "
            f"lower and {len(gaps) - met - lower} higher."
        )
    return sentences
