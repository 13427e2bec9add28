"""Weights travel between frameworks by attribute path: all of them, or none."""

import inspect

import scratch.tensorflow  # starts TensorFlow quietly
import scratch.torch
from readymade.weights import copy_weights
from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
import torch
from helpers.configs import VIT


class Twin(torch.nn.Module):
    """Every kind of parameter. Sizes differ on every axis, so that a matrix left
    untransposed does not fit, except `inner` and `square`, where only values do."""

    def __init__(self, depth=2, width=5):
        super().__init__()
        self.table = torch.nn.Embedding(7, 3)
        self.inner = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(depth))
        self.square = torch.nn.Linear(3, 3, bias=False)
        self.outer = torch.nn.Linear(3, width)
        self.norm = torch.nn.LayerNorm(width)
        self.offset = torch.nn.Parameter(torch.randn(2, width))
        self.register_buffer("constant", torch.randn(4))

    def forward(self, ids):
        x = self.table(ids)
        for dense in self.inner:
            x = torch.tanh(dense(x))
        return self.norm(self.outer(self.square(x))) + self.offset


class TFTwin(keras.Model):
    """The same in another order: only attributes show which is which."""

    def __init__(self, depth=2, width=5):
        super().__init__()
        self.offset = self.add_weight((2, width), "random_normal")
        self.norm = keras.layers.LayerNormalization(epsilon=1e-5)
        self.outer = keras.layers.Dense(width)
        self.square = keras.layers.Dense(3, use_bias=False)
        self.inner = [keras.layers.Dense(3) for _ in range(depth)]
        self.table = keras.layers.Embedding(7, 3)
        self.dropout = keras.layers.Dropout(0.1)
        self.constant = np.zeros(4)
        self.norm.build((None, width))
        self.table.build()
        for dense in (self.outer, self.square, *self.inner):
            dense.build((None, 3))

    def call(self, ids):
        x = self.table(ids)
        for dense in self.inner:
            x = keras.ops.tanh(dense(x))
        return self.norm(self.outer(self.square(x))) + self.offset


class Tied(torch.nn.Module):
    """Two names for one matrix, as a token table and its output projection."""

    def __init__(self, tie=True):
        super().__init__()
        self.first = torch.nn.Linear(4, 3)
        self.second = self.first if tie else torch.nn.Linear(4, 3)


class TFTied(keras.Model):
    def __init__(self, tie=True):
        super().__init__()
        self.first = keras.layers.Dense(3)
        self.second = self.first if tie else keras.layers.Dense(3)
        self.first.build((None, 4))
        if not tie:
            self.second.build((None, 4))


def is_torch(model):
    return isinstance(model, torch.nn.Module)


def parameters(model):
    """The values of all parameters, in the model's own order and layout."""
    if is_torch(model):
        return [value.detach().numpy().copy() for value in model.parameters()]
    return [value.numpy() for value in model.trainable_variables]


def randomise(model):
    """Draw every weight, so that no default (bias 0, scale 1) hides a mistake."""
    if is_torch(model):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_()
    else:
        for variable in model.trainable_variables:
            variable.assign(np.random.standard_normal(variable.shape))
    return model


def run(model, ids):
    if is_torch(model):
        return model(torch.tensor(ids)).detach().numpy()
    return np.asarray(model(ids))


def assert_unchanged(model, before):
    for now, then in zip(parameters(model), before, strict=True):
        np.testing.assert_array_equal(now, then)


IDS = np.array([[1, 6], [0, 3], [5, 5]])
FOUR_WAYS = [(Twin, TFTwin), (TFTwin, Twin), (Twin, Twin), (TFTwin, TFTwin)]
ACROSS = FOUR_WAYS[:2]


@pytest.fixture(autouse=True)
def seeds():
    torch.manual_seed(0)
    keras.utils.set_random_seed(0)


@pytest.mark.parametrize(("source", "target"), FOUR_WAYS)
def test_a_copy_computes_what_its_source_computes(source, target):
    source, target = randomise(source()), randomise(target())
    assert np.abs(run(source, IDS) - run(target, IDS)).max() > 0.1
    copy_weights(source, target)
    # Five small products in float32 on numbers near 1: a few roundings of 1e-7.
    np.testing.assert_allclose(run(target, IDS), run(source, IDS), atol=2e-6)


@pytest.mark.parametrize(("source", "between"), FOUR_WAYS)
def test_a_round_trip_is_bit_for_bit(source, between):
    start, between, end = randomise(source()), between(), randomise(source())
    copy_weights(start, between)
    copy_weights(between, end)
    assert_unchanged(end, parameters(start))


