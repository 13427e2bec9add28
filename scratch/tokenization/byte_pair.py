"""Byte-pair encoding on bytes: learn frequent pairs, then merge them in that order."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise

from scratch.checks import require_at_least, require_list, require_text, require_tokens
from scratch.tokenization.lists import look_up

import regex

# GPT-2's pattern: English endings; then letters, digits or signs, each with the space
# before them; then the remaining white space. Joined together, the pieces are the text.
WORD = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


def byte_alphabet() -> dict[int, str]:
    """Return a printable character for each of the 256 bytes, as GPT-2 writes them.

    A printable character of Latin-1 keeps its byte. The other 68 bytes take the
    characters from U+0100 on.

    Returns:
        ``{byte: character}``, in the order of ids in GPT-2's vocabulary.

    Example:
        >>> byte_alphabet()[97], byte_alphabet()[32]
        ('a', 'Ġ')
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    alphabet = {byte: chr(byte) for byte in printable}
    return alphabet | {byte: chr(256 + place) for place, byte in enumerate(others)}


BYTE_TO_CHARACTER = byte_alphabet()
CHARACTER_TO_BYTE = {character: byte for byte, character in BYTE_TO_CHARACTER.items()}


def spell(text: str) -> str:
    """Write the UTF-8 bytes of `text` in the byte alphabet.

    Example:
        >>> spell("the café")
        'theĠcafÃ©'
    """
    return "".join(BYTE_TO_CHARACTER[byte] for byte in text.encode("utf-8"))


def read_spelling(spellings: Iterable[str]) -> str:
    """Return the text whose bytes `spellings` write; invalid UTF-8 becomes U+FFFD.

    A spelling with a character outside the byte alphabet, as an added token may have,
    is text already.

    Example:
        >>> read_spelling("theĠcafÃ©")
        'the café'
    """
    data = bytearray()
    for spelling in spellings:
        if CHARACTER_TO_BYTE.keys() >= {*spelling}:
            data += bytes(CHARACTER_TO_BYTE[one] for one in spelling)
        else:
            data += spelling.encode("utf-8")
    return data.decode("utf-8", errors="replace")


def split_words(text: str) -> list[str]:
    """Cut `text` into words, each with the space before it, as GPT-2 does.

    Raises:
        TypeError: `text` is not a string.
        ValueError: it holds half a character.

    Example:
        >>> split_words("She'd counted 12 teeth")
        ['She', "'d", ' counted', ' 12', ' teeth']

    Source: Radford et al. 2019, the pattern in OpenAI's published code.
    """
    require_text("text", text)
    return WORD.findall(text)


def count_pairs(
    spellings: list[list[str]], occurrences: list[int]
) -> tuple[Counter, dict]:
    """Count neighbours in all `spellings`, each as often as its word occurs.

    Returns:
        The count of each pair, and the places of the spellings that hold it.

    Example:
        >>> counts, found_in = count_pairs([["t", "e", "a"], ["e", "a", "t"]], [2, 1])
        >>> dict(counts)
        {('t', 'e'): 2, ('e', 'a'): 3, ('a', 't'): 1}
        >>> dict(found_in)
        {('t', 'e'): {0}, ('e', 'a'): {0, 1}, ('a', 't'): {1}}
    """
    counts, found_in = Counter(), defaultdict(set)
    for place, (symbols, times) in enumerate(zip(spellings, occurrences, strict=True)):
        for pair in pairwise(symbols):
            counts[pair] += times
            found_in[pair].add(place)
    return counts, found_in


def merge_pair(symbols: list[str], pair: tuple[str, str]) -> list[str]:
    """Join every occurrence of `pair` in the list `symbols`, from left to right.

    Example:
        >>> merge_pair(["s", "e", "a", "t", "e", "a"], ("e", "a"))
        ['s', 'ea', 't', 'ea']
    """
    merged = []
    for symbol in symbols:
        if merged and (merged[-1], symbol) == pair:
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return merged


