"""Two tables that are made when the book is built: of the exercises and of the speed.

The directive `exercise-list` becomes a section for each chapter that has exercises,
with a table: number and title (a link to where it stands), kind, difficulty, minutes.

What `make bench` measured becomes a table with contenders below each other and sizes
side by side; a cell holds the time as a multiple of ours, the milliseconds, the memory:

    ```{measured} PyTorch, forward
    ```
"""

import csv
from pathlib import Path

import exercises
from exercises.engine.cells import dots, heading
from exercises.engine.registry import (
    CHAPTERS,
    TITLES,
    chapter_exercises,
    label,
    number,
    stem,
)

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

COLUMNS = {"Exercise": 60, "Kind": 16, "Difficulty": 12, "Minutes": 12}
DIFFICULTIES = ("easy", "medium", "hard")


class ExerciseList(SphinxDirective):
    def run(self):
        for file in sorted(Path(exercises.__file__).parent.rglob("*.py")):
            self.env.note_dependency(str(file))
        return [
            self.section(chapter) for chapter in CHAPTERS if chapter_exercises(chapter)
        ]

    def section(self, chapter):
        title = f"{label(chapter)} {TITLES[chapter]}"
        section = nodes.section(ids=[nodes.make_id(f"exercises-{chapter}")])
        section += nodes.title(title, title)
        section += self.table(f"book/{stem(chapter)}", chapter_exercises(chapter))
        return section

    def table(self, document, listed):
        rows = (
            (
                self.link(document, name, exercise),
                nodes.Text(exercise.kind),
                difficulty(exercise),
                nodes.Text(str(exercise.minutes)),
            )
            for name, exercise in listed.items()
        )
        return table(COLUMNS.values(), map(nodes.Text, COLUMNS), rows)

    def link(self, document, name, exercise):
        """Return the title, as a link where the chapter is part of the book."""
        text = f"{number(name)} {exercise.title}"
        if document not in self.env.found_docs:
            return nodes.Text(text)
        page = self.env.app.builder.get_relative_uri(self.env.docname, document)
        anchor = nodes.make_id(heading(name, exercise).lstrip("# "))
        return nodes.reference("", text, refuri=f"{page}#{anchor}", internal=True)


def difficulty(exercise):
    """Return the dots, with a word for those who cannot see them."""
    return nodes.Text(f"{dots(exercise)} {DIFFICULTIES[exercise.difficulty - 1]}")


def table(widths, head, rows):
    """Return a table; of each row, and of its head, nodes for the cells are given."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in widths))
    group["cols"] = len(group)
    group += [nodes.thead("", row(head)), nodes.tbody("", *map(row, rows))]
    return nodes.table("", group)


def row(contents):
    cells = (nodes.entry("", nodes.paragraph("", "", each)) for each in contents)
    return nodes.row("", *cells)


RESULTS = Path(__file__).parents[2] / "benchmarks" / "speed.csv"


class Measured(SphinxDirective):
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        self.env.note_dependency(str(RESULTS))
        cells = self.cells()
        if not cells:
            raise self.error(f"{RESULTS.name} has nothing on {self.arguments[0]!r}")
        sizes = list(dict.fromkeys(size for size, _ in cells))
        contenders = list(dict.fromkeys(contender for _, contender in cells))
        # a size may break after its comma only
        names = ["", *(size.replace(" × ", "\N{NBSP}×\N{NBSP}") for size in sizes)]
        rows = (
            [nodes.Text(contender), *(entry(cells[size, contender]) for size in sizes)]
            for contender in contenders
        )
        return [table([1] * len(names), map(nodes.Text, names), rows)]

    def cells(self):
        """Return {(size, contender): row of the file} of this framework and task."""
        framework, task = self.arguments[0].split(", ", 1)
        with RESULTS.open(newline="", encoding="utf-8") as file:
            return {
                (line["task"].removeprefix(f"{task}, "), line["contender"]): line
                for line in csv.DictReader(file)
                if line["framework"] == framework
                and line["task"].startswith(f"{task}, ")
            }


def entry(cell):
    """Return the ratio, and smaller below it the time and the memory."""
    milliseconds = 1000 * float(cell["seconds"])
    below = f"{milliseconds:.0f} ms, {cell['peak MB']} MB"
    content = nodes.inline()
    content += nodes.strong("", f"{cell['times ours']}×")
    content += nodes.Text(" ")
    content += nodes.inline("", below, classes=["measured"])
    return content


def setup(app):
    app.add_directive("exercise-list", ExerciseList)
    app.add_directive("measured", Measured)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