# Everything that a config can switch on is on.
CONFIG = TransformerConfig(
    vocab_size=13,
    target_vocab_size=11,
    d_model=6,
    num_heads=2,
    d_ff=10,
    num_layers=1,
    max_len=7,
    positions="learned",
    num_segments=3,
    norm_embeddings=True,
    norm_first=True,
    tie_output=False,
    output_bias=True,
    pooler="tanh",
    d_k=4,
    d_v=5,
)
ARGUMENTS = {
    "AttentionHead": (6, 4, 5),
    "FeedForward": (6, 10),
    "LearnedPositions": (6, 7),
    "MultiHeadAttention": (6, 2, 0.0, 4, 5),
    "PatchEmbeddings": (VIT, 2, 3),
    "SequenceClassifier": (CONFIG, 3),
    "SinusoidalPositions": (6, 7),
    "TokenClassifier": (CONFIG, 3),
    "TokenLogits": (CONFIG, None),
    "TokenPositions": (6, 7, 0),
}
# LoRA is made of a layer of either framework; test_fine_tuning.py copies one.
OURS = [
    name
    for name, value in vars(scratch.torch).items()
    if inspect.isclass(value) and issubclass(value, torch.nn.Module) and name != "LoRA"
]


def build(name, prefix):
    package = scratch.tensorflow if prefix else scratch.torch
    arguments = ARGUMENTS.get(name, (CONFIG,))
    return randomise(getattr(package, prefix + name)(*arguments))


@pytest.mark.parametrize("name", OURS)
def test_every_layer_of_ours_survives_a_round_trip(name):
    """From PyTorch to TensorFlow and back."""
    pair = build(name, ""), build(name, "TF")
    sizes = [sum(value.size for value in parameters(one)) for one in pair]
    assert sizes[0] == sizes[1]
    assert sizes[0] or name == "SinusoidalPositions"  # the only one without weights
    for start, middle in (pair, pair[::-1]):
        values = parameters(randomise(start))
        copy_weights(start, middle)
        randomise(start)
        copy_weights(middle, start)
        assert_unchanged(start, values)


def test_a_compiled_model_is_copied_like_any_other():
    """Keras' optimizer, loss and metrics are not weights of the model."""
    source, target = randomise(TFTwin()), randomise(TFTwin())
    for model in (source, target):
        model.compile("adam", "mse", metrics=["mae"], run_eagerly=True)
        model.fit(IDS, np.zeros((3, 2, 5)), verbose=0)
    copy_weights(source, target)
    assert_unchanged(target, parameters(source))
    back = Twin()
    copy_weights(target, back)
    np.testing.assert_allclose(run(back, IDS), run(source, IDS), atol=2e-6)


@pytest.mark.parametrize(("source", "target"), FOUR_WAYS)
def test_the_copy_is_independent_of_its_source(source, target):
    source, target = randomise(source()), randomise(target())
    copy_weights(source, target)
    before = parameters(target)
    randomise(source)
    assert_unchanged(target, before)


@pytest.mark.parametrize(("source", "target"), FOUR_WAYS)
def test_another_shape_is_refused_by_name_and_nothing_is_changed(source, target):
    source, target = randomise(source(width=6)), randomise(target())
    before = parameters(target)
    with pytest.raises(ValueError, match=r"outer\.weight") as caught:
        copy_weights(source, target)
    message = str(caught.value)
    assert "outer.weight is (6, 3) in the source" in message
    assert "(5, 3) in the target" in message
    for path in ("outer.bias", "norm.weight", "norm.bias", "offset"):
        assert path in message
    assert "table.weight" not in message
    assert_unchanged(target, before)


@pytest.mark.parametrize(("source", "target"), FOUR_WAYS)
@pytest.mark.parametrize(("depths", "side"), [((3, 2), "source"), ((2, 3), "target")])
def test_a_parameter_left_over_is_named_and_nothing_is_changed(
    source, target, depths, side
):
    source, target = randomise(source(depths[0])), randomise(target(depths[1]))
    before = parameters(target)
    with pytest.raises(
        ValueError, match=rf"only the {side}.*inner\.2\.weight \(3, 3\)"
    ):
        copy_weights(source, target)
    assert_unchanged(target, before)


@pytest.mark.parametrize(("source", "target"), ACROSS)
def test_a_transposed_shape_does_not_fit(source, target):
    """(3, 4) holds as many numbers as (4, 3), but is not the same matrix."""
    source, target = source(), target()
    for model, (inputs, outputs) in ((source, (4, 3)), (target, (3, 4))):
        if is_torch(model):
            model.extra = torch.nn.Linear(inputs, outputs)
        else:
            model.extra = keras.layers.Dense(outputs)
            model.extra.build((None, inputs))
    with pytest.raises(ValueError, match=r"extra\.weight is \(3, 4\) in .*\(4, 3\)"):
        copy_weights(source, target)


