"""Which cells of a notebook need to run, and which answers no check hands in."""

import re

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.programs import prelude
from exercises.engine.registry import find as find_exercise
from exercises.engine.solution_lock import number_of
from exercises.marking.release import SETUP

_OF_A_FRAMEWORK = {
    "torch": re.compile(r"(?<![\w.])(scratch\.)?(torch|nn|F)\b"),
    "tensorflow": re.compile(
        r"(?<![\w.])(scratch\.)?(tf|keras|tensorflow|tf_\w+|TF\w+)\b"
    ),
}
_IMPORTED = {
    "torch": re.compile(r"\btorch\b"),
    "tensorflow": re.compile(r"\b(tensorflow|keras)\b"),
}
_SETUP = SETUP.partition("\n")[0]  # whatever version it installs
_VARIANT = re.compile(r'^check\("[\w.]+", \w+, variant=(\d{1,15})\b', re.MULTILINE)


def worth_running(cells, exercises, variant):
    """Return the cells without untouched starters and the frameworks they alone need.

    Importing a framework takes longer than marking an answer.
    """
    untouched = {}
    for exercise in exercises.values():
        if not exercise.one_starter:
            untouched |= _starters(exercise, variant)
    kept = [(name, untouched.get(_bare(text), text)) for name, text in cells]
    written = "\n".join(
        text
        for _, text in kept
        if not _is_ours(text) and text not in untouched.values()
    )
    unused = {
        _bare(prelude(name))
        for name in FRAMEWORKS
        if not _OF_A_FRAMEWORK[name].search(written)
    }
    light = prelude("python")
    return [(name, light if _bare(text) in unused else text) for name, text in kept]


def imported(cells):
    """Return the frameworks that the text of cells imports."""
    lines = [line for _, text in cells for line in text.splitlines()]
    imports = [line for line in lines if re.match(r"\s*(import|from)\b", line)]
    return tuple(
        name
        for name, words in _IMPORTED.items()
        if any(words.search(line) for line in imports)
    )


def answered_apart(cells, exercise_id, exercise, variant):
    """Whether an answer has no check, or stands below it.

    In Jupyter a check may have been run after a cell below it.
    """
    names = "|".join(map(exercise.name_in, exercise.frameworks))
    answer = re.compile(rf"^(?:(?:def|class) +(?:{names})\b|(?:{names}) *=(?!=))", re.M)
    starters = _starters(exercise, variant)
    untouched = {*starters, *starters.values()}
    apart = False
    for cell in cells:
        if exercise_id in cell.source:
            apart = False
        elif answer.search(cell.source) and _bare(cell.source) not in untouched:
            apart = True
    return apart


def is_untouched(cells, release):
    """Whether a notebook is still as it was released, as a kept copy is."""
    checks = (check for _, text in cells for check in _VARIANT.finditer(text))
    variant = number_of(int(next(checks, [0, 0])[1]))
    starters = {
        _bare(exercise.renamed(exercise.starter_in(name, variant), name))
        for exercise in map(find_exercise, release.exercises)
        for name in (("python",) if exercise.one_starter else exercise.frameworks)
    }
    return bool(cells) and all(
        _is_ours(text) or _bare(text) in starters or text.startswith(_SETUP)
        for _, text in cells
    )


def _starters(exercise, variant):
    """Return {starter: a line that the check calls not attempted}."""
    return {
        _bare(exercise.renamed(exercise.starter_in(name, variant), name)): (
            f"{exercise.name_in(name)} = ..."
        )
        for name in exercise.frameworks
    }


def _is_ours(text):
    """Whether a cell does nothing but import a framework or hand in answers."""
    if _bare(text) in {_bare(prelude(name)) for name in FRAMEWORKS}:
        return True
    return all(
        line.startswith(("check(", "from exercises import ")) or not line.strip()
        for line in text.splitlines()
    )


def _bare(text):
    return text.strip()
