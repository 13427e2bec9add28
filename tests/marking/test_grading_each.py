"""A notebook for each student, with different numbers and locked solutions."""

import csv
import re

from exercises.__main__ import main
from exercises.engine import notebooks
from exercises.engine.registry import find
from exercises.engine.solution_lock import number_of, opens
from exercises.marking.mark import NOT_THEIRS, Task
from exercises.marking.release import release, variant
from exercises.marking.roster import Person, labelled

import pytest
from helpers.classroom import SEED, VALUE, fill_in

CLASS = [Person("Ada Lovelace", "17"), Person("Bob", "b2"), Person("Bob", "b3")]


def text_of(path):
    return "\n".join(map(notebooks.source, notebooks.read(path)["cells"]))


def told(path):
    """Return the variant that a notebook's checks name."""
    (one,) = {*re.findall(r"variant=(\d+)", text_of(path))}
    return int(one)


def solve(path, number, becomes, *changes):
    """Write a notebook whose answer is right for a number, with other changes."""
    exercise = find(VALUE)
    notebook = notebooks.read(path)
    starter = exercise.starter_in("python", number_of(told(path)))
    fill_in(notebook, {starter: exercise.solution_in("python", number)})
    for cell in notebook["cells"]:
        text = notebooks.source(cell)
        for old, new in changes:
            text = text.replace(old, new)
        cell["source"] = [text]
    becomes.parent.mkdir(exist_ok=True)
    notebooks.write(becomes, notebook)


@pytest.mark.usefixtures("bubblewrap")
def test_each_student_has_numbers_that_their_id_draws(tmp_path, capsys):
    """The id on the roster decides, whatever the notebook says."""
    roster, folder = tmp_path / "roster.csv", tmp_path / "week3"
    roster.write_text("id,name\n" + "\n".join(f"{one.id},{one.name}" for one in CLASS))
    command = ["attention", "--seed", SEED, "-o", str(folder), "--only", VALUE]
    command += ["--each", str(roster), "--lock", "pear"]
    assert main(["release", *command]) == 0
    mine, bobs, third = (
        folder / name
        for name in ("Ada_Lovelace_17.ipynb", "Bob_b2.ipynb", "Bob_b3.ipynb")
    )
    numbers = [number_of(told(path)) for path in (mine, bobs, third)]
    assert numbers == [variant(SEED, one.id) for one in CLASS]
    values = [find(VALUE).drawn(number) for number in numbers]
    assert all(value not in values[:place] for place, value in enumerate(values))
    for path in (mine, bobs, third):
        assert opens("Pear", told(path)) and not opens("", told(path))
        assert "pear" not in text_of(path).lower()
        assert "yours alone" in text_of(path)

    handed_in = tmp_path / "in"
    solve(mine, numbers[0], handed_in / "ada_lovelace.ipynb")
    # One hands in another's solution; one also claims the other's numbers.
    solve(mine, numbers[0], handed_in / "bob_b2.ipynb")
    names = [(str(told(third)), str(told(mine)))]
    solve(third, numbers[0], handed_in / "bob_b3.ipynb", *names)
    marks = tmp_path / "marks.csv"
    command = ["grade", str(handed_in), "--seed", SEED, "-o", str(marks), "-j", "1"]
    command += ["--points", str(folder / "points.csv"), "--each"]
    assert main(command) == 1
    assert "roster is missing: wanted with --each" in capsys.readouterr().err
    assert main([*command, "--roster", str(roster)]) == 0
    with marks.open(newline="", encoding="utf-8-sig") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    totals = {name: float(row["total"]) for name, row in rows.items()}
    worth = find(VALUE).difficulty
    assert totals == {"Ada Lovelace (17)": worth, "Bob (b2)": 0, "Bob (b3)": 0}
    noted = {name: NOT_THEIRS in row["notes"] for name, row in rows.items()}
    assert noted == {"Ada Lovelace (17)": False, "Bob (b2)": True, "Bob (b3)": True}


def test_a_spreadsheet_that_takes_zeros_changes_no_one_s_numbers():
    """Between release and marking, in a class where few students have one."""
    assert variant(SEED, "0012345") == variant(SEED, "12345")
    assert variant(SEED, "S1815") == variant(SEED, "s1815") != variant(SEED, "s18150")


def test_who_is_on_no_roster_has_no_ones_numbers():
    task = Task({VALUE: 1.0}, SEED, each=tuple(CLASS))
    known = {task.variant(labelled(one)) for one in CLASS}
    assert known == {variant(SEED, one.id) for one in CLASS}
    for name in ("Ada Lovelace", "Bob", "17", "Eve", ""):
        assert task.variant(name) not in {*known, variant(SEED)}
    assert Task({VALUE: 1.0}, SEED).variant("Eve") == variant(SEED)


def test_no_student_gets_the_notebook_of_another(tmp_path):
    alike = [Person("Bob", "b 2"), Person("Bob", "b_2")]
    with pytest.raises(ValueError, match="ids that are one file name: wanted differ"):
        release("attention", SEED, tmp_path, only=[VALUE], each=alike)
    assert not list(tmp_path.iterdir())


def test_a_release_without_a_lock_is_open(tmp_path):
    path, _ = release("attention", SEED, tmp_path, only=[VALUE])
    assert opens("", told(path)) and not opens("pear", told(path))
    assert number_of(told(path)) == variant(SEED)
