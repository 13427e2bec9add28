"""What users of other libraries do by habit works here or is refused by name."""

import math

from scratch.answering import window_batch, windows
from scratch.tokenization import (
    BERT,
    IGNORED,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
    learn_word_pieces,
    make_batch,
    mask_tokens,
)

import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers import configs
from helpers.frameworks import TENSORFLOW, TORCH, both, kept, random

X, IDS = random(2, 3, 4), np.array([[5, 3, 1], [2, 9, 0]])


def a_loss(model, x):
    return model(x)[0, 0, 0] ** 2


def layer_of(framework):
    """Return a new layer, its weights, and a function that tells whether they moved."""
    layer = framework.FeedForward(4, 4)
    first = framework is TORCH
    weights = [*layer.parameters()] if first else layer.trainable_variables
    before = framework.numpy([one + 0 for one in weights])

    def moved():
        now = framework.numpy([one + 0 for one in weights])
        return any((a != b).any() for a, b in zip(before, now, strict=True))

    return layer, weights, moved


# Training


@both
@pytest.mark.parametrize("way", ["fit", "fine_tune"])
@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("clip", (0, 0.0, -1.0, math.inf, math.nan, None, True)),
        ("weight_decay", (-0.5, math.nan, math.inf, None)),
        ("learning_rate", (-1e-2, np.float32(-1e-2), math.nan, math.inf, None)),
    ],
)
def test_a_step_that_would_go_nowhere_or_uphill_is_refused(framework, way, name, wrong):
    """In other libraries a clip of 0 or ∞ means none, and a rate may fall below 0."""
    layer, weights, moved = layer_of(framework)
    for value in wrong:
        given = {"learning_rate": lambda step: 1e-2, name: value}
        if name == "learning_rate":
            given = {name: lambda step, value=value: value}
        if way == "fine_tune":
            given["rates"] = [(1.0, weights)]
        with pytest.raises((TypeError, ValueError), match=f"{name} is .*: wanted"):
            getattr(framework, way)(layer, [(X,)], a_loss, **given)
    assert not moved()


@both
@pytest.mark.parametrize("way", ["fit", "fine_tune"])
def test_training_on_nothing_is_refused(framework, way):
    """An iterator is empty in the second epoch."""
    layer, weights, _ = layer_of(framework)
    read = iter([(X,)])
    next(read)
    for batches in ([], read, (one for one in ())):
        given = {"rates": [(1.0, weights)]} if way == "fine_tune" else {}
        with pytest.raises(ValueError, match="batches is empty: wanted"):
            getattr(framework, way)(
                layer, batches, a_loss, learning_rate=lambda step: 1e-2, **given
            )


@both
def test_groups_of_weights_that_would_not_train_as_given_are_refused(framework):
    layer, weights, moved = layer_of(framework)
    for rates, error in (
        ([(1.0, iter(weights))], TypeError),
        ([(1.0, (one for one in weights))], TypeError),
        ([(1.0, weights[:1]), (1.0, map(abs, weights[1:]))], TypeError),
        ([(1.0, weights[0])], TypeError),
        (zip([1.0], [weights], strict=True), TypeError),
        ([(1.0, weights), (10.0, weights[:1])], ValueError),
        ([(1.0, weights), (0.0, weights[1:])], ValueError),
        ([(1.0, weights + weights[:1])], ValueError),
        ([(-1.0, weights)], ValueError),
        ([(math.nan, weights)], ValueError),
        ([(0.0, weights)], ValueError),
        ([(1.0, [])], ValueError),
        ([], ValueError),
    ):
        with pytest.raises(error, match=r"rates (holds|is|has) .*: wanted"):
            framework.fine_tune(layer, [(X,)], a_loss, rates, lambda step: 1e-2)
    assert not moved()


