"""Read what was handed in: which files, whose, and which cells there are to run."""

import codecs
import errno
import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from exercises.engine.exercise import FRAMEWORKS
from exercises.engine.notebooks import source
from exercises.engine.programs import prelude
from exercises.engine.registry import find as find_exercise
from exercises.engine.solution_lock import number_of
from exercises.marking.names import (
    Person,
    fitting,
    group_of,
    labelled,
    one_line,
    owner,
    whose,
    with_id,
)
from exercises.marking.release import SETUP
from exercises.marking.release_identity import Identity, identity_of

MOST_BYTES = 20 * 2**20  # of a file
_MOST_TOGETHER = 2 * MOST_BYTES  # of one student's notebooks
NOTHING = "nothing handed in"
_ALONE = "hand in only the notebook to be marked, with its outputs cleared"
_TOO_LARGE = f"the file is larger than {MOST_BYTES >> 20} MB: {_ALONE}"
_MOST_NAMES, _LONGEST = 4, 100  # in a note; characters of a name
_ENCRYPTED = 1  # the flag of a zip's member
_MOST_NOTEBOOKS, _MOST_MEMBERS = 50, 10_000  # by one student; of a zip
# What systems, file managers, Office and Jupyter keep for themselves; and folders of a
# zip. A stream, such as "a.ipynb:Zone.Identifier", is a file of its own where it was
# copied to, and its colon, as the end of "Icon\r", another sign, or gone.
_HIDDEN = re.compile(
    r"""(^|/)(\.[^./] | ~\$
        | (__MACOSX | \$RECYCLE\.BIN | System\ Volume\ Information | lost\+found
            | @eaDir | [#@]recycle | \#snapshot)(/|$)
        | ((eh)?thumbs(_vista)?\.db | desktop\.ini | Icon[\r\uf00d])$)
    | Zone.?Identifier(:\$DATA)?$
    | \.(ipynb|zip|db)[:\uf03a\uf022][^/\s]+(?<!\.ipynb)(?<!\.zip)$
    | \.\w+~$
    | /$""",
    re.IGNORECASE | re.VERBOSE,
)
_ANY = Identity()  # no release: one notebook is as good as another
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


_NO_NOTEBOOK = "the file is not a notebook"
# The first bytes of what is handed in under a notebook's name.
_OTHER_KINDS = {
    b"PK\3\4": "a zip",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF",
    b"version https://git-lfs": "a pointer of Git LFS to a file that was not fetched",
}
_SETUP = SETUP.partition("\n")[0]  # whatever version it installs
_VARIANT = re.compile(r'^check\("[\w.]+", \w+, variant=(\d{1,15})\b', re.MULTILINE)
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})(?=\s)", re.MULTILINE)


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
        return _name(_slashed(self.member) or self.path.name)

    def read(self):
        """Return its bytes, so many and no more: a zip is never unpacked."""
        if not self.member:
            with _opened(self.path) as file:
                return file.read(MOST_BYTES + 1)
        try:
            with (
                _opened(self.path) as zipped,
                ZipFile(zipped) as archive,
            ):
                if archive.getinfo(self.member).flag_bits & _ENCRYPTED:
                    told = f"{self.name()} has a password: wanted a zip without one"
                    raise NotANotebookError(told)
                with archive.open(self.member) as file:
                    data = file.read(MOST_BYTES + 1)
        except NotANotebookError:
            raise
        except Exception as error:  # there are many ways to be damaged
            told = f"{self.name()} is damaged or may not be read"
            raise NotANotebookError(told) from error
        if len(data) > MOST_BYTES:
            raise NotANotebookError(_TOO_LARGE)
        return data

    def whole(self):
        """Return its bytes; none where they may not be read, or are too many."""
        try:
            _require_readable(self.path)
            return self.read()
        except (OSError, NotANotebookError):
            return b""


