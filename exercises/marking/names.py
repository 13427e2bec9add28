"""Whose file is it: the names that learning platforms give, and a class's roster.

Source: for Moodle, `get_student_prefix` and `load_submissionplugin_filelist` in
`mod/assign/classes/downloader.php`; for Canvas, `add_upload_submission` and
`get_filename` in `lib/content_zipper.rb`; for GitHub Classroom, `clone/student-repos`
in `github/gh-classroom`.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from exercises.marking.tables import read_table

# "Ada Lovelace_17_assignsubmission_file", a folder, or "…_file_week3.ipynb".
_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_[a-z]+(_.*)?", re.S)
# "lovelaceada_LATE_17_4711_week3-1.ipynb", a user and a file; or "anon_1aB_4711_…".
_CANVAS = re.compile(
    r"((?P<name>[^_]+)(_LATE)?_(?P<id>\d+)|(LATE_)?(?P<anon>anon_[^_]+))_\d+_.+", re.S
)
_REPOSITORIES = "-submissions"  # after ASSIGNMENT; inside, ASSIGNMENT-USERNAME
_LONG_ENOUGH = 4  # for a number to be an id wherever it is in a name
# What a terminal obeys, and what turns the direction of the words around it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LABEL = re.compile(r"(?P<name>.*?)(?: \((?P<id>[^()]+)\))?")


class Person(NamedTuple):
    """A student on the roster, or what a file's name tells of one."""

    name: str
    id: str = ""


def owner(path):
    """Return the `Person` whose file or folder this is.

    Example:
        `Ada Lovelace_17_assignsubmission_file` -> `Person("Ada Lovelace", "17")`, and
        `ada.ipynb` -> `Person("ada")`.
    """
    if found := _MOODLE.fullmatch(path.name):
        return Person(found["name"], found["id"])
    if path.is_dir():
        in_folder = path.parent.resolve().name
        assignment = in_folder.removesuffix(_REPOSITORIES)
        is_named = assignment != in_folder
        return Person(path.name.removeprefix(f"{assignment}-" if is_named else ""))
    if found := _CANVAS.fullmatch(path.name):
        return Person(found["name"] or found["anon"], found["id"] or "")
    return Person(path.stem)


def labelled(person):
    """Return what a student is called from the file to the grade: name and id.

    It depends on nobody else in the class.
    """
    if person.id in ("", person.name):
        return person.name
    return f"{person.name} ({person.id})"


def person_of(label):
    """Return the `Person` whom `labelled` calls this."""
    found = _LABEL.fullmatch(label)
    return Person(found["name"], found["id"] or "")


def one_line(text):
    """Return words of anyone's making as one line that can be written anywhere."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return _CONTROL.sub("\ufffd", text)


def read_roster(path):
    """Return the students of a CSV file with the columns "id" and "name"."""
    head, *rows = read_table(path, "roster").rows or [[]]
    columns = [one_line(name).lower() for name in head]
    if not {"id", "name"} <= set(columns):
        raise ValueError(
            f"roster is {path}, whose first line has {', '.join(columns) or 'nothing'}"
            ": wanted the columns id and name"
        )
    people = []
    for row in rows:
        told = dict(zip(columns, map(one_line, row), strict=False))
        number = told.get("id", "")
        people.append(Person(told.get("name") or number, number))
    ids = [person.id.casefold() for person in people]
    for person in people:
        if ids.count(person.id.casefold()) > 1 or not person.id:
            raise ValueError(
                f"{path}: {person.name} has the id {person.id!r}: wanted one for each"
            )
    return people


def fitting(person, roster):
    """Return the students on a roster whom a file's name fits, or a part of it."""
    named = [one for one in roster if _has_name(one, person)]
    numbered = [one for one in roster if _has_number(one, person)]
    both = [one for one in named if one in numbered]
    parts = [_parts(one, person) for one in roster]  # `release --each` gives it both
    likely = [one for one, n in zip(roster, parts, strict=True) if n == max(parts) > 0]
    return both or named or numbered or likely


def _has_name(one, person):
    """Whether this is a student's name, with or without spaces, or the student's id."""
    return _joined(person.name) in map(_joined, [*_turns(one.name), one.id])


def _has_number(one, person):
    """Whether a platform gives the student's id, and part of the name.

    Platforms number their users in ways of their own: an equal number may be chance.
    """
    parts = plain_words(one.name).split() if one.name != one.id else [""]
    is_part = any(part in _joined(person.name) for part in parts)
    return is_part and one.id.casefold() == person.id.casefold()


def _parts(one, person):
    """Return whether a student's id, full name (1) or both (2) are in a file's name."""
    words, number = f" {plain_words(person.name)} ", f" {plain_words(one.id)} "
    is_long = len(one.id) >= _LONG_ENOUGH and re.search(r"\d", one.id)
    has_id = words.endswith(number) or bool(is_long and number in words)
    turns = _turns(one.name)
    return has_id + any(" " in turn and f" {turn} " in words for turn in turns)


def _turns(name):
    """Return a name's words, beginning with each: the last name may come first."""
    words = plain_words(name).split()
    return [" ".join(words[n:] + words[:n]) for n in range(len(words))]


def _joined(text):
    return plain_words(text).replace(" ", "")


def forms(name):
    """Return how a name is compared: its words in any order, and as one word.

    A number is the same without its first zeros, which spreadsheets leave out.

    Example:
        "Lovelace, Ada" is "ada lovelace", as "ada_lovelace" is, or "lovelaceada".
    """
    words = re.sub(r"\b0+(?=\d+\b)", "", plain_words(name)).split()
    return [" ".join(sorted(words)), "".join(words)] if words else []


@cache
def plain_words(text):
    """Return a text's words without accents, capitals and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    letters = "".join(one for one in plain if not unicodedata.combining(one))
    return " ".join(re.findall(r"[^\W_]+", letters))
