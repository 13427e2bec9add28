"""Windows cover the text, spans are valid, and scores are SQuAD's."""

from readymade.data.prose_questions import real_questions
from readymade.data.question_templates import FAMILIES, template_questions
from readymade.weights import load_tokenizer, minilm_path
from scratch.answering import (
    answer,
    best_span,
    exact_match,
    f1,
    normalized,
    span_label,
    window_batch,
    windows,
)
from scratch.tokenization import (
    BERT,
    BytePairEncoding,
    Tokenizer,
    WordPiece,
    token_offsets,
)

import numpy as np
import pytest
from helpers.texts import PROSE, TEXTS
from hypothesis import given
from hypothesis import strategies as st
from transformers import BertTokenizerFast

TOKENIZER = load_tokenizer(minilm_path())
TEXT = "Ann found the old key in May. Ben lost it again near the harbour in June."
QUESTION = "When did Ben lose the key?"


@pytest.mark.slow("a token that no window has")
@given(text=TEXTS, question=TEXTS, length=st.integers(0, 25), stride=st.integers(1, 30))
def test_every_token_of_a_text_is_in_a_window_in_its_order(
    text, question, length, stride
):
    """For any text, every token is in a window, in its place."""
    asked = len(TOKENIZER.tokenize(question)) + 3
    room = stride + length
    rows = windows(TOKENIZER, question, text, asked + room, stride)
    ids = TOKENIZER.model.vocab
    tokens = [ids[token] for token in TOKENIZER.tokenize(text)]
    places = token_offsets(TOKENIZER, text)
    for number, row in enumerate(rows):
        assert len(row.ids) == len(row.segment_ids) == len(row.offsets)
        start = number * stride
        assert row.ids[asked - 1 : -1] == tokens[start : start + room]
        assert row.offsets[asked - 1 : -1] == places[start : start + room]
        assert set(row.offsets[: asked - 1] + row.offsets[-1:]) == {None}
        assert row.segment_ids == [0] * (asked - 1) + [1] * (len(row.ids) - asked + 1)
    covered = (len(rows) - 1) * stride + room
    assert covered >= len(tokens) > covered - stride - room or len(rows) == 1


def test_windows_are_those_of_the_published_tokenizer():
    published = BertTokenizerFast.from_pretrained(minilm_path())
    question, text, _, _ = template_questions(1)[0]
    asked = len(TOKENIZER.tokenize(question)) + 3
    theirs = published(
        question,
        text,
        truncation="only_second",
        max_length=asked + 20,
        stride=8,  # the overlap
        return_overflowing_tokens=True,
        return_offsets_mapping=True,
    )
    ours = windows(TOKENIZER, question, text, asked + 20, stride=12)
    assert [row.ids for row in ours] == theirs["input_ids"]
    assert [row.segment_ids for row in ours] == theirs["token_type_ids"]
    for row, places in zip(ours, theirs["offset_mapping"], strict=True):
        assert row.offsets[asked - 1 : -1] == places[asked - 1 : -1]


def test_a_window_without_room_is_refused_with_what_is_needed():
    asked = len(TOKENIZER.tokenize(QUESTION)) + 3
    with pytest.raises(ValueError, match=f"wanted at least {asked + 12}, for the"):
        windows(TOKENIZER, QUESTION, TEXT, asked + 11, stride=12)
    with pytest.raises(ValueError, match="stride is 0: wanted at least 1"):
        windows(TOKENIZER, QUESTION, TEXT, stride=0)


def test_a_label_lies_where_the_answer_does():
    for question in template_questions(60, seed=3):
        (row,) = windows(TOKENIZER, question.question, question.text, 256)
        end = question.start + len(question.answer)
        first, last = span_label(row, question.start, end)
        found = question.text[row.offsets[first][0] : row.offsets[last][1]]
        assert found == question.answer


def test_what_a_window_does_not_hold_is_labelled_as_no_answer():
    asked = len(TOKENIZER.tokenize(QUESTION)) + 3
    rows = windows(TOKENIZER, QUESTION, TEXT, asked + 8, stride=4)
    start = TEXT.index("near the harbour")
    labels = [span_label(row, start, start + 16) for row in rows]
    assert 0 < labels.count((0, 0)) < len(rows)
    for row, (first, last) in zip(rows, labels, strict=True):
        if first:
            place = slice(row.offsets[first][0], row.offsets[last][1])
            assert TEXT[place] == "near the harbour"
    assert span_label(rows[0], 0, 0) == (0, 0)
    (whole,) = windows(TOKENIZER, QUESTION, TEXT)
    part_of_a_token = TEXT.index("harbour") + 2
    assert span_label(whole, part_of_a_token, part_of_a_token + 3) != (0, 0)
    assert span_label(whole, part_of_a_token, part_of_a_token) == (0, 0)


