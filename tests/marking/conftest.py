"""Fixtures of several tests of marking."""

import pytest
from helpers.classroom import VALUE, code, hand_in, solved


@pytest.fixture(scope="module")
def notebooks_of(tmp_path_factory):
    """Return the bytes of two notebooks that differ, the later one first."""
    folder = tmp_path_factory.mktemp("written")
    hand_in(folder / "later.ipynb", *solved(VALUE))
    hand_in(folder / "earlier.ipynb", *solved(VALUE), code("1 + 1"))
    return [(folder / f"{one}.ipynb").read_bytes() for one in ("later", "earlier")]
