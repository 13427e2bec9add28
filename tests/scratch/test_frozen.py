"""Frozen weights never change, however they were frozen and the rest is trained."""

import copy
from functools import partial

from readymade.weights.parameters import parameters_of

import keras
import numpy as np
import pytest
from helpers.cases import CASES
from helpers.configs import LLAMA, config
from helpers.frameworks import TENSORFLOW, TORCH, both

pytestmark = pytest.mark.usefixtures("untraced")
IDS = np.array([[5, 3, 9, 1], [2, 2, 7, 4]])
LABELS = np.array([2, 0])
SMALL = config(num_layers=2)


def values(model):
    return {path: one.read().copy() for path, one in parameters_of(model).items()}


def moved(model, before):
    return {path for path, one in values(model).items() if (one != before[path]).any()}


def loss_in(framework):
    def loss(model, ids, targets):
        logits = model(ids)
        return framework.cross_entropy(logits, targets, None)

    return loss


def trained_by(loop, framework, model, targets=LABELS):
    """Train a model on two batches, with a weight decay that would move any weight."""
    batches = [(IDS, targets)] * 2
    if loop == "fit":
        framework.fit(model, batches, loss_in(framework), 1e-2, weight_decay=0.1)
    elif loop == "fine_tune":
        weights = [one.variable for one in parameters_of(model).values()]
        rates = [(1.0, weights[::2]), (0.5, weights[1::2])]
        framework.fine_tune(
            model,
            batches,
            loss_in(framework),
            rates,
            lambda step: 1e-2,
            weight_decay=0.1,
        )
    elif loop == "layer_rates":
        rates = [(share or 1.0, group) for share, group in framework.layer_rates(model)]
        rate = lambda step: 1e-2  # noqa: E731
        framework.fine_tune(model, batches, loss_in(framework), rates, rate)
    else:
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        optimizer = keras.optimizers.AdamW(1e-2, weight_decay=0.1)
        model.compile(optimizer, loss, run_eagerly=True)
        model.fit(IDS, targets, epochs=2, verbose=0)


def freeze(framework, part, frozen=True):
    if framework is TORCH:
        part.requires_grad_(not frozen)
    else:
        part.trainable = not frozen


def whole_encoder(framework, model):
    freeze(framework, model.encoder)
    return ["encoder"]


def again_after_a_part_was_thawed(framework, model):
    freeze(framework, model.encoder)
    freeze(framework, model.encoder.layers[1], False)
    freeze(framework, model.encoder)
    return ["encoder"]


def one_layer(framework, model):
    freeze(framework, model.encoder.layers[0])
    return ["encoder.layers.0"]


def parts_of_layers(framework, model):
    freeze(framework, model.encoder.layers[0].self_attention_norm)
    freeze(framework, model.encoder.layers[1].self_attention.query)
    freeze(framework, model.encoder.embeddings.tokens)
    return [
        "encoder.layers.0.self_attention_norm",
        "encoder.layers.1.self_attention.query",
        "encoder.embeddings.tokens",
    ]


def one_weight(framework, model):
    freeze(framework, model.classifier.bias)
    return ["classifier.bias"]


def all_but_one_layer(framework, model):
    freeze(framework, model.encoder)
    freeze(framework, model.encoder.layers[1], False)
    return ["encoder.embeddings", "encoder.layers.0"]


def frozen_and_thawed(framework, model):
    freeze(framework, model.encoder)
    freeze(framework, model.encoder, False)
    return []


WAYS = [
    whole_encoder,
    again_after_a_part_was_thawed,
    one_layer,
    parts_of_layers,
    one_weight,
    all_but_one_layer,
    frozen_and_thawed,
]


def require_frozen(model, paths, loop, framework):
    before = values(model)
    stay = {path for path in before if path.startswith(tuple(paths))}
    trained_by(loop, framework, model)
    assert moved(model, before) == before.keys() - stay


@pytest.mark.slow("an attribute that freezes, and its parts train")
@pytest.mark.parametrize(
    ("way", "loop"),
    [
        *((way, "fit") for way in WAYS),
        (parts_of_layers, "fine_tune"),
        (all_but_one_layer, "layer_rates"),
    ],
)
@both
def test_what_an_attribute_froze_stays_and_the_rest_moves(framework, way, loop):
    framework.seed()
    model = framework.SequenceClassifier(SMALL, 3)
    require_frozen(model, way(framework, model), loop, framework)


@pytest.mark.slow("an encoder that thaws in a model")
@pytest.mark.parametrize(
    ("loop", "settled"), [("fit", SMALL), ("fine_tune", LLAMA), ("keras", SMALL)]
)
@both
def test_an_encoder_frozen_before_a_model_stays_in_it(framework, loop, settled):
    """Keras' argument `trainable` reaches the parts, as the attribute does."""
    if framework is TORCH:
        loop = loop.replace("keras", "layer_rates")
        encoder = framework.Encoder(settled).requires_grad_(False)
    else:
        encoder = framework.Encoder(settled, trainable=False)
    model = framework.SequenceClassifier(settled, 3, encoder)
    require_frozen(model, ["encoder"], loop, framework)
    freeze(framework, model, False)
    if loop == "fit":
        require_frozen(model, [], loop, framework)


