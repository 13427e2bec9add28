"""Byte-pair encoding as later models cut their texts: SmolLM, Llama 3, Qwen2."""

from collections.abc import Sequence
from unicodedata import normalize

from scratch.checks import require_text
from scratch.tokenization.byte_pair import (
    WORD,
    BytePairEncoding,
    merge_by_rank,
    spell,
)

import regex

ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
SIGNS = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
# The published patterns that we know: one digit a piece (Qwen2), or up to three.
PATTERNS = (rf"{ENDINGS}|\p{{N}}|{SIGNS}", rf"{ENDINGS}|\p{{N}}{{1,3}}|{SIGNS}")
DIGIT = r"\p{N}"


class LaterBytePairs(BytePairEncoding):
    """Byte-pair encoding that cuts texts into words by patterns of its own.

    Args:
        vocab, merges: as in BytePairEncoding.
        patterns: regular expressions. Each cuts what the one before left into what it
            matches and what is between; None stands for GPT-2's.
        normal_form: "NFC" to compose characters first; None to take them as they are.
        whole_words: True to keep a word whole that is in the vocabulary, whatever the
            merges would make of it.

    Raises:
        ValueError: as BytePairEncoding.
    """

    def __init__(
        self,
        vocab: dict[str, int],
        merges: list[tuple[str, str]],
        patterns: Sequence[str | None],
        normal_form: str | None = None,
        whole_words: bool = False,
    ) -> None:
        super().__init__(vocab, merges)
        self.patterns = [regex.compile(one) if one else WORD for one in patterns]
        self.normal_form, self.whole_words = normal_form, whole_words

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of `text`, written in the byte alphabet."""
        require_text("text", text)
        words = [normalize(self.normal_form, text) if self.normal_form else text]
        for pattern in self.patterns:
            words = [piece for word in words for piece in isolated(pattern, word)]
        pieces = {word: self.merged(spell(word)) for word in {*words}}
        return [piece for word in words for piece in pieces[word]]

    def merged(self, spelling: str) -> list[str]:
        """Return the tokens of a word."""
        if self.whole_words and spelling in self.vocab:
            return [spelling]
        return merge_by_rank(spelling, self.ranks)


def isolated(pattern: regex.Pattern, text: str) -> list[str]:
    """Cut `text` into the matches of a pattern and what is between them.

    Example:
        >>> isolated(regex.compile("[0-9]"), "a 12")
        ['a ', '1', '2']
    """
    pieces, end = [], 0
    for match in pattern.finditer(text):
        pieces += [text[end : match.start()], match.group()]
        end = match.end()
    return [piece for piece in [*pieces, text[end:]] if piece]
