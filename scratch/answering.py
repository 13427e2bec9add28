"""Extractive question answering, apart from the model: windows, spans and scores.

Nothing here needs a framework. A model of either gives two logits for each token, as
`SpanExtractor` does; what comes before and after them is here.
"""

import re
import string
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from scratch.checks import require_at_least, require_comparable, require_list
from scratch.tokenization import Batch, Tokenizer, pad_rows, token_offsets

import numpy as np


class Window(NamedTuple):
    """A question and a part of a text, as a model reads them.

    Args:
        ids: [CLS], the question, [SEP], the part of the text, [SEP].
        segment_ids: 0 up to the first [SEP], then 1.
        offsets: where each token lies in the text, as (start, end) in characters; None
            for the tokens that are not of the text.
        part: from where the last token before the window ends to where the first one
            after it begins, as (start, end) in characters.
    """

    ids: list[int]
    segment_ids: list[int]
    offsets: list[tuple[int, int] | None]
    part: tuple[int, int]


class Answer(NamedTuple):
    """What a model answers: `text[start:end]`, or "" if it finds no answer.

    Args:
        text: the answer.
        start, end: where it lies, in characters; 0 and 0 without one.
        score: the sum of the two logits of the span, minus that of [CLS]: how much
            better the span is than no answer. Without an answer, that of the best span.
    """

    text: str
    start: int
    end: int
    score: float


def windows(
    tokenizer: Tokenizer,
    question: str,
    text: str,
    max_length: int = 128,
    stride: int = 64,
) -> list[Window]:
    """Cut a text that is too long for a model into windows that overlap.

    Args:
        tokenizer: BERT's, or another with the same special tokens.
        question: read again in each window.
        text: where the answer is looked for.
        max_length: tokens in a window, the question and special tokens included.
        stride: how many tokens of the text each window begins after the one before.

    Raises:
        ValueError: a window has no room for `stride` tokens of the text.

    Source: Devlin et al. 2019, doc_stride in the published code. In `transformers`,
        `stride` is the overlap instead.
    """
    vocab, special = tokenizer.vocab, tokenizer.special
    asked = [*special.first, *tokenizer.tokenize(question), *special.between]
    tokens, offsets = tokenizer.tokenize(text), token_offsets(tokenizer, text)
    room = max_length - len(asked) - len(special.last)
    require_at_least("stride", stride, 1)
    if room < stride:
        raise ValueError(
            f"max_length is {max_length}: wanted at least "
            f"{max_length - room + stride}, for the question and {stride} more tokens"
        )
    edges = [(0, 0), *offsets, (len(text), len(text))]  # with one before and one after
    rows = []
    for start in range(0, max(len(tokens) - room, 0) + stride, stride):
        end = min(start + room, len(tokens))
        part = [*tokens[start:end], *special.last]
        places = [*offsets[start:end], *[None] * len(special.last)]
        segments = [0] * len(asked) + [special.second_segment] * len(part)
        ids = [vocab[token] for token in asked + part]
        whole = edges[start][1], edges[end + 1][0]
        rows.append(Window(ids, segments, [None] * len(asked) + places, whole))
    return rows


def window_batch(rows: list[Window], pad_id: int, pad_to: int | None = None) -> Batch:
    """Return the `Batch` of windows, padded to the longest or to `pad_to` tokens."""
    require_list("rows", rows)
    lengths = np.array([len(row.ids) for row in rows])
    length = lengths.max(initial=0) if pad_to is None else pad_to
    require_at_least("pad_to", length, lengths.max(initial=0))
    real = np.arange(length) < lengths[:, None]  # (batch, length)
    return Batch(
        ids=pad_rows([row.ids for row in rows], length, pad_id),
        attention_mask=real[:, None, None, :],
        segment_ids=pad_rows([row.segment_ids for row in rows], length, 0),
    )


def span_label(window: Window, start: int, end: int) -> tuple[int, int]:
    """Return the first and the last token of a window that `text[start:end]` touches.

    What no token covers at an edge of the span, such as a space, does not count. A span
    of which a token lies outside the window, and one without characters, is labelled
    (0, 0), the place of [CLS]: this window does not hold the answer.

    Raises:
        ValueError: the window holds the span, but no token covers any of it.
    """
    begins, ends = window.part
    if start >= end or start < begins or ends < end:
        return 0, 0
    touched = [
        at
        for at, place in enumerate(window.offsets)
        if place is not None and place[0] < end and start < place[1]
    ]
    if not touched:
        raise ValueError(
            f"start and end are {start} and {end}: wanted a span with a character that "
            "a token covers"
        )
    return touched[0], touched[-1]


