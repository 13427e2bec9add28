"""The same odd input gets the same answer in both frameworks: outputs, or one error."""

import re
from dataclasses import asdict, dataclass, replace

from scratch.checks import require_known
from scratch.config import TransformerConfig

import keras
import numpy as np
import pytest
import tensorflow as tf
import torch
from helpers.cases import CASES, call, flat
from helpers.configs import BERT, GPT, config
from helpers.frameworks import TENSORFLOW, TORCH, both, kept, map_arrays, random

IDS = np.array([[5, 3, 1], [2, 9, 0], [4, 4, 0]])
# as many rows as heads and as positions, so that a mask misread would fit
X = random(3, 3, 12)
SEEN = np.array([[1, 1, 1], [1, 1, 0], [1, 1, 0]], bool)
FOUR = SEEN[:, None, None]
TWO_HEADS = FOUR.repeat(2, 1)
INT8, UINT8 = IDS.astype(np.int8), IDS.astype(np.uint8)

EMBEDDINGS, ENCODER = ("Embeddings", BERT), ("Encoder", BERT)
DECODER = ("CausalLanguageModel", replace(GPT, num_layers=1))
HEADS, ONE_HEAD = ("MultiHeadAttention", 12, 3), ("AttentionHead", 12, 4)
GROUPED = "GroupedQueryAttention", config(num_kv_heads=1)
LAYER, CROSS = ("EncoderLayer", config()), ("DecoderLayer", config())
SELF = {"query": X, "key": X, "value": X}
READ = {"x": X, "memory": X}
OF_HEADS = dict.fromkeys(SELF, random(3, 3, 3, 4))
FUSED = {**SELF, "need_weights": False}


@dataclass
class AsItIs:
    """An input that is passed on as it is, not as the framework's tensor."""

    value: object


def wanted_axes(given, name="attention_mask", sizes=(3, 3, 3, 3)):
    axes = f"(batch, heads, queries, keys) = {sizes}, where any size may be 1"
    return ValueError, f"{name} has shape {given}: wanted {axes}"


def wanted_integers(given, name="ids"):
    return TypeError, f"{name} {given}: wanted a tensor of integers"


def one_for_each(given):
    wanted = "wanted (3, 3), one for each of ids"
    return ValueError, f"segment_ids has shape {given}: {wanted}"


def wanted_booleans(given):
    wanted = "a boolean tensor, True = may attend"
    return TypeError, f"attention_mask {given}: wanted {wanted}"


