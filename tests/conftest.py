"""What all tests share: the order of work, and the programs beside Python."""

import os
import shutil
import sys
from ctypes.util import find_library

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

# A busy machine is slow, not wrong.
settings.register_profile(
    "book", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")


class Scheduler(LoadFileScheduling):
    """Keep a file's tests in one process; give each notebook to the next free one."""

    def _split_scope(self, nodeid):
        return nodeid if is_notebook(nodeid) else super()._split_scope(nodeid)


def is_notebook(nodeid):
    return "test_notebooks_run.py" in nodeid


def pytest_xdist_make_scheduler(config, log):
    return Scheduler(config, log)


def pytest_collection_modifyitems(items):
    """Start the notebooks first: they take longest, and so all ends about together."""
    items.sort(key=lambda item: not is_notebook(item.nodeid))


def missing(name, package):
    """Skip the test that wants what is not here, or fail it in CI."""
    reason = f"{name} is missing: sudo apt-get install {package}"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def program(package, *names):
    """Return the path of a program; without it skip the test, or fail it in CI."""
    path = next(filter(None, map(shutil.which, names)), None)
    return path or missing(names[0], package)


@pytest.fixture
def untraced():
    """TensorFlow runs its functions eagerly: tracing one takes longer than a few steps.

    The tests beside, without this fixture, show that what is traced does the same.
    """
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def chromium():
    # Playwright steers it with a node of its own, which a small Debian cannot start.
    if sys.platform == "linux" and find_library("atomic") is None:
        missing("libatomic", "libatomic1")
    return program("chromium", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def bubblewrap():
    return program("bubblewrap", "bwrap")
