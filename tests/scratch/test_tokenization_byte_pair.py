"""Byte-pair encoding: lossless, linear, equal to a naive one and to `tokenizers`."""

import random
from collections import Counter
from itertools import pairwise

from scratch.tokenization import (
    BytePairEncoding,
    SpecialTokens,
    byte_alphabet,
    byte_pair,
    learn_merges,
    merge_by_rank,
    merge_pair,
    read_spelling,
    spell,
    split_words,
)
from scratch.tokenization import Tokenizer as OurTokenizer

import numpy as np
import pytest
from helpers.texts import NASTY, PROSE, TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

SAMPLE = PROSE[:60_000]
TRAINED = BytePairEncoding.train(SAMPLE, 1000)


def published(text, vocab_size, min_count=2):
    """Train the byte-level encoding of the `tokenizers` package."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_count,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text], trainer)
    return tokenizer


PUBLISHED = published(SAMPLE, 1000)


def naive_merges(words, vocab_size, min_count):
    """Count all pairs again for every merge, as the paper's listing does."""
    order = sorted(byte_alphabet().values())
    spelled = {tuple(word): times for word, times in words.items()}
    merges = []
    while len(order) < vocab_size:
        counts = Counter()
        for symbols, times in spelled.items():
            for pair in pairwise(symbols):
                counts[pair] += times
        if not counts or max(counts.values()) < min_count:
            break
        best = min(counts, key=lambda p: (-counts[p], *map(order.index, p)))
        merges.append(best)
        if "".join(best) not in order:
            order.append("".join(best))
        spelled = {joined(symbols, best): n for symbols, n in spelled.items()}
    return merges


def joined(symbols, pair):
    """Join `pair` wherever it stands in the tuple `symbols`."""
    if len(symbols) < 2:
        return symbols
    if symbols[:2] == pair:
        return ("".join(pair), *joined(symbols[2:], pair))
    return (symbols[0], *joined(symbols[1:], pair))


def naive_encoding(symbols, ranks):
    """Merge the pair of lowest rank everywhere, until there is none."""
    while known := [pair for pair in pairwise(symbols) if pair in ranks]:
        symbols = joined(tuple(symbols), min(known, key=ranks.get))
    return list(symbols)


@given(TEXTS)
def test_every_text_comes_back(text):
    assert TRAINED.decode(TRAINED.encode(text)) == text
    assert read_spelling(spell(text)) == text
    assert "".join(split_words(text)) == text


@given(TEXTS)
def test_an_encoding_is_that_of_the_published_one(text):
    assert TRAINED.encode(text) == PUBLISHED.encode(text).ids


def test_prose_is_encoded_as_by_the_published_one_and_comes_back():
    ids = TRAINED.encode(PROSE)
    assert ids == PUBLISHED.encode(PROSE).ids
    assert TRAINED.decode(ids) == PROSE


@pytest.mark.parametrize(("vocab_size", "min_count"), [(256, 2), (700, 2), (3000, 5)])
def test_training_learns_what_the_published_one_learns(vocab_size, min_count):
    ours = BytePairEncoding.train(SAMPLE, vocab_size, min_count)
    assert ours.vocab == published(SAMPLE, vocab_size, min_count).get_vocab()


@settings(max_examples=50)
@given(
    st.one_of(TEXTS, st.text("ab ", max_size=60)),
    st.integers(256, 300),
    st.integers(1, 3),
)
def test_training_learns_what_the_naive_one_learns(text, vocab_size, min_count):
    words = Counter(spell(word) for word in split_words(text))
    wanted = naive_merges(words, vocab_size, min_count)
    assert learn_merges(words, vocab_size, min_count) == wanted


@given(st.text("ab", max_size=40), st.permutations(["ab", "ba", "aa", "bb"]))
def test_merging_by_rank_is_merging_pass_by_pass(word, order):
    pairs = [tuple(pair) for pair in order] + [("ab", "ab"), ("aa", "a"), ("ab", "a")]
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    assert merge_by_rank(word, ranks) == naive_encoding(tuple(word), ranks)


def test_a_pair_is_merged_from_left_to_right():
    assert merge_pair(list("aaa"), ("a", "a")) == ["aa", "a"]
    assert merge_pair(list("abab"), ("a", "b")) == ["ab", "ab"]


class CountedLookUps(dict):
    """A dictionary that counts its look-ups."""

    asked = 0

    def __contains__(self, key):
        self.asked += 1
        return super().__contains__(key)

    def get(self, key, default=None):
        self.asked += 1
        return super().get(key, default)


