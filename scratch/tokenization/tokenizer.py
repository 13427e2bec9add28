"""From texts to batches that a model takes, and back."""

from collections.abc import Iterable
from typing import NamedTuple

from scratch.checks import require_at_least, require_list, require_tokens
from scratch.tokenization.byte_pair import BytePairEncoding
from scratch.tokenization.lists import look_up, match_pairs
from scratch.tokenization.special_tokens import (
    PLAIN,
    SpecialTokens,
    frame,
    keep_special,
)
from scratch.tokenization.word_piece import WordPiece

import numpy as np


class Batch(NamedTuple):
    """The arrays that an encoder takes, in this order.

    Args:
        ids: integers (batch, length).
        attention_mask: booleans (batch, 1, 1, length), True at tokens, False at
            padding; the two axes of 1 are for heads and queries.
        segment_ids: integers (batch, length), 0 in the first text, 1 in BERT's second.
    """

    ids: np.ndarray
    attention_mask: np.ndarray
    segment_ids: np.ndarray


class MaskedIds(NamedTuple):
    """The arrays that a model without segments takes; as in `Batch`."""

    ids: np.ndarray
    attention_mask: np.ndarray


def pad_rows(rows: list[list[int]], length: int, filler: int | None) -> np.ndarray:
    """Pad the lists `rows` to `length` with `filler`; return one integer array.

    Example:
        >>> pad_rows([[5, 6], [7]], length=3, filler=0).tolist()
        [[5, 6, 0], [7, 0, 0]]
    """
    filled = [[*row, *[filler] * (length - len(row))] for row in rows]
    return np.array(filled, dtype=np.int64).reshape(len(rows), length)


def make_batch(
    rows: list[tuple[list[str], list[int]]],
    vocab: dict[str, int],
    pad: str | None = None,
    pad_to: int | None = None,
) -> Batch:
    """Return the `Batch` of `rows`, each a list of tokens and their segment ids.

    Args:
        rows: (tokens, segment ids) of each text or pair of texts.
        vocab: {token: id}.
        pad: the token that fills rows up; without one, all must be equally long.
        pad_to: the length of the rows; None for the longest one's.

    Raises:
        ValueError: `pad_to` is shorter than a row, or `pad` is None and is needed.
    """
    require_list("rows", rows)
    lengths = np.array([len(tokens) for tokens, _ in rows], dtype=np.int64)
    longest = int(lengths.max(initial=0))
    length = longest if pad_to is None else pad_to
    require_at_least("pad_to", length, longest)
    if pad is None and (lengths < length).any():
        raise ValueError("pad is None: wanted a token, as the rows' lengths differ")
    ids = [[vocab[token] for token in tokens] for tokens, _ in rows]
    segment_ids = [segments for _, segments in rows]
    real = np.arange(length) < lengths[:, None]  # (batch, length)
    return Batch(
        ids=pad_rows(ids, length, vocab.get(pad)),
        attention_mask=real[:, None, None, :],  # (batch, 1, 1, length)
        segment_ids=pad_rows(segment_ids, length, 0),
    )


class Tokenizer:
    """A vocabulary, with the special tokens that a model expects around a text.

    Args:
        model: a `WordPiece`, a `BytePairEncoding` or what has their methods.
        special: which special tokens go where.

    Raises:
        ValueError: a special token is not in the model's vocabulary.
    """

    segmented = True  # False where the model has no segments

    def __init__(
        self, model: WordPiece | BytePairEncoding, special: SpecialTokens = PLAIN
    ) -> None:
        require_tokens(model.vocab, special.all)
        self.model, self.special, self.vocab = model, special, model.vocab
        self.pad_id = self.vocab.get(special.pad)

    def tokenize(self, text: str) -> list[str]:
        """Return the tokens of `text`; special tokens written in it are kept whole."""
        return keep_special(text, self.special, self.model.tokenize)

    def encode(
        self, text: str, pair: str | None = None, max_length: int | None = None
    ) -> list[int]:
        """Return the ids of one text, or two, with special tokens, as a list."""
        pairs = None if pair is None else [pair]
        return self.encode_batch([text], pairs, max_length).ids[0].tolist()

    def encode_batch(
        self,
        texts: Iterable[str],
        pairs: Iterable[str] | None = None,
        max_length: int | None = None,
        pad_to: int | None = None,
    ) -> Batch | MaskedIds:
        """Return the `Batch` of `texts`, or of each with its second text in `pairs`.

        It is what the model takes: `model(*tokenizer.encode_batch(texts))`. Without
        segments, that is its first two arrays; a `Transformer` takes the ids alone.

        Args:
            texts: the first text of each row.
            pairs: the second text of each row, if there is one.
            max_length: where rows are cut, in tokens; None cuts none.
            pad_to: the length of the rows, in tokens; None for the longest one's.
        """
        both = match_pairs(texts, pairs)
        rows = [self.row(text, pair, max_length) for text, pair in both]
        batch = make_batch(rows, self.vocab, self.special.pad, pad_to)
        return batch if self.segmented else MaskedIds(*batch[:2])

    def row(self, text: str, pair: str | None, max_length: int | None) -> tuple:
        """Return the tokens of one row, with special tokens, and their segment ids."""
        second = None if pair is None else self.tokenize(pair)
        return frame(self.tokenize(text), second, self.special, max_length)

    def tokens(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each id in `ids`, to label a picture for example."""
        return look_up(self.model.tokens, ids)

    def decode(self, ids: Iterable[int], skip_special: bool = True) -> str:
        """Return the text of one row of `ids`, by default without special tokens."""
        skipped = self.special.all if skip_special else ()
        tokens = [token for token in self.tokens(ids) if token not in skipped]
        return self.model.decode(self.vocab[token] for token in tokens)
