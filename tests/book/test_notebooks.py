"""Every chapter keeps the book's form, and every rule of the form can be broken."""

import re

from exercises.engine.question import LEAD

import pytest
from helpers import notebook_rules as rules
from helpers.book import BOOK, NOTEBOOKS, address, read
from helpers.tools import tool
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

reading_time = tool("reading_time")

MEGABYTE = 1_000_000
# What a newcomer reads in one sitting, in minutes.
SITTING = 70
PLACE_TO_STOP = "> **A place to stop.** "


def broken_rules(notebook, number):
    """Return {rule: what breaks it} for the rules that the notebook breaks."""
    broken = {
        "opening": rules.opening(notebook, number),
        "set-up cell": rules.setup_cell(notebook, address()),
        "known tags": rules.known_tags(notebook),
        "width": rules.width(notebook),
        "sides": rules.sides(notebook),
        "outputs": rules.outputs(notebook),
        "alternative text": rules.alternative_text(notebook),
        "guarded": rules.guarded(notebook),
        "metadata": rules.metadata(notebook),
    }
    return {name: what for name, what in broken.items() if what}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_keeps_the_form(path):
    assert broken_rules(read(path), int(path.stem[:2])) == {}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_is_small_enough_to_open_quickly(path):
    assert path.stat().st_size < MEGABYTE


def minutes(path, reader):
    """Return how long a chapter takes to read, as it is told: in steps of five."""
    return 5 * round(reading_time.minutes(read(path).cells, reader) / 5)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tells_how_long_it_takes(path):
    known, new = minutes(path, "known"), minutes(path, "new")
    head = read(path).cells[0].source
    assert f"about {known} minutes if you know the subject, {new} if it is new" in head
    row = rf"\]\({path.name}\) .* \| {known} / {new} \|\n"
    assert re.search(row, (BOOK / "index.md").read_text())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_long_chapter_has_a_place_to_stop(path):
    cells = [cell.source for cell in read(path).cells]
    places = sum(source.startswith(PLACE_TO_STOP) for source in cells)
    assert places == (minutes(path, "new") > SITTING)


def test_reading_time_counts_what_a_reader_of_one_framework_sees():
    printed = new_output("stream", text="one two\n\nthree\n")
    cells = [
        new_markdown_cell("# One two\n\n| a | table |\n\n$$ x $$\n\n"),
        cell("a = 1\n\nb = 2", "pytorch", outputs=[printed]),
        cell("a = 1\n\nb = 2", "tensorflow", outputs=[printed]),
        cell("folded = 1", "hide-input", outputs=[PICTURE]),
        cell("folded = 1", "hide-input", "prose", outputs=[printed]),
        new_markdown_cell("*Figure 1.1. Four words here.*"),
        new_markdown_cell(f"{LEAD}Which of these words is not counted?"),
        cell("check(1)", "question", outputs=[printed]),
        new_markdown_cell("## Exercises\n\nmany words"),
        cell("answer = 1", "exercise"),
        new_markdown_cell("## Summary\n\n[two words](https://example.org)"),
    ]
    counted = {"words": 15, "table words": 2, "formulas": 1, "figures": 1}
    counted |= {"questions": 1}
    assert reading_time.measured(cells) == counted | {"lines": 2, "outputs": 2}
    words = reading_time.minutes([new_markdown_cell("word " * 240)], "known")
    assert words == pytest.approx(1)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_index_asks_what_the_chapter_asks(path):
    question = re.search(r"^\*\*(.+)\*\*$", read(path).cells[0].source, re.MULTILINE)[1]
    assert f"]({path.name}) | {question} |" in (BOOK / "index.md").read_text()


def cell(source, *tags, **parts):
    metadata = {"tags": list(tags), **parts.pop("metadata", {})}
    return new_code_cell(source, metadata=metadata, **parts)


