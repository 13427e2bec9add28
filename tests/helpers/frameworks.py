"""One interface to both frameworks, so that each promise is tested once for both.

A test marked `@both` gets a `framework`. Its attributes are the pieces of `scratch`, by
their PyTorch names (`framework.causal_mask`, `framework.Encoder`). `run` takes and
returns NumPy arrays.
"""

import functools

import scratch.tensorflow as scratch_tensorflow  # before Keras: starts up quietly
import scratch.torch as scratch_torch
from readymade.weights import copy_weights
from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch


class Torch:
    """The pieces in PyTorch."""

    def __str__(self):
        return "torch"

    def __getattr__(self, name):
        return getattr(scratch_torch, name)

    def seed(self, seed=0):
        torch.manual_seed(seed)

    def tensor(self, array):
        return torch.tensor(array)

    def numpy(self, value):
        return map_arrays(
            lambda one: one.detach().numpy().copy(), value, torch.is_tensor
        )

    def run(self, piece, *inputs, training=False, **named):
        """Call a layer or function with arrays; return arrays."""
        if isinstance(piece, torch.nn.Module):
            piece.train(training)
        with torch.no_grad():
            return self.numpy(piece(*self.tensors(inputs), **self.tensors(named)))

    def tensors(self, values):
        return map_arrays(self.tensor, values, lambda one: isinstance(one, np.ndarray))

    def gradients(self, layer, loss, *inputs, training=True):
        """Return the value of loss(layer, *inputs) and {path: its gradient}."""
        layer.train(training)
        layer.zero_grad()
        value = loss(layer, *self.tensors(inputs))
        value.backward()
        parameters = parameters_of(layer)
        return value.item(), {
            path: np.zeros(one.shape, np.float32)
            if one.variable.grad is None
            else one.variable.grad.numpy().copy()
            for path, one in parameters.items()
        }

    def input_gradient(self, function, array):
        """Return the gradient of the sum of function(array), and its value."""
        x = torch.tensor(array, requires_grad=True)
        value = function(x)
        value.sum().backward()
        return x.grad.numpy(), value.detach().numpy()

    def trained(self, layer):
        """Return the ids of the weights that an optimizer changes."""
        return {id(one) for one in layer.parameters() if one.requires_grad}

    def adamw(self, layer, rate):
        """Take one step of AdamW with the gradients that `gradients` left."""
        optimizer = torch.optim.AdamW(layer.parameters(), rate, (0.9, 0.98), 1e-9)
        optimizer.step()


class TensorFlow:
    """The pieces in TensorFlow."""

    def __str__(self):
        return "tensorflow"

    def __getattr__(self, name):
        prefix = "tf_" if name.islower() else "TF_" if name.isupper() else "TF"
        return getattr(scratch_tensorflow, prefix + name)

    def seed(self, seed=0):
        keras.utils.set_random_seed(seed)

    def tensor(self, array):
        return tf.constant(array)

    def numpy(self, value):
        return map_arrays(lambda one: one.numpy(), value, tf.is_tensor)

    def run(self, piece, *inputs, training=False, **named):
        if isinstance(piece, keras.Layer):
            named = {**named, "training": training}
        return self.numpy(piece(*self.tensors(inputs), **self.tensors(named)))

    def tensors(self, values):
        return map_arrays(self.tensor, values, lambda one: isinstance(one, np.ndarray))

    def gradients(self, layer, loss, *inputs, training=True):
        parameters = parameters_of(layer)
        variables = [one.variable for one in parameters.values()]
        with tf.GradientTape() as tape:
            value = loss(InMode(layer, training), *self.tensors(inputs))
        gradients = tape.gradient(value, variables)
        self.kept_gradients = {
            id(variable): tf.zeros(variable.shape)
            if gradient is None
            else tf.convert_to_tensor(gradient)
            for variable, gradient in zip(variables, gradients, strict=True)
        }
        arrays = {}
        for path, one in parameters.items():
            gradient = self.kept_gradients[id(one.variable)].numpy()
            arrays[path] = gradient.T if one.transposed else gradient
        return float(value), arrays

    def input_gradient(self, function, array):
        x = tf.constant(array)
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = function(x)
        return tape.gradient(value, x).numpy(), value.numpy()

    def trained(self, layer):
        return {id(one) for one in layer.trainable_variables}

    def adamw(self, layer, rate):
        optimizer = keras.optimizers.AdamW(
            rate, weight_decay=0.01, beta_1=0.9, beta_2=0.98, epsilon=1e-9
        )
        variables = layer.trainable_variables
        gradients = [self.kept_gradients[id(variable)] for variable in variables]
        optimizer.apply_gradients(zip(gradients, variables, strict=True))


class InMode:
    """A Keras layer that is always called in one mode, like a PyTorch module."""

    def __init__(self, layer, training):
        self.layer, self.training = layer, training

    def __call__(self, *inputs, **named):
        return self.layer(*inputs, training=self.training, **named)

    def __getattr__(self, name):
        return getattr(self.layer, name)


def map_arrays(function, value, applies):
    """Apply a function to what it applies to in nested lists, tuples and dicts."""
    if applies(value):
        return function(value)
    if isinstance(value, dict):
        return {k: map_arrays(function, v, applies) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([map_arrays(function, one, applies) for one in value])
    return value


TORCH, TENSORFLOW = Torch(), TensorFlow()
both = pytest.mark.parametrize("framework", [TORCH, TENSORFLOW], ids=str)
in_both_modes = pytest.mark.parametrize(
    "training", [False, True], ids=["eval", "train"]
)


def in_torch(name, *arguments, weights_seed=0, **named):
    """Return a piece in PyTorch with random weights.

    Biases and norms, which start at 0 and 1, get random values too, so that a mix-up
    shows.
    """
    torch.manual_seed(weights_seed)
    one = getattr(TORCH, name)(*arguments, **named)
    with torch.no_grad():
        for parameter in one.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
    return one


def twins(name, *arguments, weights_seed=0, **named):
    """Return a piece in PyTorch and in TensorFlow, with the same weights."""
    one = in_torch(name, *arguments, weights_seed=weights_seed, **named)
    other = getattr(TENSORFLOW, name)(*arguments, **named)
    copy_weights(one, other)
    return one, other


# Models take long to build, and no test changes the weights of these.
kept_twins = functools.cache(twins)


def kept(framework, name, *arguments, **named):
    """Return a piece with the same weights in both frameworks, built only once."""
    return kept_twins(name, *arguments, **named)[framework is TENSORFLOW]


def random(*shape, seed=0):
    """Return normally distributed numbers, the same for the same seed."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)
