"""The page of names tells the truth about the polarity of everyone's masks.

Each library is given the same three queries, in its own polarity: the first may look at
the first key only, the second at all, the third at nothing. Values that are the rows of
the identity matrix bring the weights out as the output.
"""

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
from transformers import BertConfig, BertModel

MAY_LOOK = np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0]], dtype=bool)
LOWEST = np.where(MAY_LOOK, 0.0, -np.inf).astype("float32")
WIDTH = 4
X = np.random.default_rng(0).normal(size=(1, 1, 3, WIDTH)).astype("float32")
IDENTITY = np.eye(3, dtype="float32")[None, None]
NOTHING = {"0": 0.0, "NaN": np.nan, "the mean of all values": 1 / 3}


def ours_in_torch():
    x, identity = torch.tensor(X), torch.tensor(IDENTITY)
    return torch_twins.scaled_dot_product_attention(
        x, x, identity, torch.tensor(MAY_LOOK[None, None])
    )[1]


def ours_in_tensorflow():
    x, identity = tf.constant(X), tf.constant(IDENTITY)
    return tensorflow_twins.tf_scaled_dot_product_attention(
        x, x, identity, tf.constant(MAY_LOOK[None, None])
    )[1]


def torch_function(mask):
    x, identity = torch.tensor(X), torch.tensor(IDENTITY)
    return F.scaled_dot_product_attention(x, x, identity, attn_mask=torch.tensor(mask))


def torch_layer(mask):
    torch.manual_seed(0)
    layer = nn.MultiheadAttention(WIDTH, num_heads=1, batch_first=True)
    x = torch.tensor(X[0])
    return layer(x, x, x, attn_mask=torch.tensor(mask))[1].detach()


def keras_layer():
    layer = keras.layers.MultiHeadAttention(num_heads=1, key_dim=WIDTH)
    x = X[0]
    return layer(x, x, attention_mask=MAY_LOOK, return_attention_scores=True)[1]


def keras_function():
    x, identity = X.swapaxes(1, 2), IDENTITY.swapaxes(1, 2)  # (batch, length, heads, …)
    mask = MAY_LOOK[None, None]
    return np.swapaxes(keras.ops.dot_product_attention(x, x, identity, mask=mask), 1, 2)


def transformers():
    config = BertConfig(
        vocab_size=9,
        hidden_size=WIDTH,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=WIDTH,
        attn_implementation="eager",
    )
    model = BertModel(config).eval()
    # Its mask says which keys are tokens: one mask for all queries of a text.
    ids = torch.tensor([[1, 2, 3]] * 3)
    masks = torch.tensor(MAY_LOOK.astype("int64"))
    weights = model(ids, masks, output_attentions=True).attentions[0]
    return weights.detach()[range(3), 0, range(3)]


@pytest.mark.parametrize(
    ("row", "sign", "weights"),
    [
        ("this book", "True", ours_in_torch),
        ("this book", "True", ours_in_tensorflow),
        ("`F.scaled_dot", "True", lambda: torch_function(MAY_LOOK)),
        ("`F.scaled_dot", "0.0", lambda: torch_function(LOWEST)),
        ("`nn.Multihead", "False", lambda: torch_layer(~MAY_LOOK)),
        ("`nn.Multihead", "0.0", lambda: torch_layer(LOWEST)),
        ("`keras.layers", "True", keras_layer),
        ("`keras.ops", "True", keras_function),
        ("`transformers`", "1", transformers),
    ],
)
def test_the_masks_mean_what_the_table_says(row, sign, weights):
    line = re.search(rf"^\| {row}.*$", table_of_masks(), re.MULTILINE)[0]
    _, _, may_look, _, nothing = (cell.strip() for cell in line.split("|")[1:-1])
    assert sign in re.findall(r"[\w.]+", may_look)

    weights = np.asarray(weights()).reshape(3, 3)
    assert weights[0] == pytest.approx([1, 0, 0])
    assert weights[1].sum() == pytest.approx(1)
    assert (weights[1] > 0).all()
    assert weights[2] == pytest.approx(np.full(3, NOTHING[nothing]), nan_ok=True)


def table_of_masks():
    """The part of the page under its heading `Masks`."""
    page = (BOOK / "notation.md").read_text()
    return page.split("\n## Masks\n")[1].split("\n## ")[0]
