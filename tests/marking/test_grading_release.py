"""What a class gets: tasks drawn by the teacher's seed, and no solutions."""

import dataclasses
import itertools
import json
import re
import time

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.registry import CHAPTERS, chapter_exercises, find, number
from exercises.engine.verdict import RIGHT
from exercises.marking.cells_to_run import worth_running
from exercises.marking.github import ADDRESS
from exercises.marking.mark import Task, mark
from exercises.marking.notebook_bytes import contents
from exercises.marking.points import read_points
from exercises.marking.release import (
    SETUP,
    _stretched,
    questions,
    release,
    variant,
)
from exercises.marking.release_identity import ANOTHER_SEED, identity_of
from exercises.marking.roster import Person
from exercises.marking.submissions import Submission
from scratch import __version__

import pytest
from helpers import notebook_rules
from helpers.book import ROOT, address
from helpers.classroom import FUNCTION, PATIENT, VALUE, fill_in
from helpers.exercise_answers import printed_solution


def identity_at(path):
    return identity_of(notebooks.read(path))


def text_of(path):
    return "\n".join(map(notebooks.source, notebooks.read(path)["cells"]))


def test_a_release_holds_the_tasks_and_no_solution(tmp_path):
    path, points = release("attention", "S", tmp_path)
    text = text_of(path)
    for name, exercise in chapter_exercises("attention").items():
        assert exercise.title in text
        assert f'check("{name}"' in text
        assert exercise.words(exercise.why, variant("S")).strip() not in text
        for framework in exercise.frameworks:
            assert exercise.solution_in(framework, variant("S")) not in text
    assert "<details>" not in text
    assert list(read_points(points)) == list(chapter_exercises("attention"))


@pytest.mark.parametrize("each", [(), (Person("Ada", "7"),)])
def test_a_release_says_to_run_all_cells_before_it_is_sent(tmp_path, each):
    path, *_ = release("attention", "S", tmp_path, [VALUE], each=each)
    welcome = notebooks.source(notebooks.read(path)["cells"][0])
    assert re.search(r"restart\s+and\s+run\s+all.*top to bottom", welcome, re.S)
    assert ("yours alone" in welcome) == bool(each)


def test_the_seed_draws_the_values_and_the_notebook_does_not_tell_it(tmp_path):
    paths = {
        seed: release("attention", seed, tmp_path / seed)[0]
        for seed in ("plum", "pear", "fig")
    }
    texts = {seed: text_of(path) for seed, path in paths.items()}
    assert len(set(texts.values())) == 3
    assert len({identity_at(path).seed for path in paths.values()}) == 3
    for seed, text in texts.items():
        assert seed not in text
        assert seed not in str(notebooks.read(paths[seed])["metadata"])
        assert str(questions(seed, FUNCTION)) not in text
        drawn = find(VALUE).drawn(variant(seed))
        assert f"\\ln {drawn['first']}" in text
        assert f"variant={variant(seed)}" in text
    again = text_of(release("attention", "plum", tmp_path / "again")[0])
    assert again == texts["plum"]


def test_a_word_as_a_seed_is_slow_to_guess():
    """All that a notebook shows of the seed comes from a key that is slow to derive."""
    begun = time.process_time()
    keys = {_stretched.__wrapped__(word) for word in ("plum", "pear")}
    assert len(keys) == 2
    assert time.process_time() - begun > 2 * 0.02


def test_a_release_says_what_it_is_and_installs_its_own_version(tmp_path):
    only = [FUNCTION, VALUE]
    path, points = release("attention", "S", tmp_path, only)
    identity = identity_at(path)
    assert set(identity.exercises) == set(only)
    assert identity == Task(read_points(points), "S").release()
    assert f'"git+{ADDRESS}@v{__version__}"' in text_of(path)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation


def test_a_notebook_of_another_release_is_told_by_name(tmp_path):
    this = Task({VALUE: 1, FUNCTION: 3}, "S").release()
    path, _ = release("embeddings", "S", tmp_path / "embeddings")
    names = chapter_exercises("embeddings")
    numbers = ", ".join(f"2.{place}" for place in range(1, len(names) + 1))
    assert identity_at(path).differences(this) == [
        f"this notebook is of another release: of exercises {numbers}"
    ]
    path, _ = release("attention", "T", tmp_path / "attention", [VALUE])
    older = dataclasses.replace(identity_at(path), version="0.0.9")
    assert older.differences(this) == [
        "this notebook is of another release: of exercises 3.1",
        ANOTHER_SEED,
        "this notebook was made with version 0.0.9 of the book, and is marked with "
        f"{__version__}",
    ]
    assert this.differences(this) == []


