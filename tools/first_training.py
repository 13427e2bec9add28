"""Run chapters up to their first training: does this environment carry the book?

    python tools/first_training.py book/*.ipynb

Outputs aren't compared. Each chapter has a process of its own, as a reader's has. Of
one that trains nothing, only the set-up runs, and a step of an optimizer.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# What a cell that trains with PyTorch calls, and what a chapter without one runs.
TRAINS = re.compile(r"optimizer\.step\(|(?<!tf_)\b(fit|fine_tune|trained?)\(")
ONE_STEP = """
weight = torch.zeros(1, requires_grad=True)
weight.sum().backward()
torch.optim.Adam([weight]).step()
"""


def code(path):
    """Return the sources of a chapter's code cells, without its exercises."""
    cells = json.loads(Path(path).read_text(encoding="utf-8"))["cells"]
    return [
        "".join(cell["source"])
        for cell in cells
        if cell["cell_type"] == "code"
        and "exercise" not in cell["metadata"].get("tags", [])
    ]


def begin(path):
    """Run a chapter until an optimizer has made a step; return the cell's number."""
    from IPython.core.interactiveshell import InteractiveShell

    sys.path[0] = ""  # as in a kernel: a chapter may import what it has written
    shell = InteractiveShell.instance()
    setup, *sources = code(path)
    shell.run_cell(setup).raise_error()

    from torch.optim.optimizer import register_optimizer_step_post_hook

    steps = []
    register_optimizer_step_post_hook(lambda *_: steps.append(1))
    if not any(TRAINS.search(source) for source in sources):
        sources = [ONE_STEP]
    for number, source in enumerate(sources, 2):
        shell.run_cell(source).raise_error()
        if steps:
            return number
    raise RuntimeError("no optimizer has made a step")


def main(paths):
    """Return whether all chapters ran; say of each what it printed last."""
    held = True
    for path in paths:
        run = subprocess.run(
            [sys.executable, __file__, "begin", Path(path).resolve()],
            cwd=tempfile.mkdtemp(),
            env={**os.environ, "MPLBACKEND": "agg"},
            capture_output=True,
            text=True,
        )
        held &= run.returncode == 0
        told = run.stdout if run.returncode == 0 else f"{run.returncode}\n{run.stderr}"
        print(f"{Path(path).stem}: {told.strip()[-3000:]}", flush=True)
    return held


if __name__ == "__main__":
    if sys.argv[1] == "begin":
        print(f"an optimizer steps in cell {begin(sys.argv[2])}")
    else:
        sys.exit(not main(sys.argv[1:]))
