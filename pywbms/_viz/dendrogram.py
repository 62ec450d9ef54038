"""Layout of a dendrogram: the places of its leaves and branches, and the marks on its axis."""

from dataclasses import dataclass

import numpy as np

from pywbms._engine.merge_tree import new_heights


@dataclass(frozen=True)
class Branch:
    """A line of the picture: from a cluster up to the height of its merge, or across a merge."""

    x: tuple
    y: tuple
    cluster: int  # of the fit, -1 for a union of several
    merge: int  # row of the linkage matrix


@dataclass(frozen=True)
class Layout:
    """A tree cut off at the bottom, with its leaves at 0, 1, … from left to right.

    Attributes
    ----------
    leaves : list of ndarray
        The rows of each leaf, from left to right.
    branches : list of Branch
    root : float
        Horizontal position of the root.
    """

    leaves: list
    branches: list
    root: float


def lay_out(linkage, n_leaves, labels):
    """Lay out the last merges of a linkage matrix, with the larger of two clusters on the left.

    Examples
    --------
    >>> tree = np.array([[0, 1, 0.5, 2], [2, 3, 1.5, 3.0]])
    >>> [rows.tolist() for rows in lay_out(tree, 2, np.array([0, 0, 1])).leaves]
    [[0, 1], [2]]
    """
    n = len(linkage) + 1
    children = linkage[:, :2].astype(int)
    size = np.concatenate([np.ones(n), linkage[:, 3]])
    first_shown = max(2 * n - n_leaves, n)  # nodes below it are leaves or parts of leaves

    nodes, stack = [], [2 * n - 2]
    while stack:
        node = stack.pop()
        if node < first_shown:
            nodes.append(node)
        else:
            stack.extend(sorted(children[node - n], key=lambda child: (size[child], -child)))
    leaves = [rows_of(node, children) for node in nodes]

    place, bottom, cluster = np.zeros(2 * n - 1), np.zeros(2 * n - 1), np.full(2 * n - 1, -1)
    place[nodes] = np.arange(len(nodes))
    cluster[nodes] = [labels[rows[0]] if np.ptp(labels[rows]) == 0 else -1 for rows in leaves]
    branches = []
    for node in range(first_shown, 2 * n - 1):
        merge, pair = node - n, children[node - n]
        place[node], bottom[node] = place[pair].mean(), linkage[node - n, 2]
        cluster[node] = cluster[pair[0]] if cluster[pair[0]] == cluster[pair[1]] else -1
        for child in pair:
            x, y = (place[child],) * 2, (bottom[child], bottom[node])
            branches.append(Branch(x, y, int(cluster[child]), merge))
        x, y = tuple(place[pair]), (bottom[node],) * 2
        branches.append(Branch(x, y, int(cluster[node]), merge))
    return Layout(leaves, branches, float(place[-1]))


def rows_of(node, children):
    """Return the rows under a node."""
    n = len(children) + 1
    rows, stack = [], [node]
    while stack:
        node = stack.pop()
        if node < n:
            rows.append(node)
        else:
            stack.extend(children[node - n])
    return np.sort(rows)


def number_of_leaves(linkage, most):
    """Return the largest number of clusters up to `most` that the tree has at some height.

    Merges in the same iteration are all shown or all hidden.

    Examples
    --------
    >>> tree = np.array([[0, 1, 0.5, 2], [2, 4, 1.5, 3], [3, 5, 1.5, 4]])
    >>> [number_of_leaves(tree, most) for most in (1, 2, 3, 9)]
    [1, 1, 3, 4]
    """
    n = len(linkage) + 1
    starts = np.flatnonzero(new_heights(linkage[:, 2]))
    return max([1, *(n - int(start) for start in starts if n - start <= most)])


def iteration_marks(highest, most=7):
    """Return the heights of the ticks, and their numbers of iterations as texts.

    Examples
    --------
    >>> iteration_marks(5.0)[1]
    ['0', '1', '10', '100']
    >>> iteration_marks(200.0)[1]
    ['0', '$10^{20}$', '$10^{40}$', '$10^{60}$', '$10^{80}$']
    """
    decades = highest / np.log(10)
    step = 10.0 ** np.floor(np.log10(max(decades / most, 1.0)))
    step *= next(m for m in (1, 2, 5, 10) if decades / (step * m) <= most)
    powers = np.arange(0 if step == 1 else step, decades, step)
    heights = np.logaddexp(0.0, powers * np.log(10))
    inside = heights <= highest
    small = {0: "1", 1: "10", 2: "100"}
    texts = [small.get(power, f"$10^{{{power:.15g}}}$") for power in powers[inside]]
    return [0.0, *heights[inside].tolist()], ["0", *texts]
