"""Training: the shift, the loss, the schedules, and equal steps in both frameworks."""

import importlib
import math
from functools import partial

from readymade.data import NumberWords
from readymade.weights.parameters import parameters_of
from scratch.checks import require_strategy
from scratch.config import TransformerConfig
from scratch.tensorflow import quiet

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, random, twins
from hypothesis import given
from hypothesis import strategies as st

CLOSE = {"atol": 1e-5, "rtol": 1e-5}


@both
@given(
    ids=st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1),
    bos_id=st.integers(0, 9),
)
def test_shifting_right_puts_the_beginning_first(framework, ids, bos_id):
    ids = np.array(ids)
    shifted = framework.run(framework.shift_right, ids, bos_id)
    assert shifted.shape == ids.shape
    assert (shifted[:, 0] == bos_id).all()
    np.testing.assert_array_equal(shifted[:, 1:], ids[:, :-1])


@both
def test_shifting_says_what_is_wrong(framework):
    with pytest.raises(TypeError, match=r"ids holds.*float.*integers"):
        framework.run(framework.shift_right, np.array([[1.0]]), 1)
    for bos_id, error in [(1.7, TypeError), (-1, ValueError)]:
        with pytest.raises(error, match=f"bos_id is {bos_id}"):
            framework.run(framework.shift_right, np.array([[1]]), bos_id)


# The loss


