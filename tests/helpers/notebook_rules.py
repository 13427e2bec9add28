"""Rules for chapters: each takes a notebook and returns what breaks the rule."""

import ast
import re
from itertools import groupby

from helpers.book import code_cells, markdown_cells, tags

from IPython.core.inputtransformer2 import TransformerManager

SIDES = ("pytorch", "tensorflow")
NARROW, WIDE = 62, 88
TAGS = {*SIDES, "setup", "experiment", "exercise", "question"}
TAGS |= {"hide-input", "prose", "nbval-ignore-output"}  # how it is shown and compared
TAGS |= {"slide", "slide-output", "slide-first", "slide-bold", "slide-last"}
TAGS |= {"sheet", "sheet-open", "sheet-first", "sheet-bold", "sheet-last"}  # in class
# Limits of a set-up cell, which is open in Colab.
MOST_LINES, MOST_NAMES = 25, 20
OURS = {"scratch", "readymade", "exercises"}
SETUP = """\
# Install the book's module where it is missing (in Colab, for example).
try:
    import scratch
except ImportError:
    %pip install --quiet "git+{address}"
    import scratch"""


def opening(notebook, number):
    """A chapter begins with its number, its title and an overview in three bullets."""
    first, *others = markdown_cells(notebook)
    if notebook.cells[0] is not first:
        return ["the first cell is not the title"]
    found = []
    if not first.source.startswith(f"# {number} "):
        found.append(f"the title does not begin with '# {number} '")
    if len(re.findall(r"^[-*] ", first.source, re.MULTILINE)) != 3:
        found.append("the overview does not have three bullets")
    if any(re.search(r"^# ", cell.source, re.MULTILINE) for cell in others):
        found.append("there is a second title")
    return found


def setup_cell(notebook, address):
    """The first code cell, and no other, begins with the set-up of all chapters.

    A few imports follow it; the others are in the cells that first use them.
    """
    first, *others = code_cells(notebook)
    found = []
    if not (first.source + "\n").startswith(SETUP.format(address=address) + "\n"):
        found.append("the first code cell does not begin with the set-up")
    # What it prints depends on whether it had to install.
    if tags(first) != {"setup", "nbval-ignore-output"}:
        found.append("the set-up cell is not tagged setup and nbval-ignore-output")
    if any("setup" in tags(cell) for cell in others):
        found.append("there is a second set-up cell")
    if len(first.source.splitlines()) > MOST_LINES:
        found.append(f"the set-up cell has more than {MOST_LINES} lines")
    if len(own_names(first)) > MOST_NAMES:
        found.append(f"the set-up cell imports more than {MOST_NAMES} names of ours")
    return found


def own_names(cell):
    """Return what a cell imports from the book's own packages."""
    names = set()
    for node in ast.walk(ast.parse(TransformerManager().transform_cell(cell.source))):
        if isinstance(node, ast.ImportFrom) and node.module.partition(".")[0] in OURS:
            names |= {name.name for name in node.names}
        elif isinstance(node, ast.Import):
            modules = {name.name for name in node.names}
            names |= {name for name in modules if name.partition(".")[0] in OURS}
    return names


def known_tags(notebook):
    """Every tag means something to the pages, the tests or the exercises."""
    return sorted({tag for cell in notebook.cells for tag in tags(cell)} - TAGS)


def width(notebook):
    """Lines in a column fit into the column, other lines into the page."""
    return [
        line
        for cell in code_cells(notebook)
        for line in cell.source.splitlines()
        if len(line) > (NARROW if tags(cell) & set(SIDES) else WIDE)
    ]


def sides(notebook):
    """Beside each cell in one framework is a cell in the other."""

    def side(cell):
        return cell.cell_type == "code" and bool(tags(cell) & set(SIDES))

    found = []
    for is_side, run in groupby(notebook.cells, key=side):
        cells = list(run)
        counts = [sum(name in tags(cell) for cell in cells) for name in SIDES]
        if is_side and counts[0] != counts[1]:
            found.append(cells[0].source)
    return found


def outputs(notebook):
    """All cells have run, once, in order, without an error or a line on stderr."""
    cells = [cell for cell in code_cells(notebook) if cell.source]
    found = []
    if [cell.execution_count for cell in cells] != list(range(1, len(cells) + 1)):
        found.append("the cells have not been run once from top to bottom")
    for cell in cells:
        for output in cell.outputs:
            if output.output_type == "error" or output.get("name") == "stderr":
                found.append(cell.source)
    return found


def alternative_text(notebook):
    """Every picture says in words what it shows."""
    found = []
    for cell in code_cells(notebook):
        pictures = [
            output
            for output in cell.outputs
            if any(kind.startswith("image/") for kind in output.get("data", {}))
        ]
        alt = cell.metadata.get("alt", [])
        texts = [alt] * len(pictures) if isinstance(alt, str) else alt
        if len(texts) != len(pictures) or not all(text.strip() for text in texts):
            found.append(cell.source)
    return found


def guarded(notebook):
    """A cell whose output is not compared asserts what it claims."""
    found = []
    for cell in code_cells(notebook):
        if "nbval-ignore-output" in tags(cell) and "setup" not in tags(cell):
            program = ast.parse(TransformerManager().transform_cell(cell.source))
            if not any(isinstance(node, ast.Assert) for node in ast.walk(program)):
                found.append(cell.source)
    return found


def metadata(notebook):
    """The notebook's metadata name its language, and nothing else."""
    return sorted(set(notebook.metadata) - {"kernelspec", "language_info"})
