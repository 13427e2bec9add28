"""Call a reader's layer or function, and see what its gradient reaches."""

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from .converting import to_numpy


@dataclass(frozen=True)
class Called:
    """The output of a call, and the names of weights with a problem."""

    output: Any
    frozen: str = ""  # one that no gradient reaches; a function's is an argument
    changed: tuple[str, ...] = ()  # those that the call changed
    nan: str = ""  # an argument for which a loss has a NaN gradient


def call_layer(layer, case, framework, args, kwargs):
    """Call a layer and return `Called`."""
    if framework == "torch":
        return _torch_call(layer, args, kwargs)
    training = {"training": True} if case.training else {}
    return _tensorflow_call(layer, args, {**kwargs, **training})


def _torch_call(layer, args, kwargs):
    import torch

    weights = dict(layer.named_parameters())
    before = [weight.detach().numpy().copy() for weight in weights.values()]
    with torch.enable_grad():  # even if the reader has disabled it
        output = layer(*args, **kwargs)
        parts = [part for part in _flat(output) if _is_float(part, torch.is_tensor)]
        total = sum(part.sum() for part in parts)
    after = [weight.detach().numpy() for weight in weights.values()]
    changed = _changed(weights, before, after)
    if not parts or not weights:
        return Called(output, changed=changed)
    fixed = [name for name, weight in weights.items() if not weight.requires_grad]
    if fixed or not total.requires_grad:
        return Called(output, next(iter(fixed or weights)), changed)
    gradients = torch.autograd.grad(total, weights.values(), allow_unused=True)
    return Called(output, _first(_is_missing, gradients, weights), changed)


def _tensorflow_call(layer, args, kwargs):
    import tensorflow as tf

    weights = {_attribute(layer, weight): weight for weight in layer.trainable_weights}
    before = [weight.numpy() for weight in weights.values()]
    with tf.GradientTape() as tape:
        output = layer(*args, **kwargs)
        parts = [part for part in _flat(output) if _is_float(part, tf.is_tensor)]
        total = sum(map(tf.reduce_sum, parts))
    after = [weight.numpy() for weight in weights.values()]
    changed = _changed(weights, before, after)
    if not parts or not weights:
        return Called(output, changed=changed)
    variables = [weight.value for weight in weights.values()]
    gradients = tape.gradient(total, variables)
    return Called(output, _first(_is_missing, gradients, weights), changed)


def call_function(function, args, names, framework, learns):
    """Call a function whose gradient must reach its arguments that are float tensors.

    Args:
        function: the reader's.
        args: its positional arguments, of which tensors that learn are replaced.
        names: the reader's names of the arguments.
        framework: "torch" or "tensorflow".
        learns: the places of these tensors, or True for all.

    Returns:
        `Called`.
    """
    how = _torch_function if framework == "torch" else _tensorflow_function
    places = range(len(args)) if learns is True else learns
    output, reached = how(function, args, places)
    gradients, names = reached.values(), [names[i] for i in reached]
    nan = _first(_is_nan, gradients, names) if _is_loss(output) else ""
    return Called(output, _first(_is_missing, gradients, names), nan=nan)


def _torch_function(function, args, places):
    import torch

    places = [i for i in places if _is_float(args[i], torch.is_tensor)]
    with torch.enable_grad():
        leaves = [args[place].requires_grad_() for place in places]
        for place, leaf in zip(places, leaves, strict=True):
            args[place] = leaf.clone()  # unlike a leaf, it may be changed
        output = function(*args)
        parts = [part for part in _flat(output) if _is_float(part, torch.is_tensor)]
        total = sum(part.sum() for part in parts)
    gradients = [None] * len(leaves)
    if parts and total.requires_grad:
        with contextlib.suppress(RuntimeError):  # a needed tensor was changed in place
            gradients = torch.autograd.grad(total, leaves, allow_unused=True)
    return output, dict(zip(places, gradients, strict=True))


def _tensorflow_function(function, args, places):
    import tensorflow as tf

    watched = {i: args[i] for i in places if _is_float(args[i], tf.is_tensor)}
    with tf.GradientTape() as tape:
        tape.watch(list(watched.values()))
        output = function(*args)
        parts = [part for part in _flat(output) if _is_float(part, tf.is_tensor)]
        total = sum(map(tf.reduce_sum, parts))
    gradients = tape.gradient(total, watched) if parts else dict.fromkeys(watched)
    for place, gradient in gradients.items():
        if gradient is not None:  # an embedding's has only the rows that were looked up
            gradients[place] = tf.convert_to_tensor(gradient)
    return output, gradients


def _attribute(layer, weight):
    """Return the attribute that holds a Keras weight, or the weight's own path."""
    for name, part in vars(layer).items():
        if part is weight:
            return name
        if any(one is weight for one in getattr(part, "trainable_weights", ())):
            return f"{name}.{weight.name}"
    return weight.path


def _flat(output):
    if isinstance(output, list | tuple):
        return [part for item in output for part in _flat(item)]
    return [output]


def _is_float(part, is_tensor):
    return is_tensor(part) and "float" in str(part.dtype)


def _changed(names, before, after):
    pairs = zip(names, before, after, strict=True)
    return tuple(name for name, old, new in pairs if not np.array_equal(old, new))


def _first(wrong, gradients, names):
    pairs = zip(gradients, names, strict=True)
    return next((name for gradient, name in pairs if wrong(gradient)), "")


def _is_missing(gradient):
    return gradient is None


def _is_nan(gradient):
    return gradient is not None and np.isnan(np.asarray(gradient)).any()


def _is_loss(output):
    """Whether an output is a single number, on which a model could be trained."""
    number, _ = to_numpy(output)
    is_one = isinstance(number, np.ndarray) and number.shape == ()
    return is_one and number.dtype.kind == "f" and bool(np.isfinite(number))
