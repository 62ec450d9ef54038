"""Long names in little room: shortened where they agree, so that they stay different."""

from collections import Counter
from itertools import pairwise

ELLIPSIS = "…"
# Characters kept at the start, and before the place where names begin to differ, from the start of
# a word if that is near.
START, CONTEXT, NEAR = 4, 2, 10
WORD_ENDS = " _.-:/"


def shortened(names, width):
    """Return names on one line each, none longer than `width`, different names all different.

    A long name loses its end; if another name has the same beginning, the part that they share.

    Parameters
    ----------
    names : sequence
        Their texts are used.
    width : int
        At least 12.

    Examples
    --------
    >>> shortened(["mean temperature in winter", "mean temperature in wind", "rain"], 16)
    ['mean temp…winter', 'mean temper…wind', 'rain']
    >>> shortened(["an unmistakable name of a column"], 16)
    ['an unmistakable…']
    """
    texts = [" ".join(str(name).split()) for name in names]
    shared = shared_beginnings(texts)
    short = [brief(text, shared[text], width) for text in texts]
    return numbered_if_equal(texts, short, width)


def shared_beginnings(texts):
    """Return how many characters each text has in common with the one most like it."""
    ordered = sorted(set(texts))
    shared = dict.fromkeys(ordered, 0)
    for one, other in pairwise(ordered):
        n = common_length(one, other)
        shared[one], shared[other] = max(shared[one], n), max(shared[other], n)
    return shared


def common_length(one, other):
    """Return the length of the common beginning of two texts."""
    pairs = zip(one, other, strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def brief(text, shared, width):
    """Return a text in at most `width` characters, with what follows the shared beginning."""
    if len(text) <= width:
        return text
    if shared < width - 1:
        return text[: width - 1] + ELLIPSIS
    word = 1 + max(text.rfind(mark, 0, shared) for mark in WORD_ENDS)
    end = text[word if shared - word <= NEAR else shared - CONTEXT :]
    room = width - START - 1
    if len(end) > room:
        end = end[: room - 1] + ELLIPSIS
    return text[: width - 1 - len(end)] + ELLIPSIS + end


def numbered_if_equal(texts, short, width):
    """Return short names; where different texts have the same one, their numbers are added."""
    owners = Counter(name for _, name in set(zip(texts, short, strict=True)))
    numbers = {text: number + 1 for number, text in enumerate(dict.fromkeys(texts))}
    found = []
    for text, name in zip(texts, short, strict=True):
        mark = f"~{numbers[text]}" if owners[name] > 1 else ""
        found.append(name[: width - len(mark)] + mark)
    return found