EDITED = (
    {"exercises": 7, "seed": [], "version": {}},
    {"exercises": ["no.such.one"], "seed": "x" * 99, "version": "9" * 9999},
    {"exercises": "attention", "seed": None, "version": None},
    {"exercises": [VALUE], "seed": "\ud800", "version": "0.\ud800"},
    {},
    [],
    None,
)


@pytest.mark.parametrize("told", EDITED)
def test_edited_metadata_change_notes_alone(tmp_path, told):
    this = Task({VALUE: 1}, "S").release()
    path, _ = release("attention", "S", tmp_path, [VALUE])
    notebook = notebooks.read(path)
    for place, metadata in enumerate(({"transformer_twice": told}, told, {})):
        notebook["metadata"] = metadata
        path.write_text(json.dumps(notebook))
        cells, found = contents(path.read_bytes())
        assert len(cells) == 5, place
        assert all(len(note.encode()) < 200 for note in found.differences(this))
        if not told or place:  # without it, the checks name the exercises
            assert found.exercises == (VALUE,)
            assert found.differences(this) == []


def test_one_framework_or_some_exercises_can_be_asked_for(tmp_path):
    arguments = ["release", "attention", "--seed", "S", "-o", str(tmp_path)]
    assert main([*arguments, "--only", FUNCTION, "--framework", "torch"]) == 0
    text = text_of(tmp_path / "03_attention.ipynb")
    assert "def causal_mask(" in text
    assert "tf_causal_mask" not in text
    assert VALUE not in text
    assert list(read_points(tmp_path / "points.csv")) == [FUNCTION]
    # Also by its number in the book.
    assert main([*arguments, "--only", number(FUNCTION)]) == 0


def test_what_cannot_be_released_is_said(tmp_path, capsys):
    arguments = ["release", "attention", "--seed", "S", "-o", str(tmp_path)]
    assert main([*arguments, "--only", "attention.none"]) == 1
    assert "only holds 'attention.none': wanted" in capsys.readouterr().err


def test_points_that_cannot_be_read_are_said(tmp_path):
    points = tmp_path / "points.csv"
    for text, complaint in (
        ("attention.none,3", "line 1: exercise is .attention.none.: wanted"),
        (f"{VALUE},many", "is worth .many.: wanted a number"),
        (f"{VALUE}", "is worth .*: wanted a number"),
        ("", "names no exercise"),
    ):
        points.write_text(text)
        with pytest.raises(ValueError, match=complaint):
            read_points(points)


def test_the_set_up_is_the_chapters(tmp_path):
    assert address() == ADDRESS
    released = f"{address()}@v{__version__}"
    assert notebook_rules.SETUP.format(address=released) == SETUP


def solve(path, chapter, framework):
    """Replace the starters with one framework's printed solutions."""
    notebook = notebooks.read(path)
    solutions = {}
    for exercise in chapter_exercises(chapter).values():
        name = framework if framework in exercise.frameworks else "python"
        starter = exercise.renamed(exercise.starter_in(name, variant("S")), name)
        solutions[starter] = printed_solution(exercise, name, variant("S"))
    fill_in(notebook, solutions)
    notebooks.write(path, notebook)


@pytest.mark.slow("a chapter whose released notebook cannot earn all points")
@pytest.mark.usefixtures("bubblewrap")
@pytest.mark.parametrize(
    ("chapter", "framework"), zip(CHAPTERS, itertools.cycle(FRAMEWORKS), strict=False)
)
def test_a_release_solved_in_one_framework_earns_all(tmp_path, chapter, framework):
    """The frameworks take turns; other tests show that each solution is right."""
    path, points = release(chapter, "S", tmp_path)
    solve(path, chapter, framework)
    task = Task(read_points(points), "S", limits=PATIENT)
    result = mark(Submission("ada", path), task)
    assert {m.outcome for m in result.marks.values()} == {RIGHT}, result
    assert result.total() == sum(task.points.values())
    assert result.notes == []


def cells_of(path):
    return contents(path.read_bytes())[0]


def test_of_an_untouched_notebook_no_framework_is_imported(tmp_path):
    path, _ = release("attention", "S", tmp_path)
    exercises = chapter_exercises("attention")
    kept = worth_running(cells_of(path), exercises, variant("S"))
    assert not any("import torch" in text for _, text in kept)
    assert not any("import tensorflow" in text for _, text in kept)


def test_of_a_solved_notebook_only_the_solutions_framework_is(tmp_path):
    path, _ = release("attention", "S", tmp_path)
    exercise = find(FUNCTION)
    starter = exercise.starter_in("torch", variant("S")).strip()
    solution = exercise.solution_in("torch", variant("S"))
    cells = [(name, text.replace(starter, solution)) for name, text in cells_of(path)]
    exercises = chapter_exercises("attention")
    kept = worth_running(cells, exercises, variant("S"))
    assert any("import torch" in text for _, text in kept)
    assert not any("import tensorflow" in text for _, text in kept)
