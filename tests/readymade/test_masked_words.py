"""What is masked, the vocabulary, and the model that is shipped."""

import csv
from collections import Counter

from readymade.data import TOPICS, definitions, pretrained_path
from readymade.weights import load_checkpoint
from scratch.tokenization import (
    IGNORED,
    WordPiece,
    learn_word_pieces,
    mask_tokens,
)

import numpy as np
import pytest

SPECIAL = [0, 2, 3]


def batch(rows=3_000, length=17, vocab_size=901, seed=0):
    """Rows of 3 to 15 tokens between [CLS] 2 and [SEP] 3, then padding 0."""
    generator = np.random.default_rng(seed)
    ids = generator.integers(5, vocab_size, (rows, length))
    ends = generator.integers(4, length, rows)
    places = np.arange(length)
    ids[places > ends[:, None]] = 0
    ids[np.arange(rows), ends] = 3
    ids[:, 0] = 2
    return ids


def masks(ids, seed=1, **others):
    return mask_tokens(ids, 901, 4, SPECIAL, np.random.default_rng(seed), **others)


def test_each_row_has_its_share_of_masked_places_and_at_least_one():
    ids = batch()
    _, places, targets = masks(ids, share=0.25)
    tokens = (~np.isin(ids, SPECIAL)).sum(1)
    wanted = np.maximum(1, np.round(0.25 * tokens))
    assert ((targets != IGNORED).sum(1) == wanted).all()
    assert all(len({*row}) == len(row) for row in places.tolist())


def test_targets_are_the_original_tokens_and_never_special():
    ids = batch()
    hidden, places, targets = masks(ids)
    there = np.take_along_axis(ids, places, 1)
    counts = targets != IGNORED
    # as many places as a row needs: special tokens do not count
    assert places.shape[1] == counts.sum(1).max() < round(0.15 * ids.shape[1])
    assert (there[counts] == targets[counts]).all()
    assert not np.isin(targets[counts], SPECIAL).any()
    chosen = np.zeros(ids.shape, bool)
    np.put_along_axis(chosen, places, counts, 1)
    assert (hidden == ids)[~chosen].all()


def test_of_ten_tokens_eight_are_hidden_one_is_random_one_stays():
    hidden, places, targets = masks(batch(), share=0.5)
    counts = targets != IGNORED
    shown = np.take_along_axis(hidden, places, 1)[counts]
    stays = shown == targets[counts]
    # Six standard deviations of so many draws.
    error = 6 * (0.25 / counts.sum()) ** 0.5
    assert abs((shown == 4).mean() - 0.8) < error
    assert abs(stays.mean() - 0.1) < error
    random = shown[(shown != 4) & ~stays]
    assert len({*random.tolist()}) > 600  # of the whole vocabulary


def test_masks_repeat_with_the_seed_and_leave_the_ids_alone():
    ids = batch(rows=9)
    before = ids.copy()
    again = [masks(ids, seed) for seed in (1, 1, 2)]
    for one, other in zip(*again[:2], strict=True):
        np.testing.assert_array_equal(one, other)
    assert (again[0][1] != again[2][1]).any()
    np.testing.assert_array_equal(ids, before)


def test_a_row_without_tokens_has_no_target():
    ids = np.array([[2, 3, 0, 0], [2, 7, 8, 3]])
    _, _, targets = masks(ids)
    assert ((targets != IGNORED).sum(1) == [0, 1]).all()


@pytest.mark.parametrize(
    ("ids", "others", "error", "words"),
    [
        (np.ones((2, 3)), {}, TypeError, "ids holds"),
        (np.ones(3, int), {}, ValueError, "ids has shape"),
        (batch(2), {"share": 1.5}, ValueError, "share is 1.5"),
    ],
)
def test_input_that_cannot_be_masked_is_refused_by_name(ids, others, error, words):
    with pytest.raises(error, match=words):
        masks(ids, **others)


TEXTS = ["the light of the lighthouse", "a lighter light", "the keeper's lamp, 1902"]


def test_pieces_cover_their_text_and_follow_the_merges():
    vocab = learn_word_pieces(TEXTS, 90)
    assert [*vocab][:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert [*vocab.values()] == list(range(len(vocab)))
    tokenizer = WordPiece(vocab)
    for text in TEXTS:
        assert tokenizer.decode(tokenizer.encode(text)) == text.replace("'", " ' ")
    assert tokenizer.tokenize("the light") == ["the", "light"]
    assert "##light" not in vocab and "[UNK]" not in tokenizer.tokenize("tight lamps")


def test_a_vocabulary_has_the_requested_size_or_is_refused():
    assert len(learn_word_pieces(TEXTS, 34)) == 34
    assert len(learn_word_pieces(TEXTS * 2, 50)) == 50
    with pytest.raises(ValueError, match="vocab_size is 20: wanted at least"):
        learn_word_pieces(TEXTS, 20)


def test_letters_beyond_ascii_are_whole():
    vocab = learn_word_pieces(["żółć żółw żółty"] * 3, 60)
    assert WordPiece(vocab, lowercase=False).decode([*vocab.values()][5:])
    assert not any("\ufffd" in piece for piece in vocab)


def test_definitions_are_split_and_cover_all_topics():
    train, held_out = definitions()
    assert (len(train), len(held_out)) == (19_549, 2_000)
    assert not {text for text, _ in train} & {text for text, _ in held_out}
    for part in (train, held_out):
        counts = Counter(label for _, label in part)
        assert sorted(counts) == list(range(len(TOPICS)))
        assert min(counts.values()) > 0.07 * len(part)


@pytest.mark.slow("a shipped vocabulary that its text does not give")
def test_the_shipped_models_vocabulary_is_learned_from_the_text():
    """It takes some 5 s; nothing else notices other merges or another text."""
    train, _ = definitions()
    _, tokenizer = load_checkpoint(pretrained_path())
    assert learn_word_pieces([text for text, _ in train], 2_000) == tokenizer.vocab


def test_every_run_with_few_labels_was_recorded():
    with open(pretrained_path().with_name("few_labels.csv")) as file:
        rows = list(csv.DictReader(file))
    runs = Counter((row["method"], row["labels"]) for row in rows)
    assert len({method for method, _ in runs}) == 8
    assert len(runs) == 8 * 4 and {*runs.values()} == {5}
    assert all(0.1 < float(row["accuracy"]) < 0.95 for row in rows)
