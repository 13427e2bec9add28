"""What the page of capstones says of the broken model is measured."""

from exercises.engine.notebooks import chapter_notebook
from exercises.engine.programs import run_program
from exercises.engine.registry import CAPSTONES, find

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
