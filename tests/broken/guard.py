"""A test of ours, and the mistakes that it must catch."""

from collections.abc import Callable
from dataclasses import dataclass

from readymade.museum import Exhibit, exhibit


@dataclass(frozen=True)
class Guarded:
    """A mistake and the test that must fail with it.

    caught_by: the test; arguments: its arguments beside the framework.
    """

    mistake: Exhibit
    caught_by: Callable
    arguments: dict


class Guard:
    """A test, with its arguments."""

    def __init__(self, test, **arguments):
        self.test, self.arguments = test, arguments

    def catch(self, *descriptions):
        """Return the mistakes with these descriptions, guarded by this test."""
        return [
            Guarded(exhibit(one), self.test, self.arguments) for one in descriptions
        ]
