"""What all tests share: the order of work, and the programs beside Python."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong.
settings.register_profile(
    "book", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("book")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Start the notebooks first, each by itself, and keep every other file whole.

    They take longest; begun first, they let two processes end at about the same time.
    """
    items.sort(key=lambda item: item.path.stem != "test_notebooks_run")
    for item in items:
        if item.path.stem != "test_notebooks_run":
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


def program(package, *names):
    """Return the path of a program; without it skip the test, or fail it in CI."""
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        reason = f"{names[0]} is missing: sudo apt-get install {package}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    return path


@pytest.fixture(scope="session")
def chromium():
    return program("chromium", "chromium", "google-chrome")


@pytest.fixture(scope="session")
def bubblewrap():
    return program("bubblewrap", "bwrap")
