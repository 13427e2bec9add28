"""What the page of capstones says of the broken model and of searches is measured."""

import re

from exercises.engine.notebooks import chapter_notebook
from exercises.engine.programs import run_program
from exercises.engine.registry import CAPSTONES, find
from readymade.data import real_questions
from readymade.weights import load_checkpoint
from scratch.torch import inference

import numpy as np
import pytest
import torch
from helpers import markdown_rule
from helpers.book import BOOK, markdown_cells, read

EXERCISE = find("capstones.five_symptoms")
NOTEBOOK = read(chapter_notebook(CAPSTONES, BOOK))
TEXTS = [cell.source for cell in markdown_cells(NOTEBOOK)]


def symptoms(program):
    """Return the five numbers in the page's table, as text."""
    translator = run_program(program, EXERCISE.name, "torch")
    torch.manual_seed(0)
    model = translator(vocab_size=9, d_model=8, max_len=8)
    source, target = torch.tensor([[3, 1, 4]]), torch.tensor([[1, 5, 2]])
    kept = torch.ones(1, 3, 8)
    plain = model(source, target, kept)
    longer = torch.tensor([[3, 1, 4, 0, 0]])
    other = torch.tensor([[1, 5, 8]])
    swapped = torch.tensor([[1, 3, 4]])
    one, two = ((torch.rand(1, 3, 8) < 0.9) / 0.9 for _ in range(2))
    moved = (
        model(longer, target, torch.ones(1, 5, 8)) - plain,
        (model(source, other, kept) - plain)[:, :2],
        model(swapped, target, kept) - plain,
        model(source, target, one) - model(source, target, two),
    )
    plain.sum().backward()
    without = [weight for weight in model.parameters() if weight.grad is None]
    sizes = [f"{float(each.detach().abs().max()):.2f}" for each in moved]
    return [*sizes, f"{len(without)} of {len(list(model.parameters()))}"]


def test_the_page_states_the_symptoms_that_the_starter_shows():
    rows = [line for text in TEXTS for line in text.splitlines()]
    for place, number in enumerate(symptoms(EXERCISE.starter_in("torch")), 1):
        row = next(line for line in rows if line.startswith(f"| {place}. "))
        assert number in row


def test_the_repaired_model_shows_none():
    padding, future, swapped, calls, without = symptoms(EXERCISE.solution_in("torch"))
    assert (padding, future, calls) == ("0.00",) * 3
    assert float(swapped) > 0.1
    assert without.startswith("0 of")


@pytest.mark.slow("another tokenizer or formula, with which the searches find others")
def test_the_searches_find_what_the_page_says():
    """In percent of all questions, then of both halves; with the solution of C.9."""
    asked = [*real_questions("choosing"), *real_questions("final")]
    library = list(dict.fromkeys(one.text for one in asked))
    own = np.array([library.index(one.text) for one in asked])
    words = find("capstones.search_by_words")
    bm25 = run_program(words.solution_in("python"), words.name, "python")
    split = [re.findall(r"\w+", text.lower()) for text in library]
    by_words = np.array(
        [bm25(re.findall(r"\w+", q.question.lower()), split, 1.5, 0.75) for q in asked]
    )
    model, tokenizer = load_checkpoint()

    def vectors(texts):
        with inference(model):
            rows = [model(torch.tensor([tokenizer.encode(one)]))[0] for one in texts]
        means = torch.stack([hidden[0].mean(0) for hidden in rows])
        return (means / means.norm(dim=1, keepdim=True)).numpy()

    by_meaning = vectors([one.question for one in asked]) @ vectors(library).T
    scores = by_words, by_meaning
    both = sum((x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True) for x in scores)
    ranks = sum(1 / (61 + (-x).argsort(1).argsort(1)) for x in scores)

    def found(x):
        hits = x.argmax(1) == own
        return [f"{100 * share.mean():.0f}" for share in (hits, hits[:52], hits[52:])]

    meant, worded, summed = map(found, (by_meaning, by_words, both))
    (text,) = (text for text in TEXTS if "For capstone 7, as an example" in text)
    assert (
        f"MiniLM finds the own paragraph first for {meant[0]} %, "
        f"BM25 (k = 1.5, b = 0.75) for {worded[0]} %, "
        f"and the sum of their standard scores for {summed[0]} %"
    ) in text
    halves = ", ".join(f"{one[1]} and {one[2]} %" for one in (meant, worded, summed))
    assert f"By halves, these are {halves}" in text
    assert f"1 / (60 + rank), reaches {found(ranks)[0]} %" in text


@pytest.mark.parametrize("capstone", [1, 2, 3, 4, 5, 6, 7])
def test_a_rubric_has_twenty_points(capstone):
    rubrics = [
        text.partition("### Rubric")[2] for text in TEXTS if "### Rubric" in text
    ]
    rows = [row.split("|") for row in rubrics[capstone - 1].splitlines()[4:] if row]
    points = [int(row[2].partition(":")[0]) for row in rows]
    times = [5 if row[1].strip().endswith("each") else 1 for row in rows]
    assert sum(p * n for p, n in zip(points, times, strict=True)) == 20


def test_every_reader_understands_the_page():
    assert not [text for text in TEXTS if markdown_rule.complaints(text)]
