"""Merging one word by learned rank, however long the word is."""

from heapq import heapify, heappop, heappush
from itertools import pairwise


def merge_by_rank(symbols, ranks):
    """Merge neighbours in `symbols`, always the pair of lowest rank, leftmost first.

    symbols: a string or a list of strings. ranks: the order in which pairs are merged.
    Returns the list of merged symbols. A queue holds the pairs that may be merged, and
    each symbol knows its neighbours, so that the work for a symbol stays the same in a
    word of a million letters.
    """
    symbols = list(symbols)
    end = len(symbols)
    left, right = list(range(-1, end - 1)), list(range(1, end + 1))
    queue = [
        (ranks[pair], place)
        for place, pair in enumerate(pairwise(symbols))
        if pair in ranks
    ]
    heapify(queue)
    while queue:
        rank, place = heappop(queue)
        after = right[place]
        if after == end or ranks.get((symbols[place], symbols[after])) != rank:
            continue  # An old entry: one of the two was merged since.
        symbols[place] += symbols[after]
        symbols[after] = None
        right[place] = right[after]
        if right[place] < end:
            left[right[place]] = place
        for first in (left[place], place):
            second = right[first] if first >= 0 else end
            if second < end and (symbols[first], symbols[second]) in ranks:
                heappush(queue, (ranks[symbols[first], symbols[second]], first))
    return [symbol for symbol in symbols if symbol is not None]