def learn_merges(
    words: Mapping[str, int], vocab_size: int, min_count: int = 2
) -> list[tuple[str, str]]:
    """Return the pairs to merge, in the order in which they are learned.

    The most frequent pair is always next; of equally frequent ones, the pair whose
    symbols have been known for longest.

    Args:
        words: how often each word occurs, spelled in the byte alphabet.
        vocab_size: stop at so many symbols, the 256 bytes included.
        min_count: stop when no pair occurs so often.

    Example:
        >>> learn_merges({"tea": 2, "eat": 1, "eats": 1}, vocab_size=258)
        [('e', 'a'), ('t', 'ea')]

    Source: Sennrich et al. 2016, section 3.2.
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
            continue  # An old entry: the pair has been counted again.
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


def merge_by_rank(
    symbols: str | list[str], ranks: Mapping[tuple[str, str], int]
) -> list[str]:
    """Merge neighbours in `symbols`, always the pair of lowest rank, leftmost first.

    A queue holds the pairs that may be merged, and each symbol knows its neighbours,
    so that the work for a symbol hardly grows in a word of a million letters.

    Args:
        symbols: a word, as a string or as a list of strings.
        ranks: the order in which pairs are merged, lowest first.

    Example:
        >>> merge_by_rank("eats", {("a", "t"): 1, ("e", "a"): 0, ("t", "s"): 2})
        ['ea', 'ts']
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
            continue  # An old entry: one of the two has been merged.
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


class BytePairEncoding:
    """A vocabulary of byte sequences, made by merging frequent neighbours.

    Args:
        vocab: {token: id}, written in the byte alphabet, all 256 bytes included.
        merges: the pairs of tokens to merge, the earliest learned first.

    Raises:
        ValueError: `vocab` lacks a byte or the outcome of a merge.

    Source: Sennrich et al. 2016, section 3.2; on bytes, Radford et al. 2019,
    section 2.2.
    """

    def __init__(self, vocab: dict[str, int], merges: list[tuple[str, str]]) -> None:
        require_list("merges", merges)
        require_tokens(vocab, [*CHARACTER_TO_BYTE, *map("".join, merges)])
        self.vocab, self.merges = vocab, merges
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.tokens = {token_id: token for token, token_id in vocab.items()}
        # Tokens that are neither bytes nor merged from bytes were added as text.
        self.added = vocab.keys() - {*CHARACTER_TO_BYTE, *map("".join, merges)}

    @classmethod
    def train(
        cls, text: str, vocab_size: int, min_count: int = 2
    ) -> "BytePairEncoding":
        """Learn merges from `text` until there are `vocab_size` tokens.

        Args:
            text: what to learn from.
            vocab_size: the number of tokens, at least the 256 bytes.
            min_count: how often a pair must occur to be merged.
        """
        require_at_least("vocab_size", vocab_size, 256)
        require_at_least("min_count", min_count, 1)
        words = Counter(spell(word) for word in split_words(text))
        merges = learn_merges(words, vocab_size, min_count)
        tokens = dict.fromkeys([*CHARACTER_TO_BYTE, *map("".join, merges)])
        return cls({token: place for place, token in enumerate(tokens)}, merges)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of `text`, written in the byte alphabet.

        Example:
            >>> BytePairEncoding.train("the tea, the sea", 259).tokenize("the tea")
            ['the', 'Ġ', 't', 'ea']
        """
        words = split_words(text)
        pieces = {word: merge_by_rank(spell(word), self.ranks) for word in {*words}}
        return [piece for word in words for piece in pieces[word]]

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, a list of integers."""
        return [self.vocab[token] for token in self.tokenize(text)]

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of `ids`; invalid UTF-8 becomes U+FFFD."""
        tokens = look_up(self.tokens, ids)
        spelled = [spell(one) if one in self.added else one for one in tokens]
        return read_spelling(spelled)
