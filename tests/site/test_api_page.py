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
    """Return a signature with only the last part of each name, spaced in one way.

    A framework may define a class in another module than users import it from.
    """
    ends = re.sub(r"~?\b[A-Za-z_][\w.]*\.", "", text.replace("~", ""))
    return re.sub(r"\s*=\s*", "=", ends)


def imported_signature(piece):
    """Return what Sphinx says of an imported class or function."""
    bound = inspect.isclass(piece) or "self" in inspect.signature(piece).parameters
    call = piece.__init__ if inspect.isclass(piece) else piece
    arguments = signature(call, bound_method=bound)
    return stringify_signature(arguments, unqualified_typehints=True)


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
                wanted = imported_signature(called[method])
                assert plain(source.arguments(one)) == plain(wanted), method


WRITTEN = """
from dataclasses import dataclass
import torch
from torch import Tensor, nn
from scratch.torch.encoder import Pooler

class Own(nn.Module):
    def __init__(self, size: int, *, rate: float = 1e-5): ...
    @property
    def ready(self) -> bool: ...
    def read(self, x: Tensor | None = None) -> tuple[Tensor, ...]: ...

class Inherited(Own): ...

class Elsewhere(Pooler): ...

@dataclass(frozen=True)
class Fields:
    ids: list[int]
    seed: int | None = None

class Nothing: ...

def _hidden(): ...

def own(one: "Own", of: torch.Tensor, *more: int, **named) -> Own: ...
"""


def test_each_way_to_write_a_signature_is_read(tmp_path, monkeypatch):
    """Constructors of four kinds, properties, and what an annotation may be."""
    (tmp_path / "scratch" / "torch").mkdir(parents=True)
    (tmp_path / "scratch" / "torch" / "file.py").write_text(WRITTEN)
    (tmp_path / "scratch" / "torch" / "encoder.py").write_text(
        "class Pooler:\n    def __init__(self, config: dict): ..."
    )
    monkeypatch.setattr("twins.ROOT", tmp_path)
    module = Module("scratch.torch.file")
    signatures = {name: module.arguments(one) for name, one in module.pieces.items()}
    assert {name: plain(text) for name, text in signatures.items()} == {
        "Own": "(size: int, *, rate: float=1e-05)",
        "Inherited": "(size: int, *, rate: float=1e-05)",
        "Elsewhere": "(config: dict)",
        "Fields": "(ids: list[int], seed: int | None=None) -> None",
        "Nothing": "()",
        "own": "(one: 'Own', of: Tensor, *more: int, **named) -> Own",
    }
    assert "of: ~torch.Tensor" in signatures["own"]
    assert "-> ~scratch.torch.file.Own" in signatures["own"]
    (read,) = described_methods(module.pieces["Own"])
    assert (
        module.arguments(read)
        == "(x: ~torch.Tensor | None=None) -> tuple[~torch.Tensor, ...]"
    )
