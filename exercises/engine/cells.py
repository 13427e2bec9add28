"""The cells of exercises and of questions, in a chapter and in a released notebook."""

import re

from exercises.engine.check_hint_solution import solution_text
from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.programs import prelude
from exercises.engine.question import LEAD
from exercises.engine.registry import chapter_exercises, find_question, number

# In the cell of a check, the name of what it checks.
CHECK = re.compile(r'^check\("([\w.]+)"', re.MULTILINE)
INTRODUCTION = """\
Fill in a starter, in one framework or in both, and run the check below it. The check
tells you the first thing that is wrong. If you are stuck, call `hint("…")` or
`solution("…")` with the exercise's name from its check. Some answers reuse a name from
the chapter, so restart the kernel before you run the chapter again.
"""


def section(chapter):
    """Return the cells of a chapter's section "Exercises", with folded solutions."""
    exercises = chapter_exercises(chapter)
    cells = [markdown(f"## Exercises\n\n{INTRODUCTION}")]
    cells += imports(exercises.values(), FRAMEWORKS)
    for exercise_id, exercise in exercises.items():
        cells += [*task(exercise_id, exercise), markdown(folded_help(exercise))]
    return cells


def question(name):
    """Return a question's cells: its task and its check."""
    one = find_question(name)
    lines = [
        "from exercises import check",
        "",
        f"# your answer instead of ...: {one.wanted}",
        f'check("{name}", ...)',
    ]
    return [
        markdown(LEAD + one.task.strip()),
        ("code", "\n".join(lines), ["question"]),
    ]


def imports(exercises, frameworks):
    """Return the cells that import what the exercises use."""
    if all(exercise.frameworks == ("python",) for exercise in exercises):
        frameworks = ("python",)
    return [code(prelude(name), _tag(name)) for name in frameworks]


def task(exercise_id, exercise, variant=0, frameworks=FRAMEWORKS):
    """Return an exercise's cells: its words, each framework's starter, the check."""
    if exercise.one_starter:
        frameworks = ("python",)
    starters = [
        code(exercise.renamed(exercise.starter_in(name, variant), name), _tag(name))
        for name in frameworks
    ]
    return [
        markdown(words(exercise_id, exercise, variant)),
        *starters,
        checks(exercise_id, exercise, variant, frameworks),
    ]


def words(exercise_id, exercise, variant=0):
    """Return the heading and the task."""
    prompt = exercise.words(exercise.prompt, variant).strip()
    return f"{heading(exercise_id, exercise)}\n\n{prompt}"


def heading(exercise_id, exercise):
    """Return such as "### Exercise 3.2 · Mask the future  (●●○, 10 min)"."""
    return (
        f"### Exercise {number(exercise_id)} · {exercise.title}  "
        f"({dots(exercise)}, {exercise.minutes} min)"
    )


def dots(exercise):
    """Return the difficulty as three dots, filled from the left."""
    return "●" * exercise.difficulty + "○" * (3 - exercise.difficulty)


def checks(exercise_id, exercise, variant, frameworks):
    """Return the last cell, with a check for each framework."""
    which = f", variant={variant}" if variant else ""
    if frameworks in [(name,) for name in FRAMEWORKS]:  # only one is asked for
        which += f', framework="{frameworks[0]}"'
    lines = [
        f'check("{exercise_id}", {exercise.name_in(name)}{which})'
        for name in frameworks
    ]
    return code("\n".join(["from exercises import check, hint, solution", "", *lines]))


def folded_help(exercise):
    """Return hints and solution, each folded away."""
    hints = [
        _folded(f"Hint {place}", exercise.words(hint))
        for place, hint in enumerate(exercise.hints, 1)
    ]
    return "\n\n".join([*hints, _folded("Solution", solution_text(exercise))])


def _folded(summary, text):
    return f"<details><summary>{summary}</summary>\n\n{text}\n\n</details>"


def _tag(framework):
    return {"torch": "pytorch"}.get(framework, framework)


def markdown(text):
    """Return a Markdown cell as (type, text, tags)."""
    return "markdown", text.strip(), []


def code(text, *tags):
    """Return a code cell as (type, text, tags)."""
    known = [tag for tag in tags if tag in (*map(_tag, FRAMEWORKS),)]
    return "code", text.strip(), [*known, "exercise"]