# Each has an edge that WordPiece drops: between letters, before them or after them.
EDGES = {
    "space": " {} ",
    "tab and no-break space": "\t{}\u00a0",
    "line break": "{}\r\n",
    "accent": "{}\u0301",
    "mark of Hebrew": "{}\u05b0",
    "mark of Arabic": "{}\u064e\u0651",
    "variation selector": "{}\ufe0f",
    "direction marks": "\u200f{}\u200e",
    "joiner": "{}\u200d",
    "no space at all": "\u200b{}\ufeff",
    "soft hyphen": "\u00ad{}",
    "control character": "{}\x07",
    "half of a broken letter": "{}\ufffd",
}
BYTES = BytePairEncoding.train(PROSE[:20_000], 400)
KINDS = {
    "WordPiece": TOKENIZER,
    "cased": Tokenizer(WordPiece(TOKENIZER.vocab, lowercase=False), BERT),
    "bytes": Tokenizer(BYTES),
}


@pytest.mark.parametrize("tokenizer", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES)
def test_what_no_token_covers_at_an_edge_makes_no_answer_none(tokenizer, edge):
    """Each window that holds the whole answer is labelled with its tokens."""
    wanted = edge.format("old Paris")
    text = f"They found it in {wanted} long ago, when Ann was young."
    start = text.index(wanted)
    end = start + len(wanted)
    asked = len(tokenizer.encode("", "")) + len(tokenizer.tokenize("Where?"))
    places = enumerate(token_offsets(tokenizer, text))
    own = [at for at, (one, after) in places if one < end and start < after]
    for stride, room in ((4, 5), (1, len(own)), (1, len(own) - 1), (60, 60)):
        rows = windows(tokenizer, "Where?", text, asked + room, stride)
        for number, row in enumerate(rows):
            label, begin = (0, 0), number * stride
            if begin <= own[0] and own[-1] < begin + room:
                shift = asked - len(tokenizer.special.last) - begin
                label = (own[0] + shift, own[-1] + shift)
            assert span_label(row, start, end) == label, (room, number)


@given(text=TEXTS, data=st.data())
@pytest.mark.parametrize("tokenizer", KINDS.values(), ids=KINDS)
def test_a_label_is_the_tokens_that_an_answer_touches(tokenizer, text, data):
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    (row,) = windows(tokenizer, "", text, 10**4)
    touched = [
        at
        for at, place in enumerate(row.offsets)
        if place is not None and place[0] < end and start < place[1]
    ]
    if start < end and not touched:
        with pytest.raises(ValueError, match=f"start and end are {start} and {end}: w"):
            span_label(row, start, end)
    else:
        label = (touched[0], touched[-1]) if start < end else (0, 0)
        assert span_label(row, start, end) == label


@pytest.mark.parametrize("between", [" ", "\u200d", "\u00ad\ufe0f"])
def test_an_answer_without_a_token_is_refused_where_it_lies(between):
    text = f"a b c d e{between} f g h i j"
    start = text.index(between, 8)
    end = start + len(between)
    for row in windows(TOKENIZER, "Who?", text, 9, stride=2):
        if row.part[0] <= start and end <= row.part[1]:
            with pytest.raises(ValueError, match="a character that a token covers"):
                span_label(row, start, end)
        else:
            assert span_label(row, start, end) == (0, 0)


def test_a_character_of_several_tokens_needs_them_all():
    """A Korean syllable is three letters, an emoji four bytes."""
    for tokenizer, text in ((TOKENIZER, "가나"), (KINDS["bytes"], "😀😃")):
        count = token_offsets(tokenizer, text).count((0, 1))
        assert count > 1
        asked = len(tokenizer.encode("", ""))
        rows = windows(tokenizer, "", text, asked + count, stride=1)
        first = asked - len(tokenizer.special.last)
        labels = [span_label(row, 0, 1) for row in rows]
        assert labels == [(first, first + count - 1), *[(0, 0)] * (len(rows) - 1)]


def test_a_batch_of_windows_is_padded_and_its_padding_hidden():
    rows = windows(TOKENIZER, QUESTION, TEXT) + windows(TOKENIZER, "Who?", "Ben.")
    batch = window_batch(rows, TOKENIZER.pad_id, pad_to=40)
    assert batch.ids.shape == batch.segment_ids.shape == (2, 40)
    assert batch.attention_mask.shape == (2, 1, 1, 40)
    for row, ids, mask, segments in zip(rows, *batch, strict=True):
        assert ids[mask[0, 0]].tolist() == row.ids
        assert segments[mask[0, 0]].tolist() == row.segment_ids
    with pytest.raises(ValueError, match="pad_to"):
        window_batch(rows, TOKENIZER.pad_id, pad_to=5)


NUMBERS = st.floats(-9, 9, width=32)


@given(
    logits=st.lists(st.tuples(NUMBERS, NUMBERS, st.booleans()), min_size=1),
    max_tokens=st.integers(1, 9),
)
def test_the_best_span_is_the_best_of_all_allowed_ones(logits, max_tokens):
    starts, ends, allowed = map(np.array, zip(*logits, strict=True))
    if not allowed.any():
        with pytest.raises(ValueError, match="allowed is False everywhere"):
            best_span(starts, ends, allowed, max_tokens)
        return
    every = [
        float(starts[first]) + float(ends[last])
        for first in range(len(logits))
        for last in range(first, min(first + max_tokens, len(logits)))
        if allowed[first] and allowed[last]
    ]
    first, last, score = best_span(starts, ends, allowed, max_tokens)
    assert allowed[first] and allowed[last] and first <= last < first + max_tokens
    assert score == max(every) == float(starts[first]) + float(ends[last])


