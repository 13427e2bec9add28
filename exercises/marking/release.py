"""Make the notebook that a class gets, and the file of what its exercises are worth."""

import hashlib
import re
from functools import cache
from pathlib import Path

from exercises.engine import notebooks
from exercises.engine.cells import code, imports, markdown, task
from exercises.engine.exercise import FRAMEWORKS, NAMES
from exercises.engine.registry import TITLES, chapter_exercises, stem
from exercises.engine.solution_lock import locked_variant
from exercises.marking.github import ADDRESS
from exercises.marking.points import read_points, write_points
from exercises.marking.release_identity import Identity
from scratch import __version__

SETUP = f"""\
# Install the book's module where it is missing (in Colab, for example).
try:
    import scratch
except ImportError:
    %pip install --quiet "git+{ADDRESS}@v{__version__}"
    import scratch"""
# A hint may come before a check.
HELPERS = "from exercises import check, hint, solution"

WELCOME = """\
# {title}

Fill in the starters, in {which}, and run the check below each. It tells you the first
thing that is wrong. Where you are stuck, ask for one hint after the other, with the
exercise's name from its check: `hint("{first}", variant={variant})`. Leave the check
cells as they are: they hand your answers in. Before you send the notebook, restart and
run all cells: it is marked from top to bottom, in a fresh session. {send}
"""
NAME_IT = "Give the file\nyour name, such as `ada_lovelace.ipynb`."
KEEP_IT = "The numbers\nare yours alone, so keep the file's name."


def variant(seed, student=""):
    """Return the variant that a teacher's seed draws, for a class or for one student.

    It is printed in the notebook, and does not give the seed away.

    Args:
        seed: the teacher's.
        student: the id on the roster, where each student has a variant. Capitals and
            leading zeros, which a spreadsheet may change, do not matter.
    """
    student = student.casefold().lstrip("0")
    return 1000 + _drawn(seed, f"words {student}" if student else "words") % 9000


def questions(seed, exercise_id):
    """Return the seed of the hidden questions of one exercise."""
    return _drawn(seed, exercise_id)


def identity(seed, exercises):
    """Return the identity of a release, which does not give its seed away."""
    fingerprint = f"{_drawn(seed, 'fingerprint'):08x}"
    return Identity(tuple(exercises), fingerprint, __version__)


def _drawn(seed, purpose):
    digest = hashlib.sha256(_stretched(seed) + purpose.encode()).digest()
    return int.from_bytes(digest[:4], "big")


@cache
def _stretched(seed):
    """Return a key that takes 0.1 s and 32 MB to derive from a seed.

    A notebook shows its variant and fingerprint. With a fast hash, anyone could find a
    short seed from them by trying the words of a dictionary.
    """
    return hashlib.scrypt(
        seed.encode(), salt=b"transformer-twice", n=2**15, r=8, p=1, maxmem=2**26
    )


def release(chapter, seed, folder, only=(), framework=None, lock="", each=()):
    """Write a chapter's notebook for students and its `points.csv`; return the paths.

    Args:
        chapter: one of the book's chapters.
        seed: the teacher's seed; `grade` needs the same one.
        folder: where to write.
        only: the exercises to take; if empty, all of the chapter.
        framework: "torch" or "tensorflow" where only that one is asked for.
        lock: the word that opens the solutions; if empty, they are open.
        each: people with name and id who each get a notebook with other numbers.
    Raises ValueError where the folder holds a release of other exercises.
    """
    exercises = chosen(chapter, only)
    folder = Path(folder)
    students = {folder / _file_name(one): one.id for one in each}
    if len(students) < len(each):
        raise ValueError("each holds ids that are one file name: wanted different ones")
    students = students or {folder / f"{stem(chapter)}.ipynb": ""}
    points = folder / "points.csv"
    for notebook in students:
        _require_no_other(notebook, points, exercises)
    folder.mkdir(parents=True, exist_ok=True)
    for notebook, student in students.items():
        asked = locked_variant(variant(seed, student), lock)
        released = _notebook(chapter, exercises, asked, framework, bool(each))
        released["metadata"] |= identity(seed, exercises).metadata()
        notebooks.write(notebook, released)
    if not points.exists():  # they may have been edited
        write_points(points, {name: one.difficulty for name, one in exercises.items()})
    return *students, points


def _file_name(person):
    return re.sub(r"[^\w.-]+", "_", f"{person.name}_{person.id}.ipynb")


def _notebook(chapter, exercises, asked, framework, is_theirs_alone):
    """Return the notebook of a variant."""
    frameworks = (framework,) if framework else FRAMEWORKS
    welcome = WELCOME.format(
        title=TITLES[chapter],
        which=NAMES[framework] if framework else "one framework or both",
        first=next(iter(exercises)),
        variant=asked,
        send=KEEP_IT if is_theirs_alone else NAME_IT,
    )
    described = [
        markdown(welcome),
        code(SETUP),
        code(HELPERS),
        *imports(exercises.values(), frameworks),
    ]
    for exercise_id, exercise in exercises.items():
        described += task(exercise_id, exercise, asked, frameworks)
    return notebooks.notebook_of(
        notebooks.as_cells(described, chapter.replace("_", "-"))
    )


def _require_no_other(notebook, points, exercises):
    """Raise ValueError if one of the files exists and has other exercises."""
    for path, held in ((points, read_points), (notebook, _released)):
        if path.exists() and set(held(path)) != set(exercises):
            raise ValueError(
                f"folder is {path.parent}, where {path.name} is of other exercises: "
                "wanted another folder, one for each release"
            )


def _released(path):
    """Return the exercises of a released notebook; a chapter's own has none."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r'check\(\\"([\w.]+)\\", .*variant=', text)


def chosen(chapter, only):
    """Return {id: Exercise} of a chapter, or of those named."""
    exercises = chapter_exercises(chapter)
    if not exercises:
        raise ValueError(
            f"chapter is {chapter}, which has no exercises yet: wanted one that has"
        )
    unknown = [name for name in only if name not in exercises]
    if unknown:
        raise ValueError(
            f"only holds {unknown[0]!r}: wanted exercises of {chapter}, which are "
            + ", ".join(exercises)
        )
    return {name: exercises[name] for name in exercises if not only or name in only}
