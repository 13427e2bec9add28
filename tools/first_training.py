"""Run chapters up to their first training: does this environment carry the book?

    python tools/first_training.py book/*.ipynb

Outputs aren't compared. Each chapter has a process of its own, as a reader's has,
forked from one that has imported both frameworks: that takes longer than most chapters.
A training ends after ten steps: what crashes does so when an optimizer is made or first
steps. Of a chapter that trains nothing, only the set-up runs, and one step.
"""

import gc
import json
import os
import re
import sys
import tempfile
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path

# In the order of the set-up cells.
FRAMEWORKS = ("torch", "scratch.tensorflow", "tensorflow")

# What a cell that trains with PyTorch calls, and what a chapter without one runs.
TRAINS = re.compile(r"optimizer\.step\(|(?<!tf_)\b(fit|fine_tune|trained?)\(")
ONE_STEP = """
weight = torch.zeros(1, requires_grad=True)
weight.sum().backward()
torch.optim.Adam([weight]).step()
"""


class Enough(BaseException):
    """A training has made its ten steps: no chapter takes this for its own error."""


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
    """Run a chapter until an optimizer has stepped; return the cell's number."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    setup, *sources = code(path)
    os.chdir(tempfile.mkdtemp())
    shell.run_cell(setup).raise_error()

    from torch.optim.optimizer import register_optimizer_step_post_hook

    steps = []

    def count(*_):
        steps.append(1)
        if len(steps) == 10:
            raise Enough

    register_optimizer_step_post_hook(count)
    if not any(TRAINS.search(source) for source in sources):
        sources = [ONE_STEP]
    for number, source in enumerate(sources, 2):
        with suppress(Enough):
            shell.run_cell(source).raise_error()
        if steps:
            return number
    raise RuntimeError("no optimizer has made a step")


def run(path, told):
    """Begin a chapter in this process, which ends with it; all is told to a file."""
    for stream in (1, 2):
        os.dup2(told.fileno(), stream)
    failed = 0
    try:
        print(f"an optimizer steps in cell {begin(path)}")
    except BaseException:
        failed = traceback.print_exc() or 1
    sys.stdout.flush()
    os._exit(failed)


def main(paths):
    """Return whether all chapters ran; say of each what it printed last."""
    sys.path[0] = ""  # as in a kernel: a chapter may import what it has written
    os.environ["MPLBACKEND"] = "agg"
    for module in FRAMEWORKS:
        import_module(module)
    gc.freeze()  # so that counting garbage copies no memory
    held = True
    for path in paths:
        with tempfile.TemporaryFile("w+") as told:
            process = os.fork()
            if process == 0:
                run(path, told)
            _, status = os.waitpid(process, 0)
            told.seek(0)
            words = told.read().strip()
        held &= status == 0
        words = f"{status}\n{words[-3000:]}" if status else words.rpartition("\n")[2]
        print(f"{path.stem}: {words}", flush=True)
    return held


if __name__ == "__main__":
    sys.exit(not main([Path(path).resolve() for path in sys.argv[1:]]))
