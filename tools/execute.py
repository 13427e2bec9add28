"""Execute a notebook in its own folder and store its outputs in it."""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

# Only to stop a cell that hangs.
SECONDS_A_CELL = 1800
WIDGET = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def tidy(notebook):
    """Remove the metadata and outputs that differ from run to run."""
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        # A stored progress bar shows nothing without its kernel.
        if cell.cell_type == "code":
            cell.outputs = [
                output
                for output in cell.outputs
                if WIDGET not in output.get("data", {})
            ]
        # What the set-up cell prints depends on whether it had to install something.
        if "setup" in cell.metadata.get("tags", []):
            cell.metadata.tags = ["setup", "nbval-ignore-output"]


def run(notebook, folder, **how):
    """Run all cells of a notebook and keep their outputs in it."""
    NotebookClient(
        notebook,
        timeout=SECONDS_A_CELL,
        startup_timeout=SECONDS_A_CELL,
        kernel_name="python3",
        coalesce_streams=True,  # one output for what is printed in pieces
        record_timing=False,
        extra_arguments=["--log-level=ERROR"],
        resources={"metadata": {"path": folder}},
        **how,
    ).execute()
    tidy(notebook)


def execute(path):
    """Run the notebook in its own folder; write it only if every cell succeeded."""
    notebook = nbformat.read(path, as_version=4)
    run(notebook, path.parent)
    nbformat.write(notebook, path)


if __name__ == "__main__":
    source = Path(sys.argv[1])
    print(f"Executing {source} ...", flush=True)
    try:
        execute(source)
    except CellExecutionError as error:
        sys.exit(f"{source} stopped; it was left as it was.\n{error}")