def by_hand(logits, targets, pad_id, smoothing):
    """Return the loss as the paper has it, in double precision."""
    vocab_size = logits.shape[-1]
    logits, targets = logits.astype(float).reshape(-1, vocab_size), targets.ravel()
    if pad_id is not None:
        real = targets != pad_id
        logits, targets = logits[real], targets[real]
    if not len(targets):
        return 0.0
    logits = logits - logits.max(1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    wanted = np.full(log_p.shape, smoothing / (vocab_size - (pad_id is not None)))
    if pad_id is not None:
        wanted[:, pad_id] = 0.0
    wanted[np.arange(len(targets)), targets] += 1 - smoothing
    np.testing.assert_allclose(wanted.sum(1), 1)
    return -(wanted * log_p).sum(1).mean()


@both
@given(
    seed=st.integers(0, 1000),
    pad_id=st.sampled_from([None, 0, 3]),
    smoothing=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_cross_entropy_is_the_papers(framework, seed, pad_id, smoothing):
    logits = 3 * random(2, 4, 5, seed=seed)
    targets = np.random.default_rng(seed).integers(0, 5, (2, 4))
    found = framework.run(framework.cross_entropy, logits, targets, pad_id, smoothing)
    wanted = by_hand(logits, targets, pad_id, smoothing)
    np.testing.assert_allclose(found, wanted, **CLOSE)


@both
def test_cross_entropy_equals_pytorch_own(framework):
    logits, targets = random(2, 4, 5), np.array([[1, 2, 0, 0], [4, 3, 2, 1]])
    found = framework.run(framework.cross_entropy, logits, targets, 0)
    wanted = torch.nn.functional.cross_entropy(
        torch.tensor(logits).flatten(0, 1),
        torch.tensor(targets).flatten(),
        ignore_index=0,
    )
    np.testing.assert_allclose(found, wanted, **CLOSE)


@both
@given(padding=st.integers(1, 5), smoothing=st.sampled_from([0.0, 0.1]))
def test_wider_padding_does_not_move_the_loss(framework, padding, smoothing):
    logits, targets = random(1, 3, 5), np.array([[4, 1, 2]])
    wide = np.concatenate([logits, random(1, padding, 5, seed=1)], 1)
    longer = np.pad(targets, ((0, 0), (0, padding)))
    cross_entropy = framework.cross_entropy
    one = framework.run(cross_entropy, logits, targets, 0, smoothing)
    other = framework.run(cross_entropy, wide, longer, 0, smoothing)
    np.testing.assert_allclose(other, one, **CLOSE)


@both
def test_nothing_but_padding_costs_nothing(framework):
    for smoothing in (0.0, 0.1):

        def loss(logits, smoothing=smoothing):
            targets = framework.tensor(np.zeros((1, 3), int))
            return framework.cross_entropy(logits, targets, 0, smoothing)

        gradient, value = framework.input_gradient(loss, random(1, 3, 5))
        assert value == 0 and not gradient.any()


@both
def test_a_target_outside_the_vocabulary_can_stand_for_no_token(framework):
    logits = random(1, 3, 5)
    found = framework.run(
        framework.cross_entropy, logits, np.array([[-100, 2, -100]]), -100
    )
    wanted = framework.run(
        framework.cross_entropy, logits[:, 1:2], np.array([[2]]), None
    )
    np.testing.assert_allclose(found, wanted, **CLOSE)


@both
def test_targets_of_another_shape_or_kind_are_refused(framework):
    """A forgotten or a second shift gives one position too few."""
    for shape in [(2, 3), (1, 4), (2, 4, 1), (2, 5)]:
        targets = np.ones(shape, np.int64)
        with pytest.raises(ValueError, match=r"targets has shape .* wanted \(2, 4\)"):
            framework.run(framework.cross_entropy, random(2, 4, 5), targets, 0)
    for kind in (np.float32, np.bool_):
        with pytest.raises(
            TypeError, match=r"targets holds .*: wanted a tensor of integers"
        ):
            framework.run(framework.cross_entropy, random(2, 5), np.ones(2, kind), 0)


OUTSIDE = [(-1, 0), (5, 0), (-1, None), (-100, -1)]


@both
def test_targets_outside_the_vocabulary_are_named(framework):
    """Counted from the end, -1 would be the last token."""
    for wrong, pad_id in OUTSIDE:
        targets = np.array([[1, 2, wrong]])
        said = f"targets holds {wrong}: wanted integers from 0 to 4"
        said += "" if pad_id is None else f", or the pad_id {pad_id}"
        with pytest.raises(ValueError, match=said):
            framework.run(framework.cross_entropy, random(1, 3, 5), targets, pad_id)


def test_a_graph_names_targets_outside_the_vocabulary_too():
    """TensorFlow alone: its graph gathers a row of zeros on a GPU, and trains on it."""
    for wrong, pad_id in OUTSIDE:
        loss = tf.function(partial(TENSORFLOW.cross_entropy, pad_id=pad_id))
        loss(random(1, 3, 5), tf.constant([[1, 2, 3]]))
        # on a CPU the gather may raise first
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"{wrong}\\b"):
            loss(random(1, 3, 5), tf.constant([[1, 2, wrong]]))


def test_the_loss_can_be_compiled():
    """PyTorch as one graph, TensorFlow by XLA: neither can check ids."""
    logits, targets = random(2, 4, 5), np.array([[1, 2, 0, 0], [4, 3, 2, 1]])
    wanted = by_hand(logits, targets, 0, 0.1)
    ours = torch.compile(TORCH.cross_entropy, fullgraph=True, backend="eager")
    theirs = tf.function(partial(TENSORFLOW.cross_entropy, pad_id=0), jit_compile=True)
    found = ours(torch.tensor(logits), torch.tensor(targets), 0, 0.1)
    np.testing.assert_allclose(found, wanted, **CLOSE)
    found = theirs(tf.constant(logits), tf.constant(targets), label_smoothing=0.1)
    np.testing.assert_allclose(found, wanted, **CLOSE)


@both
def test_the_loss_is_in_float32_whatever_the_logits_are(framework):
    """Added up in float16, 16,000 tokens are infinite; 70,000 are too many to count."""
    for tokens in (16_000, 70_000):
        logits = 4 * random(tokens, 5)
        targets = np.random.default_rng(0).integers(0, 5, tokens)
        for kind in ("float16", "bfloat16"):
            if framework is TORCH:
                half = torch.tensor(logits).to(getattr(torch, kind))
                whole = half.double().numpy()
            else:
                half = tf.cast(logits, kind)
                whole = tf.cast(half, "float64").numpy()
            found = framework.cross_entropy(half, framework.tensor(targets), None, 0.1)
            assert "float32" in str(found.dtype)
            wanted = by_hand(whole, targets, None, 0.1)
            np.testing.assert_allclose(found, wanted, rtol=1e-4)


@both
def test_arrays_of_any_kind_are_taken(framework):
    """NumPy's, the other framework's, and integers of 8 bits."""
    logits, targets = random(2, 4, 300), np.array([[1, 2, 0, 0], [4, 3, 2, 1]])
    wanted = by_hand(logits, targets, 0, 0.1)
    for kind in (np.uint8, np.int8, np.int32):
        ids = targets.astype(kind)
        for array in (ids, torch.tensor(ids)):
            found = framework.cross_entropy(logits, array, 0, 0.1)
            np.testing.assert_allclose(framework.numpy(found), wanted, **CLOSE)
            shifted = framework.numpy(framework.shift_right(array, 9))
            assert shifted.tolist() == [[9, 1, 2, 0], [9, 4, 3, 2]]


@both
def test_classes_are_targets_too(framework):
    logits, targets = random(4, 3), np.array([0, 1, 2, 2])
    found = framework.run(framework.cross_entropy, logits, targets, None)
    np.testing.assert_allclose(found, by_hand(logits, targets, None, 0.0), **CLOSE)


@both
def test_smoothing_says_what_is_wrong(framework):
    logits, targets = random(1, 1, 3), np.array([[1]])
    for smoothing in (-0.1, 1.0, 1.5):
        with pytest.raises(ValueError, match=f"label_smoothing is {smoothing}"):
            framework.run(framework.cross_entropy, logits, targets, 0, smoothing)


# The schedules


@both
@given(
    step=st.integers(1, 10_000),
    d_model=st.integers(1, 1024),
    warmup=st.integers(1, 5000),
)
def test_the_papers_schedule_is_its_formula(framework, step, d_model, warmup):
    wanted = 1 / math.sqrt(d_model) * min(1 / math.sqrt(step), step / warmup**1.5)
    assert math.isclose(framework.noam_schedule(step, d_model, warmup), wanted)


@both
@given(warmup=st.integers(2, 500))
def test_the_papers_schedule_is_highest_at_the_end_of_the_warmup(framework, warmup):
    rates = [framework.noam_schedule(step, 64, warmup) for step in range(1, 600)]
    assert rates.index(max(rates)) + 1 == warmup
    # a straight line up from the first step on
    assert math.isclose(rates[1], 2 * rates[0])


@both
def test_schedules_begin_at_step_1(framework):
    noam, cosine = framework.noam_schedule, framework.cosine_schedule
    for schedule, rest in [(noam, (64, 100)), (cosine, (1e-3, 10, 100))]:
        assert schedule(1, *rest) > 0
        for step in (0, -1):
            with pytest.raises(ValueError, match=f"step is {step}: wanted at least 1"):
                schedule(step, *rest)


@both
def test_the_cosine_schedule_rises_to_its_peak_and_falls_to_0(framework):
    rates = [framework.cosine_schedule(step, 0.002, 10, 50) for step in range(1, 61)]
    assert math.isclose(rates[0], 0.0002)
    assert rates[9] == max(rates) and math.isclose(max(rates), 0.002)
    assert math.isclose(rates[29], 0.001)
    assert max(rates[49:]) < 1e-12
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:50] == sorted(rates[10:50], reverse=True)


