"""Looking inside: what one layer passes on is seen and changed, and nothing else is."""

from scratch.config import TransformerConfig

import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.frameworks import TENSORFLOW, TORCH, both, in_torch, random, twins

CONFIG = TransformerConfig(
    vocab_size=11, d_model=6, num_heads=3, d_ff=10, num_layers=2, max_len=9, dropout=0.0
)
IDS = np.array([[1, 4, 2, 7], [3, 5, 9, 6]])
CLOSE = {"atol": 1e-5, "rtol": 1e-4}


def model_in(framework, name="CausalLanguageModel", config=CONFIG):
    one, other = twins(name, config)
    return one if framework is TORCH else other


def doubled(x):
    return 2 * x


def halved(x):
    return x / 2


def attributes(model):
    """Return what stands in each layer itself."""
    layers = model.modules() if isinstance(model, torch.nn.Module) else all_of(model)
    return [{*vars(layer)} for layer in layers]


def all_of(model):
    return [model, *model._flatten_layers(include_self=False)]


@both
def test_what_a_layer_returns_is_changed_and_then_back(framework):
    model = model_in(framework)
    layer = model.decoder.layers[0]
    plain, before = framework.run(model, IDS), attributes(model)
    with framework.recorded(layer) as passed, framework.edited(layer, doubled):
        changed = framework.run(model, IDS)
    assert np.abs(changed - plain).max() > 0.01
    with framework.recorded(layer) as alone:
        np.testing.assert_array_equal(framework.run(model, IDS), plain)
    assert len(passed) == len(alone) == 1
    assert attributes(model) == before
    # what is recorded inside an edit comes before it
    np.testing.assert_array_equal(*map(framework.numpy, (passed[0], alone[0])))


@both
def test_of_several_outputs_the_first_is_changed(framework):
    layer = model_in(framework).decoder.layers[0]
    x = random(2, 4, 6)
    output, weights = framework.run(layer, x)
    with framework.edited(layer, doubled):
        changed, same = framework.run(layer, x)
    np.testing.assert_allclose(changed, 2 * output, **CLOSE)
    np.testing.assert_array_equal(same[0], weights[0])


@both
def test_the_first_input_is_changed_by_place_or_by_name(framework):
    attention = model_in(framework).decoder.layers[0].self_attention
    one, other = random(2, 4, 6), random(2, 4, 6, seed=1)
    expected, _ = framework.run(attention, doubled(one), other, other)
    with framework.edited(attention, doubled, inputs=True):
        by_place, _ = framework.run(attention, one, other, other)
        by_name, _ = framework.run(attention, value=other, key=other, query=one)
    np.testing.assert_allclose(by_place, expected, **CLOSE)
    np.testing.assert_array_equal(by_name, by_place)


@both
def test_ids_may_be_an_array(framework):
    model = model_in(framework)
    embeddings, other = model.decoder.embeddings, framework.tensor(IDS[::-1].copy())
    with framework.recorded(embeddings, inputs=True) as passed:
        plain = framework.numpy(model(IDS))
    np.testing.assert_array_equal(framework.numpy(passed[0]), IDS)
    with framework.edited(embeddings, lambda ids: other, inputs=True):
        changed = framework.numpy(model(IDS))
    np.testing.assert_allclose(changed, plain[::-1], **CLOSE)


@both
def test_a_head_is_a_block_of_columns_before_the_projection(framework):
    """Without one head's columns, its share of the sum is missing."""
    attention = model_in(framework).decoder.layers[0].self_attention
    x = random(2, 4, 6)
    without = np.ones(6, np.float32)
    without[2:4] = 0  # head 1 of 3
    with framework.recorded(attention.projection, inputs=True) as passed:
        plain, _ = framework.run(attention, x, x, x)
    heads = framework.numpy(passed[0])
    with framework.edited(attention.projection, lambda x: x * without, inputs=True):
        cut, _ = framework.run(attention, x, x, x)
    one = heads * (1 - without)
    zero = framework.run(attention.projection, np.zeros_like(one))
    share = framework.run(attention.projection, one) - zero
    np.testing.assert_allclose(plain - cut, share, **CLOSE)


@both
def test_edits_nest_and_end_whatever_happens(framework):
    model = model_in(framework)
    layer, before = model.decoder.layers[1], attributes(model)
    x = random(2, 4, 6)
    plain, _ = framework.run(layer, x)
    with pytest.raises(RuntimeError, match="stop"), framework.edited(layer, doubled):
        with framework.edited(layer, lambda x: x + 1):
            both_edits, _ = framework.run(layer, x)
        outer, _ = framework.run(layer, x)
        raise RuntimeError("stop")
    np.testing.assert_allclose(both_edits, 2 * plain + 1, **CLOSE)
    np.testing.assert_allclose(outer, 2 * plain, **CLOSE)
    assert attributes(model) == before


@both
def test_gradients_pass(framework):
    layer = model_in(framework).decoder.layers[0].feed_forward
    x = random(1, 3, 6)
    plain, _ = framework.input_gradient(layer, x)
    with framework.edited(layer, doubled), framework.recorded(layer):
        changed, _ = framework.input_gradient(layer, x)
    np.testing.assert_allclose(changed, 2 * plain, **CLOSE)


