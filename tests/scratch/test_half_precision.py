"""In half precision a model is right or is refused, but never silently wrong."""

import copy
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace

from readymade.weights import copy_weights
from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.cases import IDS
from helpers.configs import GPT, LLAMA, QWEN3, config
from helpers.frameworks import TENSORFLOW, TORCH, both, in_torch, random

DTYPES = ["float16", "bfloat16", "float64"]
# with its last positions at an angle that half precision rounds by whole turns
LONG = {"max_len": 300, "rotary_base": 10_000.0, "num_layers": 1}
MODELS = {
    "sinusoids": config(norm_first=True, **LONG),
    "rotary": replace(LLAMA, **LONG),
    "rotary, slowed": replace(QWEN3, **LONG),
}
in_all_models = pytest.mark.parametrize("settled", MODELS.values(), ids=MODELS)


@contextmanager
def default(framework, dtype):
    """Within the block, layers are built with this dtype by default."""
    if framework is TORCH:
        torch.set_default_dtype(getattr(torch, dtype))
    else:
        keras.config.set_floatx(dtype)
        keras.config.set_dtype_policy(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(torch.float32)
        keras.config.set_floatx("float32")
        keras.config.set_dtype_policy("float32")


@contextmanager
def mixed(dtype):
    """Layers compute in this dtype, from weights of float32."""
    keras.config.set_dtype_policy(f"mixed_{dtype}")
    try:
        with torch.autocast("cpu", getattr(torch, dtype)):
            yield
    finally:
        keras.config.set_dtype_policy("float32")


# Constants


@both
@pytest.mark.parametrize("dtype", DTYPES)
def test_constants_are_float32_whatever_the_default_is(framework, dtype):
    def constants():
        return framework.numpy(
            [
                framework.frequencies(64),
                framework.frequencies(8, 500_000.0, (8.0, 1.0, 4.0, 64.0)),
                framework.sinusoids(300, 6),
                framework.sinusoids(300, 6, interleaved=False),
            ]
        )

    wanted = constants()
    with default(framework, dtype):
        found = constants()
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype == np.float32
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow("a default that another model's numbers take over")
@both
@pytest.mark.parametrize("dtype", DTYPES)
@in_all_models
def test_a_model_of_float32_may_be_built_under_another_default(
    framework, dtype, settled
):
    wanted = framework.CausalLanguageModel(settled)
    with default(framework, dtype):
        if framework is TORCH:
            model = framework.CausalLanguageModel(settled).float()
        else:
            model = framework.CausalLanguageModel(settled, dtype="float32")
    copy_weights(wanted, model)
    ids = np.random.default_rng(0).integers(1, 11, (1, 300))
    np.testing.assert_array_equal(framework.run(model, ids), framework.run(wanted, ids))


def to_half_and_back(model):
    return copy.deepcopy(model).to(torch.bfloat16).float()


def from_meta(model):
    with torch.device("meta"):
        new = TORCH.CausalLanguageModel(model.config)
    return new.to_empty(device="cpu")


def assigned(model):
    with torch.device("meta"):
        new = TORCH.CausalLanguageModel(model.config)
    new.load_state_dict(model.state_dict(), assign=True)
    return new


@pytest.mark.parametrize(
    "way", [torch.nn.Module.half, to_half_and_back, from_meta, assigned]
)
@in_all_models
def test_constants_do_not_move_with_the_weights(way, settled):
    model = in_torch("CausalLanguageModel", settled)
    moved = way(copy.deepcopy(model)).float()
    copy_weights(model, moved)
    ids = np.random.default_rng(0).integers(1, 11, (1, 300))
    np.testing.assert_array_equal(TORCH.run(moved, ids), TORCH.run(model, ids))


@both
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@in_all_models
def test_a_model_of_half_precision_computes_in_it(framework, dtype, settled):
    with default(framework, dtype):
        model = framework.CausalLanguageModel(settled)
        assert dtype in str(model(framework.tensor(IDS)).dtype)


# Attention


def wide(tensor):
    """Return a tensor as float32, which NumPy knows."""
    return tensor.float() if torch.is_tensor(tensor) else tf.cast(tensor, tf.float32)


def attended(framework, piece, *inputs):
    """Return the output, the weights, and the gradients of the inputs."""
    if framework is TORCH:
        inputs = [torch.tensor(one, requires_grad=True) for one in inputs]
        output, weights = piece(*inputs)
        gradients = torch.autograd.grad(wide(output).sum(), inputs)
    else:
        inputs = [tf.constant(one) for one in inputs]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            output, weights = piece(*inputs)
            total = tf.reduce_sum(wide(output))
        gradients = tape.gradient(total, inputs)
    return framework.numpy([wide(one) for one in (output, weights, *gradients)])


@both
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("precision", [np.float32, np.float16])
@pytest.mark.parametrize("size", [1, 300])
def test_scores_stay_wide_in_mixed_precision(framework, dtype, precision, size):
    """300 · 300 · √16 is above 65,504, where float16 ends."""
    query, key, value = (
        (scale * random(2, 3, 5, 16, seed=seed)).astype(precision)
        for seed, scale in enumerate((size, size, 1))
    )
    attend = framework.scaled_dot_product_attention
    wanted = attended(framework, attend, query, key, value)
    with mixed(dtype):
        found = attended(framework, attend, query, key, value)
    # the weights are the same; the vectors they multiply are rounded
    np.testing.assert_allclose(found[1], wanted[1], atol=1e-3)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, atol=0.02 * np.abs(other).max())