# Each framework refuses it in its own words; it must not pass silently.
BY_ITSELF = "refused by the framework"
TWO, THREE, LINE = wanted_axes((3, 3)), wanted_axes((3, 3, 3)), wanted_axes((3,))
# what it is: (piece and its arguments, inputs by name, None, (error, message) or
# BY_ITSELF)
ODD = {
    "ids of int8": (EMBEDDINGS, {"ids": INT8}, None),
    "ids of int16": (EMBEDDINGS, {"ids": IDS.astype(np.int16)}, None),
    "ids of int32": (EMBEDDINGS, {"ids": IDS.astype(np.int32)}, None),
    "ids of uint8": (EMBEDDINGS, {"ids": UINT8, "segment_ids": UINT8 // 9}, None),
    "NumPy ids": (EMBEDDINGS, {"ids": AsItIs(IDS)}, None),
    "NumPy segments": (
        EMBEDDINGS,
        {"ids": AsItIs(INT8), "segment_ids": AsItIs(UINT8 // 9)},
        None,
    ),
    "NumPy ids for an encoder": (ENCODER, {"ids": AsItIs(IDS)}, None),
    "NumPy ids for a decoder": (DECODER, {"ids": AsItIs(IDS)}, None),
    "no rows": (EMBEDDINGS, {"ids": IDS[:0]}, None),
    "no positions": (EMBEDDINGS, {"ids": IDS[:, :0]}, None),
    "an id below 0": (
        EMBEDDINGS,
        {"ids": IDS - 1},
        (ValueError, "ids holds -1: wanted integers from 0 to 10"),
    ),
    "an id too large": (
        DECODER,
        {"ids": IDS + 2},
        (ValueError, "ids holds 11: wanted integers from 0 to 10"),
    ),
    "a segment too many": (
        ENCODER,
        {"ids": IDS, "segment_ids": IDS // 4},
        (ValueError, "segment_ids holds 2: wanted integers from 0 to 1"),
    ),
    "ids of float32": (EMBEDDINGS, {"ids": X[0]}, wanted_integers("holds float32")),
    "ids of bool": (EMBEDDINGS, {"ids": SEEN}, wanted_integers("holds bool")),
    "a list of ids": (
        EMBEDDINGS,
        {"ids": AsItIs([[1, 2]])},
        wanted_integers("is a list"),
    ),
    "segments of float32": (
        EMBEDDINGS,
        {"ids": IDS, "segment_ids": X[0]},
        wanted_integers("holds float32", "segment_ids"),
    ),
    "segments of fewer rows": (
        ENCODER,
        {"ids": IDS, "segment_ids": IDS[:2] // 9},
        one_for_each((2, 3)),
    ),
    "segments that are too short": (
        EMBEDDINGS,
        {"ids": IDS, "segment_ids": IDS[:, :2] // 9},
        one_for_each((3, 2)),
    ),
    "segments for all rows": (
        ENCODER,
        {"ids": IDS, "segment_ids": IDS[:1] // 9},
        one_for_each((1, 3)),
    ),
    "a segment for each row": (
        EMBEDDINGS,
        {"ids": IDS, "segment_ids": IDS[:, :1] // 9},
        one_for_each((3, 1)),
    ),
    "places as marks": (
        ("MaskedLanguageModel", BERT),
        {"ids": IDS, "places": SEEN},
        wanted_integers("holds bool", "places"),
    ),
    "a place beyond the text": (
        ("MaskedLanguageModel", BERT),
        {"ids": IDS, "places": IDS},
        (ValueError, "places holds 5: wanted integers from 0 to 2"),
    ),
    "one row of ids": (
        EMBEDDINGS,
        {"ids": IDS[0]},
        (ValueError, "ids has shape (3,): wanted (batch, length)"),
    ),
    "a list of ids beside a mask": (
        ("Decoder", DECODER[1], None, False),
        {"ids": AsItIs([[1, 2, 3]]), "attention_mask": FOUR},
        wanted_integers("is a list"),
    ),
    "one row of ids beside a mask": (
        DECODER,
        {"ids": IDS[0], "attention_mask": FOUR},
        (ValueError, "ids has shape (3,): wanted (batch, length)"),
    ),
    "NumPy ids to mask": (("padding_mask",), {"ids": AsItIs(IDS)}, None),
    "padding beyond int8": (("padding_mask",), {"ids": INT8, "pad_id": 300}, None),
    "a list to mask": (
        ("padding_mask",),
        {"ids": AsItIs([[1, 2]])},
        wanted_integers("is a list"),
    ),
    "a NumPy mask": (HEADS, {**SELF, "attention_mask": AsItIs(FOUR)}, None),
    "a NumPy mask, fused": (HEADS, {**FUSED, "attention_mask": AsItIs(FOUR)}, None),
    "a NumPy mask for a decoder": (
        DECODER,
        {"ids": IDS, "attention_mask": AsItIs(FOUR)},
        None,
    ),
    "a NumPy mask of the memory": (CROSS, {**READ, "memory_mask": AsItIs(FOUR)}, None),
    "(batch, length)": (HEADS, {**SELF, "attention_mask": SEEN}, TWO),
    "(batch, length), fused": (HEADS, {**FUSED, "attention_mask": SEEN}, TWO),
    "(length,)": (HEADS, {**SELF, "attention_mask": SEEN[1]}, LINE),
    "(length,), fused": (HEADS, {**FUSED, "attention_mask": SEEN[1]}, LINE),
    "(batch, queries, keys)": (
        HEADS,
        {**SELF, "attention_mask": SEEN[:, None].repeat(3, 1)},
        THREE,
    ),
    "(batch, queries, keys), fused": (
        HEADS,
        {**FUSED, "attention_mask": SEEN[:, None].repeat(3, 1)},
        THREE,
    ),
    "(batch, length) in an encoder layer": (
        LAYER,
        {"x": X, "attention_mask": SEEN},
        TWO,
    ),
    "(batch, length) in an encoder": (
        ENCODER,
        {"ids": IDS, "attention_mask": SEEN},
        TWO,
    ),
    "(batch, length) in a decoder": (
        DECODER,
        {"ids": IDS, "attention_mask": SEEN},
        wanted_axes((3, 3), sizes=(3, None, 3, None)),
    ),
    "(batch, length) for one query": (
        DECODER,
        {"ids": IDS[:, :1], "attention_mask": SEEN[:, :1]},
        wanted_axes((3, 1), sizes=(3, None, 1, None)),
    ),
    "(batch, length) for the memory": (
        CROSS,
        {**READ, "memory_mask": SEEN},
        wanted_axes((3, 3), "memory_mask", (3, None, 3, 3)),
    ),
    "(batch, length) in a decoder layer": (
        CROSS,
        {**READ, "attention_mask": SEEN},
        wanted_axes((3, 3), sizes=(3, None, 3, 3)),
    ),
    "masks of two heads in a decoder layer": (
        CROSS,
        {**READ, "attention_mask": TWO_HEADS},
        wanted_axes((3, 2, 3, 3)),
    ),
    "masks of two heads for the memory": (
        CROSS,
        {**READ, "memory_mask": TWO_HEADS},
        wanted_axes((3, 2, 1, 3)),
    ),
    "masks of two heads for grouped queries": (
        GROUPED,
        {**SELF, "attention_mask": TWO_HEADS},
        wanted_axes((3, 2, 1, 3)),
    ),
    "masks of two heads for a function": (
        ("scaled_dot_product_attention",),
        {**OF_HEADS, "attention_mask": TWO_HEADS},
        wanted_axes((3, 2, 1, 3)),
    ),
    "masks of two heads for a function, fused": (
        ("fused_attention",),
        {**OF_HEADS, "attention_mask": TWO_HEADS},
        wanted_axes((3, 2, 1, 3)),
    ),
    "a mask of float32": (
        HEADS,
        {**SELF, "attention_mask": X[:, None]},
        wanted_booleans("holds float32"),
    ),
    "a mask of int64": (
        HEADS,
        {**FUSED, "attention_mask": IDS[:, None, None]},
        wanted_booleans("holds int64"),
    ),
    "a list of booleans": (
        HEADS,
        {**SELF, "attention_mask": AsItIs([[[[True] * 3]]])},
        wanted_booleans("is a list"),
    ),
    "vectors of another length for one head": (
        ONE_HEAD,
        {**SELF, "key": X[..., :5]},
        (ValueError, "key has shape (3, 3, 5): wanted (batch, length, 12)"),
    ),
    "keys of another batch": (
        HEADS,
        {**SELF, "key": X[:2], "value": X[:2]},
        BY_ITSELF,
    ),
    "keys of another batch, fused": (
        HEADS,
        {**FUSED, "key": X[:2], "value": X[:2]},
        BY_ITSELF,
    ),
    "values of another batch": (
        ONE_HEAD,
        {**SELF, "value": X[:2]},
        BY_ITSELF,
    ),
    "a memory of another batch": (
        CROSS,
        {**READ, "memory": X[:2]},
        BY_ITSELF,
    ),
    "keys that serve every row": (
        HEADS,
        {**SELF, "key": X[:1], "value": X[:1]},
        None,
    ),
    "a query alone": (
        HEADS,
        {"query": X},
        (TypeError, "key is None: wanted a tensor (batch, length, 12)"),
    ),
    "a key without a value": (
        HEADS,
        {"query": X, "key": X},
        (TypeError, "value is None: wanted a tensor (batch, length, 12)"),
    ),
}


def message(error):
    """Our code's message, without what Keras wraps around it."""
    bold = re.search(r"\x1b\[1m(.*?)\x1b\[0m", str(error), re.DOTALL)
    return bold[1] if bold else str(error)


def outcome(framework, piece, inputs):
    """What a call returns, as a list of arrays, or its error's type and message."""
    name, *arguments = piece
    function = getattr(framework, name)
    if arguments:
        function = kept(framework, name, *arguments)
    given = map_arrays(lambda one: one.value, framework.tensors(inputs), is_as_it_is)
    try:
        return flat(framework.numpy(function(**given)))
    except Exception as error:
        return type(error), message(error)


def is_as_it_is(value):
    return isinstance(value, AsItIs)


@both
@pytest.mark.parametrize("odd", ODD)
def test_an_odd_input_is_taken_or_refused_by_name(framework, odd):
    piece, inputs, refused = ODD[odd]
    found = outcome(framework, piece, inputs)
    if refused == BY_ITSELF:
        assert issubclass(found[0], Exception), found
        return
    if refused:
        assert found == refused
        return
    assert all(isinstance(one, np.ndarray) for one in found), found
    for one, other in zip(found, outcome(TORCH, piece, inputs), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@both
@pytest.mark.parametrize(
    ("name", "sizes", "words"),
    [
        ("SinusoidalPositions", (5, 9), "d_model is 5: wanted an even number"),
        ("frequencies", (5,), "d_k is 5: wanted an even number"),
        ("MultiHeadAttention", (12, 0), "num_heads is 0: wanted at least 1"),
    ],
)
def test_a_size_that_cannot_be_divided_is_refused(framework, name, sizes, words):
    with pytest.raises(ValueError, match=words):
        getattr(framework, name)(*sizes)


def test_a_config_keeps_plain_integers():
    odd = TransformerConfig(
        vocab_size=np.int64(11),
        d_model=np.int64(12),
        num_heads=np.int32(3),
        pad_id=np.uint8(3),
        unwritten_ids=[np.int64(3)],
    )
    kinds = {type(value) for value in asdict(odd).values()}
    assert kinds <= {int, float, bool, str, tuple, type(None)}
    assert type(odd.unwritten_ids[0]) is int


@pytest.mark.slow("an id out of range inside a graph")
@pytest.mark.parametrize("piece", [EMBEDDINGS, DECODER], ids=lambda piece: piece[0])
@pytest.mark.parametrize("wrong", [-1, 11])
def test_an_id_out_of_range_is_named_in_a_graph_too(piece, wrong):
    run = tf.function(kept(TENSORFLOW, *piece), reduce_retracing=True)
    run(tf.constant(IDS))
    # on a CPU the lookup may raise first
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{wrong}\\b"):
        run(tf.constant([[1, wrong]]))


def test_a_check_of_ids_is_an_operation_of_a_graph_without_a_branch():
    """On a GPU no other operation would refuse the ids.

    TensorFlow 2.20 warns of a branch under a reader's cell, at every level of its log.
    """

    @tf.function
    def checked(ids):
        require_known("ids", ids, 11, pad_id=0)
        return ids

    graph = checked.get_concrete_function(tf.TensorSpec((2, None), tf.int64)).graph
    kinds = {operation.type for operation in graph.get_operations()}
    assert not {"If", "StatelessIf"} & kinds
    checked(tf.constant([[10, 0]]))
    for wrong in (-1, 11):
        words = rf"(?s)ids holds.*{wrong}.*wanted integers from 0 to 10, "
        words += "or the pad_id 0"
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            checked(tf.constant([[1, wrong]]))


@pytest.mark.slow("a mask that Keras hands on unseen")
def test_a_mask_that_keras_hands_on_is_refused():
    table = keras.layers.Embedding(11, 12, mask_zero=True)
    x = table(IDS)
    words = r"has a mask of Keras .*: wanted none, but attention_mask \(batch, 1"
    with pytest.raises(ValueError, match=words):
        kept(TENSORFLOW, *LAYER)(x)
    with pytest.raises(ValueError, match=words):
        kept(TENSORFLOW, *ONE_HEAD)(x, x, x)
    ids = keras.Input((3,), dtype="int32")
    model = keras.Model(ids, kept(TENSORFLOW, *LAYER)(table(ids))[0])
    with pytest.raises(ValueError, match=words):
        model(IDS)


@pytest.mark.slow("an input that stays on another device")
def test_ids_and_masks_follow_a_model_to_its_device():
    """The meta device has no values, and refuses what is on any other."""
    for case, (name, arguments, inputs) in CASES.items():
        if name == "SinusoidalPositions":  # has no weights: its rows follow the ids
            continue
        with torch.device("meta"):
            layer = getattr(TORCH, name)(*arguments).eval()
        vectors = map_arrays(
            lambda array: torch.tensor(array).to("meta"),
            inputs,
            lambda one: isinstance(one, np.ndarray) and one.dtype == np.float32,
        )
        for found in call(layer, vectors, TORCH):
            assert found.device.type == "meta", case


def test_places_are_taken_in_a_graph_that_knows_no_length():
    model = TENSORFLOW.MaskedLanguageModel(BERT)
    ids, places = tf.constant(IDS), tf.constant(IDS % 3)
    anything = tf.TensorSpec((None, None), ids.dtype)
    traced = tf.function(
        lambda ids, places: model(ids, places=places), [anything, anything]
    )
    wanted = model(ids, places=places)
    np.testing.assert_allclose(traced(ids, places), wanted, atol=1e-6)
