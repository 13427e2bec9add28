"""What a view shows: which layers and heads, and the tokens they relate."""

from dataclasses import dataclass

from readymade.views.attention.inputs import as_indices, as_layers, as_tokens
from scratch.checks import require_at_least

import numpy as np


@dataclass(frozen=True)
class Selection:
    """The attention that a view shows.

    Attributes:
        weights: (layers, heads, queries, keys), only the chosen layers and heads.
        layers, heads: their numbers in the model.
        query_tokens, key_tokens: the labels of the rows and of the columns.
        sentence_b_start: the position where the second sentence begins, or None.
    """

    weights: np.ndarray
    layers: list[int]
    heads: list[int]
    query_tokens: list[str]
    key_tokens: list[str]
    sentence_b_start: int | None

    @property
    def size(self):
        """Return the size in words, for plain text."""
        queries, keys = len(self.query_tokens), len(self.key_tokens)
        tokens = f"{queries}" if queries == keys else f"{queries} × {keys}"
        layers, heads = _count(self.layers, "layer"), _count(self.heads, "head")
        return f"{layers}, {heads}, {tokens} tokens"

    @property
    def length(self):
        """Return the number of tokens on the longer side."""
        return max(len(self.query_tokens), len(self.key_tokens))

    @property
    def text(self):
        """Return the tokens as one line, with an arrow between two different texts."""
        queries, keys = " ".join(self.query_tokens), " ".join(self.key_tokens)
        return queries if queries == keys else f"{queries} → {keys}"

    @property
    def parts(self):
        """Return the sentence menu's entries: (key, name, query span, key span)."""
        whole = ("all", "All", [0, len(self.query_tokens)], [0, len(self.key_tokens)])
        if self.sentence_b_start is None:
            return [whole]
        spans = {
            "a": [0, self.sentence_b_start],
            "b": [self.sentence_b_start, len(self.query_tokens)],
        }
        return [whole] + [
            (f"{x}{y}", f"Sentence {x.upper()} → {y.upper()}", spans[x], spans[y])
            for x, y in ("aa", "ab", "ba", "bb")
        ]


def _count(numbers, noun):
    return f"{len(numbers)} {noun}{'s' if len(numbers) != 1 else ''}"


def select(weights, tokens, key_tokens, sentence_b_start, layers, heads):
    """Return the Selection of chosen layers and heads, checked against the tokens."""
    stack = as_layers(weights)
    num_heads, num_queries, num_keys = stack[0].shape
    query_tokens = as_tokens(tokens, num_queries)
    if key_tokens is None and num_keys != num_queries:
        raise ValueError(
            f"key_tokens is None: wanted the tokens of the keys, because weights have "
            f"{num_queries} queries and {num_keys} keys"
        )
    if sentence_b_start is not None:
        require_at_least("sentence_b_start", sentence_b_start, 1)
        if key_tokens is not None:
            raise ValueError(
                "sentence_b_start and key_tokens are both given: wanted one of them, "
                "because a pair of sentences is one list of tokens"
            )
        if sentence_b_start >= num_queries:
            raise ValueError(
                f"sentence_b_start is {sentence_b_start}: wanted a position from 1 to "
                f"{num_queries - 1}"
            )
    if key_tokens is None:
        key_tokens = query_tokens
    layers = as_indices(layers, len(stack), "layers")
    heads = as_indices(heads, num_heads, "heads")
    return Selection(
        weights=np.stack([stack[layer][heads] for layer in layers]),
        layers=layers,
        heads=heads,
        query_tokens=query_tokens,
        key_tokens=as_tokens(key_tokens, num_keys, "key_tokens", "keys"),
        sentence_b_start=sentence_b_start,
    )


def place_of(number, numbers, name):
    """Return the place of `number`, a layer or a head of the model, in the view."""
    if number not in numbers:
        raise ValueError(f"{name} is {number}: wanted one of those shown, {numbers}")
    return numbers.index(number)
