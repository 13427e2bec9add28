"""The functions that a reader calls: light, quiet, hints in order, solutions locked."""

import re
import subprocess
import sys
import types
from collections import Counter

from exercises import check, hint, solution
from exercises.engine import check_hint_solution
from exercises.engine.check_hint_solution import Markdown, Message
from exercises.engine.exercise import FRAMEWORKS, NAMES
from exercises.engine.programs import run_program
from exercises.engine.registry import find
from exercises.engine.solution_lock import locked_variant
from exercises.engine.verdict import RIGHT
from exercises.marking.release import release, variant

import nbformat
import pytest
from nbclient import NotebookClient

VALUE, FUNCTION = "attention.weights_by_hand", "attention.causal_mask"


@pytest.fixture
def shown(monkeypatch):
    """Collect what is shown instead of showing it."""
    messages = []
    monkeypatch.setattr(check_hint_solution, "_show", messages.append)
    monkeypatch.setattr(check_hint_solution, "_hints_given", Counter())
    monkeypatch.setattr(check_hint_solution, "_variants", {})
    return messages


def test_the_three_functions_load_no_framework():
    program = """
import sys
from exercises import check, hint, solution
hint("attention.causal_mask")
check("attention.weights_by_hand", [0.1, 0.2, 0.7])
print(sorted({"torch", "tensorflow", "keras", "matplotlib"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    first, second, third = done.stdout.splitlines()
    assert first == f"Hint 1 of 3: {find(FUNCTION).hints[0]}"
    assert second.startswith("✗ Entry [0] is 0.1, and that is not right.")
    assert third == "[]"


def test_a_released_notebook_runs_quietly_and_says_not_attempted(tmp_path):
    path, _ = release("attention", "S", tmp_path, only=[VALUE])
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=900, startup_timeout=900).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    (only,) = outputs
    assert only.data["text/plain"] == "· Not attempted yet."
    assert "· Not attempted yet.</div>" in only.data["text/html"]


def test_hints_come_one_by_one(shown):
    for _ in range(4):
        hint(VALUE)
    texts = [message.text for message in shown]
    assert [text[:9] for text in texts[:3]] == ["Hint 1 of", "Hint 2 of", "Hint 3 of"]
    assert "solution(" in texts[3]


DRAWN = "embeddings.unscaled_logits"  # its first hint has drawn values


def d_model(variant=0):
    return find(DRAWN).drawn(variant)["d_model"]


# Numbers other than the book's.
SEED = next(seed for seed in "ABCDEFGH" if d_model(variant(seed)) != d_model())
OTHER = next(number for number in range(1, 99) if d_model(number) != d_model())


def test_the_first_hint_of_a_release_is_of_its_own_task(tmp_path, shown):
    path, _ = release("embeddings", SEED, tmp_path, only=[DRAWN])
    welcome, _, helpers, *_ = nbformat.read(path, as_version=4).cells
    scope = {}
    exec(helpers.source, scope)
    eval(re.search(r"`(hint\(.*?\))`", welcome.source)[1], scope)
    assert f"sum of {d_model(variant(SEED))} products" in shown[0].text
    solution(DRAWN)
    assert f"d_model = {d_model(variant(SEED))}" in shown[1].text


def test_hint_and_solution_are_of_the_task_that_was_checked(shown):
    check(DRAWN, ..., variant=locked_variant(OTHER))
    hint(DRAWN)
    solution(DRAWN)
    assert f"sum of {d_model(OTHER)} products" in shown[1].text
    assert f"d_model = {d_model(OTHER)}" in shown[2].text
    check(DRAWN, ...)
    solution(DRAWN)
    assert f"d_model = {d_model()}" in shown[4].text


def test_a_locked_solution_opens_with_its_word_and_no_other(shown):
    locked = locked_variant(OTHER, "Autumn plum")
    check(DRAWN, ..., variant=locked)
    hint(DRAWN)
    assert f"sum of {d_model(OTHER)} products" in shown[-1].text
    # Not without the lock, an open release's lock, or another number's.
    for other in (
        None,
        OTHER,
        locked_variant(OTHER),
        locked_variant(OTHER + 1, "Autumn plum"),
    ):
        solution(DRAWN, other, word="autumn pear")
        assert "opens with the word" in shown[-1].text
        assert str(d_model(OTHER)) not in shown[-1].text
    solution(DRAWN, locked)
    assert "opens with the word" in shown[-1].text
    solution(DRAWN, locked, word=" autumn PLUM")
    assert f"d_model = {d_model(OTHER)}" in shown[-1].text


def test_the_solution_shows_both_frameworks_and_why(shown):
    solution(FUNCTION)
    (text,) = (message.text for message in shown)
    assert "def causal_mask(" in text and "def tf_causal_mask(" in text
    assert text.endswith(find(FUNCTION).why.strip())
    assert shown[0]._repr_markdown_() == text


def test_a_wrong_name_finds_the_nearest():
    with pytest.raises(ValueError, match=r"wanted .*attention\.causal_mask"):
        check("attention.casual_mask", 1)


@pytest.mark.parametrize("asked", FRAMEWORKS)
@pytest.mark.parametrize("written", FRAMEWORKS)
def test_a_release_in_one_framework_takes_that_one_alone(
    tmp_path, shown, asked, written
):
    path, _ = release("attention", "S", tmp_path, only=[FUNCTION], framework=asked)
    exercise = find(FUNCTION)
    *_, cell = nbformat.read(path, as_version=4).cells
    program = exercise.solution_in(written)
    name = exercise.name_in(asked)
    scope = {name: run_program(program, exercise.name, written)}
    exec(cell.source, scope)
    (message,) = shown
    assert (message.sign == "✓") == (asked == written)
    if asked != written:
        assert message.text.endswith(f"here {NAMES[asked]} is asked for.")


def test_a_release_in_one_framework_names_it(tmp_path):
    """A prediction is made in none: its check asks for none."""
    for framework in FRAMEWORKS:
        path, _ = release("attention", "S", tmp_path / framework, framework=framework)
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells]
        assert f"in {NAMES[framework]}," in cells[0]
        (check_cell,) = (text for text in cells if f'check("{VALUE}"' in text)
        assert "framework" not in check_cell


def test_a_message_is_escaped_and_its_code_set():
    text = Message("✗", "`a < b` is <wrong>")._repr_html_()
    assert "<code>a &lt; b</code> is &lt;wrong&gt;" in text
    assert repr(Markdown("*x*")) == "*x*"


def test_checks_are_drawn_anew(shown, monkeypatch):
    seeds = []

    def note(exercise, answer, seed, **how):
        seeds.append(seed)
        return types.SimpleNamespace(outcome=RIGHT, message="")

    monkeypatch.setattr(check_hint_solution, "judge", note)
    for _ in range(3):
        check(VALUE, 1)
    assert len(set(seeds)) == 3