# one case of each layer and model
LAYERS = {name: arguments for name, arguments, _ in CASES.values()}


@pytest.mark.slow("a layer that what holds it thaws")
@pytest.mark.parametrize("name", LAYERS)
def test_any_layer_built_frozen_is_frozen_for_what_holds_it(name):
    """A Keras layer around ours lists our layer's trainable weights."""
    arguments = LAYERS[name]
    layer = getattr(TENSORFLOW, name)(*arguments, trainable=False)

    outer = keras.Layer()
    outer.inner = layer
    assert outer.trainable_variables == []
    assert not any(one.trainable for one in layer._flatten_layers())
    layer.trainable = True
    assert len(outer.trainable_variables) == len(layer.weights)


def saved(model, tmp_path):
    model.save(tmp_path / "model.keras")
    return keras.models.load_model(tmp_path / "model.keras")


def load_weights(model, tmp_path):
    model.save_weights(tmp_path / "it.weights.h5")
    model.load_weights(tmp_path / "it.weights.h5")
    return model


COPIES = {
    "saved": saved,
    "cloned": lambda model, _: keras.models.clone_model(model),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "load_weights": load_weights,
}


def from_config(model, tmp_path):
    return type(model).from_config(model.get_config())


@pytest.mark.slow("a copy that trains what its model does not")
@pytest.mark.parametrize(
    ("way", "copied"),
    [
        *((all_but_one_layer, copied) for copied in COPIES.values()),
        *((way, from_config) for way in (whole_encoder, parts_of_layers, one_weight)),
    ],
)
def test_a_copy_is_frozen_where_the_model_is(way, copied, tmp_path):
    model = TENSORFLOW.SequenceClassifier(SMALL, 3)
    paths = way(TENSORFLOW, model)
    other = copied(model, tmp_path)
    assert [one.trainable for one in other._flatten_layers()] == [
        one.trainable for one in model._flatten_layers()
    ]
    before = values(other)
    frozen = {path for path in before if path.startswith(tuple(paths))}
    kept = parameters_of(other)
    assert {path for path, one in kept.items() if not one.variable.trainable} == frozen
    if copied is saved:
        require_frozen(other, paths, "keras", TENSORFLOW)


@pytest.mark.slow("a shared table that one of two trains")
@pytest.mark.parametrize("side", ["encoder", "decoder"])
def test_a_table_that_two_share_is_frozen_with_one_of_them(side, tmp_path):
    """Loading a model must not give a layer another layer's setting."""
    model = TENSORFLOW.Transformer(SMALL)
    freeze(TENSORFLOW, getattr(model, side))
    other = saved(model, tmp_path)
    flags = [
        [one.trainable for one in [*each._flatten_layers(), *each.weights]]
        for each in (model, other)
    ]
    assert flags[0] == flags[1]
    assert not other.encoder.embeddings.tokens.trainable


@pytest.mark.slow("a frozen part that Keras' own models train")
def test_a_part_of_a_model_that_keras_builds_stays_frozen(tmp_path):
    """Our layer is part of a Keras functional model."""
    head = TENSORFLOW.SequenceClassifier(SMALL, 3)
    freeze(TENSORFLOW, head.encoder.layers[1])
    ids = keras.Input((None,), dtype="int32")
    model = keras.Model(ids, head(ids))
    other = saved(model, tmp_path)
    require_frozen(other.layers[-1], ["encoder.layers.1"], "fit", TENSORFLOW)


@pytest.mark.parametrize("loop", ["fit", "fine_tune"])
@both
def test_the_decoder_of_a_language_model_stays(framework, loop):
    model = framework.CausalLanguageModel(config(tie_output=False, num_layers=1))
    freeze(framework, model.decoder)
    before = values(model)
    trained_by(loop, framework, model, IDS)
    assert moved(model, before) == {"logits.tokens.weight"}


@pytest.mark.parametrize("loop", ["fit", "fine_tune", "layer_rates"])
@both
def test_a_model_without_a_weight_to_train_is_refused(framework, loop):
    model = framework.SequenceClassifier(SMALL, 3)
    freeze(framework, model)
    name = "model" if loop == "fit" else "rates"
    with pytest.raises(ValueError, match=f"^{name} has frozen weights only: wanted on"):
        trained_by(loop, framework, model)


@both
def test_shares_of_0_leave_nothing_to_train(framework):
    model = framework.SequenceClassifier(SMALL, 3)
    rates = [(0.0, group) for _, group in framework.layer_rates(model)]
    tune = partial(framework.fine_tune, model, [(IDS, LABELS)], loss_in(framework))
    with pytest.raises(ValueError, match="rates has frozen weights only: wanted one"):
        tune(rates, lambda step: 1e-3)
    with pytest.raises(ValueError, match="rates has frozen weights only: wanted one"):
        tune([], lambda step: 1e-3)


@both
def test_new_low_rank_weights_train_in_a_frozen_encoder(framework):
    model = framework.SequenceClassifier(SMALL, 3)
    freeze(framework, model.encoder)
    freeze(framework, model.classifier)
    framework.add_lora(model.encoder, 2, 4.0)
    before = values(model)
    trained_by("fit", framework, model)
    changed = moved(model, before)
    assert changed and all("up." in path or "down." in path for path in changed)