def _opened(path):
    """Open a file to read it, but neither a link nor a pipe, which never ends.

    Where students may write into the folder, it can have taken a file's place.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file any more")
    return os.fdopen(descriptor, "rb")


def find(folder, apart=(), release=_ANY, roster=(), groups=None):
    """Return the submissions of a folder, one for each student.

    A student is a file or a folder, named as people or learning platforms name them.

    Args:
        folder: what was handed in.
        apart: what is in the folder, too, and was not handed in.
        release: the one that is marked: it tells which of several notebooks counts.
        roster: the class. It comes first, in its order, with those who are missing.
        groups: {name: members}, whose file has the group's name and is of each of them.
    """
    folder, groups = Path(folder), groups or {}
    apart = set(map(_place, apart))
    if not folder.is_dir():
        raise ValueError(f"folder is {folder}: wanted one that exists")
    handed_in, others, notes = {labelled(one): [] for one in roster}, {}, {}
    entries = list(_entries(folder, apart))
    for path, theirs in entries:
        person = Person(*map(_name, owner(path)))
        teams = group_of(person, groups, exactly=True)
        fits = [] if teams else fitting(person, roster)
        if not teams and len(fits) != 1 and not person.id:
            teams = group_of(person, groups, exactly=False)
        if len(teams) == 1:
            students = [*map(labelled, groups[teams[0]])]
            told = f"handed in by the group {teams[0]}"
        elif len(fits) == 1:
            students, told = [labelled(fits[0])], ""
        else:
            student = with_id(person) or "\ufffd"
            students = [others.setdefault(student.lower(), student)]
            told = _off_the_roster(teams or fits, roster)
        for student in students:
            handed_in.setdefault(student, []).extend(theirs)
            notes.setdefault(student, {}).update(dict.fromkeys(filter(None, [told])))
    students = [*map(labelled, roster), *(others[same] for same in sorted(others))]
    alone = entries[0][0].name if len(entries) == 1 else ""
    where = _Where(folder, roster, alone)
    return [
        _of(student, handed_in[student], release, where, tuple(notes.get(student, ())))
        for student in dict.fromkeys(students)
    ]


def is_left_behind(name):
    """Whether a system or a program has left a file of this name, and no student."""
    return bool(_HIDDEN.search(_slashed(name)))


def _entries(folder, apart):
    """Yield (path, files) of each entry of a folder that was handed in."""
    for path in sorted(folder.iterdir()):
        if is_left_behind(path.name) or _place(path) in apart:
            continue
        try:
            files = _files(path)
        except (OSError, RecursionError):
            files = [path]
        theirs = [file for file in files if not _is_in(file, apart)]
        if theirs or not files:
            yield path, theirs


def _files(path):
    """Return the files of a folder, or a file; raise OSError where one is not shown."""
    if path.is_symlink() or not path.is_dir():
        return [path]
    return [
        file
        for one in sorted(path.iterdir())
        if not is_left_behind(one.name)
        for file in _files(one)
    ]


def _name(name):
    """Return a file's name as text that can be written down, whatever its bytes."""
    return one_line(os.fsencode(name).decode("utf-8", "replace"))


def _place(path):
    """Return where a path is; of a link, where the link itself is."""
    path = Path(path)
    return path.parent.resolve() / path.name


def _is_in(file, places):
    """Whether a file is one of the places, or in a folder that is."""
    return not places.isdisjoint([_place(file), *_place(file).parents])


def _off_the_roster(fits, roster):
    """Return a note on a file that belongs to none of a roster, or to several."""
    if fits:
        names = (one if isinstance(one, str) else labelled(one) for one in fits)
        few = ", ".join(islice(names, _MOST_NAMES))
        return f"may be of several on the roster: {few}"
    return "not on the roster" if roster else ""


