"""Keras users: every layer and model can be saved, and every model trained by `fit`."""

import copy
import json
import pickle

from scratch.tensorflow import TFSequenceClassifier
from scratch.tensorflow.saving import saveable

import keras
import numpy as np
import pytest
import tensorflow as tf
from helpers.cases import CASES, IDS, PAIRS, call, flat
from helpers.configs import BERT, GPT, config
from helpers.frameworks import TENSORFLOW

# a case of each layer and model
LAYERS = {name: rest for name, *rest in CASES.values()}
# a single layer each: fit and predict take their time for every model
SMALL = config(num_layers=1, pooler="tanh")
MODELS = {
    "CausalLanguageModel": (SMALL,),
    "SequenceClassifier": (SMALL, 3),
    "MaskedLanguageModel": (SMALL,),
    "NextSentence": (SMALL,),
    "SpanExtractor": (config(num_layers=1),),
    "Transformer": (SMALL,),
}


def build(name, /, *arguments, **named):
    keras.utils.set_random_seed(0)
    return getattr(TENSORFLOW, name)(*arguments, **named)


def outputs(layer, inputs):
    return [one.numpy() for one in call(layer, inputs, TENSORFLOW)]


def require_equal(layer, other, inputs):
    """Fail unless two layers have the same names of weights and the same outputs."""
    assert len(other.weights) == len(layer.weights)
    for one, twin in zip(outputs(layer, inputs), outputs(other, inputs), strict=True):
        np.testing.assert_array_equal(twin, one)


def without_addresses(found):
    """Return a config without what tells one object of a program from another."""
    if not isinstance(found, dict):
        return found
    return {
        name: without_addresses(value)
        for name, value in found.items()
        if name != "shared_object_id"
    }


@pytest.mark.slow("a layer that Keras loads as another")
@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_is_the_same_when_it_is_loaded(name):
    """Its weights are there from the start, and its config says how to build it.

    Models are saved as a whole below.
    """
    arguments, inputs = LAYERS[name]
    layer = build(name, *arguments)
    assert layer.count_params() == sum(np.size(one) for one in layer.get_weights())

    settings = layer.get_config()
    twin = type(layer).from_config(json.loads(json.dumps(settings)))
    assert without_addresses(twin.get_config()) == without_addresses(settings)
    twin.set_weights(layer.get_weights())
    require_equal(layer, twin, inputs)

    if not isinstance(layer, keras.Model):
        require_equal(layer, pickle.loads(pickle.dumps(layer)), inputs)


@pytest.mark.slow("a model that Keras' `fit` trains otherwise, or loads otherwise")
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_trained_saved_and_copied_as_any_of_keras(name, tmp_path):
    """The one that is compiled takes 6 s: only here does XLA see a whole model."""
    model = build(name, *MODELS[name], name="mine")
    inputs = (IDS, IDS) if name == "Transformer" else IDS
    width = {"SequenceClassifier": 3, "NextSentence": 2, "SpanExtractor": 2}
    targets = IDS % width.get(name, 11)
    if name in ("SequenceClassifier", "NextSentence"):
        targets = targets[:, 0]
    if name == "SpanExtractor":
        targets = (targets[:, 0], targets[:, 1])

    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Tracing takes seconds, and XLA as many, most of them for the steps of Adam: one
    # model shows that all can be compiled.
    if name == "Transformer":
        model.compile(keras.optimizers.SGD(0.1), loss, jit_compile="auto")
    else:
        model.compile(keras.optimizers.Adam(1e-2), loss, run_eagerly=True)
    losses = model.fit(inputs, targets, epochs=2, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    predicted = model.predict(inputs, verbose=0)
    for one, wanted in zip(flat(predicted), outputs(model, (inputs,)), strict=True):
        np.testing.assert_allclose(one, wanted, atol=1e-6)

    lines = []
    model.summary(print_fn=lines.append)
    assert f"{model.count_params():,}" in "\n".join(map(str, lines))

    model.save(tmp_path / "model.keras")
    cloned = keras.models.clone_model(model)
    cloned.set_weights(model.get_weights())
    loaded = keras.models.load_model(tmp_path / "model.keras")
    for other in (loaded, copy.deepcopy(model), cloned):
        assert type(other) is type(model) and other.name == "mine"
        require_equal(model, other, (inputs,))


@pytest.mark.slow("inputs that Keras hands over in another order")
@pytest.mark.parametrize("form", [tuple, dict])
def test_several_inputs_are_fitted_as_they_are_called(form):
    """Without the mask and the segments, the outputs would differ."""
    model = build("SequenceClassifier", BERT, 3)
    (wanted,) = outputs(model, PAIRS)
    (alone,) = outputs(model, (IDS,))
    assert np.abs(wanted - alone).max() > 1e-3
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, run_eagerly=True)
    # a dict in another order: its names count
    ordered = reversed(PAIRS.items()) if form is dict else PAIRS.values()
    given = form(ordered)
    predicted = model.predict(given, verbose=0)
    np.testing.assert_allclose(predicted, wanted, atol=1e-6)
    before = model.evaluate(given, IDS[:, 0] % 3, verbose=0)
    model.fit(given, IDS[:, 0] % 3, verbose=0)
    assert model.evaluate(given, IDS[:, 0] % 3, verbose=0) < before


