"""The same encoder, from the book, from the libraries, and one head at a time."""

import scratch.tensorflow as ours_in_tensorflow  # before Keras: starts up quietly
import scratch.torch as ours_in_torch
from scratch.config import TransformerConfig

import keras
import tensorflow as tf
import torch
from torch import nn
from transformers import BertConfig, BertModel


def config_of(d_model, num_layers):
    """BERT's design at this width; no dropout, so that all compute the same."""
    return TransformerConfig(
        vocab_size=1_000,
        d_model=d_model,
        num_heads=d_model // 64,
        d_ff=4 * d_model,
        num_layers=num_layers,
        dropout=0.0,
        activation="gelu",
        pad_id=None,
    )


class HeadsInTurn(nn.Module):
    """Multi-head attention as a loop over heads, as in tutorials."""

    def __init__(self, config):
        super().__init__()
        d_k = config.d_model // config.num_heads
        self.heads = nn.ModuleList(
            ours_in_torch.AttentionHead(config.d_model, d_k)
            for _ in range(config.num_heads)
        )
        self.projection = nn.Linear(config.d_model, config.d_model)

    def forward(self, query, key, value, attention_mask=None, need_weights=False):
        outputs = [head(query, key, value, attention_mask)[0] for head in self.heads]
        return self.projection(torch.cat(outputs, dim=-1)), None


class TFHeadsInTurn(keras.layers.Layer):
    """The same loop in TensorFlow."""

    def __init__(self, config):
        super().__init__()
        d_k = config.d_model // config.num_heads
        self.heads = [
            ours_in_tensorflow.TFAttentionHead(config.d_model, d_k)
            for _ in range(config.num_heads)
        ]
        self.projection = keras.layers.Dense(config.d_model)

    def call(self, query, key, value, attention_mask=None, need_weights=False):
        outputs = [head(query, key, value, attention_mask)[0] for head in self.heads]
        return self.projection(tf.concat(outputs, axis=-1)), None


class LibraryAttention(keras.layers.Layer):
    """`keras.layers.MultiHeadAttention`, called as ours is."""

    def __init__(self, config):
        super().__init__()
        d_k = config.d_model // config.num_heads
        self.attention = keras.layers.MultiHeadAttention(config.num_heads, d_k)

    def call(self, query, key, value, attention_mask=None, need_weights=False):
        return self.attention(query, value, key, attention_mask=attention_mask), None


def through(layers):
    """Return a function that sends x through the layers, on the fused path."""

    def run(x):
        for layer in layers:
            x, _ = layer(x, need_weights=False)
        return x

    return run


def ours(config):
    """Return our encoder's layers in PyTorch: a function of x, and the module."""
    layers = nn.ModuleList(
        ours_in_torch.EncoderLayer(config) for _ in range(config.num_layers)
    )
    return through(layers), layers


def heads_in_turn(config):
    run, layers = ours(config)
    for layer in layers:
        layer.self_attention = HeadsInTurn(config)
    return run, layers


def pytorch_own(config):
    layer = nn.TransformerEncoderLayer(
        config.d_model,
        config.num_heads,
        config.d_ff,
        dropout=0.0,
        activation="gelu",
        batch_first=True,
    )
    encoder = nn.TransformerEncoder(
        layer, config.num_layers, enable_nested_tensor=False
    )
    return encoder, encoder


def bert(config):
    encoder = BertModel(
        BertConfig(
            vocab_size=8,
            hidden_size=config.d_model,
            num_hidden_layers=config.num_layers,
            num_attention_heads=config.num_heads,
            intermediate_size=config.d_ff,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            attn_implementation="sdpa",
        )
    ).encoder
    return lambda x: encoder(x).last_hidden_state, encoder


PACKED = "ours, packed"
# {name: function of a config that returns a function of x, and its module}
TORCH = {
    "ours": ours,
    PACKED: ours,  # in the forward pass; the caller packs it
    "one head at a time": heads_in_turn,
    "nn.TransformerEncoder": pytorch_own,
    "transformers BERT, sdpa": bert,
}
# {name: the attention of its layers, None for ours}
TENSORFLOW = {
    "ours": None,
    "keras MultiHeadAttention": LibraryAttention,
    "one head at a time": TFHeadsInTurn,
}


def tf_stack(config, attention):
    """Return our layers in TensorFlow, with this attention: a function of x."""
    layers = []
    for _ in range(config.num_layers):
        if attention is None:
            layers.append(ours_in_tensorflow.TFEncoderLayer(config))
        else:
            # wrapped in a layer, because Keras tracks what it was built with
            layers.append(with_attention(config, attention))
    return through(layers)


def with_attention(config, kind):
    """Return our TensorFlow encoder layer around another attention."""

    class Layer(ours_in_tensorflow.TFEncoderLayer):
        def __init__(self):
            super().__init__(config)
            self.other = kind(config)

        def build(self, *shapes):
            """Build nothing: the parts are built when they are called."""

        def call(self, x, attention_mask=None, need_weights=False):
            y = self.self_attention_norm.before(x)
            y, weights = self.other(y, y, y, attention_mask)
            x = self.self_attention_norm.after(x, y)
            y = self.feed_forward(self.feed_forward_norm.before(x))
            return self.feed_forward_norm.after(x, y), weights

    return Layer()
