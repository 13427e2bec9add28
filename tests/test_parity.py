"""Every pair of twins: with the same weights, the same numbers, forward and back."""

import inspect

from scratch.config import TransformerConfig
from scratch.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
import torch
from frameworks import TENSORFLOW, TORCH, random, twins

IDS = np.array([[5, 3, 9, 1, 0], [2, 2, 0, 0, 0]])
SEGMENTS = np.array([[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]])
REAL = (IDS != 0)[:, None, None]
# more than padding is hidden, and not the same in both rows
SEEN = np.array([[1, 1, 0, 1, 0], [1, 0, 1, 0, 0]], bool)[:, None, None]
PAIRS = {"ids": IDS, "attention_mask": SEEN, "segment_ids": SEGMENTS}
X, MEMORY = random(2, 5, 12), random(2, 5, 12, seed=1)


def config(**named):
    """Return a small configuration; sizes differ, so that a mix-up does not fit."""
    small = {"vocab_size": 11, "d_model": 12, "num_heads": 3, "d_ff": 20}
    return TransformerConfig(**{**small, "num_layers": 2, "dropout": 0.0, **named})


BERT = config(
    positions="learned",
    num_segments=2,
    norm_embeddings=True,
    scale_embeddings=False,
    activation="gelu",
    layer_norm_eps=1e-12,
    output_bias=True,
    pooler="tanh",
)
GPT = config(
    positions="learned",
    scale_embeddings=False,
    activation="gelu_tanh",
    norm_first=True,
)
MARIAN = config(activation="silu", interleaved=False, output_bias=True)
OWN_HEADS = config(d_k=5, d_v=2, tie_output=False, target_vocab_size=7)

# name: (piece, its arguments, what it is called with)
CASES = {
    "one head": ("AttentionHead", (12, 4, 5), (X, MEMORY, MEMORY, REAL)),
    "heads": ("MultiHeadAttention", (12, 3), (X, MEMORY, MEMORY, REAL)),
    "heads, fused": (
        "MultiHeadAttention",
        (12, 3, 0.0, 5, 2),
        {
            "query": X,
            "key": MEMORY,
            "value": MEMORY,
            "attention_mask": REAL,
            "need_weights": False,
        },
    ),
    "relu": ("FeedForward", (12, 20), (X,)),
    "gelu": ("FeedForward", (12, 20, "gelu"), (X,)),
    "gelu_tanh": ("FeedForward", (12, 20, "gelu_tanh"), (X,)),
    "silu": ("FeedForward", (12, 20, "silu"), (X,)),
    "sinusoids": ("SinusoidalPositions", (12, 9), (IDS,)),
    "sinusoids in halves": ("SinusoidalPositions", (12, 9, False), (IDS,)),
    "learned positions": ("LearnedPositions", (12, 9), (IDS,)),
    "embeddings": ("Embeddings", (config(),), (IDS,)),
    "embeddings of BERT": ("Embeddings", (BERT,), (IDS, SEGMENTS)),
    "encoder layer, post-LN": ("EncoderLayer", (config(),), (X, REAL)),
    "encoder layer, pre-LN": ("EncoderLayer", (GPT,), (X, REAL)),
    "encoder": ("Encoder", (OWN_HEADS,), (IDS,)),
    "encoder of BERT": ("Encoder", (BERT,), {"ids": IDS, "segment_ids": SEGMENTS}),
    "pooler": ("Pooler", (BERT,), (X,)),
    "decoder layer, post-LN": ("DecoderLayer", (config(),), (X, MEMORY, REAL)),
    "decoder layer, pre-LN": (
        "DecoderLayer",
        (GPT,),
        {"x": X, "memory": MEMORY, "memory_mask": REAL},
    ),
    "decoder": ("Decoder", (OWN_HEADS,), (np.minimum(IDS, 6), MEMORY)),
    "logits": ("TokenLogits", (OWN_HEADS, None), (X,)),
    "GPT-2": ("CausalLanguageModel", (GPT,), (IDS,)),
    "GPT-2 with a mask": ("CausalLanguageModel", (GPT,), (IDS, SEEN)),
    "Transformer": ("Transformer", (config(),), (IDS, IDS[:, :4])),
    "Transformer, pre-LN": ("Transformer", (GPT,), (IDS, IDS[:, :4])),
    "Marian": ("Transformer", (MARIAN,), (IDS, IDS[:, :4])),
    "two languages": ("Transformer", (OWN_HEADS,), (IDS, np.minimum(IDS, 6))),
    "classifier": ("SequenceClassifier", (BERT, 3), PAIRS),
    "classifier without pooler": ("SequenceClassifier", (config(), 3), (IDS,)),
    "masked words": ("MaskedLanguageModel", (BERT,), PAIRS),
    "masked words, silu": ("MaskedLanguageModel", (MARIAN,), (IDS, SEEN)),
    "next sentence": ("NextSentence", (BERT,), PAIRS),
    "spans": ("SpanExtractor", (config(),), (IDS,)),
    "spans of BERT": ("SpanExtractor", (BERT,), PAIRS),
}


