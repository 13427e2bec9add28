"""What all tests share: the order of work, its limits, and programs beside Python."""

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

# A test that fills the memory fails, and takes neither the machine nor others with it.
MOST_MEMORY = 8 * 2**30


def pytest_configure(config):
    if sys.platform == "linux":
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, most))
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Failures(config))


class Failures:
    """Name each failure at once: of a run that is cut off there is no summary.

    A process that crashes ends the run, and the test that it crashed in is named.
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


# What a process takes with what it starts, such as a chapter's kernel or a browser.
USUAL_MEMORY = 3 * 2**30


def pytest_xdist_auto_num_workers():
    """One process more than cores, as some wait for a browser, if memory has room."""
    room = psutil.virtual_memory().total // USUAL_MEMORY
    return max(1, min(os.cpu_count() + 1, room))


# What takes longest comes first, and so all ends about together. Notebooks wait for
# what the first installs, the book's pages for its build: they do not stand together.
LONGEST = (
    "has_stored[capstones]",
    "test_pages.py",
    "test_exercises_named.py",
    "test_generation.py",
    "test_notebooks_run.py",
    "test_live.py",
    "test_grading.py",
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
    "test_library_tokenizers.py",
    "test_mutations.py",
)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Import without looking for garbage, and then only among what tests make.

    A million objects of both frameworks and all tests stay until the end: to go through
    them again and again takes a tenth of the time and more.
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
        # A file's tests share a process, or a chapter's where a file has all chapters;
        # each notebook goes to the next free one.
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
    """Each process leaves out the same tests: count those of one."""
    node.config.stash[LEFT_OUT] = getattr(node, "workeroutput", {}).get("left_out", 0)


def pytest_terminal_summary(terminalreporter, config):
    if left_out := config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(f"{left_out} tests of the proof were left out.")


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
    # The browser without its windows: a page costs it about 60 % of the work.
    shell = shutil.which("chromium-headless-shell")
    return shell or program("chromium", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def firefox():
    """The path of Firefox, a second browser: not every system has a package of it."""
    path = shutil.which("firefox-esr") or shutil.which("firefox")
    return path or pytest.skip("firefox is missing: sudo apt-get install firefox-esr")


@pytest.fixture(scope="session")
def bubblewrap():
    return program("bubblewrap", "bwrap")