# The steps


config = partial(
    configs.config, vocab_size=13, d_model=16, num_heads=4, d_ff=32, num_layers=1
)


def copying(number, seed=0):
    """Return batches of sequences to copy."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(3, 13, (number, 16, 5))
    ids[:, :, -1] = 2
    return [(one, one) for one in ids]


def copying_loss(framework):
    """Return the loss of a model that gives logits, or of a table that is read so."""

    def loss(model, source, target):
        return framework.cross_entropy(model(source), target, 0)

    return loss


def translation_loss(framework):
    """Return the loss of chapter 9, in a framework."""

    def loss(model, source, target):
        shifted = framework.shift_right(target, 1)
        named = {} if framework is TORCH else {"training": True}
        logits = model(source, shifted, **named)
        return framework.cross_entropy(logits, target, 0, 0.1)

    return loss


def test_both_learn_along_the_same_curve():
    """30 steps of chapter 9, with one layer on each side, from the same weights.

    The longer the training, the more rounding is amplified: with a slow warm-up, 30
    steps stay within 1e-4. Tracing one takes TensorFlow 5 s: beside the notebooks, only
    here does our `fit` train a whole model in a trace.
    """
    words = NumberWords(480, 1)
    settled = TransformerConfig(
        vocab_size=len(words.source.tokens),
        target_vocab_size=len(words.target.tokens),
        d_model=64,
        num_heads=4,
        d_ff=256,
        num_layers=1,
        dropout=0.0,
        max_len=32,
        norm_first=True,
    )
    source, target = words.encode(words.train_numbers)
    # batches of one shape, which TensorFlow traces once
    batches = [(source[i::10], target[i::10]) for i in range(10)] * 3
    curves = []
    for framework, model in zip(
        (TORCH, TENSORFLOW), twins("Transformer", settled), strict=True
    ):
        curves.append(
            framework.fit(
                model,
                batches,
                translation_loss(framework),
                lambda step: TORCH.cosine_schedule(step, 2e-3, 100, 500),
            )
        )
    assert len(curves[0]) == 30
    assert all(isinstance(loss, float) for curve in curves for loss in curve)
    assert curves[0][-1] < curves[0][0] - 0.5
    np.testing.assert_allclose(curves[1], curves[0], atol=1e-4)


@pytest.mark.usefixtures("untraced")
@both
def test_training_drops(framework):
    """At a rate of 0 and on the same batch only dropout can move the loss."""
    losses = {}
    for dropout in (0.0, 0.5):
        framework.seed()
        model = framework.Embeddings(config(dropout=dropout))
        batches = copying(1) * 3
        losses[dropout] = framework.fit(model, batches, copying_loss(framework), 0.0)
    assert len(set(losses[0.0])) == 1
    assert len(set(losses[0.5])) == 3


@pytest.mark.usefixtures("untraced")
@both
def test_the_schedule_is_asked_for_each_step_from_1_on(framework):
    asked = []

    def schedule(step):
        asked.append(step)
        return 0.0 if step == 2 else 1e-3

    model = framework.Embeddings(config())
    seen = []
    for batches in (copying(1), copying(3)):
        framework.fit(model, batches, copying_loss(framework), schedule)
        seen.append(list(asked))
        asked.clear()
    assert seen == [[1], [1, 2, 3]]


@pytest.mark.usefixtures("untraced")
@both
def test_a_rate_of_0_changes_nothing_not_even_by_decay(framework):
    model = framework.CausalLanguageModel(config())
    before = {path: one.read() for path, one in parameters_of(model).items()}
    framework.fit(model, copying(2), copying_loss(framework), 0.0, weight_decay=0.5)
    for path, one in parameters_of(model).items():
        np.testing.assert_array_equal(one.read(), before[path], err_msg=path)


@pytest.mark.usefixtures("untraced")
@both
def test_parts_that_the_loss_does_not_reach_stay_as_they_are(framework):
    """A pooler that nothing calls has no gradient, and no weight decay either."""
    encoder = framework.Encoder(config(pooler="tanh"))
    before = parameters_of(encoder)["pooler.dense.weight"].read()

    def loss(encoder, source, target):
        hidden, _ = encoder(source)
        return (hidden[:, 0] ** 4)[0, 0]

    framework.fit(encoder, copying(2), loss, 1e-2)
    after = parameters_of(encoder)["pooler.dense.weight"].read()
    np.testing.assert_array_equal(after, before)


@pytest.mark.usefixtures("untraced")
def test_a_token_that_comes_twice_steps_once_with_the_sum_of_its_gradients():
    """Keras' AdamW would square the rows of a repeated token one by one."""
    after = []
    # a table that logits share has a dense gradient anyway
    settled = config(tie_output=False)
    for framework, model in zip(
        (TORCH, TENSORFLOW), twins("CausalLanguageModel", settled), strict=True
    ):

        def loss(model, ids, framework=framework):
            return framework.cross_entropy(model(ids), ids, 0)

        repeated = [(np.array([[5, 5, 5, 7]]),)] * 3
        framework.fit(model, repeated, loss, 1e-2, clip=0.1)
        tokens = parameters_of(model)["decoder.embeddings.tokens.weight"].read()
        after.append(tokens)
    # three steps of 0.01; where a gradient is all but 0, rounding moves a little
    np.testing.assert_allclose(after[1], after[0], atol=1e-3)


