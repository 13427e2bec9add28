"""Describe an exception by the line of the reader's own code."""

import linecache
import os
import re
import sys
import sysconfig
import traceback
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Failure:
    """An exception in the reader's code."""

    kind: str
    message: str
    line: str = ""
    line_number: int = 0


def failure_of(error, files):
    """Describe an exception by the deepest line in the reader's files."""
    if isinstance(error, SyntaxError) and error.filename in files:
        line, number = error.text or "", error.lineno or 0
    else:
        frame = _readers_frame(error, files)
        line = linecache.getline(frame.filename, frame.lineno) if frame else ""
        number = frame.lineno if frame else 0
    return Failure(type(error).__name__, _first_words(error), line.strip(), number)


def _readers_frame(error, files):
    """Return the deepest frame in the reader's files, else in no library's."""
    libraries = _library_folders()
    # A library's function can be handed in, too, but its file is not the reader's.
    frames = [
        frame
        for frame in reversed(traceback.extract_tb(error.__traceback__))
        if not frame.filename.startswith(libraries)
    ]
    in_files = [frame for frame in frames if frame.filename in files]
    return next(iter(in_files or frames), None)


def _library_folders():
    """Return the folders of code that the reader did not write, each with a slash.

    In the sandbox, Python is not the virtual environment's, but its packages are on the
    path.
    """
    folders = list(_known_folders())
    for entry in filter(lambda entry: isinstance(entry, str), sys.path):
        folder = entry.rstrip(os.sep)
        if os.path.basename(folder) in ("site-packages", "dist-packages"):
            folders.append(folder)
    return tuple(os.path.join(folder, "") for folder in folders)


@cache
def _known_folders():
    paths = sysconfig.get_paths()
    ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    return paths["stdlib"], paths["purelib"], paths["platlib"], ours


def _first_words(error):
    """Shorten a library's message to its first meaningful line."""
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:  # the reader's own exception may fail to give a message
        return "its message cannot be shown"
    message = re.sub(r"\x1b\[[0-9;]*m", "", message)
    message = re.sub(r"^Exception encountered when calling [^\n]*\n+", "", message)
    message = re.sub(r"\{\{function_node [^}]*\}\}\s*", "", message)
    message = re.sub(r"\s*\[Op:\w+\](\s*name:)?", "", message)
    line = message.strip().partition("\n")[0].strip()
    return line if len(line) <= 160 else line[:157] + "…"
