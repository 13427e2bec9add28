"""Open what was handed in: files of a folder, and members of zips."""

import errno
import os
import re
import stat
from pathlib import Path
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from exercises.marking.notebook_bytes import NotANotebookError
from exercises.marking.roster import one_line

MOST_BYTES = 20 * 2**20  # of a file
ALONE = "hand in only the notebook to be marked, with its outputs cleared"
_TOO_LARGE = f"the file is larger than {MOST_BYTES >> 20} MB: {ALONE}"
_ENCRYPTED = 1  # the flag of a zip's member
_MOST_MEMBERS = 10_000  # of a zip
# Files that systems, file managers, Office and Jupyter keep for themselves, and a zip's
# folders. Copying may turn a stream such as "a.ipynb:Zone.Identifier" into a file, and
# its colon, or the end of "Icon\r", into another character or none.
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


class HandedInFile(NamedTuple):
    """A file in the folder, or a member of a zip."""

    path: Path
    member: str = ""

    def name(self):
        return name_as_text(slashed(self.member) or self.path.name)

    def read(self):
        """Return its first `MOST_BYTES` + 1 bytes; a zip is never unpacked."""
        if not self.member:
            with _opened(self.path) as file:
                return file.read(MOST_BYTES + 1)
        try:
            with _opened(self.path) as zipped, ZipFile(zipped) as archive:
                if archive.getinfo(self.member).flag_bits & _ENCRYPTED:
                    raise NotANotebookError(
                        f"{self.name()} has a password: wanted a zip without one"
                    )
                with archive.open(self.member) as file:
                    data = file.read(MOST_BYTES + 1)
        except NotANotebookError:
            raise
        except Exception as error:  # there are many ways to be damaged
            raise NotANotebookError(
                f"{self.name()} is damaged or may not be read"
            ) from error
        if len(data) > MOST_BYTES:
            raise NotANotebookError(_TOO_LARGE)
        return data

    def whole(self):
        """Return all its bytes; b"" where it may not be read or is too large."""
        try:
            require_readable(self.path)
            return self.read()
        except (OSError, NotANotebookError):
            return b""


def _opened(path):
    """Open a file for reading, but refuse a link and a pipe, which never ends.

    Students who may write into the folder can put one in a file's place at any moment.
    """
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no file any more")
    return os.fdopen(descriptor, "rb")


def require_readable(path):
    """Raise NotANotebookError unless this is a file that can be read as a whole."""
    if path.is_symlink():
        raise NotANotebookError("handed in a link, not a file")
    if not path.is_file():
        raise NotANotebookError("handed in something that is not a file")
    if not os.access(path, os.R_OK):
        raise NotANotebookError("handed in a file that may not be read")
    if path.stat().st_size > MOST_BYTES:
        raise NotANotebookError(_TOO_LARGE)


def files_of(path):
    """Return all files in a folder, or a file itself; raise OSError if it is closed."""
    if path.is_symlink() or not path.is_dir():
        return [path]
    return [
        file
        for one in sorted(path.iterdir())
        if not is_left_behind(one.name)
        for file in files_of(one)
    ]


def unzipped(path):
    """Return the members of a zip, which stay in it, or another file itself."""
    if not is_zip(path.name) or not path.is_file() or path.is_symlink():
        return [HandedInFile(path)]
    require_readable(path)
    try:
        with ZipFile(path) as archive:
            members = archive.infolist()
    except Exception as error:  # there are many ways to be damaged
        raise NotANotebookError(f"{name_as_text(path.name)} is damaged") from error
    # Other compressions may take any amount of memory. Encrypted members are not read.
    is_ordinary = all(
        one.compress_type in (ZIP_STORED, ZIP_DEFLATED) or one.flag_bits & _ENCRYPTED
        for one in members
    )
    if not is_ordinary or len(members) > _MOST_MEMBERS:
        raise NotANotebookError(f"{name_as_text(path.name)} is not an ordinary zip")
    names = {slashed(one.filename): one.filename for one in members}  # the last counts
    kept = [name for name in names.values() if not is_left_behind(name)]
    return [HandedInFile(path, name) for name in kept or [""]]


def is_left_behind(name):
    """Whether a system or a program, not a student, left a file of this name."""
    return bool(_HIDDEN.search(slashed(name)))


def is_zip(name):
    return name.lower().endswith(".zip")


def name_as_text(name):
    """Return a file's name as printable text, whatever its bytes."""
    return one_line(os.fsencode(name).decode("utf-8", "replace"))


def slashed(name):
    """Return a path with slashes; some zips from Windows have backslashes."""
    return name.replace("\\", "/")
