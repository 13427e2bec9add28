"""Read and write notebooks, and put exercises and questions into a chapter's."""

import json
import re
from pathlib import Path

from exercises.engine.atomic_write import write_whole
from exercises.engine.cells import CHECK, question, section
from exercises.engine.question import LEAD
from exercises.engine.registry import find_question, stem

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

    Questions stay where their checks stand. Unchanged cells keep their outputs.
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
    notebook["cells"] = with_questions(notebook["cells"])
    write(path, notebook)


def question_in(cell):
    """Return the name of the question that a code cell checks, or None."""
    check = CHECK.search(source(cell)) if cell["cell_type"] == "code" else None
    return check[1] if check and find_question(check[1]) else None


def with_questions(cells):
    """Return the cells with each question's task anew, before its check."""
    kept = []
    for cell in cells:
        if not (name := question_in(cell)):
            kept.append(cell)
            continue
        if kept and source(kept[-1]).startswith(LEAD):
            kept.pop()
        prefix = f"question-{re.sub('[._]', '-', name)}"
        task, check = as_cells(question(name), prefix)
        check |= {name: cell[name] for name in ("outputs", "execution_count")}
        kept += [task, check]
    return kept
