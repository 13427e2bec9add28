"""Docstrings, annotations and error messages have one form."""

import ast
import inspect
import re
from dataclasses import fields
from functools import cache

from scratch.config import TransformerConfig

import pytest
from helpers.book import ROOT, offered

FILES = [
    path
    for folder in ("scratch", "readymade")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
SECTIONS = ("Args", "Call", "Returns", "Yields", "Raises", "Example")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def programs():
    """Yield (path, syntax tree) of each file."""
    for path in FILES:
        yield path.relative_to(ROOT), ast.parse(path.read_text())


@cache
def exported():
    """Return the names that the packages export."""
    names = {"TransformerConfig", "agree"}  # in modules of their own
    for path in FILES:
        if path.parent.name != "checks":  # they take anything, and say what is wrong
            names |= {*offered(path)}
    return names


def public(tree):
    """Yield (name, definition) of what users call: exports, and their methods."""
    names = exported()
    for node in tree.body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)) and node.name in names:
            yield node.name, node
            methods = node.body if isinstance(node, ast.ClassDef) else ()
            for method in methods:
                called = getattr(method, "name", "_")
                if called == "__init__" or not called.startswith("_"):
                    yield f"{node.name}.{called}", method


def badly_worded(words):
    """Return what is wrong with a docstring, or None."""
    if not words:
        return "has none"
    summary, _, rest = words.partition("\n\n")
    if not re.search(r"[.:]$", summary.strip()):
        return "the first paragraph is not a sentence"
    for line in words.splitlines():
        for section in SECTIONS:
            if re.match(rf"{section}:\s+\S", line):
                return f"{section}: begins a section, so its text belongs below it"
    for name, first in re.findall(r"^(Call|Returns|Yields):\n +(.*)", rest, re.M):
        colon = ":" in re.sub(r"``.*?``", "", first)
        if colon != (name == "Call"):
            return f"{name}: what is before a colon is printed as a name or a type"
    titles = re.findall(r"^([A-Z]\w+):$", rest, re.MULTILINE)
    places = [SECTIONS.index(title) for title in titles if title in SECTIONS]
    if places != sorted(places):
        return f"the sections are not in order: {', '.join(titles)}"
    return None


# Described with the class: its arguments in `Args:`, those of a call in `Call:`.
WITH_THE_CLASS = {"__init__", "forward", "call", "build"}


def test_what_is_public_is_described_in_one_form():
    problems = [
        f"{path}: {name}: {problem}"
        for path, tree in programs()
        for name, node in public(tree)
        if node.name not in WITH_THE_CLASS
        and (problem := badly_worded(ast.get_docstring(node)))
    ]
    assert not problems, "\n".join(problems)


def test_every_field_of_the_config_is_described_in_its_place():
    words = inspect.getdoc(TransformerConfig)
    described = re.findall(r"^    (\w+): ", words, re.MULTILINE)
    names = [field.name for field in fields(TransformerConfig)]
    assert [name for name in described if name in names] == names


def test_public_signatures_are_annotated():
    bare = [
        f"{path}: {name}({argument.arg})"
        for path, tree in programs()
        for name, node in public(tree)
        if isinstance(node, FUNCTIONS)
        for argument in node.args.args + node.args.kwonlyargs
        if argument.annotation is None and argument.arg not in ("self", "cls")
    ]
    assert not bare, "\n".join(bare)


def messages(tree):
    """Yield (line, text) of the errors that a program raises, values as {}."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)):
            continue
        if ast.unparse(node.exc.func) in ("ValueError", "TypeError") and node.exc.args:
            text = node.exc.args[0]
            if isinstance(text, ast.JoinedStr):
                parts = [getattr(part, "value", "{}") for part in text.values]
                yield (
                    node.lineno,
                    "".join(p if isinstance(p, str) else "{}" for p in parts),
                )
            elif isinstance(text, ast.Constant):
                yield node.lineno, text.value


def test_errors_say_what_was_given_and_what_is_wanted():
    wrong = [
        f"{path}:{line}: {text}"
        for path, tree in programs()
        for line, text in messages(tree)
        # Or they pass on the message of another check, or of a library.
        if not re.search(r"\bwanted\b|\{\}$", text)
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("Add two numbers.\n\nArgs:\n    x: one.\n\nReturns:\n    The sum.", None),
        ("Add two numbers", "not a sentence"),
        ("Add.\n\nReturns: the sum.", "Returns: begins"),
        ("Add.\n\nReturns:\n    The sum.\n\nArgs:\n    x: one.", "not in order"),
        ("Add.\n\nReturns:\n    A number: the sum.", "Returns: what"),
        ("Add.\n\nCall:\n    As subtraction.", "Call: what"),
        (None, "none"),
    ],
)
def test_another_form_is_noticed(words, problem):
    answer = badly_worded(words)
    assert answer is None if problem is None else problem in answer