class _Where(NamedTuple):
    """A folder that is marked, its roster, and the name of what it holds, if one."""

    folder: Path
    roster: tuple = ()
    alone: str = ""

    def notes(self, files, problem):
        """Return a note where one student's files look like those of a whole class."""
        notebooks, several = 0, {}
        for file in files:
            if file.name().lower().endswith((".ipynb", ".zip")):
                notebooks += 1
                parts = file.path.relative_to(self.folder).parts
                parts += tuple(filter(None, _slashed(file.member).split("/")))
                for place, part in enumerate(map(_name, parts[1:]), 1):
                    if student := whose(part, self.roster):
                        several.setdefault(student, parts[:place])
                        break
            if len(several) > 1:
                cure = _cure(next(iter(several.values())))
                few = " and ".join(several)
                return [f"holds files of several students, such as {few}: {cure}"]
        if problem and self.alone and (notebooks > 1 or _is_zip(self.alone)):
            return [f"if this is a whole class, {_cure([self.alone])}"]
        return []


def _cure(parts):
    """Return what to do with a folder or zip that is one student, and holds several."""
    zips = [place for place, part in enumerate(parts, 1) if _is_zip(part)]
    name = _name("/".join(parts[: zips[0] if zips else None]))
    return f"unpack {name} first" if zips else f"mark the folder {name} itself"


def _is_zip(name):
    return name.lower().endswith(".zip")


def _of(student, paths, release, where, notes):
    """Return the submission of a student who handed these files in."""
    files = []
    try:
        if any(path.is_dir() and not path.is_symlink() for path in paths):
            raise NotANotebookError("handed in a folder that may not be read")
        files = [file for path in paths for file in _unzipped(path)]
        chosen, others = _chosen(files, release)
        _require_readable(chosen.path)
        if chosen.member:
            chosen.read()
    except NotANotebookError as error:
        notes = (*where.notes(files, error), *notes)
        return Submission(student, None, str(error), notes=notes)
    path, member = chosen
    notes = (*where.notes(files, None), *notes, *others)
    return Submission(student, path, member=member, notes=notes)


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
    told, left = {}, _MOST_TOGETHER  # this process has no limits: keep no cells
    for file in found:
        data = file.whole()
        left -= len(data)
        if left < 0:
            raise NotANotebookError(
                f"handed in {len(found)} notebooks, larger than {_MOST_TOGETHER >> 20} "
                f"MB together: {_ALONE}"
            )
        told[file] = _told(data, release)
    likeness = {file: who.likeness(release) for file, (who, *_) in told.items()}
    most = max(likeness.values())
    alike = [file for file in told if likeness[file] == most]
    untouched = [file for file in alike if told[file][2]]
    alike = [file for file in alike if file not in untouched] or alike
    if len({told[file][1] for file in alike}) > 1:
        number = f"{len(alike)} notebooks{' of this release' * bool(most)}"
        raise NotANotebookError(f"handed in {number}: {_names(alike)}")
    which = {file: f"of {who.name()}" for file, (who, *_) in told.items()}
    which |= dict.fromkeys(untouched, "with nothing filled in")
    return alike[0], [
        f"also handed in {_names([file])}, {which[file]}"
        for file in found
        if file not in alike
    ]


def _told(data, release):
    """Return (identity, digest, whether nothing is filled in) of a notebook's bytes."""
    try:
        cells, who = contents(data)
    except NotANotebookError:
        cells, who = [], Identity()
    return who, digest_of(data), _is_untouched(cells, release)


def _is_untouched(cells, release):
    """Whether a notebook is as it was released, such as the one its student copied."""
    asked = (found for _, text in cells for found in _VARIANT.finditer(text))
    variant = number_of(int(next(asked, [0, 0])[1]))
    starters = {
        _bare(exercise.renamed(exercise.starter_in(name, variant), name))
        for exercise in map(find_exercise, release.exercises)
        for name in (("python",) if exercise.one_starter else exercise.frameworks)
    }
    return bool(cells) and all(
        _is_ours(text) or _bare(text) in starters or text.startswith(_SETUP)
        for _, text in cells
    )


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
    if not _is_zip(path.name) or not path.is_file() or path.is_symlink():
        return [_File(path)]
    _require_readable(path)
    try:
        with ZipFile(path) as archive:
            members = archive.infolist()
    except Exception as error:  # there are many ways to be damaged
        raise NotANotebookError(f"{_name(path.name)} is damaged") from error
    # Others may take any amount of memory to unpack; what has a password is not read.
    usual = all(
        one.compress_type in (ZIP_STORED, ZIP_DEFLATED) or one.flag_bits & _ENCRYPTED
        for one in members
    )
    if not usual or len(members) > _MOST_MEMBERS:
        raise NotANotebookError(f"{_name(path.name)} is not an ordinary zip")
    names = {_slashed(one.filename): one.filename for one in members}  # the last counts
    inside = [_File(path, one) for one in names.values() if not is_left_behind(one)]
    return inside or [_File(path)]


