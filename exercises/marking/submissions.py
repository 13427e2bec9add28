"""Read what was handed in: which files, whose, and which cells there are to run."""

import hashlib
import json
import os
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.notebooks import source
from exercises.engine.programs import prelude
from exercises.marking import identity
from exercises.marking.identity import Identity
from exercises.marking.names import Person, fitting, labels, owner

MOST_BYTES = 20 * 2**20
NOTHING = "nothing handed in"
_TOO_LARGE = f"the file is larger than {MOST_BYTES >> 20} MB"
_MOST_NAMES, _LONGEST = 4, 100  # in a note; characters of a name
_MOST_NOTEBOOKS, _MOST_MEMBERS = 50, 10_000  # by one student; of a zip
# What file managers and Jupyter keep for themselves; and, in a zip, folders.
_HIDDEN = re.compile(r"(^|/)(\.[^./]|__MACOSX(/|$))|/$")
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
        """Return the notebook's bytes: they may be others a moment later.

        Raises:
            OSError, NotANotebookError: when they cannot be read any more.
        """
        return _File(self.path, self.member).read()

    def digest(self):
        """Return what tells this file from a later one; "" where it is gone."""
        try:
            return self.problem or digest_of(self.read())
        except (OSError, NotANotebookError):
            return ""


def digest_of(data):
    """Return what tells the bytes of a file from others."""
    return hashlib.sha256(data).hexdigest()


class _File(NamedTuple):
    """A file in the folder, or a member of a zip."""

    path: Path
    member: str = ""

    def name(self):
        return _name(self.member or self.path.name)

    def read(self):
        """Return its bytes, so many and no more: a zip is never unpacked."""
        if not self.member:
            with self.path.open("rb") as file:
                return file.read(MOST_BYTES + 1)
        try:
            with ZipFile(self.path) as archive, archive.open(self.member) as file:
                data = file.read(MOST_BYTES + 1)
        except Exception as error:  # there are many ways to be damaged
            told = f"{self.name()} is damaged or may not be read"
            raise NotANotebookError(told) from error
        if len(data) > MOST_BYTES:
            raise NotANotebookError(_TOO_LARGE)
        return data

    def told(self):
        """Return (identity, digest), as far as it can be read."""
        identity, digest = Identity(), ""
        try:
            _require_readable(self.path)
            data = self.read()
            digest = digest_of(data)
            identity = contents(data)[1]
        except (OSError, NotANotebookError):
            pass
        return identity, digest


def find(folder, apart=(), release=_ANY, roster=()):
    """Return the submissions of a folder, one for each student.

    A student is a file or a folder, named as people or learning platforms name them.

    Args:
        folder: what was handed in.
        apart: what is in the folder, too, and was not handed in.
        release: the one that is marked: it tells which of several notebooks counts.
        roster: the class. It comes first, in its order, with those who are missing.
    """
    folder = Path(folder)
    apart = set(map(_place, apart))
    if not folder.is_dir():
        raise ValueError(f"folder is {folder}: wanted one that exists")
    handed_in, others, notes = {one: [] for one in roster}, {}, {}
    for path in sorted(folder.iterdir()):
        if _HIDDEN.search(path.name) or _place(path) in apart:
            continue
        try:
            files = _files(path)
        except (OSError, RecursionError):
            files = [path]
        theirs = [file for file in files if not _is_in(file, apart)]
        if theirs or not files:
            person = Person(*map(_name, owner(path)))
            fits = fitting(person, roster)
            if len(fits) == 1:
                person = fits[0]
            else:
                same = person.name.lower(), person.id
                person = others.setdefault(same, person)
                notes[person] = _off_the_roster(fits, roster)
            handed_in.setdefault(person, []).extend(theirs)
    people = [*roster, *(others[same] for same in sorted(others))]
    return [
        _of(student, handed_in[person], release, notes.get(person, ()))
        for person, student in labels(people).items()
    ]