@pytest.mark.slow("a shared table that is loaded twice")
def test_what_is_shared_is_shared_when_it_is_loaded(tmp_path):
    """A table of embeddings in one model, and an encoder in two heads."""
    path = tmp_path / "model.keras"
    build("Transformer", SMALL).save(path)
    loaded = keras.models.load_model(path)
    assert loaded.decoder.embeddings is loaded.encoder.embeddings
    assert loaded.logits.tokens is loaded.encoder.embeddings.tokens

    encoder = build("Encoder", SMALL)
    ids = keras.Input((None,), dtype="int32")
    heads = [
        build("NextSentence", SMALL, encoder=encoder),
        build("SequenceClassifier", SMALL, 3, encoder=encoder),
    ]
    model = keras.Model(ids, [head(ids) for head in heads])
    model.save(path)
    loaded = keras.models.load_model(path)
    require_equal(model, loaded, (IDS,))
    _, one, other = loaded.layers
    assert one.encoder is other.encoder


def test_a_dtype_holds_for_all_that_a_layer_builds(tmp_path):
    model = build("CausalLanguageModel", GPT, dtype="bfloat16")
    assert keras.config.dtype_policy().name == "float32"
    model.save(tmp_path / "model.keras")
    for one in (model, keras.models.load_model(tmp_path / "model.keras")):
        assert {weight.dtype for weight in one.weights} == {"bfloat16"}
        assert one(tf.constant(IDS)).dtype == tf.bfloat16


def test_shapes_are_known_without_a_call():
    ids = keras.KerasTensor((2, 5), dtype="int32")
    hidden, _ = build("Encoder", SMALL).compute_output_spec(ids)
    assert hidden.shape == (2, 5, 12)
    model = build("SequenceClassifier", SMALL, 3)
    assert model.compute_output_spec(ids).shape == (2, 3)


def test_sequential_takes_a_model_behind_an_input_of_integers():
    """Without one, Keras turns ids into floats, which are refused by name."""
    model = build("SequenceClassifier", SMALL, 3)
    ids = keras.Input((None,), dtype="int32")
    stack = keras.Sequential([ids, model, keras.layers.Softmax()])
    assert stack(tf.constant(IDS)).shape == (2, 3)
    with pytest.raises(TypeError, match=r"ids holds .*float32.*: wanted"):
        keras.Sequential([build("SequenceClassifier", SMALL, 3)])(tf.constant(IDS))


def test_a_subclass_may_be_saved_with_arguments_of_its_own():
    @saveable
    class Weighed(TFSequenceClassifier):
        def __init__(self, config, num_classes, weight=1.0, **kwargs):
            super().__init__(config, num_classes, **kwargs)
            self.weight = weight

        def call(self, ids):
            return self.weight * super().call(ids)

    layer = Weighed(SMALL, 3, weight=2.0)
    require_equal(layer, copy.deepcopy(layer), (IDS,))


def test_what_has_no_values_cannot_be_continued():
    model = TENSORFLOW.CausalLanguageModel(config())
    ids = tf.constant([[3, 4]])
    with pytest.raises(
        TypeError, match="ids is a symbolic tensor: wanted one with val"
    ):
        tf.function(lambda ids: model.generate(ids, 2, 3))(ids)


def test_ragged_ids_are_named():
    model = TENSORFLOW.CausalLanguageModel(config())
    with pytest.raises(TypeError, match="ids is a RaggedTensor: wanted a tensor of in"):
        model(tf.ragged.constant([[3, 4], [5]]))


def test_logits_from_a_quantized_table_are_refused_by_tensorflow():
    """Keras can quantize our layers, except for logits tied to embeddings."""
    model = TENSORFLOW.CausalLanguageModel(SMALL)
    model(IDS)
    model.quantize("int8")
    with pytest.raises(tf.errors.InvalidArgumentError):
        model(IDS)
