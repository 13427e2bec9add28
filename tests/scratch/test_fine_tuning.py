"""Each layer learns at its own rate; low-rank changes are trained and merged."""

from functools import partial

from readymade.weights import copy_weights
from readymade.weights.parameters import parameters_of

import numpy as np
import pytest
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, twins

IDS = np.array([[5, 3, 9, 1, 4], [2, 2, 7, 0, 0], [6, 8, 1, 3, 0]])
LABELS = np.array([2, 0, 1])
CLOSE = {"atol": 1e-5, "rtol": 1e-5}
config = partial(configs.config, num_layers=3, num_segments=2)


def classifier(framework, **named):
    """Return a new SequenceClassifier with three classes."""
    framework.seed(0)
    return framework.SequenceClassifier(config(**named), 3)


def loss_in(framework):
    """Return the loss of a classifier."""
    return lambda model, ids, labels: framework.cross_entropy(model(ids), labels, None)


def values(model):
    return {path: one.read() for path, one in parameters_of(model).items()}


def train(framework, model, rates, steps=3, rate=1e-2):
    """Fine-tune a model on one batch; return the losses."""
    batches = [(IDS, LABELS)] * steps
    return framework.fine_tune(
        model, batches, loss_in(framework), rates, lambda step: rate
    )


def owner(path):
    """Return the part of the model that a parameter belongs to."""
    return ".".join(path.split(".")[:3]) if ".layers." in path else path.split(".")[-2]


@both
def test_every_weight_is_in_one_group_and_has_the_share_of_its_layer(framework):
    model = classifier(framework)
    groups = framework.layer_rates(model, decay=0.5, head=3.0)
    assert [share for share, _ in groups] == [0.0, 0.25, 0.5, 1.0, 3.0]
    placed = [id(weight) for _, group in groups for weight in group]
    assert sorted(placed) == sorted(
        id(one.variable) for one in parameters_of(model).values()
    )
    ours = parameters_of(model)
    shares = {id(weight): share for share, group in groups for weight in group}
    assert shares[id(ours["classifier.bias"].variable)] == 3.0
    assert shares[id(ours["encoder.embeddings.tokens.weight"].variable)] == 0.0
    path = "encoder.layers.1.feed_forward.expand.weight"
    assert shares[id(ours[path].variable)] == 0.5


@pytest.mark.usefixtures("untraced")
@both
def test_a_layer_moves_by_its_share_and_what_has_none_stays(framework):
    """The first step of Adam moves each weight by its rate, whatever its gradient."""
    model = classifier(framework)
    before = values(model)
    rates = framework.layer_rates(model, decay=0.5, head=3.0)
    batches = [(IDS, LABELS)]
    framework.fine_tune(
        model, batches, loss_in(framework), rates, lambda step: 1e-3, weight_decay=0.0
    )
    after = values(model)
    moved = {path: np.abs(after[path] - before[path]).max() for path in before}
    for path, distance in moved.items():
        if "embeddings" in path:
            assert distance == 0, path
    for path, share in {
        "encoder.layers.0.feed_forward.expand.weight": 0.25,
        "encoder.layers.1.feed_forward.expand.weight": 0.5,
        "encoder.layers.2.feed_forward.expand.weight": 1.0,
        "classifier.weight": 3.0,
    }.items():
        assert moved[path] == pytest.approx(share * 1e-3, rel=1e-2), path


@pytest.mark.usefixtures("untraced")
@both
def test_with_all_shares_at_one_it_is_fit(framework):
    one, other = (classifier(framework, num_layers=1) for _ in range(2))
    weights = [parameter.variable for parameter in parameters_of(one).values()]
    losses = train(framework, one, [(1.0, weights[:5]), (1.0, weights[5:])], 2, 1e-3)
    batches = [(IDS, LABELS)] * 2
    wanted = framework.fit(other, batches, loss_in(framework), 1e-3)
    np.testing.assert_allclose(losses, wanted, **CLOSE)


@both
def test_a_batch_that_is_no_tuple_is_refused(framework):
    """A tensor would be iterated row by row."""
    model = classifier(framework, num_layers=1)
    rates = framework.layer_rates(model)
    with pytest.raises(TypeError, match="batches holds a ndarray: wanted tuples"):
        framework.fine_tune(model, [IDS], loss_in(framework), rates, lambda step: 0.1)


@pytest.mark.usefixtures("untraced")
@both
def test_a_weight_that_has_no_part_in_the_loss_stays(framework):
    """A pooler that no head reads, alone in its group, isn't even decayed."""
    framework.seed(0)
    model = framework.SpanExtractor(config(num_layers=1, pooler="tanh"))
    before, places = values(model), parameters_of(model)
    pooler = {path for path in before if "pooler" in path}
    groups = [
        (1.0, [places[path].variable for path in sorted(paths)])
        for paths in (pooler, before.keys() - pooler)
    ]

    def loss(model, ids, starts):
        return framework.cross_entropy(model(ids)[0], starts, None)

    framework.fine_tune(model, [(IDS, LABELS)], loss, groups, lambda step: 1e-2)
    moved = {path for path, one in values(model).items() if (one != before[path]).any()}
    assert len(pooler) == 2 and len(moved) > 9
    assert not moved & pooler


