"""Read what was handed in: which files, whose, and which cells there are to run."""

import hashlib
import json
import os
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.notebooks import source
from exercises.engine.programs import prelude
from exercises.marking import identity
from exercises.marking.identity import Identity

MOST_BYTES = 20 * 2**20
_MOST_NAMES = 4
_ANY = Identity()  # no release: one notebook is as good as another
_OF_A_FRAMEWORK = {
    "torch": re.compile(r"(?<![\w.])(scratch\.)?(torch|nn|F)\b"),
    "tensorflow": re.compile(
        r"(?<![\w.])(scratch\.)?(tf|keras|tensorflow|tf_\w+|TF\w+)\b"
    ),
}


class NotANotebookError(ValueError):
    """What was handed in cannot be read as a notebook; the message says why."""


@dataclass(frozen=True)
class Submission:
    """One student's notebook, or the problem with what was handed in.

    A notebook may be a member of a zip, which is read and never unpacked.
    """

    student: str
    path: Path | None
    problem: str = ""
    member: str = ""
    notes: tuple[str, ...] = ()

    def read(self):
        """Return the notebook's bytes."""
        return _read(_File(self.path, self.member))

    def digest(self):
        """Return what tells this file from a later one by the same student."""
        if self.problem or self.path is None:
            return self.problem
        return hashlib.sha256(self.read()).hexdigest()


class _File(NamedTuple):
    """A file in the folder, or a member of a zip."""

    path: Path
    member: str = ""

    def name(self):
        return _name(PurePosixPath(self.member or self.path).name)

    def is_notebook(self):
        return self.name().lower().endswith(".ipynb")

    def identity(self):
        try:
            return contents(_read(self))[1]
        except NotANotebookError:
            return Identity()


def find(folder, apart=(), release=_ANY):
    """Return the submissions of a folder: a file a student, or a folder a student.

    Args:
        folder: what was handed in.
        apart: what stands in the folder, too, and was not handed in.
        release: the one that is marked. It tells which of several notebooks counts.
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
            files = [
                file
                for file in sorted(path.rglob("*"))
                if not _is_hidden(file.relative_to(folder))
                and (file.is_file() or file.is_symlink())
            ]
            theirs = [file for file in files if not _is_in(file, apart)]
            if theirs or not files:
                handed_in[_name(path.name)] += theirs
        else:
            handed_in[_name(path.stem)].append(path)
    by_name = defaultdict(list)
    for student in handed_in:
        by_name[student.lower()].append(student)
    found = []
    for _, students in sorted(by_name.items()):
        paths = [path for name in students for path in handed_in[name]]
        found.append(_of(students[0], paths, release))
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


def _is_hidden(path):
    return any(part.startswith(".") for part in path.parts)


def _of(student, paths, release):
    """Return the submission of a student who handed these files in."""
    files = [_File(path) for path in paths]
    found = [file for file in files if file.is_notebook()]
    if not found:
        return Submission(student, None, "handed in " + _no_notebook(files))
    try:
        chosen, notes = _chosen(found, release)
        _require_readable(chosen.path)
    except NotANotebookError as error:
        return Submission(student, None, str(error))
    return Submission(student, chosen.path, member=chosen.member, notes=tuple(notes))


def _no_notebook(files):
    if not files:
        return "an empty folder"
    return f"no notebook (.ipynb), but {_names(files)}"


def _names(files):
    names = [file.name() for file in files]
    more = f" and {len(names) - _MOST_NAMES} more" * (len(names) > _MOST_NAMES)
    return ", ".join(names[:_MOST_NAMES]) + more


def _chosen(found, release):
    """Return the one notebook of a release, and notes on the others."""
    if len(found) == 1:
        return found[0], []
    identities = {file: file.identity() for file in found}
    likeness = {file: told.likeness(release) for file, told in identities.items()}
    most = max(likeness.values())
    first, *same = [file for file in found if likeness[file] == most]
    if any(_read(file) != _read(first) for file in same):
        of_this = " of this release" * bool(most)
        raise NotANotebookError(
            f"handed in {len(same) + 1} notebooks{of_this}: {_names([first, *same])}"
        )
    others = [file for file in found if likeness[file] != most]
    return first, [
        f"also handed in {file.name()}, of {identities[file].name()}" for file in others
    ]


def _require_readable(path):
    """Raise NotANotebookError unless this is a file that may be read as a whole."""
    if path.is_symlink():
        raise NotANotebookError("handed in a link, not a file")
    if not path.is_file():
        raise NotANotebookError("handed in something that is not a file")
    if not os.access(path, os.R_OK):
        raise NotANotebookError("handed in a file that may not be read")
    if path.stat().st_size > MOST_BYTES:
        raise NotANotebookError(f"the file is larger than {MOST_BYTES >> 20} MB")


def _read(file):
    """Return the bytes of a file, or raise NotANotebookError."""
    try:
        _require_readable(file.path)
        return file.path.read_bytes()
    except OSError as error:
        raise NotANotebookError(f"the file cannot be read: {error.strerror}") from error


def contents(data):
    """Return [(name, source)] of a notebook's code cells, and its `Identity`."""
    try:
        text = data.decode("utf-8-sig")
        if not text.strip():
            raise NotANotebookError("the file is empty")
        notebook = json.loads(text)
        found = notebook["cells"]
        sources = [source(cell) for cell in found if cell["cell_type"] == "code"]
        told = identity.read(notebook)
    except NotANotebookError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotANotebookError("the file is not a notebook") from error
    return [(f"cell {place}", text) for place, text in enumerate(sources, 1)], told


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
