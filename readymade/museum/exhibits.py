"""An exhibit: a mistake as an edit of the shipped code of both frameworks."""

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from readymade.mistake_language import Mistake, mistakes_from

PACKAGES = ("torch", "tensorflow")


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A mistake that others made, as it would be in our code.

    Args:
        number: its place in the list, from 1 to 49.
        what: the mistake in a few words.
        file: the file of both packages that is edited, without ".py"; after a dot,
            one of `scratch` itself, which both use.
        mistake: the edits.
    """

    number: int
    what: str
    file: str
    mistake: Mistake

    @cached_property
    def texts(self) -> dict[str, str]:
        """{framework: the edited file}, if the mistake can be made there."""
        healthy = {name: text_of(name, self.file) for name in PACKAGES}
        return self.mistake.made_in(healthy)

    def changes(self, framework: str) -> str:
        """Return the edits of one framework's file, as lines that begin with - or +."""
        healthy = text_of(framework, self.file)
        lines = []
        for edit in self.mistake.edits:
            if edit.applies_to(framework, healthy):
                lines += [f"- {line}" for line in edit.old_lines]
                lines += [f"+ {line}" for line in edit.new_lines]
        return "\n".join(lines)


def exhibits(file: str, text: str) -> list[Exhibit]:
    """Return the exhibits of a text, in which each is "number: what" above a diff."""
    mistakes = [(*one.says.split(": ", 1), one) for one in mistakes_from(text)]
    return [Exhibit(int(number), what, file, one) for number, what, one in mistakes]


def text_of(framework: str, file: str) -> str:
    """Return the text of a file of one package, without importing it."""
    package = Path(importlib.util.find_spec("scratch").origin).parent
    folder = package if file.startswith(".") else package / framework
    return (folder / f"{file.lstrip('.')}.py").read_text(encoding="utf-8")
