"""Learning merges from a text: the training of byte-pair encoding."""

from collections import Counter, defaultdict
from heapq import heapify, heappop, heappush
from itertools import pairwise

from scratch.tokenization.byte_alphabet import CHARACTER_TO_BYTE


def count_pairs(spellings, occurrences):
    """Count neighbours in all `spellings`, each as often as its word occurs.

    Returns the count of each pair, and the places of the spellings that hold it.
    """
    counts, found_in = Counter(), defaultdict(set)
    for place, (symbols, times) in enumerate(zip(spellings, occurrences, strict=True)):
        for pair in pairwise(symbols):
            counts[pair] += times
            found_in[pair].add(place)
    return counts, found_in


def merge_pair(symbols, pair):
    """Join every occurrence of `pair` in the list `symbols`, from left to right."""
    merged = []
    for symbol in symbols:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return merged


def learn_merges(words, vocab_size, min_count=2):
    """Return the pairs to merge, in the order in which they are learned.

    words: how often each spelled word occurs. The most frequent pair is always next;
    of equally frequent ones, the pair whose symbols have been known for longest.
    Stops at `vocab_size` symbols, or when no pair occurs `min_count` times.
    """
    known = {symbol: place for place, symbol in enumerate(CHARACTER_TO_BYTE)}
    spellings, occurrences = [list(word) for word in words], list(words.values())
    counts, found_in = count_pairs(spellings, occurrences)

    def entry(pair):
        return -counts[pair], known[pair[0]], known[pair[1]], pair

    queue = [entry(pair) for pair in counts]
    heapify(queue)
    merges = []
    while queue and len(known) < vocab_size:
        negative, *_, best = heappop(queue)
        if -negative != counts[best]:
            continue  # An old entry: the pair was counted anew since.
        if counts[best] < min_count:
            break
        merges.append(best)
        known.setdefault("".join(best), len(known))
        changes = Counter()
        for place in found_in.pop(best):
            for pair in pairwise(spellings[place]):
                changes[pair] -= occurrences[place]
            spellings[place] = merge_pair(spellings[place], best)
            for pair in pairwise(spellings[place]):
                changes[pair] += occurrences[place]
                found_in[pair].add(place)
        for pair, change in changes.items():
            if change:
                counts[pair] += change
                heappush(queue, entry(pair))
    return merges
