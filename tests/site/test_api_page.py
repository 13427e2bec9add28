"""The API page says of each piece what Python says of it, without importing it."""

import inspect
import re
from importlib import import_module

import pytest
from helpers.book import BOOK
from sphinx.util.inspect import signature, stringify_signature
from twins import CALLED, Module, described_methods

API = (BOOK / "api.rst").read_text(encoding="utf-8")
FILES = re.findall(r"^\.\. twins:: (\w+)", API, re.MULTILINE)
PIECES = re.findall(r"^\.\. piece:: ([\w.]+)\.\w+$", API, re.MULTILINE)
MODULES = [
    *PIECES,
    *(
        f"scratch.{framework}.{file}"
        for framework in ("torch", "tensorflow")
        for file in FILES
    ),
]


def plain(text):
    """Return a signature with the ends of names alone, spaced in one way.

    A framework may define a class elsewhere than it offers it.
    """
    ends = re.sub(r"~?\b[A-Za-z_][\w.]*\.", "", text.replace("~", ""))
    return re.sub(r"\s*=\s*", "=", ends)


def imported_signature(piece):
    """Return what Sphinx says of an imported class or function."""
    bound = inspect.isclass(piece) or "self" in inspect.signature(piece).parameters
    call = piece.__init__ if inspect.isclass(piece) else piece
    found = signature(call, bound_method=bound)
    return stringify_signature(found, unqualified_typehints=True)


def function(method):
    """Return the function inside a decorator or a `tf.function`."""
    return inspect.unwrap(getattr(method, "python_function", method))


@pytest.mark.parametrize("name", MODULES)
def test_signatures_are_those_of_what_is_imported(name):
    source, module = Module(name), import_module(name)
    defined = [
        name
        for name, one in vars(module).items()
        if getattr(one, "__module__", None) == module.__name__
        and (inspect.isclass(one) or inspect.isfunction(one))
        and not name.startswith("_")
    ]
    assert list(source.pieces) == defined
    for name, node in source.pieces.items():
        piece = getattr(module, name)
        assert plain(source.arguments(node)) == plain(imported_signature(piece)), name
        # Of a pair of classes, the methods of PyTorch's are described.
        if inspect.isclass(piece) and "tensorflow" not in module.__name__:
            called = {
                method: function(one)
                for method, one in vars(piece).items()
                if inspect.isfunction(function(one))
                and not method.startswith("_")
                and method not in CALLED
            }
            offered = {one.name: one for one in described_methods(node)}
            assert list(offered) == list(called)
            for method, one in offered.items():
                found = imported_signature(called[method])
                assert plain(source.arguments(one)) == plain(found), method
