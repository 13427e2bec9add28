"""Facts read off a model, the same way for either framework: its class, its sizes."""

import math


def class_names(model):
    """Return the names of a model's class and its bases without TensorFlow's prefix."""
    return [one.__name__.removeprefix("TF") for one in type(model).__mro__]


def count_parameters(module):
    """Return the number of parameters, frozen ones too; a shared table counts once."""
    torch = hasattr(module, "parameters")
    tensors = module.parameters() if torch else module.weights
    return sum(math.prod(tensor.shape) for tensor in tensors)


def linear_sizes(layer):
    """Return (d_in, d_out) of a linear layer."""
    if hasattr(layer, "in_features"):
        return layer.in_features, layer.out_features
    return tuple(layer.kernel.shape)


def norm_name(norm):
    """Return what a normalization layer is called, layer norm or RMSNorm."""
    return "RMSNorm" if class_names(norm)[0].startswith("RMSNorm") else "Layer norm"


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


def short_count(count):
    """Return a count as text: 960, 2,048, 1.05 M."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.3g} M"
    return f"{count:,}"