@pytest.mark.usefixtures("untraced")
@both
def test_the_gradient_is_cut_to_the_length_allowed(framework):
    """AdamW forgets lengths, but for its epsilon: a gradient cut to almost nothing
    hardly steps."""
    moved = []
    for clip in (1.0, 1e-12):
        framework.seed()
        model = framework.CausalLanguageModel(config())
        path = "decoder.layers.0.feed_forward.expand.weight"
        before = parameters_of(model)[path].read()
        loss = copying_loss(framework)
        framework.fit(model, copying(1), loss, 1e-2, clip=clip, weight_decay=0.0)
        after = parameters_of(model)[path].read()
        moved.append(np.abs(after - before).max())
    assert moved[0] > 0.005 and moved[1] < 1e-4


@both
@pytest.mark.parametrize("named", [{}, {"clip": 0.1}, {"weight_decay": 0.3}], ids=str)
def test_the_steps_are_those_of_adamw_by_hand(framework, named):
    """Gradients that the test chooses: long and short, and some as small as epsilon."""
    settled = config(positions="learned", scale_embeddings=False, max_len=13)
    model = framework.Embeddings(settled)
    total = torch.sum if framework is TORCH else tf.reduce_sum

    def loss(model, ids, gradient):
        # each row of both tables is read once: this is the gradient of both
        return total(model(ids) * gradient)

    gradients = [size * random(1, 13, 16, seed=size) for size in (9, 1, 3)]
    for gradient in gradients:
        gradient[:, :2] *= 1e-8
    paths = ["tokens.weight", "positions.table.weight"]
    before = [parameters_of(model)[path].read() for path in paths]
    ids = np.arange(13)[None]
    framework.fit(model, [(ids, one) for one in gradients], loss, 1e-2, **named)
    for path, table in zip(paths, before, strict=True):
        wanted = adamw_by_hand(framework, table, gradients, 1e-2, **named)
        found = parameters_of(model)[path].read()
        # float32 of numbers up to 1, and three steps of 0.01
        np.testing.assert_allclose(found, wanted, atol=1e-6, err_msg=path)


