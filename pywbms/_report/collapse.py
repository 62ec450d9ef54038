"""The collapse of the cloud on a page: the rows at some iterations, as frames of an animation."""

import numpy as np

from pywbms._report.markup import rounded
from pywbms._terminal.names import shortened

MOST_FRAMES, MOST_WEIGHTS, NAME_LENGTH = 40, 8, 30


def collapse_data(result, again, order):
    """Return the frames of a repeated fit, as data for the page.

    Parameters
    ----------
    result : WBMSResult
    again : Again
    order : ndarray
        The columns, the heaviest first.
    """
    shown = frames_shown(len(again.frames), MOST_FRAMES)
    heaviest = order[:MOST_WEIGHTS]
    return {
        "iteration": shown,
        "x": [rounded(again.frames[t][:, 0]) for t in shown],
        "y": [rounded(again.frames[t][:, 1]) for t in shown],
        "groups": [again.groups[t] for t in shown],
        "columns": shortened(result.weights.index[heaviest], NAME_LENGTH),
        "weights": [rounded(again.weights[t][heaviest]) for t in shown],
    }


def frames_shown(number, most):
    """Return which of the iterations are shown, the first ones, where most happens, more densely.

    Examples
    --------
    >>> frames_shown(4, 10), frames_shown(100, 5)
    ([0, 1, 2, 3], [0, 2, 9, 31, 99])
    """
    if number <= most:
        return list(range(number))
    for wanted in range(most, 4 * most):
        spread = np.geomspace(1, number, wanted).round().astype(int) - 1
        shown = np.unique(spread)
        if len(shown) >= most:
            break
    return shown[np.unique(np.linspace(0, len(shown) - 1, most).round().astype(int))].tolist()
