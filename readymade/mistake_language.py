"""Mistakes as diffs: a sentence that names a mistake, then the lines that make it.

    Your mask is inverted: each position sees what comes after it.
    - key_at <= query_at
    + key_at > query_at

The text after `+ ` replaces the text after `- ` wherever that occurs. Either may be a
part of a line or several lines; a lone `+` is an empty text. Without a `+`, whole lines
are deleted. Without a `-`, the text after `+ ` is the whole program. A blank line, or a
`-` after a `+`, begins the next edit; a sentence begins the next mistake.

An edit is made in each framework whose program holds the old text. After a line
`@torch` or `@tensorflow`, a mistake's edits are made in that framework only.
"""

import re
from dataclasses import dataclass, field
from functools import cache

_FORM = re.compile(r"(?P<mark>[-+])(?: (?P<code>.*))?|@(?P<label>torch|tensorflow)")


@dataclass
class Edit:
    """One replacement."""

    line: int  # of the text, where it begins
    framework: str  # the only one in which it is made, or ""
    old_lines: list[str] = field(default_factory=list)
    new_lines: list[str] = field(default_factory=list)

    @property
    def old(self):
        """The text that is replaced; "" for the whole program."""
        return "\n".join(self.old_lines) + ("" if self.new_lines else "\n")

    @property
    def new(self):
        """The text that replaces it."""
        return "\n".join(self.new_lines)

    def applies_to(self, framework, program):
        """Whether the edit is made in a framework's program."""
        return self.framework in ("", framework) and self.old in program

    def made_in(self, program):
        """Return the program with the edit made."""
        return program.replace(self.old, self.new) if self.old else self.new


@dataclass
class Mistake:
    """A wrong answer: the sentence that names it, and the edits that make it."""

    says: str
    edits: list[Edit] = field(default_factory=list)

    def made_in(self, programs):
        """Return {framework: wrong program}.

        A framework is left out if all edits are made in the other one only.

        Args:
            programs: {framework: right program}.

        Raises:
            ValueError: when an edit applies to no program, or a program stays as it is.
        """
        wrong = {
            name: program
            for name, program in programs.items()
            if any(edit.framework in ("", name) for edit in self.edits)
        }
        for edit in self.edits:
            places = [name for name in wrong if edit.applies_to(name, wrong[name])]
            if not places:
                raise ValueError(
                    f"line {edit.line} is {edit.old!r}: wanted text of a program"
                )
            wrong |= {name: edit.made_in(wrong[name]) for name in places}
        for name, program in wrong.items():
            if program == programs[name]:
                raise ValueError(
                    f"{self.says!r} changes nothing in {name}: wanted an edit for each"
                )
        return wrong


@cache
def mistakes_from(text):
    """Return the mistakes that a text lists, in order.

    Raises:
        ValueError: when a line is out of place.
    """
    mistakes, before, framework = [], "", ""
    for number, line in enumerate(text.splitlines(), 1):
        form = _FORM.fullmatch(line)
        mark = form and (form["mark"] or "@")
        if not line.strip():
            before = ""
            continue
        if not form and before == "sentence":
            mistakes[-1].says += " " + line
        elif not form:
            mistakes.append(Mistake(line))
            framework = ""
        elif not mistakes:
            raise ValueError(f"line {number} is {line!r}: wanted a sentence first")
        elif form["label"]:
            framework = form["label"]
        else:
            edits = mistakes[-1].edits
            if mark != before and not (before == "-" and mark == "+"):
                edits.append(Edit(number, framework))
            lines = edits[-1].old_lines if mark == "-" else edits[-1].new_lines
            lines.append(form["code"] or "")
        before = mark or "sentence"
    for mistake in mistakes:
        if not mistake.edits:
            raise ValueError(f"mistake is {mistake.says!r}: wanted an edit below it")
        for edit in mistake.edits[1:]:
            if not edit.old_lines:
                raise ValueError(f"line {edit.line} has no `-` above: wanted old text")
    return tuple(mistakes)
