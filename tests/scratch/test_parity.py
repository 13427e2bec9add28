"""With equal weights, twins give equal outputs, gradients and steps."""

import inspect

from readymade.weights.parameters import parameters_of
from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
import torch
from helpers.cases import CASES, call
from helpers.frameworks import TENSORFLOW, TORCH, kept, kept_twins, random, twins


def loss(framework, inputs):
    """Return the loss of a layer: the sum of its outputs, each times a number."""

    def weighed(layer):
        total = 0.0
        for i, output in enumerate(call(layer, inputs, framework)):
            weight = framework.tensor(random(*output.shape, seed=i))
            # where padding is hidden, the lowest number has no gradient
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
    # A step takes Keras longer than all else. A model's weights are those of layers
    # that are stepped by themselves, and the base model is stepped as a whole.
    step = not issubclass(getattr(TENSORFLOW, name), keras.Model)
    pair = (twins if step else kept_twins)(name, *arguments)
    require_agreement(pair, inputs, step)


def require_agreement(pair, inputs, step=True):
    """Fail unless twins agree on outputs, gradients and one step of AdamW."""
    outputs, gradients, stepped = [], [], []
    for framework, layer in zip((TORCH, TENSORFLOW), pair, strict=True):
        outputs.append(framework.numpy(call(layer, inputs, framework)))
        weights = {id(one.variable) for one in parameters_of(layer).values()}
        assert weights == framework.trained(layer)
        if weights:
            _, found = framework.gradients(layer, loss(framework, inputs))
            gradients.append(found)
        if weights and step:
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
        for path, gradient in ours.items() if step else ():
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
    # AddAndNorm is not called by itself, but by every layer of the above; LoRA is made
    # of a layer, and compared in test_fine_tuning.py.
    assert layers - tested == {"AddAndNorm", "LoRA"}


@pytest.mark.slow("twins that differ at the paper's sizes alone")
def test_the_base_model_agrees():
    """As wide as in the paper; one of its layers and fewer words are enough."""
    base = TransformerConfig(vocab_size=997, num_layers=1, dropout=0.0)
    rng = np.random.default_rng(0)
    source, target = rng.integers(1, 997, (2, 11)), rng.integers(1, 997, (2, 7))
    source[1, 8:] = target[1, 5:] = 0
    require_agreement(twins("Transformer", base), (source, target))


# No argument is changed. What a test hands over as an array is copied on the way, so
# the tensors themselves are looked at, before and after. Those of TensorFlow can't be.

in_torch = pytest.mark.parametrize("framework", [TORCH], ids=str)


@in_torch
@pytest.mark.parametrize("case", CASES)
def test_a_layer_leaves_its_arguments_as_they_were(framework, case):
    name, arguments, inputs = CASES[case]
    given = list(inputs.values()) if isinstance(inputs, dict) else list(inputs)
    tensors = framework.tensors(given)
    named = dict(zip(inputs, tensors, strict=True)) if isinstance(inputs, dict) else {}
    layer = kept(framework, name, *arguments)
    for training in (False, True):
        framework.run(layer, *(() if named else tensors), training=training, **named)
    for after, before in zip(framework.numpy(tensors), given, strict=True):
        np.testing.assert_array_equal(after, before)


@in_torch
@pytest.mark.parametrize("case", ["heads", "encoder", "decoder", "GPT-2"])
def test_a_gradient_leaves_its_arguments_as_they_were(framework, case):
    name, arguments, inputs = CASES[case]
    tensors = framework.tensors(inputs)

    def loss(layer):
        return (call(layer, tensors, framework)[0] ** 2)[0, 0, 0]

    framework.gradients(kept(framework, name, *arguments), loss)
    for after, before in zip(framework.numpy(tensors), inputs, strict=True):
        np.testing.assert_array_equal(after, before)
