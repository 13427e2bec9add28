"""Dropout is everywhere in a model where it should be, and acts in training."""

from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
import torch
from helpers.frameworks import TORCH, both

IDS = np.array([[5, 3, 8, 7], [4, 6, 3, 3]])
SELF = ["self_attention", "self_attention_norm"]
CROSS = ["cross_attention", "cross_attention_norm"]
THINK = ["feed_forward", "feed_forward_norm"]


def places(stack, *parts):
    """Return the paths of the dropouts in an encoder or decoder of one layer."""
    parts = ["embeddings", *(f"layers.0.{part}" for part in parts)]
    return [f"{stack}.{part}.dropout" for part in parts]


# name: (arguments beside the config, what it is called with, its dropouts)
MODELS = {
    "Transformer": (
        (),
        (IDS, IDS),
        places("encoder", *SELF, *THINK) + places("decoder", *SELF, *CROSS, *THINK),
    ),
    "CausalLanguageModel": ((), (IDS,), places("decoder", *SELF, *THINK)),
    "SequenceClassifier": (
        (3,),
        (IDS,),
        ["dropout", *places("encoder", *SELF, *THINK)],
    ),
}
in_all_models = pytest.mark.parametrize("name", MODELS)


def make(framework, name):
    """Return a model with a dropout of 0.3."""
    framework.seed()
    small = {"vocab_size": 9, "d_model": 12, "num_heads": 3, "d_ff": 20}
    # a table for each side, so that each has embeddings of its own
    rest = {"num_layers": 1, "dropout": 0.3, "target_vocab_size": 9}
    settled = TransformerConfig(**small, **rest)
    return getattr(framework, name)(settled, *MODELS[name][0])


def at(model, path):
    for step in path.split("."):
        model = model[int(step)] if step.isdigit() else getattr(model, step)
    return model


def dropouts(framework, model):
    """Return all dropouts inside a model, wherever they are."""
    if framework is TORCH:
        return [one for one in model.modules() if isinstance(one, torch.nn.Dropout)]
    layers = model._flatten_layers()
    return [one for one in layers if isinstance(one, keras.layers.Dropout)]


def rate_name(framework):
    return "p" if framework is TORCH else "rate"


@both
@in_all_models
def test_every_place_has_the_dropout_of_the_config(framework, name):
    model = make(framework, name)
    found = [at(model, path) for path in MODELS[name][2]]
    assert {id(one) for one in found} == {id(one) for one in dropouts(framework, model)}
    assert [getattr(one, rate_name(framework)) for one in found] == [0.3] * len(found)


@both
@in_all_models
def test_each_place_drops_in_training_only(framework, name):
    """With all rates at 0, training mode computes the same as evaluation mode."""
    model = make(framework, name)
    _, inputs, paths = MODELS[name]
    rate = rate_name(framework)
    whole = framework.run(model, *inputs)
    for one in dropouts(framework, model):
        setattr(one, rate, 0.0)
    np.testing.assert_array_equal(framework.run(model, *inputs, training=True), whole)
    for path in paths:
        setattr(at(model, path), rate, 0.3)
        found = framework.run(model, *inputs, training=True)
        assert not np.array_equal(found, whole), path
        setattr(at(model, path), rate, 0.0)
