"""Read a notebook's code cells and its release from bytes of any kind."""

import codecs
import hashlib
import json
import re

from exercises.engine.notebooks import source
from exercises.marking.release_identity import identity_of

_NO_NOTEBOOK = "the file is not a notebook"
# The first bytes of other files that are handed in under a notebook's name.
_OTHER_KINDS = {
    b"PK\3\4": "a zip",
    b"\x1f\x8b": "a gzip file",
    b"%PDF": "a PDF",
    b"version https://git-lfs": "a pointer of Git LFS to a file that was not fetched",
}
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})(?=\s)", re.MULTILINE)


class NotANotebookError(ValueError):
    """What was handed in cannot be read as a notebook; the message says why."""


def digest_of(data):
    """Return a digest that tells one file from another."""
    return hashlib.sha256(data).hexdigest()


def contents(data):
    """Return [(name, source)] of a notebook's code cells, and its `Identity`.

    Raises NotANotebookError, which says what the student has to fix.
    """
    notebook = _notebook(data)
    try:
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        named = [(f"cell {place}", cell) for place, cell in enumerate(cells, 1)]
        for name, cell in named:
            if not isinstance(cell.get("source", ""), (str, list)):
                has = f"{name} has {json.dumps(cell['source']):.20} as its source"
                raise NotANotebookError(f"{_NO_NOTEBOOK}: {has}, wanted text")
        return [(name, source(cell)) for name, cell in named], identity_of(notebook)
    except (TypeError, KeyError, AttributeError) as error:
        raise NotANotebookError(
            f"{_NO_NOTEBOOK}: its cells are missing or damaged"
        ) from error


def _notebook(data):
    """Parse a file's bytes as a notebook, and bring an old format up to date."""
    for sign, kind in _OTHER_KINDS.items():
        if data.startswith(sign):
            raise NotANotebookError(f"{_NO_NOTEBOOK}, but {kind}")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in data[:4]:
        raise NotANotebookError(f"{_NO_NOTEBOOK}: it is UTF-16 or binary, not UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise NotANotebookError(
            f"{_NO_NOTEBOOK}: line {line} is in another encoding than UTF-8"
        ) from error
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
    """Say why a text is not a notebook: what it is instead, or where it breaks."""
    if text.lstrip()[:1] == "<" and "<html" in text.lower():
        return ", but a web page (HTML)"
    if conflict := _CONFLICT.search(text):
        line = text.count("\n", 0, conflict.start()) + 1
        return f": git left a conflict at line {line}"
    line = f" at line {error.lineno}" if hasattr(error, "lineno") else ""
    return f": it is no JSON{line} ({getattr(error, 'msg', error)})"


def _of_format_3(notebook):
    """Return a notebook of nbformat 3 with cells as in nbformat 4.

    Source: https://nbformat.readthedocs.io/en/latest/changelog.html, 4.0
    """
    try:
        sheets = notebook["worksheets"]
        cells = [cell for sheet in sheets for cell in sheet["cells"]]
        cells = [{"source": cell.get("input", ""), **cell} for cell in cells]
    except (TypeError, KeyError, AttributeError):
        cells = None  # reported where cells are read
    return {**notebook, "cells": cells}