def call(layer, inputs, framework):
    """Call a layer with its inputs, in order or by name; return a list of tensors."""
    inputs = framework.tensors(inputs)
    result = layer(**inputs) if isinstance(inputs, dict) else layer(*inputs)
    return flat(result)


def flat(result):
    if isinstance(result, (list, tuple)):
        return [one for item in result for one in flat(item)]
    return [] if result is None else [result]


def loss(framework, inputs):
    """Return the loss of a layer: its outputs, each weighed by a number of its own."""

    def weighed(layer):
        total = 0.0
        for i, output in enumerate(call(layer, inputs, framework)):
            weight = framework.tensor(random(*output.shape, seed=i))
            # the lowest of numbers, where padding is hidden, has no gradient
            total = total + (
                (weight * output.clamp(min=-1e4)).sum()
                if framework is TORCH
                else keras.ops.sum(weight * keras.ops.maximum(output, -1e4))
            )
        return total

    return weighed


@pytest.mark.parametrize("case", CASES)
def test_twins_agree(case):
    name, arguments, inputs = CASES[case]
    require_agreement(twins(name, *arguments), inputs)


def require_agreement(pair, inputs):
    """Fail unless twins agree on outputs, gradients and one step of AdamW."""
    outputs, gradients, stepped = [], [], []
    for framework, layer in zip((TORCH, TENSORFLOW), pair, strict=True):
        outputs.append(framework.numpy(call(layer, inputs, framework)))
        if parameters_of(layer):
            _, found = framework.gradients(layer, loss(framework, inputs))
            gradients.append(found)
            framework.adamw(layer, 0.01)
            stepped.append(
                {path: one.read() for path, one in parameters_of(layer).items()}
            )

    assert len(outputs[0]) == len(outputs[1]) > 0
    for one, other in zip(*outputs, strict=True):
        np.testing.assert_allclose(other, one, atol=1e-5)

    if gradients:
        ours, theirs = gradients
        assert ours.keys() == theirs.keys()
        largest = max(np.abs(gradient).max() for gradient in ours.values())
        assert largest > 0
        for path, gradient in ours.items():
            np.testing.assert_allclose(
                theirs[path], gradient, atol=1e-4 * largest, err_msg=path
            )
            # The first step of AdamW goes by the gradient's sign: where it is all but
            # 0, rounding decides it.
            clear = np.abs(gradient) > 1e-4 * largest
            np.testing.assert_allclose(
                stepped[1][path][clear], stepped[0][path][clear], atol=1e-5
            )


def test_no_layer_is_left_out():
    import scratch.torch

    layers = {
        name
        for name, piece in vars(scratch.torch).items()
        if inspect.isclass(piece) and issubclass(piece, torch.nn.Module)
    }
    tested = {name for name, _, _ in CASES.values()}
    # AddAndNorm is not called by itself, but by every layer of the above.
    assert layers - tested == {"AddAndNorm"}


def test_the_base_model_agrees():
    """Six layers and six, as in the paper; only its vocabulary is cut short."""
    base = TransformerConfig(vocab_size=997, dropout=0.0)
    rng = np.random.default_rng(0)
    source, target = rng.integers(1, 997, (2, 11)), rng.integers(1, 997, (2, 7))
    source[1, 8:] = target[1, 5:] = 0
    require_agreement(twins("Transformer", base), (source, target))
