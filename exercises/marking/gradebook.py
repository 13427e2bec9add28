"""Fill in a grade file of Moodle or Canvas, and zip feedback for the upload.

Source:
    Moodle's grading worksheet: "Identifier", a name, then the grade and its maximum;
    feedback is called `Ada Lovelace_123_assignsubmission_file_…` after the number of
    "Participant 123". mod/assign/feedback/offline/importgradeslib.php and
    mod/assign/feedback/file/importziplib.php at https://github.com/moodle/moodle

    Canvas's gradebook: "Student", "ID", … "Section", assignments such as "Week 3 (47)",
    a row "Points Possible"; feedback has the name of the file in Canvas's download, and
    reaches the student under the name of what was handed in. lib/gradebook_importer.rb
    and app/models/abstract_assignment.rb (infer_comment_context_from_filename) at
    https://github.com/instructure/canvas-lms
"""

import json
import re
import zipfile
from collections import Counter, defaultdict
from pathlib import Path

from exercises.engine import notebooks
from exercises.engine.cells import markdown
from exercises.marking.csv_files import read_table
from exercises.marking.grade import feedback_of, returned_of
from exercises.marking.handed_in_files import is_left_behind
from exercises.marking.name_matching import (
    LONG_ENOUGH,
    forms,
    is_number,
    is_team,
    may_be,
    owner,
    spellings,
)
from exercises.marking.report import read_marks
from exercises.marking.roster import person_of


def hand_back(marks, gradebook, handed_in=None, column=None):
    """Write the filled-in grade file and `feedback.zip` into a folder beside the marks.

    Args:
        marks: the file of marks that `grade` wrote.
        gradebook: the file as Moodle or Canvas exported it.
        handed_in: the folder that was marked, whose file names Canvas needs.
        column: the column to fill in, where there are several.
    Returns the two paths, and sentences about what was not matched.
    """
    marks, folder = Path(marks), returned_of(Path(marks))
    table, students = _Gradebook(Path(gradebook), column), read_marks(marks)
    places = _matched(students, table)
    remarks = [
        f"{one.student}: no row is theirs alone"
        for one, theirs in zip(students, places, strict=True)
        if not theirs
    ]
    remarks += [
        f"{' '.join(row[:2])}: no mark"
        for place, row in table.people()
        if place not in set().union(*places)
    ]
    most, pages = table.most(), {}
    remarks += [
        f"marks out of {out_of:g} became grades out of {most:g}"
        for out_of in sorted({one.out_of for one in students if one.out_of > 0})
        if most and most != out_of
    ]
    rows = [
        (one, table.rows[place])
        for one, theirs in zip(students, places, strict=True)
        for place in sorted(theirs)
    ]
    for one, row in rows:
        row[table.grade] = f"{one.grade(most):.6g}"
        name, page = table.feedback_name(row, handed_in), feedback_of(marks) / one.page
        if not one.page or not page.is_file():
            remarks.append(
                f"{one.student}: no feedback, because there is no page of it"
            )
        elif name:
            text = page.read_text(encoding="utf-8")
            pages[name] = _as_notebook(text) if table.canvas else text
        else:
            remarks.append(
                f"{one.student}: no feedback; --handed-in has no file of theirs"
            )
    folder.mkdir(parents=True, exist_ok=True)
    filled, zipped = folder / Path(gradebook).name, folder / "feedback.zip"
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in pages.items():
            file.writestr(name, text)
    table.write(filled)
    return [filled, zipped], remarks


def _as_notebook(page):
    """Return a page as a notebook, because Canvas gives it a notebook's name."""
    body = page.partition("<main>")[2].partition("</main>")[0]
    cells = notebooks.as_cells([markdown(f"<div>{body}</div>")], "feedback")
    return json.dumps(notebooks.notebook_of(cells))


def _matched(students, table):
    """Return for each student the set of the one row that is theirs alone.

    For a team, whose members Moodle's file gives, it is the set of all their rows.
    """
    ways, rows = (None, spellings), []
    rows_of = {spell: defaultdict(set) for spell in ways}
    for place, row in table.people():
        for spell in ways:
            for key in table.keys(row, spell):
                rows_of[spell][key].add(place)

    def places(*texts):
        """Return the rows of the first name that has any."""
        plain = [key for text in texts for key in forms(text) if key in rows_of[None]]
        if plain:
            return rows_of[None][plain[0]]
        keys = (key for text in texts for key in forms(text, spellings))
        return set().union(*(rows_of[spellings].get(key, ()) for key in keys))

    for one in students:
        name, number = person_of(one.student)
        # The brackets hold an id, or part of a name: "Li Wei (Vivian)".
        named, numbered = places(one.student, name), places(number)
        if number and is_number(name):  # as a team's may be
            named = {place for place in named if table.is_named(place, name)}
        # Platforms number users and teams in their own ways: it may be chance.
        numbered = {place for place in numbered if table.may_be(place, name, number)}
        fits = named & numbered or named or numbered
        rows.append(fits if len(fits) == 1 else table.team(one.student, name))
    claims = Counter(place for theirs in rows for place in theirs)
    return [{place for place in theirs if claims[place] == 1} for theirs in rows]


