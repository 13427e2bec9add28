"""A folder that all processes of a run share, filled by the first that needs it."""

import os
from contextlib import contextmanager

from filelock import FileLock


@contextmanager
def shared_folder(tmp_path_factory, name):
    """The folder of that name, at first empty, which no other process enters now."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / name
    with FileLock(f"{folder}.lock"):
        folder.mkdir(exist_ok=True)
        yield folder


def process_of_the_run():
    """The number of the process that lives as long as the whole run."""
    return os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