def work(length):
    """Count the look-ups for a single word of `length` letters."""
    letters = random.Random(0).choices("etaoinshr", k=length)
    ranks = CountedLookUps(TRAINED.ranks)
    merge_by_rank("".join(letters), ranks)
    return ranks.asked


def test_the_work_for_one_endless_word_grows_with_its_length_alone():
    assert work(64_000) < 1.1 * 16 * work(4_000)


def training_work(length, monkeypatch):
    """Count the symbols that training on so much prose reads, for each letter of it."""
    read = []

    def counted(symbols, pair):
        read.append(len(symbols))
        return merge_pair(symbols, pair)

    monkeypatch.setattr(byte_pair, "merge_pair", counted)
    BytePairEncoding.train(PROSE[:length], 400)
    return sum(read) / length


def test_the_work_of_training_grows_with_the_length_alone(monkeypatch):
    once, often = (training_work(n, monkeypatch) for n in (20_000, 320_000))
    assert often < 1.5 * once


def test_the_ids_are_numbered_without_a_gap():
    assert sorted(TRAINED.vocab.values()) == list(range(1000))


def test_training_stops_when_nothing_is_left_to_merge():
    assert len(BytePairEncoding.train("ab ab", 1000).vocab) == 257
    assert len(BytePairEncoding.train("ab ab", 1000, min_count=1).vocab) == 258
    assert BytePairEncoding.train("", 1000).encode("ab") == [64, 65]


def test_the_alphabet_is_that_of_the_published_one():
    alphabet = byte_alphabet()
    assert sorted(alphabet) == list(range(256))
    assert set(alphabet.values()) == set(pre_tokenizers.ByteLevel.alphabet())
    assert alphabet[ord(" ")] == "Ġ"


def test_cut_characters_are_shown_as_such():
    ids = TRAINED.encode("é")
    assert TRAINED.decode(ids[:-1]) == "\ufffd"


def test_decoding_takes_the_integers_of_an_array():
    for text in NASTY:
        ids = np.array(TRAINED.encode(text), dtype=np.int32)
        assert TRAINED.decode(ids) == text


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: TRAINED.encode(b"ab"), TypeError, "text is of type bytes: wanted"),
        (lambda: TRAINED.encode("a\ud800"), ValueError, r"U\+D800\) at position 1"),
        (lambda: TRAINED.decode([1.0]), TypeError, "wanted integers"),
        (
            lambda: TRAINED.decode([5, 1000]),
            ValueError,
            r"ids\[1\] is 1000: .* 0 to 999",
        ),
        (lambda: BytePairEncoding.train("a", 255), ValueError, "vocab_size is 255"),
        (lambda: BytePairEncoding.train("a", 300, 0), ValueError, "min_count is 0"),
        (lambda: BytePairEncoding.train(["a"], 300), TypeError, "text is of type list"),
        (lambda: BytePairEncoding({"a": 0}, []), ValueError, "vocab has no"),
    ],
)
def test_errors_say_what_is_wrong_and_what_is_wanted(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    "token", ["<café>", "<½>", "ĠĊ", "<Ġ>", "ÿþ", "<|é|>", "<naïve token>", "[日本]"]
)
def test_added_tokens_are_read_back_as_they_are_written(token):
    """Though their letters, in the byte alphabet, may be bytes."""
    trained = BytePairEncoding.train(SAMPLE, 300)
    vocab = trained.vocab | {token: 300}
    model = BytePairEncoding(vocab, trained.merges)
    ours = OurTokenizer(model, SpecialTokens(others=(token,)))
    text = f"the café{token}½ {token}\n"
    ids = ours.encode(text)
    assert ids.count(300) == 2
    assert ours.decode(ids, skip_special=False) == text
    assert ours.decode(ids) == "the café½ \n"
    assert model.decode([300]) == token
    # and beside a letter that is cut in two, whose halves are no text
    half = model.encode("é")[:1]
    assert model.decode([*half, 300]) == f"\ufffd{token}"


def test_tokens_outside_the_byte_alphabet_are_text():
    """As `tokenizers` decodes what was added: whole, or byte by byte."""
    ours = BytePairEncoding.train(SAMPLE, 300)
    added = ["<my token>", "<｜begin▁of▁sentence｜>", "<é ｜>", "č", "<|plain|>"]
    vocab = {**ours.vocab, **{one: 300 + place for place, one in enumerate(added)}}
    ours = BytePairEncoding(vocab, ours.merges)
    theirs = decoders.ByteLevel()
    for one in added:
        tokens = [*ours.tokenize("the café"), one, *ours.tokenize(" sea")]
        found = ours.decode(vocab[token] for token in tokens)
        assert found == theirs.decode(tokens)
