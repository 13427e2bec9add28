"""Execute notebooks and say where they print something else than they have stored.

`make colab` does so with the versions of Colab's image. Text is compared, what goes to
stderr and errors, too; pictures are not, which every version draws differently.
"""

import difflib
import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy

import nbformat
from execute import run


def text(cell):
    """Return the lines under a cell, without those that differ from run to run."""
    lines = []
    for output in cell.outputs:
        unwanted = output.output_type == "error" or output.get("name") == "stderr"
        if "nbval-ignore-output" in cell.metadata.get("tags", []) and not unwanted:
            continue
        if output.output_type == "error":
            lines.append(f"{output.ename}: {output.evalue}")
        else:
            said = output.get("text") or output.get("data", {}).get("text/plain", "")
            lines += said.splitlines()
    return lines


def differences(path):
    """Execute a notebook in an empty folder; return what differs, cell by cell."""
    stored = nbformat.read(path, as_version=4)
    executed = deepcopy(stored)
    with tempfile.TemporaryDirectory() as folder:
        run(executed, folder, allow_errors=True)
    found = []
    for number, (old, new) in enumerate(zip(stored.cells, executed.cells, strict=True)):
        if old.cell_type == "code":
            about = f"{path}, cell {number}, "
            lines = (text(old), text(new), about + "stored", about + "executed")
            found += difflib.unified_diff(*lines, lineterm="")
    return found


if __name__ == "__main__":
    paths = sys.argv[1:]
    differing = 0
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for path, found in zip(paths, pool.map(differences, paths), strict=True):
            print("\n".join(found) or f"{path} prints what it has stored", flush=True)
            differing += bool(found)
    sys.exit(f"{differing} of {len(paths)} notebooks differ" if differing else 0)
