"""The course on the teaching page: its weeks hold what they promise."""

import re
from functools import cache

from exercises.engine.registry import CAPSTONES, all_exercises, number, section_of

import nbformat
import pytest
from helpers.book import BOOK

TEXT = (BOOK / "teaching.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| (\d+) \| ?(.*?) ?\|(?: .*? \|)? (.*?) \|$", re.MULTILINE)


def weeks_of(heading):
    """Return [(week, what is read, what is set)] of the table below a heading."""
    section = re.search(rf"^##+ {heading}$(.*?)^##", TEXT, re.MULTILINE | re.DOTALL)
    return ROW.findall(section[1])


COURSES = {
    23: weeks_of("A course in twenty-three weeks"),
    15: weeks_of("In fifteen weeks"),
}
EACH_WEEK = [(length, week) for length in COURSES for week in range(1, length + 1)]
# Each group chooses one of the capstones.
NUMBERS = {
    number(name): name
    for name in all_exercises()
    if name.partition(".")[0] != CAPSTONES
}


def set_in(text):
    """Return the numbers of the exercises that one cell of the table sets."""
    chapters = [int(n) for n in re.findall(r"chapter (\d+)", text)]
    own = [n for n in NUMBERS if int(n.partition(".")[0]) in chapters]
    for first, last in re.findall(r"(\d+\.\d+)(?: to (\d+\.\d+))?", text):
        every = list(NUMBERS)
        own += every[every.index(first) : every.index(last or first) + 1]
    return own


@cache  # each week asks for those before it
def headings(chapter):
    """Return the headings of a chapter, in their order."""
    (path,) = BOOK.glob(f"{chapter:02}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    texts = [cell.source for cell in cells if cell.cell_type == "markdown"]
    return [
        heading
        for text in texts
        for heading in re.findall(r"^###? (.*)$", text, re.MULTILINE)
    ]


def parts(read):
    """Return [(chapter, what is said of it)] of one cell of what is read."""
    return [(int(part.split()[0]), part) for part in read.split("; ") if part]


def read_by(length, week):
    """Return {(chapter, heading)} of what a course has read when a week ends."""
    sections = set()
    for _, read, _ in COURSES[length][:week]:
        for chapter, part in parts(read):
            there = headings(chapter)
            if end := re.search(r"up to “(.*?)”", part):
                there = there[: there.index(end[1]) + 1]
            sections |= {(chapter, heading) for heading in there}
    return sections


def test_each_course_has_its_weeks():
    for length, weeks in COURSES.items():
        assert [int(week) for week, *_ in weeks] == list(range(1, length + 1))


def test_each_exercise_is_set_once():
    numbers = [n for *_, text in COURSES[23] for n in set_in(text)]
    assert sorted(numbers) == sorted(NUMBERS)
    numbers = [n for *_, text in COURSES[15] for n in set_in(text)]
    assert len(numbers) == len(set(numbers))


@pytest.mark.parametrize(("length", "week"), EACH_WEEK)
def test_the_minutes_of_a_week_add_up(length, week):
    text = COURSES[length][week - 1][2]
    minutes = sum(all_exercises()[NUMBERS[n]].minutes for n in set_in(text))
    if set_in(text):
        assert f"({minutes} min)" in text
        assert 50 <= minutes <= 120
    else:
        assert week == length


@pytest.mark.parametrize("length", COURSES)
def test_the_minutes_of_reading_are_those_of_the_index(length):
    index = (BOOK / "index.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d+) .* \| (\d+) / (\d+) \|$", index, re.MULTILINE)
    told = {int(chapter): (int(known), int(new)) for chapter, known, new in rows}
    added = {}
    for _, read, _ in COURSES[length]:
        for chapter, part in parts(read):
            minutes = re.search(r"\((\d+) / (\d+) min\)$", part).groups()
            known, new = added.get(chapter, (0, 0))
            added[chapter] = known + int(minutes[0]), new + int(minutes[1])
    assert added.items() <= told.items()


@pytest.mark.parametrize(("length", "week"), EACH_WEEK)
def test_nothing_is_set_before_it_is_read(length, week):
    read = read_by(length, week)
    for n in set_in(COURSES[length][week - 1][2]):
        heading, _ = section_of(NUMBERS[n])
        assert (int(n.partition(".")[0]), heading) in read


def test_every_chapter_is_read():
    chapters = {int(path.name[:2]) for path in BOOK.glob("[0-9][0-9]_*.ipynb")}
    assert {chapter for chapter, _ in read_by(23, 23)} == chapters


@pytest.mark.parametrize("length", COURSES)
def test_no_mask_is_set_before_masks_are_read(length):
    """Week 3 reads chapter 3 up to the masks."""
    early = [n for n in set_in(COURSES[length][2][2]) if n.startswith("3.")]
    assert early
    for n in early:
        exercise = all_exercises()[NUMBERS[n]]
        assert "mask" not in f"{exercise.prompt} {exercise.solution}", n
