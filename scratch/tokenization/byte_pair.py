"""Byte-pair encoding on bytes: nothing is unknown, and nothing is lost."""

from collections import Counter

from scratch.arguments import require_at_least
from scratch.tokenization.byte_alphabet import CHARACTER_TO_BYTE, read_spelling, spell
from scratch.tokenization.checks import look_up, require_text, require_tokens
from scratch.tokenization.learning import learn_merges
from scratch.tokenization.merging import merge_by_rank

import regex

# GPT-2's pattern: English endings; then letters, digits or signs, each with the space
# before them; then the white space that is left. Together the pieces are the text.
WORD = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
)


def split_words(text):
    """Cut `text` into words, each with the space before it, as GPT-2 does."""
    require_text("text", text)
    return WORD.findall(text)


class BytePairEncoding:
    """A vocabulary of byte sequences, made by merging frequent neighbours.

    vocab: the id of each token, written in the byte alphabet, all 256 bytes included.
    merges: the pairs of tokens to merge, the earliest learned first.
    Sennrich et al. (2016), section 3.2; on bytes, Radford et al. (2019), section 2.2.
    """

    def __init__(self, vocab, merges):
        require_tokens(vocab, [*CHARACTER_TO_BYTE, *map("".join, merges)])
        self.vocab, self.merges = vocab, merges
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.tokens = {token_id: token for token, token_id in vocab.items()}

    @classmethod
    def train(cls, text, vocab_size, min_count=2):
        """Learn merges from `text` until there are `vocab_size` tokens."""
        require_at_least("vocab_size", vocab_size, 256)
        require_at_least("min_count", min_count, 1)
        words = Counter(spell(word) for word in split_words(text))
        merges = learn_merges(words, vocab_size, min_count)
        tokens = dict.fromkeys([*CHARACTER_TO_BYTE, *map("".join, merges)])
        return cls({token: place for place, token in enumerate(tokens)}, merges)

    def tokenize(self, text):
        """Return the tokens of `text`, written in the byte alphabet."""
        words = split_words(text)
        pieces = {word: merge_by_rank(spell(word), self.ranks) for word in {*words}}
        return [piece for word in words for piece in pieces[word]]

    def encode(self, text):
        """Return the ids of `text`, a list of integers."""
        return [self.vocab[token] for token in self.tokenize(text)]

    def decode(self, ids):
        """Return the text of `ids`; bytes that are not UTF-8 come back as U+FFFD."""
        return read_spelling("".join(look_up(self.tokens, ids)))
