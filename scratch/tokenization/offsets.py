"""Where each token lies in its text."""

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from scratch.tokenization.bert_cleaning import category, clean, stands_alone
from scratch.tokenization.byte_pair import BytePairEncoding, spell
from scratch.tokenization.special_tokens import keep_special
from scratch.tokenization.tokenizer import Tokenizer
from scratch.tokenization.word_piece import WordPiece, longest_pieces


def token_offsets(tokenizer: Tokenizer, text: str) -> list[tuple[int, int]]:
    """Return where each of `tokenizer.tokenize(text)` lies in `text`.

    WordPiece lowercases, strips accents and drops control characters, so a token is not
    always written in its text as such. Two tokens may share a character (a Korean
    syllable is cut into its letters), but they never lie in the wrong order.

    Args:
        tokenizer: a `Tokenizer` with WordPiece or byte-pair encoding, or one that has
            a method `offsets`.
        text: any string.

    Returns:
        (start, end) of each token; ``text[start:end]`` is what it was made of.

    Example:
        With BERT's tokenizer, "Café, yes" gives (0, 4), (4, 5), (6, 9): the tokens
        cafe, the comma and yes.
    """
    if hasattr(tokenizer, "offsets"):
        return tokenizer.offsets(text)
    # a part to be cut is a tuple here, a special token a string
    parts = keep_special(text, tokenizer.special, lambda part: [(part,)])
    offsets, start = [], 0
    for part in parts:
        whole = isinstance(part, str)
        written = part if whole else part[0]
        start = text.index(written, start)
        if whole:
            places = [(0, len(written))]
        elif isinstance(tokenizer.model, WordPiece):
            places = word_piece_places(tokenizer.model, written)
        elif isinstance(tokenizer.model, BytePairEncoding):
            places = byte_places(tokenizer.model, written)
        else:
            raise TypeError(f"tokenizer has {tokenizer.model}: wanted WordPiece or BPE")
        offsets += [(start + first, start + end) for first, end in places]
        start += len(written)
    return offsets


def word_piece_places(model, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each token that WordPiece cuts `text` into."""
    for word in words_of(letters_of(text, model.lowercase)):
        spelled = "".join(letter for letter, _ in word)
        pieces = longest_pieces(spelled, model.vocab, model.unknown)
        end = 0
        for piece in pieces:
            start, prefix = end, "##" if end else ""
            end += len(piece) - len(prefix)
            if pieces == [model.unknown]:
                end = len(word)
            places = [place for _, place in word[start:end]]
            yield min(places), max(places) + 1


def letters_of(text: str, lowercase: bool) -> list[tuple[str, int]]:
    """Return what is left of `text` after cleaning: letters, and where each was."""
    letters = [(letter, at) for at, one in enumerate(text) for letter in clean(one)]
    if not lowercase:
        return letters
    apart = [
        (part, at)
        for letter, at in letters
        for part in unicodedata.normalize("NFD", letter)
    ]
    ordered = []
    # Unicode sorts the marks that follow a letter by their class.
    for is_mark, run in groupby(apart, lambda pair: unicodedata.combining(pair[0]) > 0):
        if is_mark:
            run = sorted(run, key=lambda pair: unicodedata.combining(pair[0]))
        ordered += run
    return [
        (small, at)
        for part, at in ordered
        if category(part) != "Mn"
        for small in part.lower()
    ]


def words_of(letters: list[tuple[str, int]]) -> Iterator[list[tuple[str, int]]]:
    """Yield the words, each a list of letters with their places."""
    word = []
    for letter, at in letters:
        alone = stands_alone(letter)
        if word and (alone or letter.isspace()):
            yield word
            word = []
        if alone:
            yield [(letter, at)]
        elif not letter.isspace():
            word.append((letter, at))
    if word:
        yield word


def byte_places(model, text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each token that byte-pair encoding cuts `text` into."""
    places = [at for at, letter in enumerate(text) for _ in spell(letter)]
    start = 0
    for token in model.tokenize(text):
        end = start + len(token)
        yield places[start], places[end - 1] + 1
        start = end
