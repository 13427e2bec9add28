"""Run the set-up cells of notebooks.

    python setup_cells.py NOTEBOOK...

Each notebook has a process of its own, forked from one that has imported what is slow.
It says what fails, and nothing if nothing does.
"""

import gc
import json
import os
import sys
import traceback
from importlib import import_module
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell

SLOW = """
scratch.tensorflow scratch.torch readymade.views readymade.weights
matplotlib.pyplot transformers.models.bert.modeling_bert
"""


def run(path):
    try:
        cells = json.loads(Path(path).read_text())["cells"]
        sources = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
        InteractiveShell.instance().run_cell(sources[0]).raise_error()
    except BaseException as error:
        print(f"{path} fails:", *traceback.format_exception_only(error), flush=True)
    os._exit(0)


if __name__ == "__main__":
    gc.disable()  # what is imported stays: to look for garbage takes a fifth longer
    for module in SLOW.split():
        import_module(module)
    gc.freeze()  # so that counting garbage copies no memory
    gc.enable()
    for path in sys.argv[1:]:
        process = os.fork()
        if process == 0:
            run(path)
        if os.waitpid(process, 0)[1]:
            print(f"{path} crashed", flush=True)