LAYERS = {
    "one head": ("AttentionHead", (12, 4), 3),
    "heads": ("MultiHeadAttention", (12, 3), 3),
    "grouped, rotary": ("GroupedQueryAttention", (LLAMA,), 3),
    "encoder layer": ("EncoderLayer", (GPT,), 1),
    "decoder layer": ("DecoderLayer", (config(),), 2),
}


@both
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", LAYERS)
def test_large_scores_are_finite_in_mixed_precision(framework, dtype, name):
    """The output, the weights and all gradients."""
    piece, arguments, count = LAYERS[name]
    with mixed(dtype):
        layer = getattr(framework, piece)(*arguments)
        for path, one in parameters_of(layer).items():
            if path.endswith(("query.weight", "key.weight")):
                one.write(300 * random(*one.shape))

        def loss(layer, *inputs):
            output, weights = layer(*inputs)
            found.extend([output, *(weights if type(weights) is tuple else [weights])])
            return wide(output).sum() if framework is TORCH else keras.ops.sum(output)

        found = []
        inputs = [random(2, 5, 12, seed=seed) for seed in range(count)]
        _, gradients = framework.gradients(layer, loss, *inputs)
    for one in (*framework.numpy([wide(one) for one in found]), *gradients.values()):
        assert np.isfinite(one.astype(np.float32)).all()


# Training


def batches(count=4):
    return [(IDS,)] * count


def fit(framework, model, loss):
    return framework.fit(model, batches(), loss, 1e-2)


def fine_tune(framework, model, loss):
    encoder = isinstance(
        model, (TORCH.SequenceClassifier, TENSORFLOW.SequenceClassifier)
    )
    weights = model.parameters() if framework is TORCH else model.trainable_variables
    rates = framework.layer_rates(model) if encoder else [(1.0, list(weights))]
    return framework.fine_tune(model, batches(), loss, rates, lambda step: 1e-2)


both_ways = pytest.mark.parametrize("train", [fit, fine_tune])


def next_token_loss(framework):
    def loss(model, ids):
        return framework.cross_entropy(model(ids)[:, :-1], ids[:, 1:], 0)

    return loss


def class_loss(framework):
    def loss(model, ids):
        return framework.cross_entropy(model(ids), ids[:, 0] % 3, None)

    return loss


def built(framework, piece, dtype):
    """Return a piece whose weights are of a dtype, and its loss."""
    if piece == "SequenceClassifier":
        arguments, loss = (config(num_layers=1), 3), class_loss(framework)
    else:
        arguments, loss = (replace(LLAMA, num_layers=1),), next_token_loss(framework)
    with default(framework, dtype):
        return getattr(framework, piece)(*arguments), loss


PIECES = ["CausalLanguageModel", "SequenceClassifier"]


@both
@both_ways
@pytest.mark.parametrize("piece", PIECES)
def test_float16_weights_are_not_trained(framework, train, piece):
    """Its numbers end at 6e-8: Adam's squares and its epsilon would be 0."""
    model, loss = built(framework, piece, "float16")
    before = [one.read() for one in parameters_of(model).values()]
    with pytest.raises(
        ValueError, match=r"^gradients are float16 .*: wanted float32 or"
    ):
        train(framework, model, loss)
    after = [one.read() for one in parameters_of(model).values()]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.slow("half weights that do not learn")
@both
@pytest.mark.parametrize(("train", "piece"), zip((fit, fine_tune), PIECES, strict=True))
def test_bfloat16_weights_are_trained(framework, train, piece):
    model, loss = built(framework, piece, "bfloat16")
    losses = train(framework, model, loss)
    assert losses[-1] < losses[0]
    for one in parameters_of(model).values():
        assert np.isfinite(one.read()).all()


def trains_unless_float16(framework, train, dtype, loss):
    model = framework.CausalLanguageModel(config(num_layers=1))
    if dtype == "float16":
        with pytest.raises(
            ValueError, match=r"^gradients are float16 .*autocast or mixed"
        ):
            train(framework, model, loss)
    else:
        losses = train(framework, model, loss)
        assert losses[-1] < losses[0]


@pytest.mark.slow("mixed precision that trains out of range")
@both
@both_ways
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_mixed_precision_trains_in_the_range_of_float32(framework, train, dtype):
    """Float16 would need its loss scaled: it has no gradients below 6e-8."""
    with mixed(dtype):
        trains_unless_float16(framework, train, dtype, next_token_loss(framework))


@both_ways
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_autocast_in_the_loss_is_noticed_too(train, dtype):
    def loss(model, ids):
        with torch.autocast("cpu", getattr(torch, dtype)):
            logits = model(ids)
        return TORCH.cross_entropy(logits[:, :-1], ids[:, 1:], 0)

    trains_unless_float16(TORCH, train, dtype, loss)


@pytest.mark.slow("digits that a newer GPU would round away")
def test_tensorflow_multiplies_all_digits_unless_told_otherwise():
    """On newer GPUs, TensorFlow would round factors to 10 binary digits."""
    said = """
import scratch.tensorflow
import tensorflow as tf
setting = tf.config.experimental
print(setting.tensor_float_32_execution_enabled())
setting.enable_tensor_float_32_execution(True)
import scratch.tensorflow.training
scratch.tensorflow.tf_causal_mask(3)
print(setting.tensor_float_32_execution_enabled())
"""
    done = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]