@both
def test_a_schedule_refuses_a_share_as_its_warmup(framework):
    for warmup in (0.1, 0, -5, 2.5, True, None):
        with pytest.raises((TypeError, ValueError), match=f"warmup is {warmup}"):
            framework.noam_schedule(3, 64, warmup)
    for warmup in (0.1, -5, 2.5, None):
        with pytest.raises((TypeError, ValueError), match=f"warmup is {warmup}"):
            framework.cosine_schedule(3, 1e-3, warmup, 100)
    for d_model in (-64, 0, 64.0):
        with pytest.raises((TypeError, ValueError), match=f"d_model is {d_model}"):
            framework.noam_schedule(3, d_model, 10)
    assert framework.cosine_schedule(1, 1.0, 0, 100) < 1


# Padding


@both
@pytest.mark.parametrize("pad_id", [0.1, 0.0, True, False, "0", [0, 4], (0,)])
def test_a_pad_id_that_is_no_integer_is_refused(framework, pad_id):
    """Keras' third argument is from_logits; other libraries' may be a smoothing."""
    with pytest.raises(TypeError, match=r"pad_id is .*: wanted an integer or None"):
        framework.run(framework.padding_mask, IDS, pad_id)
    for smoothing in (0.0, 0.1):
        with pytest.raises(TypeError, match=r"pad_id is .*: wanted an integer or None"):
            framework.run(
                framework.cross_entropy, random(2, 3, 10), IDS, pad_id, smoothing
            )


@both
@pytest.mark.parametrize("pad_id", [np.int64(0), np.uint8(0), IGNORED, None])
def test_a_pad_id_of_any_integer_type_is_taken(framework, pad_id):
    """-100 is what other libraries ignore."""
    padding = -1 if pad_id is None else int(pad_id)
    found = framework.run(framework.padding_mask, IDS, pad_id)[:, 0, 0]
    np.testing.assert_array_equal(found, padding != IDS)


# Masked words


@pytest.mark.parametrize(
    "narrow",
    [
        np.int8,
        np.uint8,
        np.uint16,
        np.uint64,
        pytest.param(torch.tensor, id="torch"),
        pytest.param(tf.constant, id="tensorflow"),
    ],
)
def test_an_id_that_a_small_type_cannot_hold_is_not_wrapped_around(narrow):
    ids = np.arange(5, 105).reshape(5, 20)
    ids[0, 10:] = 0  # fewer places in this row: its last targets are ignored
    given = 70_000, 65_600, (0,)
    wanted = mask_tokens(ids, *given, np.random.default_rng(0))
    assert (wanted[0] == 65_600).any()
    assert (wanted[2] == IGNORED).any()
    found = mask_tokens(narrow(ids), *given, np.random.default_rng(0))
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    "special", [("[CLS]", "[SEP]"), {"[PAD]": 0}, [None, 0], [0, 1.0], np.array(["0"])]
)
def test_special_tokens_that_are_no_ids_are_refused(special):
    with pytest.raises(TypeError, match=r"special_ids is .*: wanted an integer"):
        mask_tokens(IDS, 20, 4, special, np.random.default_rng(0))


# Rewards and preferences


@both
@pytest.mark.parametrize("kind", ["int64", "int32", "bool", "float16"])
def test_rewards_are_refused_unless_their_squares_fit(framework, kind):
    rewards = np.array([[1000, 0, 0, 500]]).astype(kind)
    for normalize in (True, False):
        with pytest.raises(TypeError, match=f"rewards holds {kind}: wanted"):
            framework.run(framework.group_advantages, rewards, normalize)
    found = framework.run(framework.group_advantages, rewards.astype(np.float32))
    assert abs(found).min() > 0.1


@both
def test_no_gradient_goes_through_a_reward_or_a_reference(framework):
    """A penalty in the reward is often computed from the model in training."""
    x = np.array([0.1, -0.2, 0.3], np.float32)
    fixed = framework.tensor(2 * x - 1)
    for way in ("policy_gradient_loss", "dpo_loss"):
        function = getattr(framework, way)
        two = way == "dpo_loss"

        def loss(p, others, function=function, two=two):
            return function(p, -p, others, 3 * others) if two else function(p, others)

        wanted, _ = framework.input_gradient(lambda p: loss(p, fixed), x)
        found, _ = framework.input_gradient(lambda p: loss(p, 2 * p - 1), x)
        np.testing.assert_allclose(found, wanted, rtol=1e-6)