def adamw_by_hand(framework, table, gradients, rate, clip=1.0, weight_decay=0.01):
    """Return a table after its steps; its gradients are those of another one too."""
    table, mean, square = table.astype(float), 0.0, 0.0
    for step, gradient in enumerate(gradients, start=1):
        length = math.sqrt(2 * (gradient.astype(float) ** 2).sum())
        gradient = gradient[0].astype(float) * min(1, clip / length)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.98 * square + 0.02 * gradient**2
        corrected = 1 - 0.98**step
        # Keras adds epsilon before it corrects the mean of squares.
        eps = 1e-9 if framework is TORCH else 1e-9 / math.sqrt(corrected)
        change = mean / (1 - 0.9**step) / (np.sqrt(square / corrected) + eps)
        table = (1 - rate * weight_decay) * table - rate * change
    return table


@pytest.mark.usefixtures("untraced")
@both
def test_training_shows_how_far_it_is(framework, capsys):
    model = framework.Embeddings(config())
    losses = framework.fit(model, copying(2), copying_loss(framework), 1e-3)
    shown = capsys.readouterr().err
    assert "training: 100%" in shown and "2/2" in shown
    assert f"loss={losses[-1]:.3f}" in shown


def test_training_has_dropout_on_and_leaves_it_off():
    """PyTorch only: a Keras layer has no mode but an argument in each call."""
    model = TORCH.Transformer(config(dropout=0.5)).eval()
    modes = []

    def loss(model, source, target):
        modes.append({one.training for one in model.modules()})
        return translation_loss(TORCH)(model, source, target)

    TORCH.fit(model, copying(2), loss, 1e-3)
    assert modes == [{True}, {True}]
    assert not model.training