class _Gradebook:
    """A grade file: its unchanged rows, and which column is which."""

    def __init__(self, path, column):
        self.table = read_table(path, "gradebook")
        self.head, *rows = self.table.rows or [[]]
        self.rows = [row + [""] * (len(self.head) - len(row)) for row in rows]
        self.canvas = self.head[:1] == ["Student"] and {"ID", "Section"} <= {*self.head}
        if not self.rows or not (self.canvas or all(map(self.number, self.rows))):
            raise ValueError(
                f"gradebook is {path}: wanted Moodle's grading worksheet or Canvas's "
                "gradebook, as it was exported"
            )
        self.grade = self._place_of(column)

    def _place_of(self, column):
        """Return the place of the column to fill in, named or the only one."""
        bare = [re.sub(r" \(\d+\)$", "", name) for name in self.head]
        fits = [
            place
            for place, (name, short) in enumerate(zip(self.head, bare, strict=True))
            if (column in (name, short))
            or (not column and (name != short if self.canvas else name == "Grade"))
        ]
        if len(fits) != 1:
            raise ValueError(
                f"column is {column or 'not named'}: wanted --column with one of "
                f"{', '.join(self.head[n] for n in fits or range(len(self.head)))}"
            )
        return fits[0]

    def number(self, row):
        """Return a student's number; "" in a row that is no student's."""
        return re.search(r"\d*$", row[self.head.index("ID") if self.canvas else 0])[0]

    def people(self):
        """Return [(place, row)] of the students."""
        return [(n, row) for n, row in enumerate(self.rows) if self.number(row)]

    def team(self, *names):
        """Return the places of the members of a team with one of these names."""
        columns = [
            n
            for n, one in enumerate(self.head[: self.grade])
            if is_team(one) and not is_number(one)
        ]
        if self.canvas or len(columns) != 1:
            return set()
        keys = {key for name in names for key in forms(name)}
        of = {place: row[columns[0]] for place, row in self.people()}
        teams = {cell for cell in of.values() if not keys.isdisjoint(forms(cell))}
        return {
            place for place, cell in of.items() if len(teams) == 1 and cell in teams
        }

    def name(self, row):
        """Return the full name."""
        return row[0 if self.canvas else 1]

    def is_named(self, place, name):
        """Whether a row has this name."""
        return not set(forms(self.name(self.rows[place]))).isdisjoint(forms(name))

    def may_be(self, place, name, number):
        """Whether a row with a student's number, in any column, may be theirs."""
        row = self.rows[place]
        # Moodle may hide names behind labels such as "Teilnehmer/in 17".
        hidden, called = (
            forms(re.sub(r"\d+$", "", text))[-1:] for text in (row[0], name)
        )
        if may_be(name, self.name(row)) or (called and called == hidden):
            return True
        is_id = len(number) >= LONG_ENOUGH or not number.isdecimal()
        return is_id and not is_team(name) and forms(self.number(row)) != forms(number)

    def keys(self, row, spell=None):
        """Return all forms of what identifies a row: number, names, address, login."""
        about = row[: self.head.index("Section") if self.canvas else self.grade]
        cells = [self.number(row), *about, *(cell.partition("@")[0] for cell in about)]
        return {key for cell in cells for key in forms(cell, spell)}

    def most(self):
        """Return the best possible grade, or None if the file does not say."""
        rows = [row for row in self.rows if not self.canvas or "Possible" in row[0]]
        try:
            cell = rows[0][self.grade + (not self.canvas)]
            return float(cell.replace(",", "."))
        except (IndexError, ValueError):
            return None

    def feedback_name(self, row, handed_in):
        """Return the name under which the platform takes feedback, or ""."""
        if not self.canvas:
            name = re.sub(r"[\W_]+", " ", row[1]).strip()
            return f"{name}_{self.number(row)}_assignsubmission_file_feedback.html"
        paths = sorted(Path(handed_in).glob("*.ipynb")) if handed_in else ()
        theirs = (
            path.name
            for path in paths
            if owner(path).id == self.number(row) and not is_left_behind(path.name)
        )
        return next(theirs, "").encode(errors="replace").decode()

    def write(self, path):
        """Write the file, with no other of Canvas's grade columns than ours.

        Those may have changed since the export, and would be set back.
        """
        places = range(len(self.head))
        if self.canvas:
            places = [*range(self.head.index("Section") + 1), self.grade]
        rows = ([row[n] for n in places] for row in (self.head, *self.rows))
        self.table.write(path, rows)