def best_span(
    start_logits: np.ndarray,
    end_logits: np.ndarray,
    allowed: np.ndarray,
    max_tokens: int = 16,
) -> tuple[int, int, float]:
    """Return the best valid span: (first token, last token, sum of the logits).

    Args:
        start_logits, end_logits: numbers (length,).
        allowed: booleans (length,), True at the tokens of the text.
        max_tokens: the longest span, at least 1.

    Raises:
        ValueError: no token is allowed, or a logit is NaN or ∞.
    """
    require_at_least("max_tokens", max_tokens, 1)
    allowed = np.asarray(allowed, dtype=bool)
    if not allowed.any():
        raise ValueError("allowed is False everywhere: wanted a token of the text")
    require_comparable("start_logits", start_logits)
    require_comparable("end_logits", end_logits)
    # the end is not before the start, and less than max_tokens after it
    after = np.arange(len(allowed)) - np.arange(len(allowed))[:, None]
    possible = (after >= 0) & (after < max_tokens) & allowed & allowed[:, None]
    scores = np.add.outer(np.float64(start_logits), np.float64(end_logits))
    scores = np.where(possible, scores, -np.inf)  # (first, last)
    first, last = np.unravel_index(scores.argmax(), scores.shape)
    return int(first), int(last), float(scores[first, last])


def answer(
    predict: Callable[..., tuple[np.ndarray, np.ndarray]],
    tokenizer: Tokenizer,
    question: str,
    text: str,
    threshold: float = -np.inf,
    max_length: int = 128,
    stride: int = 64,
    max_tokens: int = 16,
) -> Answer:
    """Answer a question with the best span in all windows of a text.

    Args:
        predict: the model, as a function of a Batch's three arrays (ids,
            attention_mask, segment_ids) that returns the two logits of each token,
            arrays (batch, length).
        tokenizer: as `windows` takes it.
        question, text: two strings.
        threshold: the answer is "" unless its score is above this. Without one, there
            is always an answer.
        max_length, stride: as `windows` takes them.
        max_tokens: as `best_span` takes it.

    Returns:
        The Answer.
    """
    rows = windows(tokenizer, question, text, max_length, stride)
    batch = window_batch(rows, tokenizer.pad_id)
    best = Answer("", 0, 0, -np.inf)
    for row, *logits in zip(rows, *predict(*batch), strict=True):
        starts, ends = (np.asarray(one)[: len(row.ids)] for one in logits)
        allowed = [place is not None for place in row.offsets]
        if not any(allowed):
            continue
        first, last, total = best_span(starts, ends, allowed, max_tokens)
        score = total - float(starts[0]) - float(ends[0])
        if score > best.score:
            start, end = row.offsets[first][0], row.offsets[last][1]
            best = Answer(text[start:end], start, end, score)
    if best.score > threshold:
        return best
    return Answer("", 0, 0, best.score)


def normalized(text: str) -> str:
    """Return a text in lower case, without punctuation, articles and extra spaces.

    Example:
        >>> normalized("The  King's speech.")
        'kings speech'

    Source: Rajpurkar et al. 2016, the published evaluation script.
    """
    text = "".join(one for one in text.lower() if one not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())


def exact_match(given: str, wanted: str) -> bool:
    """Tell whether two answers are equal once they are `normalized`."""
    return normalized(given) == normalized(wanted)


def f1(given: str, wanted: str) -> float:
    """Return the harmonic mean of precision and recall of an answer's words.

    Between two answers of which one is "", it is 1 if both are and 0 otherwise.

    Example:
        >>> f1("the old bridge", "bridge")
        0.6666666666666666

    Source: Rajpurkar et al. 2016, section 6.1, and the published evaluation script.
    """
    ours, theirs = normalized(given).split(), normalized(wanted).split()
    if not ours or not theirs:
        return float(ours == theirs)
    shared = (Counter(ours) & Counter(theirs)).total()
    if shared == 0:
        return 0.0
    precision, recall = shared / len(ours), shared / len(theirs)
    return 2 * precision * recall / (precision + recall)
