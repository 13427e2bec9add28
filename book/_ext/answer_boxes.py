"""Exercises that a reader can answer on the page, and a mark for those that are solved.

The check of an exercise is followed by a box. If the exercise asks for a value, the box
takes the answer and gives the verdict of `exercises.check`: the right value and the
values of all known mistakes are computed here, when the book is built, by the same
list. `read_answer.js` reads what is typed, `answers.js` draws the boxes and compares,
and `progress.js` remembers in the reader's browser what is solved and shows it in the
contents. Hints unfold one by one. The check itself, which runs only in the notebook, is
folded, without its "Not attempted yet".

The check of a question between two sections becomes such a box, beside its task. What
is answered there is neither marked nor remembered.
"""

import html
import json
import re
from pathlib import Path

import exercises
from exercises.engine.cells import CHECK
from exercises.engine.known_mistakes import known_mistakes
from exercises.engine.output_form import unwrapped
from exercises.engine.question import LEAD
from exercises.engine.question import plain as plain_answer
from exercises.engine.registry import (
    CHAPTERS,
    chapter_exercises,
    find,
    find_question,
    number,
    stem,
)
from readymade.views.script_json import script_json

import numpy as np
import order
from docutils import nodes
from folded import fold
from sphinx.transforms import SphinxTransform

HINT = re.compile(r"<details>(?=<summary>Hint \d)")


class AnswerBoxes(SphinxTransform):
    default_priority = order.ANSWER_BOXES

    def apply(self):
        for file in sorted(Path(exercises.__file__).parent.rglob("*.py")):
            self.env.note_dependency(str(file))
        for cell in list(self.document.findall(nodes.container)):
            check = CHECK.search(cell.astext())
            if check and "tag_question" in cell["classes"]:
                put_in_a_box(cell, check[1])
            elif check and "tag_exercise" in cell["classes"]:
                place = cell.parent.index(cell) + 1
                cell.parent.insert(place, nodes.raw("", box(check[1]), format="html"))
                fold(cell, "How the notebook checks it")
                cell[:] = [part for part in cell if not is_output(part)]
        for node in self.document.findall(nodes.raw):
            text = HINT.sub('<details class="hint">', node.astext())
            if text != node.astext():
                node[:] = [nodes.Text(text)]


def put_in_a_box(cell, name):
    """Put a form for the answer to a question into one box with its task."""
    parent, end = cell.parent, cell.parent.index(cell)
    lead = LEAD.strip("* ")
    start = max(n for n in range(end) if parent[n].astext().startswith(lead))
    boxed = box_of("question", name, asked(find_question(name)))
    form = nodes.raw("", boxed, format="html")
    whole = nodes.container("", *parent[start:end], form, classes=["question"])
    parent[start : end + 1] = [whole]


def asked(question):
    """What the script compares with, as `predicted` has it for an exercise."""
    return {
        "right": plain_answer(question.right),
        "because": question.because,
        "capitals": isinstance(question.right, str),
        "tolerance": 0,
        "wanted": question.wanted,
        "mistakes": [
            {"says": says, "value": plain_answer(value)}
            for value, says in question.mistakes.items()
        ],
    }


def is_output(node):
    """Whether a part of a cell is what the cell put out."""
    return node.get("nb_element") == "cell_code_output"


def box(name):
    """The HTML of an exercise's box: its data, from which the script draws it."""
    exercise = find(name)
    data = {"number": number(name)}
    if asks_to_predict(exercise):
        data |= predicted(exercise)
    return box_of("exercise", name, data)


def box_of(kind, name, data):
    """The HTML of a box: its data, from which the script draws it."""
    return (
        f'<div class="answer-box" data-{kind}="{html.escape(name)}">'
        f'<script type="application/json">{script_json(data)}</script></div>'
    )


def asks_to_predict(exercise):
    """Whether the answer is a value that a reader works out before running anything."""
    return exercise.kind == "predict" and exercise.kind_of_answer == "value"


def predicted(exercise):
    """The right value of the book's variant, and each known mistake's value."""
    mistakes = []
    for says, answer in known_mistakes(exercise, "python", 0, 0):
        reply = answer.reply(exercise.calls(0)[0], "python")
        if reply.failure is None:
            mistakes.append({"says": says, "value": plain(reply.output)})
    example = exercise.starter_in("python").strip().splitlines()[-1]
    return {
        "right": plain(exercise.right()),
        "tolerance": exercise.tolerance,
        "wanted": example.partition("#")[2].strip(),
        "mistakes": mistakes,
    }


def plain(value):
    """A value as JSON takes it: arrays and tuples are lists; NaN and infinity texts."""
    value = unwrapped(value)
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def write_list(app, error):
    """Write which exercises each chapter has, for the contents' counts."""
    if error or app.builder.format != "html":
        return
    chapters = {
        f"book/{stem(chapter)}": list(chapter_exercises(chapter))
        for chapter in CHAPTERS
        if chapter_exercises(chapter)
    }
    text = f"const EXERCISES = {json.dumps(chapters)};\n"
    Path(app.outdir, "_static", "exercises.js").write_text(text, encoding="utf-8")


def setup(app):
    app.add_transform(AnswerBoxes)
    app.add_css_file("answers.css")
    # In this order: each uses what the one before it defines.
    for script in ("exercises.js", "progress.js", "read_answer.js", "answers.js"):
        app.add_js_file(script)
    app.connect("build-finished", write_list)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
