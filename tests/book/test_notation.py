"""The page of names tells the truth about the polarity of everyone's masks.

Each library is given the same three queries, in its own polarity: the first may attend
to the first key only, the second to all, the third to nothing. Values that are the rows
of the identity matrix make the output equal to the weights.
"""

import inspect
import re

import scratch.tensorflow as tensorflow_twins
import scratch.torch as torch_twins

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
import torch.nn.functional as F
from helpers.book import BOOK
from torch import nn
from transformers import (
    BertConfig,
    BertModel,
    GenerationConfig,
    GenerationMixin,
    cache_utils,
)
from transformers.generation import ContinuousBatchingConfig, continuous_batching

MAY_ATTEND = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0]], dtype=bool)
LOWEST = np.where(MAY_ATTEND, 0.0, -np.inf).astype("float32")
WIDTH = 4
X = np.random.default_rng(0).normal(size=(1, 1, 3, WIDTH)).astype("float32")
IDENTITY = np.eye(3, dtype="float32")[None, None]
NOTHING = {"0": 0.0, "NaN": np.nan, "the mean of all values": 1 / 3}


def ours_in_torch():
    x, identity = torch.tensor(X), torch.tensor(IDENTITY)
    return torch_twins.scaled_dot_product_attention(
        x, x, identity, torch.tensor(MAY_ATTEND[None, None])
    )[0]


def ours_in_tensorflow():
    x, identity = tf.constant(X), tf.constant(IDENTITY)
    return tensorflow_twins.tf_scaled_dot_product_attention(
        x, x, identity, tf.constant(MAY_ATTEND[None, None])
    )[0]


def torch_function(mask):
    x, identity = torch.tensor(X), torch.tensor(IDENTITY)
    return F.scaled_dot_product_attention(x, x, identity, attn_mask=torch.tensor(mask))


def torch_layer(mask, **how):
    """The layer hands its values on as they are: the output is the weights."""
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(3, num_heads=1, batch_first=True)
    with torch.no_grad():
        layer.in_proj_weight[6:] = torch.eye(3)
        layer.out_proj.weight.copy_(torch.eye(3))
        x = torch.tensor(IDENTITY[0])
        return layer(x, x, x, attn_mask=torch.tensor(mask), **how)[0]


def keras_layer(dropout=0.0, **how):
    """The layer hands its values on as they are: the output is the weights."""
    keras.utils.set_random_seed(0)
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=3, dropout=dropout)
    x = IDENTITY[0]
    layer.build(x.shape, x.shape, x.shape)
    for weight in layer.weights[4:]:  # of the values and of the output
        start = np.eye(3) if "kernel" in weight.path else np.zeros(3)
        weight.assign(start.reshape(weight.shape))
    output = layer(x, x, attention_mask=MAY_ATTEND[None], **how)
    return output[0] if how else output


def keras_function():
    x, identity = X.swapaxes(1, 2), IDENTITY.swapaxes(1, 2)  # (batch, length, heads, …)
    mask = MAY_ATTEND[None, None]
    return np.swapaxes(keras.ops.dot_product_attention(x, x, identity, mask=mask), 1, 2)


def transformers(**how):
    config = BertConfig(
        vocab_size=9,
        hidden_size=3,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=WIDTH,
        **how,
    )
    model = BertModel(config).eval()
    attention = model.encoder.layer[0].attention.self
    # The values of the three tokens are the rows of the identity.
    attention.value.register_forward_hook(lambda *parts: torch.eye(3).expand(3, 3, 3))
    outputs = []
    attention.register_forward_hook(lambda *parts: outputs.append(parts[2][0]))
    # Its mask says which keys are tokens: one mask for all queries of a text.
    ids = torch.tensor([[1, 2, 3]] * 3)
    with torch.no_grad():
        model(ids, torch.tensor(MAY_ATTEND.astype("int64")))
    return outputs[0][range(3), range(3)]


@pytest.mark.parametrize(
    ("row", "sign", "weights"),
    [
        ("this book", "True", ours_in_torch),
        ("this book", "True", ours_in_tensorflow),
        ("`F.scaled_dot", "True", lambda: torch_function(MAY_ATTEND)),
        ("`F.scaled_dot", "0.0", lambda: torch_function(LOWEST)),
        ("`nn.Multihead", "False", lambda: torch_layer(~MAY_ATTEND)),
        ("`nn.Multihead", "0.0", lambda: torch_layer(LOWEST)),
        ("`keras.layers", "True", keras_layer),
        ("`keras.ops", "True", keras_function),
        ("`transformers`", "1", transformers),
    ],
)
def test_the_masks_mean_what_the_table_says(row, sign, weights):
    _, _, may_attend, _ = cells(row, "Where")
    assert sign in re.findall(r"[\w.]+", may_attend)

    weights = np.asarray(weights()).reshape(3, 3)
    assert weights[0] == pytest.approx([1, 0, 0])
    assert weights[1].sum() == pytest.approx(1)
    assert (weights[1] > 0).all()


@pytest.mark.parametrize(
    ("row", "weights"),
    [
        ("this book", ours_in_torch),
        ("this book", ours_in_tensorflow),
        ("`F.scaled_dot", lambda: torch_function(MAY_ATTEND)),
        ("`F.scaled_dot", lambda: torch_function(LOWEST)),
        ("`nn.MultiheadAttention`, by", lambda: torch_layer(~MAY_ATTEND)),
        (
            "`nn.MultiheadAttention`, `need_weights",
            lambda: torch_layer(~MAY_ATTEND, need_weights=False),
        ),
        ("`keras.layers.MultiHeadAttention`, by", keras_layer),
        (
            "`keras.layers.MultiHeadAttention`, `return",
            lambda: keras_layer(return_attention_scores=True),
        ),
        ("`keras.layers.MultiHeadAttention`, built", lambda: keras_layer(dropout=0.1)),
        ("`keras.ops", keras_function),
        ("`transformers`, by", transformers),
        ("`transformers`, `attn", lambda: transformers(attn_implementation="eager")),
    ],
)
def test_nothing_to_attend_to_gives_what_the_table_says(row, weights):
    _, nothing = cells(row, "Call")
    weights = np.asarray(weights()).reshape(3, 3)
    assert weights[2] == pytest.approx(np.full(3, NOTHING[nothing]), nan_ok=True)


def cells(row, table):
    """Return the cells of a row, found by its beginning, in the table with a head."""
    page = (BOOK / "notation.md").read_text()
    masks = page.split("\n## Masks\n")[1].split("\n## ")[0]
    rows = masks.split(f"\n| {table} |")[1].split("\n\n")[0]
    line = re.search(rf"^\| {row}.*$", rows, re.MULTILINE)[0]
    return [cell.strip() for cell in line.split("|")[1:-1]]


def test_the_names_of_serving_are_those_of_transformers():
    page = (BOOK / "notation.md").read_text()
    rows = page.split("\n## Serving\n")[1].split("\n## ")[0].splitlines()
    last = [line.split("|")[-2] for line in rows if line.startswith("|")][2:]
    # what is no longer the name stands in brackets
    text = " ".join(re.sub(r"\(.*?\)", "", cell) for cell in last)
    named = {*re.findall(r"`(\w+)`", text)}
    known = {
        *vars(ContinuousBatchingConfig()),
        *inspect.signature(GenerationMixin.generate).parameters,
        *vars(GenerationConfig()),
        *dir(GenerationMixin),
        *dir(continuous_batching),
        *dir(cache_utils),
    }
    assert len(named) > 10
    assert named - known == set()