@pytest.mark.usefixtures("untraced")
def test_both_frameworks_learn_the_same():
    ours, theirs = twins("SequenceClassifier", config(num_layers=2), 3)
    curves = [
        train(framework, model, framework.layer_rates(model, 0.8, 2.0), 4, 1e-3)
        for framework, model in ((TORCH, ours), (TENSORFLOW, theirs))
    ]
    np.testing.assert_allclose(*curves, atol=1e-4)
    assert curves[0][-1] < curves[0][0]


def with_lora(framework, rank=2, alpha=6.0, num_layers=2, **named):
    """Return a classifier with LoRA, and the new weights."""
    model = classifier(framework, num_layers=num_layers)
    return model, framework.add_lora(model.encoder, rank, alpha, **named)


@both
def test_lora_changes_nothing_at_first(framework):
    plain = framework.run(classifier(framework, num_layers=2), IDS)
    model, _ = with_lora(framework)
    np.testing.assert_allclose(framework.run(model, IDS), plain, **CLOSE)


@pytest.mark.usefixtures("untraced")
@both
def test_only_the_low_rank_weights_are_trained(framework):
    model, added = with_lora(framework)
    assert len(added) == 2 * 2 * 2
    before = values(model)
    losses = train(framework, model, [(1.0, added)])
    assert losses[-1] < losses[0]
    after = values(model)
    moved = {path for path in before if (after[path] != before[path]).any()}
    assert moved == {path for path in before if ".down." in path or ".up." in path}


@both
def test_the_change_is_the_product_of_the_factors(framework):
    """y = W x + b + (α / r) B A x, computed here from the weights."""
    framework.seed(1)
    base = framework.new_linear(5, 4)
    layer = framework.LoRA(base, rank=3, alpha=7.0)
    parameters = parameters_of(layer)
    generator = np.random.default_rng(0)
    for parameter in parameters.values():
        parameter.write(generator.normal(size=parameter.shape).astype(np.float32))
    x = generator.normal(size=(2, 3, 5)).astype(np.float32)
    stored = {path: one.read() for path, one in parameters.items()}
    assert stored["down.weight"].shape == (3, 5) and stored["up.weight"].shape == (4, 3)
    low_rank = stored["up.weight"] @ stored["down.weight"]
    whole = stored["base.weight"] + 7 / 3 * low_rank
    wanted = x @ whole.T + stored["base.bias"]
    np.testing.assert_allclose(framework.run(layer, x), wanted, **CLOSE)
    np.testing.assert_allclose(framework.run(layer.merged(), x), wanted, **CLOSE)


@both
def test_the_factors_have_the_precision_of_the_base(framework):
    import keras

    if framework is TENSORFLOW:
        keras.config.set_dtype_policy("float16")
    try:
        base = framework.new_linear(5, 4)
    finally:
        keras.config.set_dtype_policy("float32")
    if framework is TORCH:
        base.half()
    layer = framework.LoRA(base, rank=3, alpha=7.0)
    x = np.ones((2, 5), np.float16)
    assert framework.run(layer, x).dtype == np.float16
    assert framework.run(layer.merged(), x).dtype == np.float16


@pytest.mark.usefixtures("untraced")
@both
def test_merged_the_model_is_built_as_before_and_computes_the_same(framework, tmp_path):
    fresh = classifier(framework, num_layers=2)
    model, added = with_lora(framework)
    train(framework, model, [(1.0, added)], steps=2)
    wanted = framework.run(model, IDS)
    framework.merge_lora(model.encoder)
    np.testing.assert_allclose(framework.run(model, IDS), wanted, **CLOSE)
    assert parameters_of(model).keys() == parameters_of(fresh).keys()
    copy_weights(model, fresh)
    np.testing.assert_allclose(framework.run(fresh, IDS), wanted, **CLOSE)


@pytest.mark.slow("LoRA that differs between the frameworks")
def test_lora_is_equal_in_both_frameworks():
    """Unlike the steps above, it is traced, which takes least with few weights."""
    named = {"num_layers": 1, "names": ("query", "key", "projection")}
    ours, added = with_lora(TORCH, **named)
    theirs, tf_added = with_lora(TENSORFLOW, **named)
    copy_weights(ours, theirs)
    curves = [
        train(framework, model, [(1.0, new)], 4, 1e-2)
        for framework, model, new in (
            (TORCH, ours, added),
            (TENSORFLOW, theirs, tf_added),
        )
    ]
    np.testing.assert_allclose(*curves, atol=1e-4)
    np.testing.assert_allclose(
        TORCH.run(ours, IDS), TENSORFLOW.run(theirs, IDS), atol=1e-3
    )


def test_keras_own_lora_computes_the_same():
    """Compare with the library's `Dense.enable_lora`, given the same two factors."""
    TENSORFLOW.seed(0)
    base, theirs = TENSORFLOW.new_linear(5, 4), TENSORFLOW.new_linear(5, 4)
    theirs.kernel.assign(base.kernel)
    theirs.enable_lora(rank=3, lora_alpha=7.0)
    ours = TENSORFLOW.LoRA(base, 3, 7.0)
    generator = np.random.default_rng(0)
    for variable, twin in (
        (ours.down.kernel, theirs.lora_kernel_a),
        (ours.up.kernel, theirs.lora_kernel_b),
    ):
        values = generator.normal(size=variable.shape).astype(np.float32)
        variable.assign(values)
        twin.assign(values)
    x = generator.normal(size=(2, 5)).astype(np.float32)
    np.testing.assert_allclose(TENSORFLOW.run(ours, x), theirs(x).numpy(), **CLOSE)
