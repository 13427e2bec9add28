"""The tasks that chapters train on are as described."""

from readymade.data import (
    NumberWords,
    corpus,
    decoder_sweep,
    digit_reader,
    digits,
    moved,
    novel,
    reviews,
    translator,
    writer_path,
)
from readymade.data.number_words import english_tokens, german, german_tokens
from readymade.weights import load_checkpoint
from scratch.tokenization import BytePairEncoding
from scratch.torch import cross_entropy, inference

import numpy as np
import pytest
import torch

GERMAN = {
    0: "null",
    1: "eins",
    16: "sechzehn",
    21: "einundzwanzig",
    434: "vierhundertvierunddreißig",
    1_001: "eintausendeins",
    101_000: "einhunderteintausend",
    701_301: "siebenhunderteintausenddreihunderteins",
}


def test_german_words_are_german():
    assert {number: german(number) for number in GERMAN} == GERMAN


def test_morphemes_join_to_the_word():
    for number in [*range(2_000), *range(2_000, 1_000_000, 997)]:
        assert "".join(german_tokens(number)) == german(number)


def test_english_tokens_have_no_and_and_no_hyphen():
    expected = "four hundred thirty four thousand thirty four"
    assert " ".join(english_tokens(434_034)) == expected


def test_no_number_is_in_both_splits_and_none_twice():
    task = NumberWords(train_size=5_000, test_size=1_000, seed=3)
    numbers = task.train_numbers + task.test_numbers
    assert len(set(numbers)) == len(numbers) == 6_000


def test_every_number_survives_encoding_and_is_judged_right():
    task = NumberWords(train_size=300, test_size=100, seed=1)
    numbers = task.train_numbers + task.test_numbers + list(range(1_100))
    source, target = task.encode(iter(numbers))  # which can be read only once
    assert source.max() < len(task.source) and target.max() < len(task.target)
    assert task.exact_matches(target, numbers).all()
    assert not task.exact_matches(np.roll(target, 1, axis=0), numbers).all()


def test_impossible_sizes_are_refused_by_name():
    with pytest.raises(ValueError, match="train_size is 0: wanted at least 1"):
        NumberWords(train_size=0)
    with pytest.raises(ValueError, match="is 1000001: wanted at most 1000000"):
        NumberWords(train_size=1_000_000, test_size=1)


def test_a_token_outside_the_vocabulary_is_named():
    with pytest.raises(ValueError, match=r"tokens\[1\] is 'million': wanted"):
        NumberWords(10, 10).source.encode(["one", "million"])


def test_reviews_are_balanced_apart_and_repeatable():
    train, test = reviews(test_size=60, seed=0)
    assert (len(train), len(test)) == (180, 60)
    assert sum(label for _, label in test) == 30
    assert not {s for s, _ in train} & {s for s, _ in test}
    assert (train, test) == reviews(test_size=60, seed=0) != reviews(60, seed=1)


def test_a_test_size_that_splits_a_pair_is_refused():
    with pytest.raises(ValueError, match="test_size is 61: wanted an even number"):
        reviews(test_size=61)


def test_the_story_is_whole_paragraphs_of_plain_english():
    paragraphs = corpus()
    assert len(paragraphs) == 15
    assert all(text == text.strip() and text[-1] in ".?" for text in paragraphs)
    assert "".join(paragraphs).isascii()


def test_the_novel_is_only_the_authors_text():
    chapters = novel()
    assert len(chapters) == 24
    assert chapters[0].startswith("Sir Walter Elliot, of Kellynch Hall")
    assert chapters[-1].endswith("domestic virtues than in its national importance.")
    text = "\n".join(chapters)
    assert text.isascii() and "  " not in text and "\n\n" not in text
    assert not any(word in text for word in ("Gutenberg", "Chapter", "CHAPTER"))


def test_the_shipped_writers_tokens_are_learned_from_its_chapters():
    _, tokenizer = load_checkpoint(writer_path())
    learned = BytePairEncoding.train("\n".join(novel()[:22]), 999)
    assert tokenizer.model.merges == learned.merges
    assert tokenizer.vocab == learned.vocab | {"<|endoftext|>": 999}


def test_the_shipped_writer_beats_a_table_of_pairs_on_held_out_text():
    """Its perplexity is 45 there; that of the chapter's bigram model is 56.4."""
    model, tokenizer = load_checkpoint(writer_path())
    ids = np.array(tokenizer.encode(novel()[22]))[: 128 * 80].reshape(-1, 128)
    windows = torch.tensor(ids)
    with torch.no_grad():
        loss = cross_entropy(model(windows[:, :-1]), windows[:, 1:], None)
    assert loss.exp() < 49


def test_the_shipped_reader_of_digits_is_as_good_as_its_tool_says():
    """The second number is for digits that moved by a pixel."""
    _, (pictures, labels) = digits()
    with inference(model := digit_reader()):
        right = [
            (model(moved(pictures, *one)).argmax(1).numpy() == labels).mean()
            for one in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))
        ]
    assert right[0] == pytest.approx(0.988, abs=0.002)
    assert np.mean(right[1:]) == pytest.approx(0.974, abs=0.002)


def test_the_shipped_translator_is_as_good_as_chapter_9s():
    model, task = translator()
    numbers = task.test_numbers[:300]
    source, _ = task.encode(numbers)
    written = model.generate(torch.tensor(source), 1, 2, 14).numpy()
    assert task.exact_matches(written, numbers).mean() >= 0.99


def test_the_table_of_todays_decoder_has_a_row_for_each_test_of_each_model():
    rows = decoder_sweep()
    runs = {}
    for row in rows:
        run = row["model"], row["d_model"], row["seed"]
        runs.setdefault(run, []).append(row["step"])
        assert 1 < row["loss"] < 7 and row["seconds"] > 0
    assert all(steps == [75, 150, 300, 600] for steps in runs.values())
    seeds = {name: set() for name, *_ in runs}
    for name, _, seed in runs:
        seeds[name].add(seed)
    assert len(seeds) == 9
    wanted = seeds["GPT-2"]
    assert all(counted == wanted for name, counted in seeds.items() if name != "size")
    sizes = [row["parameters"] for row in rows if row["model"] != "size"]
    assert max(sizes) < 1.03 * min(sizes)
