"""Run the set-up cells of notebooks, and find the packages that other cells import.

    python setup_cells.py NOTEBOOK...

Each notebook has its own process, forked from one that has made the slow imports. Only
failures are printed.
"""

import ast
import gc
import json
import os
import re
import sys
import traceback
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from IPython.core.inputtransformer2 import TransformerManager
from IPython.core.interactiveshell import InteractiveShell

SLOW = """
scratch.tensorflow scratch.torch readymade.views readymade.weights
matplotlib.pyplot transformers.models.bert.modeling_bert
"""


def packages(cells):
    """Yield the packages that cells need but neither write nor install."""
    text = "\n".join(cells)
    own = set(re.findall(r"^%%writefile (\w+)\.py$", text, re.MULTILINE))
    own.update(
        *map(str.split, re.findall(r"^ +%pip install --quiet (.+)$", text, re.M))
    )
    for cell in cells:
        if cell.startswith("%%"):
            continue
        for node in ast.walk(ast.parse(TransformerManager().transform_cell(cell))):
            if isinstance(node, ast.ImportFrom):
                yield from {node.module.partition(".")[0]} - own
            elif isinstance(node, ast.Import):
                yield from {name.name.partition(".")[0] for name in node.names} - own


def run(path):
    try:
        cells = json.loads(Path(path).read_text())["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        InteractiveShell.instance().run_cell(sources[0]).raise_error()
        missing = {name for name in packages(sources[1:]) if not find_spec(name)}
        assert not missing, missing
    except BaseException as error:
        print(f"{path} fails:", *traceback.format_exception_only(error), flush=True)
    os._exit(0)


if __name__ == "__main__":
    gc.disable()  # all that is imported stays: collecting garbage takes a fifth longer
    for module in SLOW.split():
        import_module(module)
    gc.freeze()  # so that collecting garbage copies no memory
    gc.enable()
    for path in sys.argv[1:]:
        process = os.fork()
        if process == 0:
            run(path)
        if os.waitpid(process, 0)[1]:
            print(f"{path} crashed", flush=True)
