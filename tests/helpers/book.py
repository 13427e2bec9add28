"""The book's notebooks, as the tests read them."""

import ast
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "book"
NOTEBOOKS = sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def markdown_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


def tags(cell):
    return set(cell.metadata.get("tags", []))


def address():
    """Return the published address of the repository, from where it is configured."""
    config = (ROOT / "_config.yml").read_text()
    return re.search(r"^repository:\n  url: (\S+)$", config, re.MULTILINE)[1]


def offered(path):
    """Return the names in a file's `__all__`, or those that a package imports.

    `__all__` may be a list, or a string that is split.
    """
    body = ast.parse(path.read_text()).body
    for node in body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            if isinstance(node.value, ast.Call):
                return ast.literal_eval(node.value.func.value).split()
            return ast.literal_eval(node.value)
    if path.name != "__init__.py":
        return []
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    return [one.asname or one.name for node in imports for one in node.names]
