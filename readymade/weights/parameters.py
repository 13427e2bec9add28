"""Every parameter of a model by its path, the same paths in both frameworks.

A path is how a reader would reach the parameter, without the model's own name:
`layers.0.attention.query.weight`. Names and layout are PyTorch's, so that twins have
equal paths and equal shapes: Keras' `kernel` (in, out) is read and written here as
`weight` (out, in).
"""

import sys
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from readymade.weights.files import release

import numpy as np

# What Keras' own layers call their weights, and what PyTorch calls the same.
KERAS_NAMES = {
    "Dense": {"kernel": "weight", "bias": "bias"},
    "Embedding": {"embeddings": "weight"},
    "LayerNormalization": {"gamma": "weight", "beta": "bias"},
    "RMSNormalization": {"scale": "weight"},
}
# Where PyTorch's wrappers hold the model that they wrap.
WRAPPED = {
    "OptimizedModule": "_orig_mod",
    "DataParallel": "module",
    "DistributedDataParallel": "module",
}


@dataclass(frozen=True)
class Parameter:
    """One parameter of a model, in either framework.

    `variable` is the framework's own object: two paths with the same one are tied.
    """

    variable: Any
    shape: tuple[int, ...]
    transposed: bool = False

    @property
    def dtype(self):
        """The name of the type of its numbers, such as float32 or int8."""
        return str(self.variable.dtype).removeprefix("torch.")

    def read(self):
        """Return the values as a new array in PyTorch's layout."""
        if is_torch(self.variable):
            import torch

            # NumPy has no bfloat16; float32 holds each of its values exactly.
            wide = torch.promote_types(self.variable.dtype, torch.float32)
            values = self.variable.detach().to("cpu", wide).numpy()
        else:
            values = self.variable.numpy()
            values = values.astype(np.promote_types(values.dtype, np.float32))
        return np.array(values.T if self.transposed else values)

    def write(self, values):
        """Overwrite the values with an array in PyTorch's layout."""
        # Neither framework takes NumPy's bfloat16; float32 holds each of its values.
        wide = np.promote_types(values.dtype, np.float32)
        values = values.T if self.transposed else values
        # in parts, because a copy of the largest table takes a lot of memory
        places = [...]  # the whole of a single number
        if values.ndim:
            ends = np.linspace(0, len(values), values.nbytes // 2**22 + 2, dtype=int)
            places = [slice(*pair) for pair in pairwise(ends.tolist())]
        for place in places:
            part = np.array(values[place], wide, order="C")
            if is_torch(self.variable):
                import torch

                with torch.no_grad():
                    self.variable[place].copy_(torch.from_numpy(part))
            else:
                import tensorflow as tf

                part = tf.cast(part, self.variable.dtype)
                self.variable.value[place].assign(part)


def parameters_of(model):
    """Return {path: Parameter} of a PyTorch module or a Keras layer, frozen ones too.

    Buffers and constants are not parameters.
    """
    if inside := WRAPPED.get(type(model).__name__):
        raise TypeError(
            f"model is of type {type(model).__name__}: wanted what it wraps, "
            f"model.{inside}"
        )
    if is_torch(model):
        named = model.named_parameters(remove_duplicate=False)
        return {path: Parameter(value, tuple(value.shape)) for path, value in named}
    if is_keras(model):
        return keras_parameters(model)
    raise TypeError(
        f"model is of type {type(model).__name__}: wanted a torch.nn.Module or a "
        "keras.Layer"
    )


def untied(parameters):
    """Return {path: Parameter} with only the first of the paths that are tied."""
    first = {}
    for path, parameter in parameters.items():
        first.setdefault(id(parameter.variable), path)
    return {path: parameters[path] for path in first.values()}


def write_all(values, parameters):
    """Write {path: array} into {path: Parameter}, or raise before the first write."""
    first_path = {}
    for path, parameter in parameters.items():
        first = first_path.setdefault(id(parameter.variable), path)
        if first != path and not np.array_equal(
            values[first], values[path], equal_nan=True
        ):
            raise ValueError(
                f"source has two values for {first} and {path}: wanted one, because "
                "target ties them"
            )
    for path in first_path.values():
        parameters[path].write(values[path])
        release(values[path])


def is_torch(value):
    """Whether `value` is PyTorch's, without loading PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, (torch.nn.Module, torch.Tensor))


def is_keras(value, kind="Layer"):
    """Whether `value` is a Layer or Variable of Keras, without loading Keras."""
    keras = sys.modules.get("keras")
    return keras is not None and isinstance(value, getattr(keras, kind))


def kind_of(model):
    """Return what one of our models is called in PyTorch."""
    return type(model).__name__.removeprefix("TF")


def config_of(model):
    """Return a model's config."""
    return model.config if hasattr(model, "config") else model.encoder.config


def framework_of(model):
    """Return the name of a model's framework."""
    return "torch" if is_torch(model) else "tensorflow"


def patches_of(model):
    """Return what a model's PatchEmbeddings take; None for a model of texts."""
    embeddings = getattr(getattr(model, "encoder", model), "embeddings", None)
    if not hasattr(embeddings, "channels"):
        return None
    return embeddings.size, embeddings.channels, embeddings.picture_size


def keras_parameters(model):
    """Return {path: Parameter} of a Keras layer."""
    parameters = dict(walk(model, path="", above=()))
    reached = {id(parameter.variable) for parameter in parameters.values()}
    unreached = [v.path for v in model.trainable_variables if id(v) not in reached]
    if unreached:
        raise ValueError(
            f"{type(model).__name__} has weights that no attribute leads to, such as "
            f"{unreached[0]}: wanted each as an attribute, or in a list that is one"
        )
    return parameters


def walk(layer, path, above):
    """Yield (path, Parameter) for all that a Keras layer holds.

    Keras numbers its variables by order of creation, which differs between two equal
    models; attributes are what both frameworks share.
    """
    import keras

    for name, value in members(layer, path):
        place = f"{path}.{name}" if path else name
        if isinstance(value, keras.Variable):
            transposed = isinstance(layer, keras.layers.Dense) and name == "weight"
            shape = value.shape[::-1] if transposed else value.shape
            yield place, Parameter(value, tuple(shape), transposed)
        elif isinstance(value, keras.Layer) and not any(value is one for one in above):
            yield from walk(value, place, (*above, layer))


def members(layer, path):
    """Yield (name, value) for the attributes of a Keras layer, lists item by item."""
    import keras

    for kind, names in KERAS_NAMES.items():
        if isinstance(layer, getattr(keras.layers, kind)):
            if not layer.built:
                raise ValueError(
                    f"{path or 'the layer'} ({type(layer).__name__}) has no weights "
                    "yet: wanted a layer that is built, or was called once"
                )
            yield from (
                (ours, getattr(layer, theirs)) for theirs, ours in names.items()
            )
            return
    for name, value in vars(layer).items():
        if name.startswith("_"):
            continue
        if isinstance(value, (list, tuple)):
            yield from ((f"{name}.{i}", item) for i, item in enumerate(value))
        else:
            yield name, value
