"""Execute notebooks and report where their output differs from what is stored.

`make colab` does this with the versions of Colab's image. Text is compared, including
errors and what goes to stderr; pictures are not, because every version draws them
differently.
"""

import difflib
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy

import nbformat
from execute import run


def output_lines(cell):
    """Return the lines of a cell's output, without those that differ between runs."""
    lines = []
    for output in cell.outputs:
        unwanted = output.output_type == "error" or output.get("name") == "stderr"
        if "nbval-ignore-output" in cell.metadata.get("tags", []) and not unwanted:
            continue
        if output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        else:
            text = output.get("text") or output.get("data", {}).get("text/plain", "")
            lines += text.splitlines()
    return lines


def differences(path):
    """Execute a notebook in an empty folder; return the changed lines of its output."""
    stored = nbformat.read(path, as_version=4)
    executed = deepcopy(stored)
    with tempfile.TemporaryDirectory() as folder:
        run(executed, folder, allow_errors=True)
    changes = []
    for number, (old, new) in enumerate(zip(stored.cells, executed.cells, strict=True)):
        if old.cell_type == "code":
            place = f"{path}, cell {number}, "
            changes += difflib.unified_diff(
                output_lines(old),
                output_lines(new),
                f"{place}stored",
                f"{place}executed",
                lineterm="",
            )
    return changes


if __name__ == "__main__":
    paths = sys.argv[1:]
    differing = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for path, changes in zip(paths, pool.map(differences, paths), strict=True):
            print("\n".join(changes) or f"{path} prints what it has stored", flush=True)
            differing += bool(changes)
    sys.exit(f"{differing} of {len(paths)} notebooks differ" if differing else 0)
