"""Tell what went wrong in the reader's code, at the reader's own line."""

import linecache
import os
import re
import sysconfig
import traceback
from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """An exception in the reader's code."""

    kind: str
    message: str
    line: str = ""
    line_number: int = 0


def failure_of(error, files):
    """Describe an exception, by the deepest line that stands in the reader's files."""
    if isinstance(error, SyntaxError) and error.filename in files:
        line, number = error.text or "", error.lineno or 0
    else:
        frame = _readers_frame(error, files)
        line = linecache.getline(frame.filename, frame.lineno) if frame else ""
        number = frame.lineno if frame else 0
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return Failure(type(error).__name__, _first_words(message), line.strip(), number)


def _readers_frame(error, files):
    """Return the deepest frame in the reader's files, else in no library's."""
    frames = traceback.extract_tb(error.__traceback__)
    for frame in reversed(frames):
        if frame.filename in files:
            return frame
    libraries = tuple(
        sysconfig.get_paths()[key] for key in ("stdlib", "purelib", "platlib")
    )
    here = os.path.dirname(os.path.abspath(__file__))
    for frame in reversed(frames):
        if not frame.filename.startswith((*libraries, here)):
            return frame
    return None


def _first_words(message):
    """Shorten a library's message to its first telling line."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", message)
    message = re.sub(r"^Exception encountered when calling [^\n]*\n+", "", message)
    message = re.sub(r"\{\{function_node [^}]*\}\}\s*", "", message)
    line = message.strip().partition("\n")[0].strip()
    return line if len(line) <= 160 else line[:157] + "…"