def _files(path):
    """Return the files of a folder, or a file; raise OSError where one is not shown."""
    if path.is_symlink() or not path.is_dir():
        return [path]
    inside = [one for one in sorted(path.iterdir()) if not _HIDDEN.search(one.name)]
    return [file for one in inside for file in _files(one)]


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


def _off_the_roster(fits, roster):
    """Return notes for a file that belongs to none of a roster, or to several."""
    if fits:
        people = ", ".join(f"{one.name} ({one.id})" for one in fits[:_MOST_NAMES])
        return (f"may be of several on the roster: {people}",)
    return ("not on the roster",) if roster else ()


def _of(student, paths, release, notes):
    """Return the submission of a student who handed these files in."""
    try:
        if any(path.is_dir() and not path.is_symlink() for path in paths):
            raise NotANotebookError("handed in a folder that may not be read")
        files = [file for path in paths for file in _unzipped(path)]
        chosen, others = _chosen(files, release)
        _require_readable(chosen.path)
        if chosen.member:
            chosen.read()
    except NotANotebookError as error:
        return Submission(student, None, str(error), notes=notes)
    path, member = chosen
    return Submission(student, path, member=member, notes=(*notes, *others))


def _chosen(files, release):
    """Return the one notebook of a release, and notes on the others."""
    found = [file for file in files if file.name().lower().endswith(".ipynb")]
    if not files:
        raise NotANotebookError(NOTHING)
    if not found:
        raise NotANotebookError(f"handed in no notebook (.ipynb), but {_names(files)}")
    if len(found) == 1:
        return found[0], []
    if len(found) > _MOST_NOTEBOOKS:
        raise NotANotebookError(f"handed in {len(found)} notebooks: {_names(found)}")
    told = {file: file.told() for file in found}
    likeness = {file: who.likeness(release) for file, (who, _) in told.items()}
    most = max(likeness.values())
    alike = [file for file in told if likeness[file] == most]
    if len({told[file][1] for file in alike}) > 1:
        number = f"{len(alike)} notebooks{' of this release' * bool(most)}"
        raise NotANotebookError(f"handed in {number}: {_names(alike)}")
    return alike[0], [
        f"also handed in {_names([file])}, of {told[file][0].name()}"
        for file in found
        if file not in alike
    ]


def _names(files):
    more = f" and {len(files) - _MOST_NAMES} more" * (len(files) > _MOST_NAMES)
    return ", ".join(file.name()[:_LONGEST] for file in files[:_MOST_NAMES]) + more


def _require_readable(path):
    """Raise NotANotebookError unless this is a file that may be read as a whole."""
    if path.is_symlink():
        raise NotANotebookError("handed in a link, not a file")
    if not path.is_file():
        raise NotANotebookError("handed in something that is not a file")
    if not os.access(path, os.R_OK):
        raise NotANotebookError("handed in a file that may not be read")
    if path.stat().st_size > MOST_BYTES:
        raise NotANotebookError(_TOO_LARGE)


def _unzipped(path):
    """Return the files of a zip, which stay in it; of another file, this file."""
    if path.suffix.lower() != ".zip" or not path.is_file() or path.is_symlink():
        return [_File(path)]
    _require_readable(path)
    try:
        with ZipFile(path) as archive:
            members = archive.infolist()
    except Exception as error:  # there are many ways to be damaged
        raise NotANotebookError(f"{_name(path.name)} is damaged") from error
    # Others may take any amount of memory to unpack.
    usual = all(one.compress_type in (ZIP_STORED, ZIP_DEFLATED) for one in members)
    if not usual or len(members) > _MOST_MEMBERS:
        raise NotANotebookError(f"{_name(path.name)} is not an ordinary zip")
    names = dict.fromkeys(one.filename for one in members)
    inside = [_File(path, name) for name in names if not _HIDDEN.search(name)]
    return inside or [_File(path)]


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
