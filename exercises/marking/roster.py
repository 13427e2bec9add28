"""The students: the class's roster, and what each is called."""

import re
import unicodedata
from typing import NamedTuple

from exercises.marking.csv_files import read_table

# Characters that control a terminal or turn the direction of the text around them.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LABEL = re.compile(r"(?P<name>.*?)(?: \((?P<id>[^()]+)\))?")


class Person(NamedTuple):
    """A student on the roster, or what a file's name says of one."""

    name: str
    id: str = ""


def labelled(person):
    """Return what a student is called everywhere in marking: name and id.

    It does not depend on who else is in the class.
    """
    return person.name if person.id == person.name else with_id(person)


def with_id(person):
    """Return a name with its id, even if they are equal, as team 17's may be."""
    return f"{person.name} ({person.id})" if person.id else person.name


def person_of(label):
    """Return the `Person` of a label that `labelled` made."""
    match = _LABEL.fullmatch(label)
    return Person(match["name"], match["id"] or "")


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
        cells = dict(zip(columns, map(one_line, row), strict=False))
        number = cells.get("id", "")
        person = Person(cells.get("name") or number, number)
        people.append((person, cells.get("group", "")))
    return people


def one_line(text):
    """Return any text as one line that is safe to print and to store."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    return _CONTROL.sub("\ufffd", text)
