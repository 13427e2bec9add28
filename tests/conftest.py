"""What all tests share: their order, their limits, and programs other than Python."""

import gc
import os
import resource
import shutil
import sys
from ctypes.util import find_library

import psutil
import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong.
settings.register_profile(
    "book", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")

# A test that fills the memory fails, without taking the machine down with it.
MOST_MEMORY = 8 * 2**30


def pytest_configure(config):
    if sys.platform == "linux":
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, most))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))


class Failures:
    """Name each failure at once, because an interrupted run has no summary.

    A process that crashes ends the run; the test in which it crashed is named.
    """

    def __init__(self, config):
        self.plugins = config.pluginmanager

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report):
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            reason = crash.message if crash else str(report.longrepr).strip()
            terminal = self.plugins.get_plugin("terminalreporter")
            terminal.ensure_newline()
            reason = " ".join(reason.split())[:300]
            terminal.write_line(f"FAILED {report.nodeid}: {reason}")
            terminal.flush()


# What a process needs, including what it starts, such as a kernel or a browser.
USUAL_MEMORY = 3 * 2**30


def pytest_xdist_auto_num_workers():
    """Use one process more than cores, because some wait, if there is memory for it."""
    room = psutil.virtual_memory().total // USUAL_MEMORY
    return max(1, min(os.cpu_count() + 1, room))


# The longest tests come first, so that all processes end at about the same time.
# Notebooks wait for an installation, pages for the book's build: not side by side.
LONGEST = (
    "has_stored[capstones]",
    "test_pages.py",
    "test_exercises_named.py",
    "test_generation.py",
    "test_notebooks_run.py",
    "test_live.py",
    "test_grading.py",
    "test_hostile_students.py",
    "test_grading_class.py",
    "test_grading_release.py",
    "test_installing.py",
    "test_exercises_values.py",
    "test_sampling.py",
    "test_keras_citizens.py",
    "test_exercises.py",
    "test_grading_trouble.py",
    "test_checkpoints.py",
    "test_broken_decoder.py",
    "test_parity.py",
    "test_training.py",
    "test_exercises_draws.py",
    "test_tokenizers_library.py",
    "test_mutations.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Exclude everything that is imported from garbage collection.

    A million objects of both frameworks and all tests stay until the end: to go through
    them again and again takes a tenth of the time or more.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before xdist, which reads the groups here
def pytest_collection_modifyitems(items):
    def place(item):
        last = len(LONGEST)
        return next((n for n, file in enumerate(LONGEST) if file in item.nodeid), last)

    items.sort(key=place)
    for item in items:
        for mark in item.iter_markers("slow"):
            if not (mark.args and mark.args[0].strip()):
                raise pytest.UsageError(f"{item.nodeid} is slow: say what it catches")
        # The tests of a file share a process, or those of a chapter if a file has many;
        # each notebook goes to the next free process.
        group = item.get_closest_marker("xdist_group")
        if group is None and item.path.name != "test_notebooks_run.py":
            item.add_marker(pytest.mark.xdist_group(item.path.name))


LEFT_OUT = pytest.StashKey[int]()


def pytest_deselected(items):
    slow = sum(item.get_closest_marker("slow") is not None for item in items)
    config = items[0].config
    config.stash[LEFT_OUT] = config.stash.get(LEFT_OUT, 0) + slow


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        left_out = session.config.stash.get(LEFT_OUT, 0)
        session.config.workeroutput["left_out"] = left_out


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    """Count the tests left out by one process: all leave out the same."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter, config):
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} tests of the proof were left out.")


def missing(name, package):
    """Skip the test because something is missing, or fail it in CI."""
    reason = f"{name} is missing: sudo apt-get install {package}"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


def program(package, *names):
    """Return the path of a program; if it is missing, skip or fail the test."""
    path = next(filter(None, map(shutil.which, names)), None)
    return path or missing(names[0], package)


@pytest.fixture(scope="session")
def java():
    return program("default-jre-headless", "java")


@pytest.fixture
def untraced():
    """Run TensorFlow's functions eagerly: tracing takes longer than a few steps.

    Other tests, without this fixture, show that traced functions do the same.
    """
    import tensorflow as tf

    tf.config.run_functions_eagerly(True)
    yield
    tf.config.run_functions_eagerly(False)


@pytest.fixture(scope="session")
def chromium():
    # Playwright needs its own node, which a minimal Debian cannot start.
    if sys.platform == "linux" and find_library("atomic") is None:
        missing("libatomic", "libatomic1")
    # The browser without windows needs about 60 % of the time for a page.
    shell = shutil.which("chromium-headless-shell")
    return shell or program("chromium", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def firefox():
    """The path of Firefox, a second browser: not every system packages it."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    return path or pytest.skip("firefox is missing: sudo apt-get install firefox-esr")


@pytest.fixture(scope="session")
def bubblewrap():
    return program("bubblewrap", "bwrap")