def written(framework, model, **named):
    ids = framework.tensor(IDS[:1])
    return framework.numpy(model.generate(ids, 0, 4, **named))


@both
@pytest.mark.parametrize("use_cache", [True, False])
def test_generate_works_inside(framework, use_cache):
    """Each new token is a call, also where TensorFlow's steps are traced before."""
    model = model_in(framework)
    layer = model.decoder.layers[0]
    plain = written(framework, model, use_cache=use_cache)
    twice = model_in(framework)
    _scale(framework, twice.decoder.layers[0].feed_forward_norm.norm, 0.0)
    expected = written(framework, twice, use_cache=use_cache)
    assert (plain != expected).any()
    with (
        framework.recorded(layer) as passed,
        framework.edited(layer, lambda x: 0 * x),
    ):
        np.testing.assert_array_equal(
            written(framework, model, use_cache=use_cache), expected
        )
    steps = plain.shape[1] - IDS.shape[1]
    lengths = [4, *[1] * (steps - 1)] if use_cache else [*range(4, 4 + steps)]
    assert [entry.shape[1] for entry in passed] == lengths
    assert np.isfinite(framework.numpy(passed[0])).all()
    np.testing.assert_array_equal(written(framework, model, use_cache=use_cache), plain)


def test_twins_agree_inside():
    one, other = twins("CausalLanguageModel", CONFIG)
    results = []
    for framework, model in ((TORCH, one), (TENSORFLOW, other)):
        first, last = model.decoder.layers
        projection = first.self_attention.projection
        with (
            framework.edited(projection, lambda x: x * 0.5, inputs=True),
            framework.edited(last.feed_forward, halved),
            framework.recorded(last) as passed,
        ):
            logits = framework.run(model, IDS)
        results.append((logits, framework.numpy(passed[0])))
    for ours, theirs in zip(*results, strict=True):
        np.testing.assert_allclose(ours, theirs, **CLOSE)


@pytest.mark.parametrize("framework", [TORCH])  # TensorFlow's tensors don't change
def test_a_change_in_place_stays_inside(framework):
    """The residual is the tensor that the layer takes: it must not change."""
    layer = model_in(framework).decoder.layers[0]
    x = torch.tensor(random(2, 4, 6))
    before = x.clone()

    def in_place(x):
        x[:] = 0
        return x

    with framework.edited(layer, in_place, True), framework.recorded(layer, True) as p:
        layer(x)
    assert torch.equal(x, before)
    assert p


def test_a_compiled_model_is_edited_too():
    model = in_torch("CausalLanguageModel", CONFIG).eval()
    compiled = torch.compile(model, backend="eager")
    ids = torch.tensor(IDS)
    plain = compiled(ids)
    with TORCH.edited(model.decoder.layers[0], doubled):
        assert torch.allclose(compiled(ids), model(ids), atol=1e-5)
        assert not torch.allclose(compiled(ids), plain)
    assert torch.equal(compiled(ids), plain)


def test_what_is_recorded_in_a_traced_function_are_values():
    model = model_in(TENSORFLOW)
    with TENSORFLOW.recorded(model.decoder.layers[0]) as passed:
        step = tf.function(model)
        step(tf.constant(IDS))
        step(tf.constant(IDS[::-1]))
    first, second = TENSORFLOW.numpy(passed)
    np.testing.assert_allclose(first[::-1], second, **CLOSE)


@both
def test_what_is_no_layer_is_refused(framework):
    model = model_in(framework)
    containers = [model.decoder.layers, None, type(model), "layers.0", IDS]
    for part in containers:
        with (
            pytest.raises(TypeError, match=r"part is .*: wanted a layer of a model"),
            framework.edited(part, doubled),
        ):
            pass
        with (
            pytest.raises(TypeError, match=r"part is .*: wanted a layer of a model"),
            framework.recorded(part),
        ):
            pass
    with (
        pytest.raises(TypeError, match=r"change is .*: wanted a function"),
        framework.edited(model.decoder.layers[0], framework.tensor(IDS)),
    ):
        pass


@both
@pytest.mark.parametrize("inputs", [False, True])
def test_a_change_that_returns_something_else_is_refused(framework, inputs):
    model = model_in(framework)
    layer, before = model.decoder.layers[0], attributes(model)
    wrong = [
        (lambda x: None, TypeError, "change returns None"),
        (lambda x: np.zeros(x.shape, np.float32), TypeError, "change returns a ndarr"),
        (lambda x: x[:, :1], ValueError, r"change returns shape \(2, 1, 6\)"),
        (lambda x: x > 0, TypeError, "change returns bool"),
    ]
    for change, error, words in wrong:
        with (
            pytest.raises(error, match=words + r".*wanted a tensor of shape \(2, 4, 6"),
            framework.edited(layer, change, inputs),
        ):
            framework.run(layer, random(2, 4, 6))
    assert attributes(model) == before


def _scale(framework, norm, factor):
    """Multiply what a norm returns, by its weights."""
    for name in ("weight", "bias", "gamma", "beta"):
        weight = getattr(norm, name, None)
        if framework is TORCH and weight is not None:
            weight.data.mul_(factor)
        elif weight is not None:
            weight.assign(weight * factor)