def _slashed(name):
    """Return a path with the usual separators, which some zips of Windows lack."""
    return name.replace("\\", "/")


def contents(data):
    """Return [(name, source)] of a notebook's code cells, and its `Identity`.

    Raises NotANotebookError with what a student has to mend.
    """
    notebook = _notebook(data)
    try:
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        named = [(f"cell {place}", cell) for place, cell in enumerate(cells, 1)]
        for name, cell in named:
            if not isinstance(cell.get("source", ""), (str, list)):
                told = f"{name} has {json.dumps(cell['source']):.20} as its source"
                raise NotANotebookError(f"{_NO_NOTEBOOK}: {told}, wanted text")
        return [(name, source(cell)) for name, cell in named], identity_of(notebook)
    except (TypeError, KeyError, AttributeError) as error:
        told = f"{_NO_NOTEBOOK}: its cells are missing or damaged"
        raise NotANotebookError(told) from error


def _notebook(data):
    """Return a file's bytes as a notebook, one of an older format as a present one."""
    for sign, kind in _OTHER_KINDS.items():
        if data.startswith(sign):
            raise NotANotebookError(f"{_NO_NOTEBOOK}, but {kind}")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in data[:4]:
        raise NotANotebookError(f"{_NO_NOTEBOOK}: it is UTF-16 or binary, not UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        told = f"{_NO_NOTEBOOK}: line {line} is in another encoding than UTF-8"
        raise NotANotebookError(told) from error
    if not text.strip():
        raise NotANotebookError("the file is empty")
    try:
        notebook = json.loads(text)
    except RecursionError as error:
        raise NotANotebookError(f"{_NO_NOTEBOOK}: it is nested too deep") from error
    except ValueError as error:
        raise NotANotebookError(f"{_NO_NOTEBOOK}{_no_json(text, error)}") from error
    if isinstance(notebook, dict) and "cells" not in notebook:
        return _of_format_3(notebook)
    return notebook


def _no_json(text, error):
    """Return why a text is no notebook: what it is, or where it breaks."""
    if text.lstrip()[:1] == "<" and "<html" in text.lower():
        return ", but a web page (HTML)"
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return f": git left a conflict at line {line}"
    line = f" at line {error.lineno}" if hasattr(error, "lineno") else ""
    return f": it is no JSON{line} ({getattr(error, 'msg', error)})"


def _of_format_3(notebook):
    """Return a notebook of nbformat 3 with its cells as nbformat 4 has them.

    Source: https://nbformat.readthedocs.io/en/latest/changelog.html, 4.0
    """
    try:
        sheets = notebook["worksheets"]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        cells = [{"source": cell.get("input", ""), **cell} for cell in cells]
    except (TypeError, KeyError, AttributeError):
        cells = None  # told where cells are read
    return {**notebook, "cells": cells}


def worth_running(cells, exercises, variant):
    """Leave out starters that stayed as they were, and frameworks that only they need.

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


def _starters(exercise, variant):
    """Return {starter: a line for which the check says that nothing was attempted}."""
    return {
        _bare(exercise.renamed(exercise.starter_in(name, variant), name)): (
            f"{exercise.name_in(name)} = ..."
        )
        for name in exercise.frameworks
    }


def answered_apart(cells, exercise_id, exercise, variant):
    """Whether an answer stands below the check that should hand it in, or without one.

    In Jupyter a check may have run after a cell that stands below it.
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