def test_training_leaves_the_model_where_it_was():
    """Without a second device, look at what the model is asked to do."""

    class Told(TORCH.CausalLanguageModel):
        def to(self, device):
            moves.append(str(device))
            return self

    for device, moves in [("cpu:0", []), (torch.device("cpu", 0), []), (None, [])]:
        TORCH.fit(Told(config()), copying(1), copying_loss(TORCH), 1e-3, device=device)
        gpu = "cuda" if torch.cuda.is_available() else "cpu"
        assert moves == ["cpu:0" if device else gpu, "cpu"]


def new_table():
    """Return a model of four weights: some get rows as a gradient, some all of it."""
    return TENSORFLOW.Embeddings(config(positions="learned", norm_embeddings=True))


def mean_fourth_power(model, source, target):
    """Unlike the mean square, which a layer norm makes 1, it depends on the table."""
    return tf.reduce_mean(model(source) ** 4)


def test_training_runs_on_the_device_that_it_is_told(monkeypatch):
    """TensorFlow: every step is in the device's scope, and no weight moves."""
    model = new_table()
    homes = [one.variable.value.device for one in parameters_of(model).values()]
    told, device = [], tf.device
    monkeypatch.setattr(tf, "device", lambda name: told.append(name) or device(name))
    for name in ("cpu:0", None):
        TENSORFLOW.fit(model, copying(2), mean_fourth_power, 1e-3, device=name)
    assert told == ["cpu:0", "cpu:0", None, None]
    assert homes == [one.variable.value.device for one in parameters_of(model).values()]


@pytest.mark.slow("a strategy of one replica that trains otherwise")
def test_training_runs_in_the_scope_of_a_strategy_and_steps_alike():
    losses = []
    strategies = [
        tf.distribute.get_strategy(),
        tf.distribute.MirroredStrategy(["CPU:0"]),
        tf.distribute.OneDeviceStrategy("CPU:0"),
    ]
    for strategy in strategies:
        TENSORFLOW.seed()
        with strategy.scope():
            model = new_table()
            losses.append(TENSORFLOW.fit(model, copying(3), mean_fourth_power, 1e-2))
    np.testing.assert_allclose(losses[1:], losses[:1] * 2, rtol=1e-6)
    with pytest.raises(ValueError, match="model was built in the scope of another"):
        TENSORFLOW.fit(model, copying(1), mean_fourth_power, 1e-2)

    class Two:
        num_replicas_in_sync = 2

    with pytest.raises(ValueError, match="strategy has 2 replicas: wanted 1"):
        require_strategy(Two, [])


def test_tensorflow_leaves_memory_of_every_gpu_to_pytorch(monkeypatch):
    """The GPUs are fakes, and so is a TensorFlow that has already run and refuses."""
    asked = []
    monkeypatch.setattr(tf.config, "list_physical_devices", lambda kind: ["a", "b"])
    monkeypatch.setattr(
        tf.config.experimental,
        "set_memory_growth",
        lambda device, enable: asked.append((device, enable)),
    )
    importlib.reload(quiet)
    assert asked == [("a", True), ("b", True)]

    def refuse(device, enable):
        raise RuntimeError

    monkeypatch.setattr(tf.config.experimental, "set_memory_growth", refuse)
    importlib.reload(quiet)


@pytest.mark.parametrize("loop", ["fit", "fine_tune"])
def test_a_layer_that_was_never_called_is_not_left_untrained(loop):
    """Keras creates weights at the first call, after the loop has listed the others."""
    model = keras.Sequential([keras.layers.Dense(4), keras.layers.Dense(1)])
    model.layers[0].build((None, 3))
    groups = [(1.0, model.layers[0].trainable_variables)]
    more = {"fit": [1e-3], "fine_tune": [groups, lambda step: 1e-3]}[loop]
    with pytest.raises(ValueError, match=r"model had no .*kernel: wanted"):
        getattr(TENSORFLOW, loop)(model, [(random(2, 3),)], lambda m, x: m(x), *more)


@both
def test_a_batch_that_is_no_tuple_is_named(framework):
    """A dict would be read as its keys."""
    model = framework.FeedForward(4, 8)
    with pytest.raises(TypeError, match="batches holds a dict: wanted tuples"):
        framework.fit(model, [{"x": random(1, 2, 4)}], None, 1e-3)
