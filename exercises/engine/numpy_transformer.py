"""A Transformer in NumPy that runs trained weights of BERT, GPT-2 or Llama.

It is the reference of exercises that explore a trained model. It shares no code with
the book's own models, and needs neither framework.
"""

import math
from typing import NamedTuple

import numpy as np

# What published files call the parts of a layer.
_NAMES = """
layer              encoder.layer.{}            h.{}         layers.{}
query              attention.self.query        attn.c_attn  self_attn.q_proj
key                attention.self.key          attn.c_attn  self_attn.k_proj
value              attention.self.value        attn.c_attn  self_attn.v_proj
output             attention.output.dense      attn.c_proj  self_attn.o_proj
attention_norm     attention.output.LayerNorm  ln_1         input_layernorm
expand             intermediate.dense          mlp.c_fc     mlp.up_proj
gate               -                           -            mlp.gate_proj
contract           output.dense                mlp.c_proj   mlp.down_proj
feed_forward_norm  output.LayerNorm            ln_2         post_attention_layernorm
"""
_ROWS = [line.split() for line in _NAMES.strip().splitlines()]
BERT, GPT2, LLAMA = ({row[0]: row[place] for row in _ROWS} for place in (1, 2, 3))


class Layer(NamedTuple):
    """What one layer computed."""

    x: np.ndarray  # (length, d_model), after the layer
    weights: np.ndarray  # (heads, queries, keys), of its attention
    attended: np.ndarray  # (length, d_model), what its attention adds
    inner: np.ndarray  # (length, d_ff), activations of its feed-forward part


class NumPyTransformer:
    """The layers of one trained model. BERT's norms come last, the others' first.

    Args:
        tensors: {name: array}, as published, without the model's own prefix.
        names: `BERT`, `GPT2` or `LLAMA`.
        num_layers, num_heads, epsilon, activation, rotary_base: as in the model's
            config.
    """

    def __init__(
        self, tensors, names, num_layers, num_heads, epsilon, activation, rotary_base=0
    ):
        self.tensors, self.names, self.epsilon = tensors, names, epsilon
        self.num_layers, self.num_heads = num_layers, num_heads
        self.activation, self.rotary_base = activation, rotary_base
        self._kernels = {}

    def run(self, x, allowed=None, activation=None):
        """Return a `Layer` for each layer.

        Args:
            x: the embedded tokens, (length, d_model).
            allowed: which keys each query may attend to, (queries, keys) or (keys,);
                None for all.
            activation: another activation function than the model's own.
        """
        layers, norm_first = [], self.names is not BERT
        for layer in range(self.num_layers):
            y = self.norm(x, "attention_norm", layer) if norm_first else x
            attended, weights = self._attend(y, layer, allowed)
            x = x + attended
            x = x if norm_first else self.norm(x, "attention_norm", layer)
            y = self.norm(x, "feed_forward_norm", layer) if norm_first else x
            inner = self.inner(y, layer, activation)
            x = x + self.linear(inner, "contract", layer)
            x = x if norm_first else self.norm(x, "feed_forward_norm", layer)
            layers.append(Layer(x, weights, attended, inner))
        return layers

    def _attend(self, x, layer, allowed):
        if self.names is GPT2:  # which has one matrix for all three
            parts = np.split(self.linear(x, "query", layer), 3, -1)
        else:
            parts = [self.linear(x, role, layer) for role in ("query", "key", "value")]
        size = x.shape[1] // self.num_heads
        query, key, value = (
            part.reshape(len(x), -1, size).swapaxes(0, 1) for part in parts
        )
        if self.rotary_base:
            query, key = (rotated(part, self.rotary_base) for part in (query, key))
        if len(key) < len(query):  # grouped queries
            key, value = (
                part.repeat(len(query) // len(key), 0) for part in (key, value)
            )
        scores = query @ key.swapaxes(1, 2) / math.sqrt(size)
        weights = softmax(scores, allowed)
        attended = (weights @ value).swapaxes(0, 1).reshape(x.shape)
        return self.linear(attended, "output", layer), weights

    def inner(self, x, layer, activation=None):
        """Return what a layer's feed-forward part computes of x: (length, d_ff)."""
        activation = activation or self.activation
        expanded = self.linear(x, "expand", layer)
        if self.names is LLAMA:
            return activation(self.linear(x, "gate", layer)) * expanded
        return activation(expanded)

    def linear(self, x, name, layer=None):
        """Apply a linear map: a part of a layer, or any by its published name."""
        name = self._published(name, layer)
        if name not in self._kernels:
            weight = self.tensors[f"{name}.weight"]
            kernel = weight if self.names is GPT2 else weight.T  # (inputs, outputs)
            self._kernels[name] = np.ascontiguousarray(kernel)  # which is the fastest
        return x @ self._kernels[name] + self.tensors.get(f"{name}.bias", 0)

    def norm(self, x, name, layer=None):
        """Apply a layer norm; an RMSNorm, which subtracts nothing, has no bias."""
        name = self._published(name, layer)
        bias = self.tensors.get(f"{name}.bias")
        if bias is not None:
            x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + self.epsilon)
        return x * self.tensors[f"{name}.weight"] + (0 if bias is None else bias)

    def _published(self, name, layer):
        if layer is None:
            return name
        return f"{self.names['layer'].format(layer)}.{self.names[name]}"


def read_tensors(folder, prefix="", file="model.safetensors"):
    """Return {name: array} of a checkpoint, its names without a prefix."""
    from safetensors.numpy import load_file

    tensors = load_file(folder / file)
    return {name.removeprefix(prefix): array for name, array in tensors.items()}


def bert_embeddings(model, ids, segments):
    """Return BERT's sum of three embeddings, normed: (length, d_model)."""
    words, positions, kinds = (
        model.tensors[f"embeddings.{name}_embeddings.weight"]
        for name in ("word", "position", "token_type")
    )
    x = words[ids] + positions[: len(ids)] + kinds[segments]
    return model.norm(x, "embeddings.LayerNorm")


def softmax(scores, allowed=None):
    """Return the softmax over the last axis; all 0 where nothing is allowed."""
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    if allowed is not None:
        powers = np.where(allowed, powers, 0)
    total = powers.sum(-1, keepdims=True)
    return powers / np.where(total > 0, total, 1)


def rotated(heads, base, start=0):
    """Rotate each pair of features (i, i + size / 2) by its position's angle.

    heads: (…, length, size), the first of them at position `start`.
    """
    *_, length, size = heads.shape
    places = start + np.arange(length)[:, None]
    angle = places * base ** (-np.arange(0, size, 2) / size)
    cos, sin = np.cos(angle), np.sin(angle)
    one, other = np.split(heads, 2, -1)
    return np.concatenate([one * cos - other * sin, other * cos + one * sin], -1)


def gelu(x):
    """Return the exact GELU, by a polynomial for erf with an error below 2e-7.

    Source: Abramowitz and Stegun 1964, formula 7.1.26.
    """
    t = 1 / (1 + 0.3275911 * np.abs(x) / math.sqrt(2))
    series = np.polyval(_ERF, t) * t * np.exp(-(x**2) / 2)
    return (x * (1 + np.sign(x) * (1 - series)) / 2).astype(x.dtype)


_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)


def gelu_tanh(x):
    """Return the tanh form of GELU, which GPT-2 has."""
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def relu(x):
    """Return the ReLU."""
    return np.maximum(x, 0)


def silu(x):
    """Return the SiLU, which Llama has."""
    return x / (1 + np.exp(-x))
