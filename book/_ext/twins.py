"""The API of both frameworks on one page: two signatures, one docstring.

`.. twins:: attention` describes what `scratch/torch/attention.py` and its mirror image
`scratch/tensorflow/attention.py` define, in the order of the file. The docstring stands
whole in PyTorch's file alone, so it is printed once, below both signatures.
"""

import inspect
import itertools
from importlib import import_module

from docutils.statemachine import StringList
from sphinx.ext.napoleon import Config, GoogleDocstring
from sphinx.util.docutils import SphinxDirective
from sphinx.util.inspect import signature, stringify_signature

# Layers say in `Call:` what their `forward` or `call` takes.
STYLE = Config(
    napoleon_custom_sections=[("Call", "params_style")], napoleon_use_rtype=False
)
CALLED = {"forward", "call"}


class Twins(SphinxDirective):
    required_arguments = 1

    def run(self):
        file = self.arguments[0]
        modules = [
            import_module(f"scratch.{framework}.{file}")
            for framework in ("torch", "tensorflow")
        ]
        for module in modules:
            self.env.note_dependency(module.__file__)
        lines = itertools.chain.from_iterable(
            described(pair) for pair in zip(*map(pieces, modules), strict=True)
        )
        return self.parse_text_to_nodes(StringList(list(lines), source=file))


def pieces(module):
    """Return the public classes and functions that a module defines, in order."""
    return [
        piece
        for name, piece in vars(module).items()
        if getattr(piece, "__module__", None) == module.__name__
        and (inspect.isclass(piece) or inspect.isfunction(piece))
        and not name.startswith("_")
    ]


def described(pair):
    """Yield the lines of reStructuredText that describe a pair of twins."""
    kind = "class" if inspect.isclass(pair[0]) else "function"
    packages = [".".join(one.__module__.split(".")[:2]) for one in pair]
    names = [
        f"{package}.{one.__name__}" for package, one in zip(packages, pair, strict=True)
    ]
    yield from block(kind, names, pair)
    if kind == "class":
        for name, method in public_methods(pair[0]):
            yield from indented(block("method", [name], [method]))


def block(kind, names, pieces):
    """Yield a directive of Sphinx's Python domain with one signature or two."""
    yield ""
    directive = f".. py:{kind}:: "
    for name, piece in zip(names, pieces, strict=True):
        yield f"{directive}{name}{arguments(piece)}"
        directive = " " * len(directive)
    if kind == "method":
        yield "   :no-index:"
    yield ""
    words = inspect.getdoc(pieces[0]) or ""
    yield from indented(GoogleDocstring(words, STYLE).lines())
    yield ""


def arguments(piece):
    """Return a signature as text, without `self`."""
    bound = inspect.isclass(piece) or "self" in inspect.signature(piece).parameters
    call = piece.__init__ if inspect.isclass(piece) else piece
    found = signature(call, bound_method=bound)
    return stringify_signature(found, unqualified_typehints=True)


def public_methods(layer):
    """Yield (name, function) of the methods that a reader calls by name."""
    for name, method in vars(layer).items():
        method = unwrapped(method)
        hidden = name.startswith("_") or name in CALLED
        if inspect.isfunction(method) and not hidden:
            yield name, method


def unwrapped(method):
    """Return the function inside a decorator or a `tf.function`."""
    return inspect.unwrap(getattr(method, "python_function", method))


def indented(lines):
    return (f"   {line}" if line else "" for line in lines)


def setup(app):
    app.add_directive("twins", Twins)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
