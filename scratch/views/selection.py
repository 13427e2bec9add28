"""What a view shows: which layers and heads, over which tokens, in which parts."""

from dataclasses import dataclass

from scratch.views.arrays import as_layers, as_tokens, choose

import numpy as np


@dataclass(frozen=True)
class Selection:
    """The attention that a view shows.

    Attributes:
        weights: (layers, heads, queries, keys), only the chosen layers and heads.
        layers, heads: the numbers that these have in the model.
        query_tokens, key_tokens: what the rows and the columns stand for.
        sentence_b_start: where the second sentence begins, or None.
    """

    weights: np.ndarray
    layers: list[int]
    heads: list[int]
    query_tokens: list[str]
    key_tokens: list[str]
    sentence_b_start: int | None

    @property
    def size(self):
        """Return the size in words, for plain text and for screen readers."""
        queries, keys = len(self.query_tokens), len(self.key_tokens)
        tokens = (
            f"{queries} tokens" if queries == keys else f"{queries} × {keys} tokens"
        )
        return f"{_count(self.layers, 'layer')}, {_count(self.heads, 'head')}, {tokens}"

    @property
    def text(self):
        """Return the tokens as a text, with an arrow between two different ones."""
        queries, keys = " ".join(self.query_tokens), " ".join(self.key_tokens)
        return queries if queries == keys else f"{queries} → {keys}"

    @property
    def parts(self):
        """Return what can be chosen to look at: (key, name, query span, key span)."""
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


def select(
    weights, tokens, key_tokens=None, sentence_b_start=None, layers=None, heads=None
):
    """Return the chosen part of the weights, checked against the tokens.

    Args:
        weights: one layer or a list of layers, each (batch, heads, queries, keys) with
            a batch of 1; see `as_layers`.
        tokens: the tokens that ask, one for each query.
        key_tokens: the tokens that are looked at, one for each key; None: `tokens`.
        sentence_b_start: where the second sentence of a pair begins, or None.
        layers, heads: an index or indices to show; None: all.
    """
    stack = as_layers(weights)
    num_heads, num_queries, num_keys = stack[0].shape
    query_tokens = as_tokens(tokens, num_queries)
    if key_tokens is not None:
        key_tokens = as_tokens(key_tokens, num_keys, "key_tokens", "keys")
    elif num_keys != num_queries:
        raise ValueError(
            f"weights have {num_queries} queries and {num_keys} keys: give the tokens "
            f"of the keys as key_tokens."
        )
    if sentence_b_start is not None:
        if key_tokens is not None:
            raise ValueError(
                "sentence_b_start is for two sentences in one list of tokens: "
                "leave out either it or key_tokens."
            )
        if not 0 < sentence_b_start < num_queries:
            raise ValueError(
                f"sentence_b_start is {sentence_b_start}: wanted a position after the "
                f"first token and before the end, 1 to {num_queries - 1}."
            )
    layers = choose(layers, len(stack), "layers")
    heads = choose(heads, num_heads, "heads")
    return Selection(
        weights=np.stack([stack[layer][heads] for layer in layers]),
        layers=layers,
        heads=heads,
        query_tokens=query_tokens,
        key_tokens=query_tokens if key_tokens is None else key_tokens,
        sentence_b_start=sentence_b_start,
    )


def place_of(number, numbers, name):
    """Return where `number`, a layer or a head of the model, stands in the view.

    Raises:
        ValueError: the view does not show it.
    """
    if number not in numbers:
        raise ValueError(f"{name} is {number}: the view shows {name}s {numbers}.")
    return numbers.index(number)
