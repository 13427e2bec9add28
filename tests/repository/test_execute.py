"""`make notebooks` stores a notebook's outputs, unless it fails.

`make colab` reports outputs that differ from the stored ones.
"""

import os
import subprocess
import sys

import nbformat
import pytest
from helpers.book import ROOT, read
from nbformat.v4 import new_code_cell, new_notebook, new_output

pytestmark = pytest.mark.slow(
    "a notebook whose stored outputs are not those of its run"
)


def execute(folder, *sources):
    """Write a notebook and execute it; return its path and the finished command."""
    notebook = new_notebook(
        cells=[new_code_cell(source) for source in sources],
        metadata={"widgets": {}, "language_info": {"name": "python", "version": "3.4"}},
    )
    notebook.cells[0].metadata = {"tags": ["setup"], "execution": {"when": "today"}}
    path = folder / "notebook.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, ROOT / "tools" / "execute.py", path]
    return path, subprocess.run(command, capture_output=True, text=True)


def test_outputs_are_stored_without_what_changes_from_run_to_run(tmp_path):
    """And without progress bars."""
    exists = "os.path.exists('notebook.ipynb')"
    bar = "from tqdm.auto import tqdm\nprint(list(tqdm(range(3))))"
    path, ended = execute(tmp_path, "import os", exists, bar)
    assert ended.returncode == 0, ended.stderr
    notebook = read(path)
    assert notebook.cells[1].outputs[0].data["text/plain"] == "True"
    assert [output.get("text") for output in notebook.cells[2].outputs] == [
        "[0, 1, 2]\n"
    ]
    assert [cell.execution_count for cell in notebook.cells] == [1, 2, 3]
    assert notebook.cells[0].metadata == {"tags": ["setup", "nbval-ignore-output"]}
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.language_info == {"name": "python"}


def test_a_notebook_that_fails_is_left_as_it_was(tmp_path):
    path, ended = execute(tmp_path, "1 + 1", "1 / 0")
    assert ended.returncode == 1
    assert "notebook.ipynb stopped" in ended.stderr
    assert "Error" in ended.stderr
    assert not any(cell.outputs for cell in read(path).cells)


# A kernel captures what compiled code writes, unless pytest has started it.
VISIBLE = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
CELLS = [
    ("print(1)\nprint(2)", "1\n2\n", None),
    ("print(1)\nprint(3)", "1\n2\n", "-2 +3"),
    # What compiled code writes is read beside the kernel, which must live so long.
    ("import os, time; os.write(2, b'a warning\\n'); time.sleep(1)", "", "+a warning"),
    ("%time print(4)", "5", None),
    ("1 / 0", "", "+ZeroDivisionError: division by zero"),
]


def test_what_differs_from_the_stored_outputs_is_reported(tmp_path):
    notebook = new_notebook(cells=[new_code_cell(source) for source, _, _ in CELLS])
    for cell, (_, stored, _) in zip(notebook.cells, CELLS, strict=True):
        if stored:
            cell.outputs = [new_output("stream", name="stdout", text=stored)]
    notebook.cells[3].metadata.tags = ["nbval-ignore-output"]
    path = tmp_path / "notebook.ipynb"
    nbformat.write(notebook, path)
    command = [sys.executable, ROOT / "tools" / "colab.py", path]
    run = subprocess.run(command, capture_output=True, text=True, env=VISIBLE)
    assert run.returncode == 1
    assert "1 of 1 notebooks differ" in run.stderr
    reports = run.stdout.split("+++ ")[1:]
    expected = [
        f"{path}, cell {number}, executed {change}"
        for number, (_, _, change) in enumerate(CELLS)
        if change
    ]
    reported = []
    for report in reports:
        first, *lines = report.splitlines()
        changes = [line for line in lines if line[0] in "+-" and line[:3] != "---"]
        reported.append(" ".join([first, *changes]))
    assert reported == expected
