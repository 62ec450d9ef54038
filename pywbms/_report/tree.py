"""The merge tree on a page: its last merges, and which leaf each row belongs to."""

import numpy as np

from pywbms._engine.merge_tree import levels
from pywbms._report.markup import rounded
from pywbms._viz.dendrogram import lay_out, number_of_leaves
from pywbms._viz.tree import labels_in_tree

# More leaves cannot be told apart on a screen.
MOST_LEAVES = 60
# Heights are cut here: 10¹³⁰ iterations and more are "never".
HIGHEST = 300.0


def tree_data(result, drawn, again):
    """Return the tree of a result, or of the fit that was repeated, as data for the page."""
    whole = result.tree is not None
    linkage, observed = (
        (result.tree, result.tree_observed) if whole else (again.linkage, again.observed)
    )
    if not len(linkage):
        return None
    rows = drawn.rows if whole else drawn.rows[drawn.repeated]
    labels = labels_in_tree(result) if whole else drawn.labels[rows]
    n = len(linkage) + 1
    layout = lay_out(linkage, number_of_leaves(linkage, MOST_LEAVES), labels)
    leaf = np.empty(n, dtype=int)
    for number, members in enumerate(layout.leaves):
        leaf[members] = number
    first = n - len(layout.leaves)
    end = float(np.log1p(result.n_iter if whole else again.n_iter))
    return {
        "children": children_of(linkage, layout.leaves, first),
        "height": rounded(np.minimum(linkage[first:, 2], HIGHEST), 6),
        "observed": observed[first:],
        "size": [len(members) for members in layout.leaves],
        "cluster": [
            int(np.bincount(labels[members] + 1).argmax()) - 1 for members in layout.leaves
        ],
        "leaf": leaf[rows] if whole else leaf,
        # Below it there are merges that are not shown.
        "floor": float(min(linkage[first - 1, 2], HIGHEST)) if first else 0.0,
        "whole": whole,
        "n": n,
        "end": end,
        "cut": own_cut(result, linkage, end),
    }


def commonest(labels):
    """Return the label that most rows have; −1 counts as one."""
    return int(np.bincount(labels + 1).argmax()) - 1


def own_cut(result, linkage, end):
    """Return the height at which the tree has the clusters of the result, or else the fit's end."""
    numbers, begins, ends = levels(linkage[:, 2])
    here = numbers == result.n_clusters
    if not here.any():
        return end
    low, high = float(begins[here][0]), float(min(ends[here][0], HIGHEST))
    return end if low <= end < high else (low + min(high, 2 * low + 1)) / 2


def children_of(linkage, leaves, first):
    """Return the two parts of each shown merge: leaves 0, 1, …, then the merges in their order.

    Parameters
    ----------
    linkage : ndarray of shape (n − 1, 4)
    leaves : list of ndarray
        The rows of each leaf.
    first : int
        The first merge that is shown.
    """
    n = len(linkage) + 1
    leaf_of_row = {int(row): number for number, rows in enumerate(leaves) for row in rows[:1]}

    def node(child):
        if child >= n + first:
            return len(leaves) + child - n - first
        return leaf_of_row[first_row(child, linkage, n)]

    return [[node(int(child)) for child in linkage[merge, :2]] for merge in range(first, n - 1)]


def first_row(node, linkage, n):
    """Return the smallest of the rows under a node."""
    smallest, stack = n, [node]
    while stack:
        one = stack.pop()
        if one < n:
            smallest = min(smallest, one)
        else:
            stack.extend(linkage[one - n, :2].astype(int).tolist())
    return smallest