def chapter(*cells):
    """A chapter that keeps every rule, and then these cells."""
    notebook = new_notebook(
        cells=[
            new_markdown_cell("# 3 Attention\n\n- One.\n- Two.\n- Three."),
            cell(rules.SETUP.format(address=address()), "setup", "nbval-ignore-output"),
            cell("torch.ones(2)", "pytorch"),
            cell("tf.ones(2)", "tensorflow"),
            *cells,
        ]
    )
    for count, code in enumerate(rules.code_cells(notebook), start=1):
        code.execution_count = count
    return notebook


PICTURE = new_output("display_data", data={"image/png": "", "text/plain": "<Figure>"})
STDERR = new_output("stream", name="stderr", text="a warning")
ERROR = new_output("error", ename="ValueError", evalue="", traceback=[])


@pytest.mark.parametrize(
    "good",
    [
        cell("x" * 88),
        cell("x" * 62, "experiment"),
        cell("plot()", outputs=[PICTURE], metadata={"alt": "A line that rises."}),
        cell("time()\nassert faster", "nbval-ignore-output"),
        cell("%time fit()\nassert learnt", "nbval-ignore-output"),
        new_markdown_cell("## Masks"),
    ],
)
def test_a_good_chapter_breaks_no_rule(good):
    assert broken_rules(chapter(good), 3) == {}


@pytest.mark.parametrize(
    ("rule", "bad"),
    [
        ("opening", new_markdown_cell("# 4 Multi-head attention")),
        ("set-up cell", cell("import scratch", "setup")),
        ("known tags", cell("1 + 1", "nbval-skip")),
        ("width", cell("x" * 89)),
        ("width", cell("x" * 63, "tensorflow")),
        ("sides", cell("torch.ones(3)", "pytorch")),
        ("outputs", cell("fit()", outputs=[STDERR])),
        ("outputs", cell("fit()", outputs=[ERROR])),
        ("alternative text", cell("plot()", outputs=[PICTURE])),
        (
            "alternative text",
            cell("plot()", outputs=[PICTURE, PICTURE], metadata={"alt": ["One."]}),
        ),
        (
            "alternative text",
            cell("plot()", outputs=[PICTURE], metadata={"alt": " "}),
        ),
        ("guarded", cell("time()", "nbval-ignore-output")),
    ],
)
def test_a_bad_cell_breaks_its_rule(rule, bad):
    assert rule in broken_rules(chapter(bad), 3)


def without_setup(notebook):
    del notebook.cells[1]


def with_another_address(notebook):
    notebook.cells[1].source = rules.SETUP.format(address="https://github.com/a/b")


def with_a_long_setup(notebook):
    notebook.cells[1].source += "\n" * 20 + "import json"


def with_many_names(notebook):
    names = ", ".join(f"name{place}" for place in range(20))
    notebook.cells[1].source += f"\nfrom readymade.views import {names}"


def with_another_number(notebook):
    notebook.cells[0].source = "# 4 Attention\n\n- One.\n- Two.\n- Three."


def with_two_bullets(notebook):
    notebook.cells[0].source = "# 3 Attention\n\n- One.\n- Two."


def not_executed(notebook):
    notebook.cells[3].execution_count = None


def executed_out_of_order(notebook):
    notebook.cells[2].execution_count = 7


def with_widgets(notebook):
    notebook.metadata["widgets"] = {}


@pytest.mark.parametrize(
    ("rule", "damage"),
    [
        ("set-up cell", without_setup),
        ("set-up cell", with_another_address),
        ("set-up cell", with_a_long_setup),
        ("set-up cell", with_many_names),
        ("opening", with_another_number),
        ("opening", with_two_bullets),
        ("outputs", not_executed),
        ("outputs", executed_out_of_order),
        ("metadata", with_widgets),
    ],
)
def test_a_damaged_chapter_breaks_its_rule(rule, damage):
    notebook = chapter()
    damage(notebook)
    assert rule in broken_rules(notebook, 3)
