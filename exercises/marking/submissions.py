"""Read what was handed in: which files, whose, and which cells there are to run."""

import hashlib
import json
import os
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.notebooks import source
from exercises.engine.programs import prelude

MOST_BYTES = 20 * 2**20
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


@dataclass(frozen=True)
class Submission:
    """One student's file, or the problem with it."""

    student: str
    path: Path | None
    problem: str = ""

    def read(self):
        """Return the bytes of the file: they may be others a moment later."""
        with self.path.open("rb") as file:
            return file.read(MOST_BYTES + 1)

    def digest(self):
        """Return what tells this file from a later one; "" where it is gone."""
        try:
            return self.problem or digest_of(self.read())
        except OSError:
            return ""


def digest_of(data):
    """Return what tells the bytes of a file from others."""
    return hashlib.sha256(data).hexdigest()


def find(folder, apart=()):
    """Return the submissions of a folder: a file a student, or a folder a student.

    What is `apart` stands in the folder, too, and nobody handed it in.
    """
    folder = Path(folder)
    apart = set(map(_place, apart))
    if not folder.is_dir():
        raise ValueError(f"folder is {folder}: wanted one that exists")
    handed_in = defaultdict(list)
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or _place(path) in apart:
            continue
        if path.is_dir() and not path.is_symlink():
            try:
                files = _files(path)
            except (OSError, RecursionError):
                handed_in[_name(path.name)].append(path)
                continue
            theirs = [file for file in files if not _is_in(file, apart)]
            if theirs or not files:
                handed_in[_name(path.name)] += theirs
        else:
            handed_in[_name(path.stem)].append(path)
    by_name = defaultdict(list)
    for student in handed_in:
        by_name[student.lower()].append(student)
    return [
        _of(students, [path for name in students for path in handed_in[name]])
        for _, students in sorted(by_name.items())
    ]


def _files(folder):
    """Return the files below a folder; raise OSError where one of them is not shown."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            found += _files(path)
        elif path.is_file() or path.is_symlink():
            found.append(path)
    return found


def _name(name):
    """Return a file's name as text that can be written down, whatever its bytes."""
    text = os.fsencode(name).decode("utf-8", "replace")
    return unicodedata.normalize("NFC", text)


def _place(path):
    """Return where a path is; of a link, where the link itself is."""
    path = Path(path)
    return path.parent.resolve() / path.name


def _is_in(file, places):
    """Whether a file is one of the places, or in a folder that is."""
    return not places.isdisjoint([_place(file), *_place(file).parents])


def _of(students, paths):
    student = students[0]
    if any(path.is_dir() and not path.is_symlink() for path in paths):
        return Submission(student, None, "handed in a folder that may not be read")
    found = [path for path in paths if path.suffix == ".ipynb"]
    if len(found) > 1:
        names = ", ".join(_name(path.name) for path in found)
        return Submission(student, None, f"handed in {len(found)} notebooks: {names}")
    if not found:
        return Submission(student, None, "handed in no notebook (.ipynb)")
    (path,) = found
    if path.is_symlink():
        return Submission(student, None, "handed in a link, not a file")
    if not path.is_file():
        return Submission(student, None, "handed in something that is not a file")
    if not os.access(path, os.R_OK):
        return Submission(student, None, "handed in a file that may not be read")
    if path.stat().st_size > MOST_BYTES:
        return Submission(
            student, None, f"the file is larger than {MOST_BYTES >> 20} MB"
        )
    return Submission(student, path)


class NotANotebookError(ValueError):
    """The file cannot be read as a notebook; the message says why."""


def cells(data):
    """Return [(name, source)] of the code cells in a notebook's bytes."""
    try:
        text = data.decode("utf-8-sig")
        if not text.strip():
            raise NotANotebookError("the file is empty")
        found = json.loads(text)["cells"]
        sources = [source(cell) for cell in found if cell["cell_type"] == "code"]
    except NotANotebookError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotANotebookError("the file is not a notebook") from error
    return [(f"cell {place}", text) for place, text in enumerate(sources, 1)]


def worth_running(cells, exercises, variant):
    """Leave out starters that stayed as they were, and frameworks that only they need.

    Importing a framework takes longer than marking an answer.
    """
    untouched = {
        _bare(exercise.renamed(exercise.starter_in(name, variant), name)): (
            f"{exercise.name_in(name)} = ..."  # the check says: not attempted
        )
        for exercise in exercises.values()
        for name in exercise.frameworks
        if not exercise.one_starter
    }
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
    """Return the frameworks that cells import, as far as can be seen."""
    lines = [line for _, text in cells for line in text.splitlines()]
    imports = [line for line in lines if re.match(r"\s*(import|from)\b", line)]
    return tuple(
        name
        for name, words in _IMPORTED.items()
        if any(words.search(line) for line in imports)
    )


def _is_ours(text):
    """Whether a cell only imports a framework, or only hands answers in."""
    if _bare(text) in {_bare(prelude(name)) for name in FRAMEWORKS}:
        return True
    return all(
        line.startswith(("check(", "from exercises import ")) or not line.strip()
        for line in text.splitlines()
    )


def _bare(text):
    return text.strip()
