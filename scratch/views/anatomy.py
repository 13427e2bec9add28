"""Sizes read off a model itself, the same way for either framework."""

import math


def kind(module):
    """Return the name of a module's class without TensorFlow's prefix."""
    return type(module).__name__.removeprefix("TF")


def count_parameters(module):
    """Return how many numbers a module learns; a shared table counts once."""
    if hasattr(module, "parameters"):
        tensors = module.parameters()
    else:
        tensors = module.trainable_weights
    return sum(math.prod(tensor.shape) for tensor in tensors)


def linear_sizes(layer):
    """Return (d_in, d_out) of a linear layer."""
    if hasattr(layer, "in_features"):
        return layer.in_features, layer.out_features
    return tuple(layer.kernel.shape)


def table_sizes(table):
    """Return (rows, columns) of an embedding table."""
    if hasattr(table, "num_embeddings"):
        return table.num_embeddings, table.embedding_dim
    return table.input_dim, table.output_dim


def activation_name(function):
    """Return an activation's name as papers write it."""
    if hasattr(function, "func"):  # a partial: gelu with its approximation
        return "GELU (tanh)"
    names = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU", "swish": "SiLU"}
    return names.get(function.__name__, function.__name__)


def spelled(count):
    """Return a count as a reader says it: 960, 2,048, 1.05 M."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g} M"
    return f"{count:,}"
