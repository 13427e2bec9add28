"""The built book and a browser that visits it, for all tests of its pages."""

from contextlib import ExitStack

import pytest
from helpers.site import MILLISECONDS, browsing, built, served


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """The built book: its folder, and how the first and a second build went."""
    return built(tmp_path_factory)


@pytest.fixture(scope="module")
def site(build):
    return build.site


@pytest.fixture(scope="module")
def address(site):
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser(chromium):
    with browsing(chromium) as browser:
        yield browser


@pytest.fixture
def new_context(browser):
    """A function that makes a fresh browser profile, which ends with the test."""
    with ExitStack() as profiles:

        def new(width=1440, height=900, **options):
            size = {"width": width, "height": height}
            context = browser.new_context(viewport=size, **options)
            profiles.callback(context.close)
            context.set_default_timeout(MILLISECONDS)
            return context

        yield new


@pytest.fixture
def open_page(new_context, address):
    """A function that opens a page of the book, in a fresh profile if in no other."""

    def open_(name, context=None, **options):
        page = (context or new_context(**options)).new_page()
        assert page.goto(address + name, wait_until="load").ok
        return page

    return open_