def test_a_span_of_no_tokens_is_refused():
    with pytest.raises(ValueError, match="max_tokens is 0: wanted at least 1"):
        best_span(np.zeros(2), np.zeros(2), [True, True], max_tokens=0)


def finding(wanted, none_score=0.0):
    """Return a `predict` that finds one word and gives [CLS] a fixed score."""
    token = TOKENIZER.vocab[wanted]

    def predict(ids, attention_mask, segment_ids):
        logits = np.where((ids == token) & (segment_ids == 1), 5.0, -5.0)
        logits[:, 0] = none_score / 2
        return logits, logits

    return predict


@pytest.mark.parametrize("max_length", [64, 24])
def test_an_answer_is_found_in_whatever_window_it_lies(max_length):
    found = answer(
        finding("june"), TOKENIZER, QUESTION, TEXT, max_length=max_length, stride=6
    )
    assert found.text == "June" == TEXT[found.start : found.end]
    assert found.score == 10.0


@pytest.mark.parametrize(("threshold", "text"), [(3.9, "June"), (4.0, "")])
def test_an_answer_that_is_not_better_than_none_is_none(threshold, text):
    predict = finding("june", none_score=6.0)
    found = answer(predict, TOKENIZER, QUESTION, TEXT, threshold)
    assert (found.text, found.score) == (text, 4.0)


def test_an_empty_text_has_no_answer():
    assert answer(finding("june"), TOKENIZER, QUESTION, "").text == ""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("The  King's\tspeech.", "kings speech"),
        ("an Apple a day", "apple day"),
        ("Theatre and anthem", "theatre and anthem"),
        ("a-b", "ab"),
        ("the", ""),
    ],
)
def test_what_does_not_count_is_removed(text, wanted):
    assert normalized(text) == wanted


@pytest.mark.parametrize(
    ("given_answer", "wanted", "score"),
    [
        ("The old bridge!", "old bridge", 1),
        ("bridge", "the old stone bridge", 1 / 2),
        ("very very old", "very old", 4 / 5),
        ("new", "old", 0),
        ("", "", 1),
        ("the", "", 1),
        ("", "old", 0),
        ("old", "", 0),
    ],
)
def test_words_in_common_count(given_answer, wanted, score):
    assert f1(given_answer, wanted) == pytest.approx(score)
    assert exact_match(given_answer, wanted) == (score == 1)


def test_templates_say_where_their_answers_are_and_repeat():
    questions = template_questions(400, seed=1, sentences=4)
    assert questions == template_questions(400, seed=1, sentences=4)
    assert questions != template_questions(400, seed=2, sentences=4)
    for one in questions:
        assert one.text[one.start : one.start + len(one.answer)] == one.answer
        assert not set("{}|") & set(one.question + one.text)
        assert one.text.count(". ") >= 2, one.text
    assert sum(" " in one.answer for one in questions) > 200
    assert len(FAMILIES) == 12


def test_held_out_templates_are_filled_with_other_things():
    known, held = (
        template_questions(600, held_out=held_out) for held_out in (False, True)
    )
    by_words = {one.answer for one in known if not one.answer[0].isdigit()}
    fixed = {
        wanted
        for family in FAMILIES.values()
        for part in family
        for wanted in part["questions"].values()
    }
    new = [one for one in held if one.answer not in fixed | by_words]
    assert len(new) > 0.75 * len(held)


def test_templates_can_be_fewer_shorter_or_without_an_answer():
    few = template_questions(200, num_families=1)
    assert all("useum" in one.text for one in few)
    assert all(" " not in one.answer for one in template_questions(200, one_word=True))
    some = template_questions(400, unanswerable=0.25)
    none = [one for one in some if not one.answer]
    assert 60 < len(none) < 140
    assert all(one.start == 0 for one in none)
    for wrong in ({"num_families": 0}, {"num_families": 13}, {"unanswerable": 5}):
        ((name, value),) = wrong.items()
        with pytest.raises(ValueError, match=f"{name} is {value}: wanted"):
            template_questions(3, **wrong)
    with pytest.raises(ValueError, match="num_families is 1: wanted one of 2"):
        template_questions(3, num_families=1, unanswerable=0.5)


def test_written_questions_are_answered_by_their_text():
    halves = [real_questions(half) for half in ("choosing", "final")]
    assert [len(half) for half in halves] == [52, 52]
    titles = [{one.title for one in half} for half in halves]
    assert not titles[0] & titles[1] and [len(one) for one in titles] == [13, 13]
    for one in halves[0] + halves[1]:
        assert all(wanted in one.text for wanted in one.answers), one.question
        assert one.question.endswith("?")
    with pytest.raises(ValueError, match="half is 'both': wanted"):
        real_questions("both")
