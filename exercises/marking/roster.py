"""The students: the class's roster, and what each is called."""

import re
import unicodedata
from typing import NamedTuple

from exercises.marking.csv_files import read_table

# What a terminal obeys, and what turns the direction of the words around it.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LABEL = re.compile(r"(?P<name>.*?)(?: \((?P<id>[^()]+)\))?")


class Person(NamedTuple):
    """A student on the roster, or what a file's name tells of one."""

    name: str
    id: str = ""


def labelled(person):
    """Return what a student is called from the file to the grade: name and id.

    It depends on nobody else in the class.
    """
    return person.name if person.id == person.name else with_id(person)


def with_id(person):
    """Return a name and its number: a team of the name 17 may have the number 17."""
    return f"{person.name} ({person.id})" if person.id else person.name


def person_of(label):
    """Return the `Person` whom `labelled` calls this."""
    found = _LABEL.fullmatch(label)
    return Person(found["name"], found["id"] or "")


def read_roster(path):
    """Return the students of a CSV file with the columns "id" and "name"."""
    people = [person for person, _ in _rows(path)]
    ids = [person.id.casefold() for person in people]
    for person in people:
        if ids.count(person.id.casefold()) > 1 or not person.id:
            raise ValueError(
                f"{path}: {person.name} has the id {person.id!r}: wanted one for each"
            )
    return people


def read_groups(path):
    """Return {name: members} of a roster that has a column "group", too."""
    groups = {}
    for person, group in _rows(path):
        if group:
            groups.setdefault(group, []).append(person)
    return groups


def _rows(path):
    """Return [(person, group)] of a roster."""
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
        person = Person(told.get("name") or number, number)
        people.append((person, told.get("group", "")))
    return people


def one_line(text):
    """Return words of anyone's making as one line that can be written anywhere."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return _CONTROL.sub("\ufffd", text)
