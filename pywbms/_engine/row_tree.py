"""The merge tree of all rows, where only some of them were fitted."""

import numpy as np

from pywbms._engine.merge_tree import Linkage


def tree_of_rows(tree, row_of, without, leaders):
    """Return the merge tree of rows, given that of the rows that were fitted.

    Parameters
    ----------
    tree : MergeTree
        Its leaves are the fitted rows.
    row_of : ndarray of shape (m,)
        The row that each of its leaves is; several may be the same one.
    without : ndarray of shape (z,)
        Rows that were not fitted,
    leaders : ndarray of shape (z,)
        and the rows that they follow from the start.

    Examples
    --------
    >>> from pywbms._engine.merge_tree import MergeTree
    >>> merges = np.array([[0, 1, 0.0, 2], [2, 3, 1.5, 3]])
    >>> tree = MergeTree(merges, np.ones(2, dtype=bool))
    >>> tree_of_rows(tree, np.array([0, 0, 2]), np.array([1]), np.array([2])).linkage.tolist()
    [[1.0, 2.0, 0.0, 2.0], [0.0, 3.0, 1.5, 3.0]]
    """
    n = len(np.unique(row_of)) + len(without)
    linkage = Linkage(n)
    for row, leader in zip(without.tolist(), leaders.tolist(), strict=True):
        linkage.join([row, leader], 0.0)
    member = row_of.tolist()  # one row of each node
    for (a, b, height, _), observed in zip(tree.linkage.tolist(), tree.observed, strict=True):
        linkage.join([member[int(a)], member[int(b)]], height, bool(observed))
        member.append(member[int(a)])
    return linkage.tree(np.arange(n))
