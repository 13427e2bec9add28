"""Run the set-up cells of notebooks, and then what their other cells import.

    python setup_cells.py NOTEBOOK...

Each notebook has a process of its own, forked from one that has imported what is slow.
It says what fails, and nothing if nothing does.
"""

import ast
import gc
import json
import os
import re
import sys
import traceback
from importlib import import_module
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

SLOW = """
scratch.tensorflow scratch.torch readymade.views readymade.weights
matplotlib.pyplot transformers.models.bert.modeling_bert
"""


def imports(cells):
    """Yield what cells import, but for the programs that they write."""
    written = set(
        re.findall(r"^%%writefile (\w+)\.py$", "\n".join(cells), re.MULTILINE)
    )
    for cell in cells:
        if not cell.startswith("%%"):
            for node in ast.parse(TransformerManager().transform_cell(cell)).body:
                named = isinstance(node, ast.ImportFrom) and node.module not in written
                if named or isinstance(node, ast.Import):
                    yield ast.unparse(node)


def run(path):
    try:
        cells = json.loads(Path(path).read_text())["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        shell = InteractiveShell.instance()
        shell.run_cell(sources[0]).raise_error()
        shell.run_cell("\n".join(imports(sources[1:]))).raise_error()
    except BaseException as error:
        print(f"{path} fails:", *traceback.format_exception_only(error), flush=True)
    os._exit(0)


if __name__ == "__main__":
    for module in SLOW.split():
        import_module(module)
    gc.freeze()  # so that counting garbage copies no memory
    for path in sys.argv[1:]:
        process = os.fork()
        if process == 0:
            run(path)
        if os.waitpid(process, 0)[1]:
            print(f"{path} crashed", flush=True)