@both
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.uint16, np.uint64])
def test_ids_and_places_of_any_integer_type_are_taken(framework, kind):
    logits = random(2, 3, 10)
    found, wanted = (
        framework.run(framework.answer_log_probs, logits, ids, IDS > 1)
        for ids in (IDS.astype(kind), IDS)
    )
    np.testing.assert_array_equal(found, wanted)
    model = kept(framework, "MaskedLanguageModel", configs.BERT)
    found, wanted = (
        framework.run(model, IDS, places=places)
        for places in ((IDS % 3).astype(kind), IDS % 3)
    )
    np.testing.assert_array_equal(found, wanted)


@both
def test_ids_are_taken_one_row_at_a_time_by_a_vectorized_map(framework):
    """This is how the gradient of each single row is computed."""
    layer = kept(framework, "Embeddings", configs.BERT)
    wanted = framework.run(layer, IDS)
    mapped = {
        TORCH: torch.vmap,
        TENSORFLOW: lambda f: lambda x: tf.vectorized_map(f, x),
    }
    found = framework.run(mapped[framework](lambda row: layer(row[None])[0]), IDS)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


# Texts

PIECES = WordPiece(learn_word_pieces(["the tea and the sea"], 30))
TOKENIZERS = {
    "WordPiece": Tokenizer(PIECES, BERT),
    "BPE": Tokenizer(BytePairEncoding.train("the tea and the sea", 258)),
}
in_both_kinds = pytest.mark.parametrize("kind", TOKENIZERS)


@in_both_kinds
def test_texts_in_no_order_or_under_names_are_refused(kind):
    """A data set's batch is a dictionary: its keys would be read as texts."""
    encode = TOKENIZERS[kind].encode_batch
    named = {"tea": ["the sea"], "sea": ["the tea"]}
    for texts in (named, {"tea", "sea"}, frozenset(["tea"]), named.keys()):
        words = f"is of type {type(texts).__name__}: wanted a list of strings"
        with pytest.raises(TypeError, match=f"texts {words}"):
            encode(texts)
        with pytest.raises(TypeError, match=f"pairs {words}"):
            encode(["tea", "sea"], texts)
        with pytest.raises(TypeError, match=f"texts {words}"):
            learn_word_pieces(texts, 30)
    assert len(encode(named["tea"]).ids) == 1


@in_both_kinds
@both
def test_a_column_of_ids_is_no_text(framework, kind):
    """It is one new token for each row."""
    decode = TOKENIZERS[kind].decode
    ids = np.array([[5], [6]])
    assert decode(framework.tensor(ids[:, 0])) == decode([5, 6])
    for column in (ids, ids[:1], ids[..., None]):
        with pytest.raises(TypeError, match="wanted integers"):
            decode(framework.tensor(column))


ROWS = [(["tea"], [0]), (["sea"], [0])]
READ_TWICE = {
    "merges": lambda give: BytePairEncoding(
        TOKENIZERS["BPE"].vocab, give(TOKENIZERS["BPE"].model.merges)
    ),
    "rows": lambda give: make_batch(give(ROWS), {"tea": 0, "sea": 1}),
    "rows of windows": lambda give: window_batch(
        give(windows(TOKENIZERS["WordPiece"], "the", "sea", 20, 5)), 0
    ),
    "special_ids": lambda give: mask_tokens(
        IDS, 20, 4, give([0]), np.random.default_rng(0)
    ),
    "unwritten_ids": lambda give: configs.config(unwritten_ids=give([3])),
}


@pytest.mark.parametrize("name", READ_TWICE)
def test_an_iterator_is_refused_where_it_would_be_read_twice(name):
    """Merges are often the lines of a file, split as they are read."""
    call = READ_TWICE[name]
    for give in (list, tuple):
        call(give)
    for give in (iter, lambda values: (one for one in values), reversed):
        with pytest.raises(TypeError, match=f"{name.split()[0]} is .*: wanted a list"):
            call(give)
