"""Find the submissions of a folder: whose each file is, and which one is marked."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from exercises.marking.cells_to_run import is_untouched
from exercises.marking.handed_in_files import (
    ALONE,
    MOST_BYTES,
    HandedInFile,
    files_of,
    is_left_behind,
    is_zip,
    name_as_text,
    require_readable,
    slashed,
    unzipped,
)
from exercises.marking.name_matching import fitting, group_of, owner, whose
from exercises.marking.notebook_bytes import NotANotebookError, contents, digest_of
from exercises.marking.release_identity import Identity
from exercises.marking.roster import Person, labelled, with_id

_MOST_TOGETHER = 2 * MOST_BYTES  # of one student's notebooks
NOTHING = "nothing handed in"
_MOST_NAMES, _LONGEST = 4, 100  # in a note; characters of a name
_MOST_NOTEBOOKS = 50  # by one student
_ANY = Identity()  # of no release: any notebook will do


@dataclass(frozen=True)
class Submission:
    """One student's notebook, or the problem with what was handed in.

    A notebook may be a member of a zip, which is never unpacked.
    """

    student: str
    path: Path | None
    problem: str = ""
    member: str = ""
    notes: tuple[str, ...] = ()

    def read(self):
        """Return the notebook's bytes, which may change at any moment.

        Raises:
            OSError, NotANotebookError: when they can no longer be read.
        """
        return HandedInFile(self.path, self.member).read()

    def digest(self):
        """Return a digest that tells this file from a later one; "" if it is gone."""
        try:
            return self.problem or digest_of(self.read())
        except (OSError, NotANotebookError):
            return ""


def find(folder, apart=(), release=_ANY, roster=(), groups=None):
    """Return the submissions of a folder, one for each student.

    Each student has a file or a folder, named by hand or by a learning platform.

    Args:
        folder: what was handed in.
        apart: files in the folder that were not handed in.
        release: the release that is marked, which decides between several notebooks.
        roster: the class. It comes first, in its order, missing students included.
        groups: {name: members}, of which one file, with the group's name, is all's.
    """
    folder, groups = Path(folder), groups or {}
    apart = set(map(_place, apart))
    if not folder.is_dir():
        raise ValueError(f"folder is {folder}: wanted one that exists")
    handed_in, off_roster, notes = {labelled(one): [] for one in roster}, {}, {}
    entries = list(_entries(folder, apart))
    for path, theirs in entries:
        person = Person(*map(name_as_text, owner(path)))
        teams = group_of(person, groups, exactly=True)
        fits = [] if teams else fitting(person, roster)
        if not teams and len(fits) != 1 and not person.id:
            teams = group_of(person, groups, exactly=False)
        if len(teams) == 1:
            students = [*map(labelled, groups[teams[0]])]
            note = f"handed in by the group {teams[0]}"
        elif len(fits) == 1:
            students, note = [labelled(fits[0])], ""
        else:
            student = with_id(person) or "\ufffd"
            students = [off_roster.setdefault(student.lower(), student)]
            note = _off_the_roster(teams or fits, roster)
        for student in students:
            handed_in.setdefault(student, []).extend(theirs)
            notes.setdefault(student, {}).update(dict.fromkeys(filter(None, [note])))
    students = [
        *map(labelled, roster),
        *(off_roster[key] for key in sorted(off_roster)),
    ]
    only_entry = entries[0][0].name if len(entries) == 1 else ""
    place = _Place(folder, roster, only_entry)
    return [
        _of(student, handed_in[student], release, place, tuple(notes.get(student, ())))
        for student in dict.fromkeys(students)
    ]


def _entries(folder, apart):
    """Yield (path, files) of each entry of a folder that was handed in."""
    for path in sorted(folder.iterdir()):
        if is_left_behind(path.name) or _place(path) in apart:
            continue
        try:
            files = files_of(path)
        except (OSError, RecursionError):
            files = [path]
        theirs = [file for file in files if not _is_in(file, apart)]
        if theirs or not files:
            yield path, theirs


def _place(path):
    """Return a path resolved, but for a link at its end."""
    path = Path(path)
    return path.parent.resolve() / path.name


def _is_in(file, places):
    """Whether a file is at one of the places, or in a folder at one."""
    return not places.isdisjoint([_place(file), *_place(file).parents])


def _off_the_roster(fits, roster):
    """Return a note on a file that fits nobody on the roster, or several."""
    if fits:
        names = (one if isinstance(one, str) else labelled(one) for one in fits)
        few = ", ".join(islice(names, _MOST_NAMES))
        return f"may be of several on the roster: {few}"
    return "not on the roster" if roster else ""


class _Place(NamedTuple):
    """A folder that is marked, its roster, and the name of its entry if it has one."""

    folder: Path
    roster: tuple = ()
    only_entry: str = ""

    def notes(self, files, problem):
        """Return a note where one student's files look like a whole class's."""
        notebooks, students = 0, {}
        for file in files:
            if file.name().lower().endswith((".ipynb", ".zip")):
                notebooks += 1
                parts = file.path.relative_to(self.folder).parts
                parts += tuple(filter(None, slashed(file.member).split("/")))
                for place, part in enumerate(map(name_as_text, parts[1:]), 1):
                    if student := whose(part, self.roster):
                        students.setdefault(student, parts[:place])
                        break
            if len(students) > 1:
                cure = _cure(next(iter(students.values())))
                names = " and ".join(students)
                return [f"holds files of several students, such as {names}: {cure}"]
        if problem and self.only_entry and (notebooks > 1 or is_zip(self.only_entry)):
            return [f"if this is a whole class, {_cure([self.only_entry])}"]
        return []


def _cure(parts):
    """Say what to do with one student's folder or zip that holds several students."""
    zips = [place for place, part in enumerate(parts, 1) if is_zip(part)]
    name = name_as_text("/".join(parts[: zips[0] if zips else None]))
    return f"unpack {name} first" if zips else f"mark the folder {name} itself"