@pytest.mark.parametrize("target", [Twin, TFTwin])
def test_buffers_and_constants_stay(target):
    source, target = Twin(), target()
    before = np.asarray(target.constant).copy()
    copy_weights(source, target)
    np.testing.assert_array_equal(target.constant, before)


@pytest.mark.parametrize(("source", "target"), ACROSS)
def test_frozen_parameters_are_copied_too(source, target):
    source, target = randomise(source()), target()
    for model in (source, target):
        if is_torch(model):
            model.requires_grad_(False)
        else:
            model.trainable = False
    copy_weights(source, target)
    np.testing.assert_allclose(run(target, IDS), run(source, IDS), atol=2e-6)


def test_a_single_number_is_copied():
    source, target = torch.nn.Module(), torch.nn.Module()
    source.scale = torch.nn.Parameter(torch.tensor(1.5))
    target.scale = torch.nn.Parameter(torch.tensor(0.0))
    of_keras = keras.Layer()
    of_keras.scale = of_keras.add_weight(name="scale")
    copy_weights(source, of_keras)
    copy_weights(of_keras, target)
    assert target.scale == 1.5


@pytest.mark.parametrize("target", [Twin, TFTwin])
def test_bfloat16_is_copied_exactly(target):
    source, target = randomise(Twin()).bfloat16(), target()
    copy_weights(source, target)
    back = Twin()
    copy_weights(target, back)
    for mine, theirs in zip(source.parameters(), back.parameters(), strict=True):
        assert torch.equal(mine.float(), theirs)


def test_gradients_and_devices_of_the_target_stay():
    target = Twin()
    target.table.weight.requires_grad_(False)
    copy_weights(randomise(TFTwin()), target)
    assert not target.table.weight.requires_grad
    assert target.outer.weight.requires_grad
    assert target.outer.weight.is_leaf


@pytest.mark.parametrize(
    ("source", "target"),
    [(Tied, TFTied), (TFTied, Tied), (Tied, Tied), (TFTied, TFTied)],
)
def test_tied_weights_stay_tied(source, target):
    source, target = randomise(source()), target()
    copy_weights(source, target)
    assert target.first is target.second
    back = type(source)(tie=False)
    copy_weights(target, back)
    first, second = parameters(back)[:2], parameters(back)[2:]
    for one, other, original in zip(first, second, parameters(source), strict=True):
        np.testing.assert_array_equal(one, original)
        np.testing.assert_array_equal(other, original)


@pytest.mark.parametrize("source", [Tied, TFTied])
@pytest.mark.parametrize("target", [Tied, TFTied])
def test_two_values_do_not_fit_into_one_tied_parameter(source, target):
    source, target = randomise(source(tie=False)), randomise(target())
    before = parameters(target)
    with pytest.raises(ValueError, match=r"first\.\w+ and second\.\w+: wanted one"):
        copy_weights(source, target)
    assert_unchanged(target, before)


def test_a_keras_layer_without_weights_yet_is_named():
    target = TFTwin()
    target.extra = keras.layers.Dense(5)
    with pytest.raises(ValueError, match=r"extra \(Dense\) has no weights yet"):
        copy_weights(Twin(), target)


def test_a_keras_weight_that_no_attribute_leads_to_is_named():
    """Dicts are not searched, so their weights must not be left out silently."""
    target = TFTwin()
    target.more = {"hidden": keras.layers.Dense(2)}
    target.more["hidden"].build((None, 3))
    with pytest.raises(ValueError, match="no attribute leads to"):
        copy_weights(Twin(), target)


@pytest.mark.parametrize("wrong", [None, {"table": 1}, np.zeros(3), Twin])
def test_anything_but_a_model_is_refused(wrong):
    for pair in ((wrong, Twin()), (Twin(), wrong)):
        with pytest.raises(TypeError, match=r"torch\.nn\.Module or a keras\.Layer"):
            copy_weights(*pair)


@pytest.mark.slow("a wrapped model that is not told")
@pytest.mark.parametrize(
    ("wrap", "inside"),
    [(torch.compile, "_orig_mod"), (torch.nn.DataParallel, "module")],
)
def test_a_wrapped_model_says_where_the_model_is(wrap, inside):
    model = Twin()
    with pytest.raises(TypeError, match=rf"wanted what it wraps, model\.{inside}"):
        copy_weights(wrap(model), Twin())
    copy_weights(getattr(wrap(model), inside), Twin())
