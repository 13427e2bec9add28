"""Run the set-up cells of notebooks, and look up what their other cells import.

    python setup_cells.py NOTEBOOK...

Each notebook has a process of its own, forked from one that has imported what is slow.
It says what is missing, and nothing if nothing is.
"""

import ast
import gc
import json
import os
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

SLOW = """
scratch.tensorflow scratch.torch scratch.views scratch.weights
matplotlib.pyplot transformers.models.bert.modeling_bert
"""


def missing(path):
    """Run a notebook's set-up cell; return the modules that others will not find."""
    shell = InteractiveShell.instance()
    cells = json.loads(Path(path).read_text())["cells"]
    sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    shell.run_cell(sources[0]).raise_error()
    modules = set()
    for source in sources:
        for node in ast.walk(ast.parse(shell.transform_cell(source))):
            if isinstance(node, ast.Import):
                modules |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                modules.add(node.module.partition(".")[0])
    # A chapter may import what it has written.
    modules = {module for module in modules if f"{module}.py" not in "".join(sources)}
    return sorted(module for module in modules if find_spec(module) is None)


def report(path):
    try:
        for module in missing(path):
            print(f"{path} imports {module}")
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    for module in SLOW.split():
        import_module(module)
    gc.freeze()  # so that counting garbage copies no memory
    for path in sys.argv[1:]:
        process = os.fork()
        if process == 0:
            report(path)
        if os.waitpid(process, 0)[1]:
            print(f"{path} crashed", flush=True)
