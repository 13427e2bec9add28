"""Read and write notebooks, and put exercises into a chapter's notebook."""

import json
from pathlib import Path

from exercises.engine.atomic_write import write_whole
from exercises.engine.cells import section
from exercises.engine.registry import stem

BEGINS, ENDS = "## Exercises", "## Summary"


def read(path):
    """Return a notebook as a dictionary."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write(path, notebook):
    """Write a notebook as Jupyter does."""
    text = json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True)
    write_whole(path, text + "\n")


def source(cell):
    """Return a cell's text, which a notebook stores as lines or as one string."""
    return "".join(cell.get("source", ""))


def tags(cell):
    """Return a cell's tags."""
    return cell.get("metadata", {}).get("tags", [])


def as_cells(described, prefix):
    """Turn (type, text, tags) into a notebook's cells, always in the same way."""
    cells = []
    for place, (kind, text, cell_tags) in enumerate(described):
        cell = {
            "cell_type": kind,
            "id": f"{prefix}-{place}",
            "metadata": {"tags": cell_tags} if cell_tags else {},
            "source": text.splitlines(True),
        }
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    return cells


def notebook_of(cells):
    """Return a notebook of these cells."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def chapter_notebook(chapter, book):
    """Return the path of a chapter's notebook in the book's folder."""
    return Path(book) / f"{stem(chapter)}.ipynb"


def exercises_in(notebook):
    """Return (start, end) of the section "Exercises", or of its place."""
    texts = [source(cell) for cell in notebook["cells"]]
    ends = [n for n, text in enumerate(texts) if text.startswith(ENDS)]
    end = ends[-1] if ends else len(texts)
    begins = [n for n, text in enumerate(texts[:end]) if text.startswith(BEGINS)]
    return (begins[0] if begins else end), end


def place(chapter, path):
    """Write the chapter's exercises into its notebook, before the summary.

    Unchanged cells keep their outputs.
    """
    notebook = read(path)
    start, end = exercises_in(notebook)
    before = {source(cell): cell for cell in notebook["cells"][start:end]}
    cells = as_cells(section(chapter), f"exercises-{chapter.replace('_', '-')}")
    for cell in cells:
        old = before.get(source(cell), {})
        if cell["cell_type"] == "code" and old.get("cell_type") == "code":
            cell |= {name: old[name] for name in ("outputs", "execution_count")}
    notebook["cells"][start:end] = cells
    write(path, notebook)
