"""A folder that all processes of a test run share; the first to need it fills it."""

import os
from contextlib import contextmanager

from filelock import FileLock


@contextmanager
def shared_folder(tmp_path_factory, name):
    """Yield the folder of that name, empty at first, locked for all other processes."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / name
    with FileLock(f"{folder}.lock"):
        folder.mkdir(exist_ok=True)
        yield folder


def process_of_the_run():
    """Return the number of the process that lives as long as the whole run."""
    return os.getppid() if "PYTEST_XDIST_WORKER" in os.environ else os.getpid()