def _of(student, paths, release, place, notes):
    """Return the submission of a student who handed in these files."""
    files = []
    try:
        if any(path.is_dir() and not path.is_symlink() for path in paths):
            raise NotANotebookError("handed in a folder that may not be read")
        files = [file for path in paths for file in unzipped(path)]
        chosen, others = _chosen(files, release)
        require_readable(chosen.path)
        if chosen.member:
            chosen.read()
    except NotANotebookError as error:
        notes = (*place.notes(files, error), *notes)
        return Submission(student, None, str(error), notes=notes)
    path, member = chosen
    notes = (*place.notes(files, None), *notes, *others)
    return Submission(student, path, member=member, notes=notes)


def _chosen(files, release):
    """Return the notebook of a release, and notes on the other notebooks."""
    notebooks = [file for file in files if file.name().lower().endswith(".ipynb")]
    if not files:
        raise NotANotebookError(NOTHING)
    if not notebooks:
        raise NotANotebookError(f"handed in no notebook (.ipynb), but {_names(files)}")
    if len(notebooks) == 1:
        return notebooks[0], []
    handed_in = f"handed in {len(notebooks)} notebooks"
    if len(notebooks) > _MOST_NOTEBOOKS:
        raise NotANotebookError(f"{handed_in}: {_names(notebooks)}")
    # This process has no memory limit, so no cells are kept.
    about, left = {}, _MOST_TOGETHER
    for file in notebooks:
        data = file.whole()
        left -= len(data)
        if left < 0:
            raise NotANotebookError(
                f"{handed_in}, larger than {_MOST_TOGETHER >> 20} MB together: {ALONE}"
            )
        about[file] = _about(data, release)
    likeness = {file: one.identity.likeness(release) for file, one in about.items()}
    most = max(likeness.values())
    alike = [file for file in about if likeness[file] == most]
    untouched = [file for file in alike if about[file].is_untouched]
    alike = [file for file in alike if file not in untouched] or alike
    if len({about[file].digest for file in alike}) > 1:
        number = f"{len(alike)} notebooks{' of this release' * bool(most)}"
        raise NotANotebookError(f"handed in {number}: {_names(alike)}")
    which = {file: f"of {one.identity.name()}" for file, one in about.items()}
    which |= dict.fromkeys(untouched, "with nothing filled in")
    return alike[0], [
        f"also handed in {_names([file])}, {which[file]}"
        for file in notebooks
        if file not in alike
    ]


class _About(NamedTuple):
    """What decides between several notebooks of one student."""

    identity: Identity
    digest: str
    is_untouched: bool


def _about(data, release):
    try:
        cells, identity = contents(data)
    except NotANotebookError:
        cells, identity = [], Identity()
    return _About(identity, digest_of(data), is_untouched(cells, release))


def _names(files):
    more = f" and {len(files) - _MOST_NAMES} more" * (len(files) > _MOST_NAMES)
    return ", ".join(file.name()[:_LONGEST] for file in files[:_MOST_NAMES]) + more
