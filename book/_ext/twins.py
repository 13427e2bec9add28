"""The API of both frameworks on one page: two signatures, one docstring.

`.. twins:: attention` describes what `scratch/torch/attention.py` and its mirror image
`scratch/tensorflow/attention.py` define, in the order of the file. The docstring stands
whole in PyTorch's file alone, so it is printed once, below both signatures.
`.. piece:: scratch.torch.evaluation.inference` describes one class or function that has
no twin.

All is read from the source: nothing is imported, so neither framework has to be there.
"""

import ast
import itertools
import re
from copy import deepcopy
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
# Layers say in `Call:` what their `forward` or `call` takes.
STYLE = Config(
    napoleon_custom_sections=[("Call", "params_style")], napoleon_use_rtype=False
)
CALLED = {"forward", "call"}


class Described(SphinxDirective):
    """What is described on the page, from the source of its modules."""

    required_arguments = 1

    def run(self):
        modules = list(map(Module, self.names()))
        for module in modules:
            self.env.note_dependency(str(module.path))
        pairs = zip(*map(self.pieces, modules), strict=True)
        lines = itertools.chain.from_iterable(
            described(modules, pair) for pair in pairs
        )
        source = self.arguments[0]
        return self.parse_text_to_nodes(StringList(list(lines), source=source))


class Twins(Described):
    def names(self):
        file = self.arguments[0]
        return [f"scratch.{framework}.{file}" for framework in ("torch", "tensorflow")]

    def pieces(self, module):
        return module.pieces.values()


class Piece(Described):
    def names(self):
        return [self.arguments[0].rpartition(".")[0]]

    def pieces(self, module):
        return [module.pieces[self.arguments[0].rpartition(".")[2]]]


class Module:
    """The source of a module.

    Attributes:
        path: its file.
        package: where a reader imports its pieces from.
        pieces: {name: syntax tree} of its public classes and functions, in order.
        meant: {name: what it is the name of} of what it imports and defines.
    """

    def __init__(self, name):
        place = ROOT.joinpath(*name.split("."))
        package = place / "__init__.py"
        self.path = package if place.is_dir() else place.with_suffix(".py")
        self.package = ".".join(name.split(".")[:2])
        self.pieces, self.meant = {}, {}
        for node in ast.parse(self.path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                self.meant[node.name] = f"{name}.{node.name}"
                if not node.name.startswith("_"):
                    self.pieces[node.name] = node
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                before = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                for one in node.names:
                    self.meant[one.asname or one.name] = before + one.name

    def arguments(self, piece):
        """Return a signature as text, without `self`."""
        called = self.constructor(piece) if isinstance(piece, ast.ClassDef) else piece
        taken, returned = deepcopy(called.args), called.returns
        if taken.args and taken.args[0].arg == "self":
            taken.args.pop(0)
        for one in ast.walk(taken):
            if isinstance(one, ast.arg) and one.annotation:
                one.annotation = self.placed(one.annotation)
        after = f" -> {ast.unparse(self.placed(returned))}" if returned else ""
        return f"({ast.unparse(taken)}){after}"

    def constructor(self, piece):
        """Return the `__init__` of a class: own, a dataclass's or inherited."""
        for one in methods(piece):
            if one.name == "__init__":
                return one
        if "dataclass" in "".join(map(ast.unparse, piece.decorator_list)):
            fields = [one for one in piece.body if isinstance(one, ast.AnnAssign)]
            taken = ", ".join(["self", *map(ast.unparse, fields)])
            return ast.parse(f"def __init__({taken}) -> None: ...").body[0]
        for base in map(ast.unparse, piece.bases):
            if base in self.pieces:
                return self.constructor(self.pieces[base])
            file, _, name = self.meant.get(base, "").rpartition(".")
            if file.startswith("scratch."):
                other = Module(file)
                return other.constructor(other.pieces[name])
        return ast.parse("def __init__(self): ...").body[0]

    def placed(self, annotation):
        """Return an annotation with all that is before a name: `~torch.Tensor`.

        The mark has Sphinx print its end alone, and look for a page under the whole.
        """

        def place(name):
            return f"~{self.meant[name[0]]}" if name[0] in self.meant else name[0]

        text = re.sub(r"(?<![\w.])[A-Za-z_]\w*", place, ast.unparse(annotation))
        # As Sphinx writes it in the signatures that it reads from what is imported.
        return ast.Name(text.replace("Callable[...,", "Callable[[...],"))


def described(modules, pair):
    """Yield the lines of reStructuredText that describe a piece, or a pair of twins."""
    kind = "class" if isinstance(pair[0], ast.ClassDef) else "function"
    yield from block(kind, modules, pair)
    if kind == "class":
        for method in described_methods(pair[0]):
            yield from indented(block("method", modules[:1], [method]))


def block(kind, modules, pieces):
    """Yield a directive of Sphinx's Python domain with one signature or two."""
    yield ""
    directive = f".. py:{kind}:: "
    # The names of two packages are whole, whatever module the page is about there.
    alone = len(modules) == 1
    for module, piece in zip(modules, pieces, strict=True):
        package = "" if alone else f"{module.package}."
        yield f"{directive}{package}{piece.name}{module.arguments(piece)}"
        directive = " " * len(directive)
    place = f":module: {modules[0].package if alone else ''}"
    yield f"   {':no-index:' if kind == 'method' else place}"
    yield ""
    words = ast.get_docstring(pieces[0]) or ""
    yield from indented(GoogleDocstring(words, STYLE).lines())
    yield ""


def methods(layer):
    """Return the functions that a class defines."""
    return [one for one in layer.body if isinstance(one, ast.FunctionDef)]


def described_methods(layer):
    """Return the methods that a reader calls by name."""
    return [
        one
        for one in methods(layer)
        if not one.name.startswith("_")
        and one.name not in CALLED
        and "property" not in "".join(map(ast.unparse, one.decorator_list))
    ]


def indented(lines):
    return (f"   {line}" if line else "" for line in lines)


def setup(app):
    app.add_directive("twins", Twins)
    app.add_directive("piece", Piece)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
